"""The instructions of the project that the conversation belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from promptmw import (
    CutRule,
    Facts,
    Profile,
    Section,
    Stability,
    Text,
    TextField,
    Trust,
    hookimpl,
    input_type,
    line,
    text_field,
)
from promptmw import section as under_heading


@input_type("project", trust=Trust.USER)
@dataclass(frozen=True)
class Project:
    """Is a project with its instructions.

    Attributes:
        name: Its title.
        instructions: Written by its owner; blank for none, and then there is no section.
    """

    name: TextField = text_field(cap=120, trust=Trust.USER, default="")
    instructions: TextField = text_field(cap=32_000, trust=Trust.USER, lines=True, default="")


def render(facts: Facts) -> Text | None:
    """Returns the heading, with the name if there is one, and the instructions."""
    project = facts.get(Project)
    if project is None or project.instructions.blank:
        return None
    return Text.join("\n", (_heading(facts, project), under_heading(project.instructions.strip())))


def _heading(facts: Facts, project: Project) -> Text | str:
    if project.name.blank:
        return facts.texts["project.heading"]
    return facts.texts.fill("project.heading_named", name=line(project.name.one_line(), quoted=True))


@hookimpl
def promptmw_inputs() -> Iterable[type]:
    """Offers ``project``."""
    return (Project,)


@hookimpl
def promptmw_sections(profile: Profile) -> Iterable[Section]:
    """Offers the section."""
    return (
        Section(
            name="project",
            render=render,
            reads=(Project,),
            order=80,
            stability=Stability.PROJECT,
            trust=Trust.USER,
            cap=8_000,
            cut=CutRule.CLIP_END,
            priority=90,
        ),
    )
