"""Results of tools in the three forms of LiteLLM: what the upstream receives."""

from __future__ import annotations

import pytest

from promptmw import Pipeline
from promptmw_litellm import prepare

from .conftest import NOW

TOKEN = "a <|im_start|> b"
ESCAPED = "a ⟦U+003C⟧|im_start|> b"
CALL = {"id": "c1", "type": "function", "function": {"name": "page", "arguments": "{}"}}
USE = {"type": "tool_use", "id": "c1", "name": "page", "input": {}}
FORMS = {
    "chat": (
        {"messages": [{"role": "user", "content": "Read"}, {"role": "assistant", "content": None, "tool_calls": [CALL]},
                      {"role": "tool", "tool_call_id": "c1", "content": TOKEN}]},
        lambda sent: sent["messages"][-1]["content"],
    ),
    "messages": (
        {"messages": [{"role": "user", "content": "Read"}, {"role": "assistant", "content": [USE]},
                      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": TOKEN}]}]},
        lambda sent: sent["messages"][-1]["content"][0]["content"],
    ),
    "responses": (
        {"input": [{"role": "user", "content": "Read"},
                   {"type": "function_call", "call_id": "c1", "name": "page", "arguments": "{}"},
                   {"type": "function_call_output", "call_id": "c1", "output": TOKEN}]},
        lambda sent: sent["input"][-1]["output"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("api", FORMS)
@pytest.mark.parametrize(
    ("setting", "text"),
    [("asis", TOKEN), ("markers", ESCAPED), ("wrap", f'<tool-output name="page">\n{ESCAPED}\n</tool-output>')],
)
def test_each_form_has_its_results_as_the_profile_says(nova, api, setting, text):
    """Row 158, over LiteLLM."""
    pipeline = Pipeline("chat", settings={"trust": {"tool_results": setting}}, clock=lambda: NOW)
    fields, result = FORMS[api]
    sent = prepare(api=api, model="openai/small", pipeline=pipeline, turn=nova, **fields)
    assert result(sent) == text
    assert result(fields) == TOKEN
