"""``promptmw profiles``: what can be switched on by name."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import typer
from rich.table import Table
from rich.text import Text

from promptmw.assembly import Pipeline
from promptmw.cli.options import Choices, ConfigOption, JsonOption
from promptmw.cli.printing import complain, console, write_json
from promptmw.cli.turns import Desk
from promptmw.errors import PromptmwError


@dataclass(frozen=True, slots=True)
class Listed:
    """Describes a profile.

    Attributes:
        name: How turns call it.
        layout: The order of its system blocks.
        sections: Those that are on, in the order in which they are sent.
        error: Why it cannot be used.
    """

    name: str
    layout: str = ""
    sections: tuple[str, ...] = ()
    error: str = ""


def profiles(config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """List the profiles, with layout and sections in order.

    Example: promptmw profiles --config promptmw.toml
    """
    desk = Desk(Choices(config=config))
    found = [_listed(desk.pipeline, name) for name in desk.pipeline.profiles]
    if as_json:
        write_json([asdict(profile) for profile in found])
    else:
        _print(found)
    for profile in found:
        if profile.error:
            complain(profile.error)
    raise typer.Exit(1 if any(p.error for p in found) else 0)


def _listed(pipeline: Pipeline, name: str) -> Listed:
    try:
        catalog = pipeline.for_profile(name).catalog
    except PromptmwError as error:
        return Listed(name, error=str(error))
    return Listed(name, catalog.profile.layout.value, tuple(p.section.name for p in catalog.sections))


def _print(found: list[Listed]) -> None:
    table = Table("profile", "layout", "sections in order")
    for profile in found:
        sections = Text(" ".join(profile.sections)) if not profile.error else Text("cannot be used", style="red")
        table.add_row(profile.name, profile.layout, sections)
    console().print(table)
