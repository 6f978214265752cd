"""The options that commands share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from promptmw.cli.parsing import Format
from promptmw.kinds import Layout, ToolMode
from promptmw.turn import TurnFields

TurnFile = Annotated[str, typer.Argument(metavar="TURN", help="A .json, .toml or .yaml file; - reads standard input.")]
LocaleOption = Annotated[str | None, typer.Option("--locale", help="The reader's language, such as fr or zh-Hant.")]
ProfileOption = Annotated[str | None, typer.Option("--profile", help="The profile; promptmw profiles lists them.")]
LayoutOption = Annotated[Layout | None, typer.Option("--layout", help="The order of the system blocks.")]
ModeOption = Annotated[ToolMode | None, typer.Option("--mode", help="How tools reach the model.")]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", envvar="PROMPTMW_CONFIG", help="promptmw.toml, or a pyproject.toml.")
]
FormatOption = Annotated[Format | None, typer.Option("--format", help="Of the turn; by default its suffix or a guess.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """Holds what the command line states over a turn file.

    Attributes:
        locale: In place of the turn's.
        profile: In place of the turn's.
        layout: In place of the profile's.
        mode: In place of the turn's tool mode.
        config: The config file.
        format: Of the turn file.
    """

    locale: str | None = None
    profile: str | None = None
    layout: Layout | None = None
    mode: ToolMode | None = None
    config: Path | None = None
    format: Format | None = None

    def fields(self) -> TurnFields:
        """Returns the core fields of a turn that are stated here."""
        stated = {"locale": self.locale, "profile": self.profile, "tool_mode": self.mode}
        return {name: value for name, value in stated.items() if value is not None}  # type: ignore[return-value]
