"""Says how to use the tools that are on; their own descriptions travel in the provider's field or the protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from promptmw import (
    Facts,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    ToolMode,
    Tools,
    Trust,
    hookimpl,
    input_type,
    line,
    text_field,
)
from promptmw_plugins.roles import ToolNames, tool_names

LINES = ("web_search", "fetch_image", "python", "image", "save_memory")
"""The roles that have a line of their own in prompt mode, in the order in which they are printed."""


@input_type("tool_hints", many=True, trust=Trust.OPERATOR)
@dataclass(frozen=True)
class ToolHint:
    """Is a line of guidance for one more tool, printed in prompt mode while that tool is on.

    Attributes:
        tool: The tool's name.
        text: The line, without its bullet.
    """

    tool: str
    text: TextField = text_field(cap=400, trust=Trust.USER)


def renderer(names: ToolNames) -> Callable[[Facts], Text | None]:
    """Returns the section's function for the tool names of a profile."""

    def render(facts: Facts) -> Text | None:
        tools = facts.get(Tools)
        if tools is None or not tools.local:
            return None
        lines: list[Text | str] = [facts.texts["tools.heading"]]
        if names.on("web_search", tools):
            lines.append(facts.texts.fill("tools.cite", web_search=names.web_search))
        if tools.mode is ToolMode.PROMPT:
            lines += [*_own_lines(facts, names, tools), *_hints(facts, tools)]
        return Text.join("\n", (*lines, facts.texts["tools.repeat"]))

    return render


def _own_lines(facts: Facts, names: ToolNames, tools: Tools) -> list[Text]:
    on = [role for role in LINES if names.on(role, tools)]
    return [facts.texts.fill(f"tools.{role}", **{role: getattr(names, role)}) for role in on]


def _hints(facts: Facts, tools: Tools) -> list[Text]:
    hints = sorted((h for h in facts.all(ToolHint) if h.tool in tools.local), key=lambda h: h.tool)
    return ["- " + line(h.text.one_line()) for h in hints if not h.text.blank]


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``tool_hints``."""
    return (ToolHint,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="tools",
            render=renderer(tool_names(profile)),
            reads=(Tools, ToolHint),
            order=60,
            stability=Stability.STATIC,
        ),
    )
