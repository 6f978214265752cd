"""``promptmw lint``: what is likely a mistake in a profile or a turn."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from promptmw.cli.options import (
    Choices,
    ConfigOption,
    FormatOption,
    JsonOption,
    LocaleOption,
    ModeOption,
    ProfileOption,
)
from promptmw.cli.parsing import Document, Format
from promptmw.cli.printing import console, write_json
from promptmw.cli.turns import Desk, Stated
from promptmw.linting import Finding, lint

SubjectArgument = Annotated[
    str, typer.Argument(metavar="PROFILE|TURN", help="A profile's name, or a turn file; - reads standard input.")
]


def linted(
    subject: SubjectArgument,
    locale: LocaleOption = None,
    profile: ProfileOption = None,
    mode: ModeOption = None,
    config: ConfigOption = None,
    form: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Warn of what is likely a mistake in a profile or a turn, each with its place and a fix; exit with 1 if any is.

    Example: promptmw lint chat
    """
    choices = Choices(locale=locale, profile=profile, mode=mode, config=config, format=form)
    stated = _opened(subject, choices)
    found = lint(stated.pipeline, stated.prompt())
    if as_json:
        write_json({"findings": [asdict(finding) for finding in found]})
    else:
        _print(found)
    raise typer.Exit(1 if found else 0)


def _opened(subject: str, choices: Choices) -> Stated:
    desk = Desk(choices)
    is_profile = subject in desk.pipeline.profiles and not Path(subject).is_file()
    if not is_profile and (subject == "-" or "." in subject or "/" in subject or Path(subject).exists()):
        return desk.open(subject)
    return desk.of_document(Document("the profile", "", Format.TOML, {"profile": subject}))


def _print(found: tuple[Finding, ...]) -> None:
    out = console()
    for finding in found:
        out.print(Text(str(finding), style="yellow"), soft_wrap=True)
    words = f"{len(found)} warning{'s' * (len(found) > 1)}" if found else "nothing to warn of"
    out.print(Text(words, style="yellow" if found else "green"))
