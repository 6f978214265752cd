"""``promptmw plugins``: what is installed, and what was skipped and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field

import typer
from rich.table import Table
from rich.text import Text

from promptmw.catalog import make_catalog
from promptmw.cli.commands import Offered, offered
from promptmw.cli.options import ConfigOption, JsonOption
from promptmw.cli.printing import complain, console, errors, write_json
from promptmw.config import Config, load_config
from promptmw.errors import PluginError, PromptmwError
from promptmw.loading import PluginInfo, Plugins, Status
from promptmw.locales import Missing
from promptmw.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Command:
    """Describes a command of another distribution.

    Attributes:
        name: As it is called.
        distribution: With its version.
        status: What became of it.
        reason: Why it cannot be used.
    """

    name: str
    distribution: str
    status: Status = Status.LOADED
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Installation:
    """Is everything that was found.

    Attributes:
        plugins: By name.
        commands: Of other distributions, by name.
        missing: Text keys that a locale lacks.
        error: Why the profile cannot be made.
    """

    plugins: tuple[PluginInfo, ...]
    commands: tuple[Command, ...]
    missing: list[Missing] = field(default_factory=list)
    error: str = ""

    @property
    def skipped(self) -> bool:
        """Says whether anything cannot be used."""
        statuses = [*(p.status for p in self.plugins), *(c.status for c in self.commands)]
        return Status.SKIPPED in statuses


def plugins(ctx: typer.Context, config: ConfigOption = None, as_json: JsonOption = False) -> None:
    """List the installed plugins and commands, and what was skipped and why; exit with 1 if something was.

    Example: promptmw plugins --json
    """
    own = ctx.parent.command.commands if ctx.parent else ()  # type: ignore[attr-defined]
    with errors().status("loading plugins and commands"):
        found = _installation(load_config(config) if config else Config(), offered(own).values())
    if as_json:
        write_json({**asdict(found), "plugins": _plain(found.plugins), "commands": _plain(found.commands)})
    else:
        _print(found)
    if found.error:
        complain(found.error)
        raise typer.Exit(2)
    raise typer.Exit(1 if found.skipped else 0)


def _installation(config: Config, commands: Iterable[Offered]) -> Installation:
    loaded = Plugins(disable=config.disable_plugins)
    missing, error = [], ""
    try:
        missing = make_catalog(loaded, Shelf(loaded, config).settled(config.profile, {})).missing()
    except PromptmwError as problem:
        error = str(problem)
    return Installation(loaded.found, tuple(_command(c) for c in commands), missing, error)


def _command(command: Offered) -> Command:
    try:
        command.load()
    except PluginError as error:
        return Command(command.name, command.owner, Status.SKIPPED, str(error))
    return Command(command.name, command.owner)


def _plain(found: Iterable[PluginInfo | Command]) -> list[dict[str, object]]:
    return [{**asdict(x), "status": x.status.value} for x in found]


def _print(found: Installation) -> None:
    table = Table("plugin", "distribution", "version", "hooks", "status")
    for info in found.plugins:
        hooks = Text(" ".join(h.removeprefix("promptmw_") for h in info.hooks))
        table.add_row(info.name, info.distribution, info.version, hooks, _status(info.status))
    console().print(table)
    if found.commands:
        commands = Table("command", "distribution", "status")
        for command in found.commands:
            commands.add_row(command.name, command.distribution, _status(command.status))
        console().print(commands)
    for line in _remarks(found):
        console().print(line, soft_wrap=True)


def _status(status: Status) -> Text:
    colours = {Status.LOADED: "green", Status.SKIPPED: "red", Status.DISABLED: "yellow"}
    return Text(status.value, style=colours[status])


def _remarks(found: Installation) -> Iterator[Text]:
    for info in found.plugins:
        if info.status is Status.SKIPPED:
            yield Text(f"{info.name} of {info.owner} was skipped: {info.reason}", style="red")
    for command in found.commands:
        if command.status is Status.SKIPPED:
            yield Text(command.reason, style="red")
    for lack in found.missing:
        yield Text(f"{lack.section} is in English where {lack.locale} is wanted: no {', '.join(lack.keys)}", "yellow")
