"""Private skills that the user has chosen for this message."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from promptmw import (
    Body,
    Cut,
    CutReason,
    Facts,
    Fence,
    Item,
    Layer,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    Trust,
    attr,
    block,
    hookimpl,
    input_type,
    line,
    text_field,
)

SKILLS = Fence("user-selected-skills", trust=Trust.USER)
SKILL = Fence("user-selected-skill", trust=Trust.USER)
MOST = 5
MOST_CHARACTERS = 64 * 1024


@input_type("selected_skills", many=True, trust=Trust.USER, client=True)
@dataclass(frozen=True)
class SelectedSkill:
    """Is a skill of the user's own, meant as instructions.

    Attributes:
        name: Its title.
        description: What it is for.
        instructions: What to do; a skill without any is left out.
        id: Tells skills apart; without it the name does.
    """

    name: TextField = text_field(cap=64, trust=Trust.USER)
    instructions: TextField = text_field(cap=64_000, trust=Trust.USER, lines=True)
    description: TextField = text_field(cap=1_000, trust=Trust.USER, default="")
    id: str = ""


def render(facts: Facts) -> Body | None:
    """Returns the outer fence with one inner fence for each skill, in the order in which they were chosen."""
    stated = list(_distinct(facts.all(SelectedSkill)))
    kept = list(_within(stated[:MOST]))
    if not kept:
        return None
    lost = tuple(s.id for s in stated if s not in kept)
    cut = Cut(CutReason.COUNT_LIMIT, "items", len(stated), len(kept), lost, "selected_skills")
    intro = facts.texts["selected_skills.intro"]

    def build(items: tuple[Item, ...], _cut: bool) -> Text:
        skills = Text.join("\n\n", (i.text for i in items))
        return SKILLS(Text.join("\n\n", (intro, skills))) if items else Text()

    items = tuple(Item(_skill(facts, s), s.id) for s in kept)
    return Body(items=items, build=build, cuts=(cut,) if lost else ())


def _distinct(skills: Iterable[SelectedSkill]) -> Iterator[SelectedSkill]:
    seen: set[str] = set()
    for skill in skills:
        key = skill.id or skill.name.folded()
        if not skill.instructions.blank and key not in seen:
            seen.add(key)
            yield skill


def _within(skills: Iterable[SelectedSkill]) -> Iterator[SelectedSkill]:
    """Yields the skills that fit, leaving out whole what does not."""
    size = 0
    for skill in skills:
        if size + skill.instructions.size <= MOST_CHARACTERS:
            size += skill.instructions.size
            yield skill


def _skill(facts: Facts, skill: SelectedSkill) -> Text:
    description = line(skill.description.one_line())
    described = facts.texts.fill("selected_skills.description", text=description) if description else ""
    body = Text.join("\n\n", (described, block(skill.instructions.strip_lines())))
    return SKILL(body, name=attr(skill.name.one_line()))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``selected_skills``."""
    return (SelectedSkill,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="selected_skills",
            render=render,
            reads=(SelectedSkill,),
            layer=Layer.LAST_USER,
            order=10,
            stability=Stability.TURN,
            trust=Trust.USER,
            fences=(SKILLS, SKILL),
            cap=16_000,
            priority=90,
        ),
    )
