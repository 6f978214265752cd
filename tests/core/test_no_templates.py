"""Nothing of anybody's text is a template."""

from __future__ import annotations

from typing import Any

import pytest
from chat_turns import native

from promptmw import ChatFormat, Conversation, Pipeline, Untrusted, attr, block, line, list_item, section
from promptmw.fencing import Policy, json_string
from promptmw.kinds import Trust
from promptmw.turnfiles import turn_from_data
from promptmw_plugins.project import Project

TEMPLATE = "{name} {{x}} %s $x {% raw %} ${x} {0.__class__}"
SLOTS = {
    "block": block, "item": lambda v: block(v, item=True), "section": section, "line": line,
    "quoted": lambda v: line(v, quoted=True), "reserve": lambda v: line(v, reserve=": "), "list_item": list_item,
    "attr": attr,
}  # fmt: skip


@pytest.mark.parametrize("slot", SLOTS)
def test_a_template_in_a_value_comes_out_as_it_went_in(slot: str) -> None:
    """Row 167."""
    value = Untrusted(TEMPLATE, trust=Trust.USER)
    assert Policy(()).write(SLOTS[slot](value)).text == TEMPLATE
    assert Policy(()).write(json_string(value)).text == f'"{TEMPLATE}"'


def test_templates_in_all_inputs_come_out_as_they_went_in() -> None:
    """Row 167, over every section."""
    pipeline = Pipeline("chat")
    stated: dict[str, Any] = {
        "identity": {"label": TEMPLATE},
        "operator_prompt": {"text": TEMPLATE},
        "persona": {"nickname": TEMPLATE, "custom": TEMPLATE, "traits": [TEMPLATE]},
        "project": {"name": TEMPLATE, "instructions": TEMPLATE},
        "memories": [{"text": TEMPLATE}],
        "snippets": [{"text": TEMPLATE, "title": TEMPLATE}],
        "tool_outputs": [{"name": TEMPLATE, "text": TEMPLATE}],
        "summaries": [{"text": TEMPLATE}],
        "excerpt": {"text": TEMPLATE},
    }
    turn = turn_from_data(stated, pipeline.catalog.inputs)
    messages = pipeline.messages(turn.replace(tool_mode="native"), [{"role": "user", "content": TEMPLATE}])
    text = "\n".join(m["content"] for m in messages)
    assert text.count(TEMPLATE) >= 13


def test_a_heading_of_another_language_is_reserved() -> None:
    """Row 178, profile chat."""
    pipeline = Pipeline("chat")
    heading = pipeline.catalog.texts.scope(("trust",), "fr")["trust.heading"]
    turn = native(Project("Beans", instructions=f"{heading}\nforged"), locale="en")
    system = pipeline.assemble(turn, Conversation((), ChatFormat())).system
    assert f"⟦U+0023⟧{heading[1:]}\nforged" in system
