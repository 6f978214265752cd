"""Skills: an index that the model loads from, or the instructions themselves where it cannot call ``use_skill``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from promptmw import (
    Body,
    Facts,
    Item,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    Tool,
    ToolResult,
    Tools,
    Trust,
    Turn,
    Untrusted,
    hookimpl,
    input_type,
    line,
    list_item,
    listing,
    text_field,
    verbatim,
)
from promptmw_plugins.roles import ToolNames, tool_names

MOST = 64_000
INDEX_CAP = 3_000
INLINE_CAP = 12_000


@input_type("skills", many=True, trust=Trust.OPERATOR)
@dataclass(frozen=True)
class Skill:
    """Is a skill that this user and this model may use.

    Attributes:
        name: By which the model calls it.
        description: When to use it.
        instructions: What to do; the operator's text, inserted as written.
        requires: Roles of tools without which it is of no use.
        builtin: A plugin's own skill, which another of the same name replaces.
    """

    name: TextField = text_field(cap=64, trust=Trust.USER)
    description: TextField = text_field(cap=500, trust=Trust.USER, default="")
    instructions: str = ""
    requires: tuple[str, ...] = ()
    builtin: bool = False


def renderer(names: ToolNames) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the tool names of a profile."""

    def render(facts: Facts) -> Body | None:
        tools = facts.get(Tools)
        skills = usable(facts.all(Skill), names, tools)
        if names.on("use_skill", tools):
            return _index(facts, skills, names) if skills else None
        return _inline(facts, [s for s in skills if s.instructions.strip()])

    return render


def usable(skills: Iterable[Skill], names: ToolNames, tools: Tools | None) -> list[Skill]:
    """Returns the skills that can be used with these tools, one of each name, in stated order."""
    found: dict[str, Skill] = {}
    for skill in skills:
        if skill.name.blank or not all(_known(names, role, tools) for role in skill.requires):
            continue
        other = found.get(skill.name.folded())
        if other is None or (other.builtin and not skill.builtin):
            found[skill.name.folded()] = skill
    return list(found.values())


def _known(names: ToolNames, role: str, tools: Tools | None) -> bool:
    return hasattr(names, role) and names.on(role, tools)


def _index(facts: Facts, skills: list[Skill], names: ToolNames) -> Body:
    rule = facts.texts.fill("skills.index_rule", use_skill=names.use_skill)
    head = Text.join("\n", (facts.texts["skills.index_heading"], rule))
    return replace(listing(head, [Item(_entry(s), str(i)) for i, s in enumerate(skills)]), cap=INDEX_CAP)


def _entry(skill: Skill) -> Text:
    name = list_item(skill.name.one_line(), reserve=": ")
    return "- " + Text.join(": ", (name, list_item(skill.description.one_line())))


def _inline(facts: Facts, skills: list[Skill]) -> Body:
    head = Text.join("\n", (facts.texts["skills.inline_heading"], facts.texts["skills.inline_rule"]))

    def build(kept: tuple[Item, ...], cut: bool) -> Text:
        return Text.join("\n\n", (head, *(i.text for i in kept))) if kept else Text()

    items = (Item(_instructions(s), str(i)) for i, s in enumerate(skills))
    return Body(items=tuple(items), build=build)


def _instructions(skill: Skill) -> Text:
    return Text.join("\n", ("### " + line(skill.name.one_line()), verbatim(skill.instructions, cap=MOST)))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``skills``."""
    return (Skill,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="skills",
            render=renderer(tool_names(profile)),
            reads=(Tools, Skill),
            order=70,
            stability=Stability.STATIC,
            trust=Trust.OPERATOR,
            cap=INLINE_CAP,
            priority=85,
        ),
    )


@hookimpl
def promptmw_tools(turn: Turn, profile: Profile) -> Iterable[Tool]:
    """Offers ``use_skill`` where skills are stated."""
    if not turn.all(Skill):
        return ()
    names = tool_names(profile)
    parameters = {
        "type": "object",
        "properties": {"name": {"type": "string", "description": "The skill's name."}},
        "required": ["name"],
    }
    description = "Loads the full instructions of a skill."
    return (Tool(name=names.use_skill, description=description, parameters=parameters, handler=loader(names)),)


def loader(names: ToolNames) -> Callable[[Turn, Mapping[str, Any]], ToolResult]:
    """Returns the handler of ``use_skill`` for the tool names of a profile."""

    def use_skill(turn: Turn, arguments: Mapping[str, Any]) -> ToolResult:
        """Returns a stated skill's instructions: a look-up by name, exact first and then without case, never a path."""
        name = arguments.get("name")
        asked = Untrusted(name).folded() if isinstance(name, str) else ""
        skills = [s for s in usable(turn.all(Skill), names, turn.get(Tools)) if s.instructions.strip()]
        found = next((s for s in skills if s.name.folded() == asked), None)
        if found is not None:
            return ToolResult(verbatim(found.instructions, cap=MOST))
        known = Text.join(", ", (line(s.name.one_line(), reserve=", ") for s in skills))
        return ToolResult(Text.of("There is no such skill. Known: ", known or "none"), error=True)

    return use_skill
