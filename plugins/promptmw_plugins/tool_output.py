"""Outputs of tools that the application ran itself and that have no message of their own."""

from __future__ import annotations

from collections.abc import Iterable

from promptmw import (
    Body,
    Citation,
    Estimate,
    Facts,
    Fence,
    Item,
    Layer,
    Profile,
    Section,
    Stability,
    Text,
    Trust,
    attr,
    block,
    hookimpl,
)
from promptmw_plugins.material import READS, OutputStatus, ToolOutput, numbers
from promptmw_plugins.middle import ends_within

OUTPUT = Fence("tool-output")
MOST_TOKENS = 2_048

__all__ = ["OUTPUT", "OutputStatus", "ToolOutput", "promptmw_inputs", "promptmw_sections"]

_ESTIMATE = Estimate()


def render(facts: Facts) -> Body:
    """Returns one fence for each output; of a long one, the head and the tail."""
    outputs = [o for o in facts.all(ToolOutput) if not o.text.blank]
    by_key = numbers(facts).by_key
    return Body(
        items=tuple(Item(_output(o), str(i)) for i, o in enumerate(outputs)),
        build=lambda items, _cut: Text.join("\n\n", (i.text for i in items)),
        citations=tuple(Citation(by_key[key], key) for o in outputs for key in o.sources),
    )


def _output(output: ToolOutput) -> Text:
    status = "error" if output.status is OutputStatus.ERROR else ""
    head, tail = ends_within(output.text.strip_lines(), MOST_TOKENS, _ESTIMATE.count)
    body = Text.join("\n", (block(head), "…(truncated)", block(tail))) if tail is not None else block(head)
    return OUTPUT(body, name=attr(output.name.one_line()), status=status)


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``tool_outputs``."""
    return (ToolOutput,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section; it has no words of its own."""
    return (
        Section(
            name="tool_output",
            render=render,
            reads=READS,
            layer=Layer.LAST_USER,
            order=40,
            stability=Stability.TURN,
            trust=Trust.UNTRUSTED,
            fences=(OUTPUT,),
            cap=8_000,
            priority=85,
        ),
    )
