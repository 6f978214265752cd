"""Private skills that the user has chosen for this message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
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


@dataclass(frozen=True, slots=True)
class SkillLimits:
    """Is the profile's table ``limits.selected_skills``.

    Attributes:
        items: Skills that are shown.
        characters: Of all instructions together; a skill that does not fit is left out whole.
    """

    items: int = 5
    characters: int = 64 * 1024


def renderer(limits: SkillLimits) -> Callable[[Facts], Body | None]:
    """Returns the section's function for the limits of a profile: the skills in the order in which they were chosen."""

    def render(facts: Facts) -> Body | None:
        stated = [s for s in facts.all(SelectedSkill) if not s.instructions.blank]
        kept = list(_within(_distinct(stated), limits))
        lost = tuple(s.id for s in stated if s.id and s not in kept)
        cut = Cut(CutReason.COUNT_LIMIT, "items", len(stated), len(kept), lost, "selected_skills")
        intro = facts.texts["selected_skills.intro"]

        def build(items: tuple[Item, ...], _cut: bool) -> Text:
            return SKILLS(Text.join("\n\n", (intro, *(i.text for i in items)))) if items else Text()

        items = tuple(Item(_skill(facts, s), s.id) for s in kept)
        return Body(items=items, build=build, cuts=(cut,) if len(kept) < len(stated) else ())

    return render


def _distinct(skills: Iterable[SelectedSkill]) -> list[SelectedSkill]:
    found: dict[tuple[str, str], SelectedSkill] = {}
    for skill in skills:
        found.setdefault((skill.id, "" if skill.id else skill.name.folded()), skill)
    return list(found.values())


def _within(skills: list[SelectedSkill], limits: SkillLimits) -> Iterator[SelectedSkill]:
    """Yields the skills that there is room for."""
    size = 0
    for skill in skills[: limits.items]:
        if size + skill.instructions.size <= limits.characters:
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
            render=renderer(profile.settings("limits.selected_skills", SkillLimits)),
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
