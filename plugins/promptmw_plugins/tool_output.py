"""Outputs of tools that the application ran itself and that have no message of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from promptmw import (
    Body,
    Cut,
    CutReason,
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
    Untrusted,
    attr,
    block,
    hookimpl,
    renumber,
)
from promptmw_plugins.material import READS, Numbering, OutputStatus, ToolOutput, numbering, printed
from promptmw_plugins.middle import ends_within

OUTPUT = Fence("tool-output")
MARK = "…(truncated)"

__all__ = ["OUTPUT", "OutputStatus", "ToolOutput", "promptmw_inputs", "promptmw_sections"]

_COUNT = Estimate().count


@dataclass(frozen=True, slots=True)
class OutputLimits:
    """Is the profile's table ``limits.tool_output``: of a longer output, the head and the tail are kept."""

    tokens: int = 2_048


def renderer(limits: OutputLimits) -> Callable[[Facts], Body]:
    """Returns the section's function for the limits of a profile: one fence for each output."""

    def render(facts: Facts) -> Body:
        outputs = printed(facts.all(ToolOutput))
        given = numbering(facts)
        shown = [_shortened(_numbered(o, given), limits.tokens) for o in outputs]
        return Body(
            items=tuple(Item(_output(*both), str(i), given.cited(both[0])) for i, both in enumerate(shown)),
            build=lambda items, _cut: Text.join("\n\n", (i.text for i in items)),
            cuts=tuple(_cut(output.text, ends) for output, ends in shown if len(ends) > 1),
        )

    return render


def _numbered(output: ToolOutput, given: Numbering) -> ToolOutput:
    """Returns the output with its own markers mapped to the numbers of this turn."""
    if not output.sources:
        return output
    return replace(output, text=output.text.map(lambda raw: renumber(raw, output.sources, given.numbers)[0]))


def _shortened(output: ToolOutput, tokens: int) -> tuple[ToolOutput, tuple[Untrusted, ...]]:
    """Returns the output with its text, or with its head and tail where it is too long."""
    return output, ends_within(output.text.strip_lines(), tokens, _COUNT)


def _output(output: ToolOutput, ends: tuple[Untrusted, ...]) -> Text:
    gap = "\n" if output.text.cut else f"\n{MARK}\n"  # a text that its field has cut brings its mark along
    status = "error" if output.status is OutputStatus.ERROR else ""
    return OUTPUT(Text.join(gap, map(block, ends)), name=attr(output.name.one_line()), status=status)


def _cut(text: Untrusted, ends: Iterable[Untrusted]) -> Cut:
    return Cut(CutReason.CAP, "characters", text.size, sum(e.size for e in ends), source="tool_outputs")


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
            render=renderer(profile.settings("limits.tool_output", OutputLimits)),
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
