"""The command ``promptmw``: its own commands, and those of other distributions behind them."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import promptmw
from promptmw.cli.commands import Deferred, offered
from promptmw.cli.compose import compose
from promptmw.cli.demo import demo
from promptmw.cli.inspecting import inspect
from promptmw.cli.installed import plugins
from promptmw.cli.linting import linted
from promptmw.cli.printing import complain
from promptmw.cli.profiles import profiles
from promptmw.errors import PromptmwError


class Commands(TyperGroup):
    """Finds commands of other distributions by entry point, and says what went wrong in one message."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Returns the names of all commands, the own ones first."""
        return [*super().list_commands(ctx), *offered(self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Returns a command; one of another distribution is not imported before it is called."""
        own = super().get_command(ctx, cmd_name)
        found = None if own else offered(self.commands).get(cmd_name)
        return Deferred(found) if found else own

    def invoke(self, ctx: Any) -> Any:
        """Runs a command; errors of ours end it with 2."""
        try:
            return super().invoke(ctx)
        except PromptmwError as error:
            complain(error)
            raise typer.Exit(2) from None


app = typer.Typer(
    name="promptmw", cls=Commands, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"promptmw {promptmw.__version__}")
        raise typer.Exit


@app.callback()
def promptmw_command(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print it.")] = False,
) -> None:
    """Assemble prompts out of plugins: look at what a turn becomes, at what is installed, and try it on a model."""


for command in (compose, inspect, plugins, profiles, demo):
    app.command()(command)
app.command("lint")(linted)


def run() -> None:
    """Runs the command line; output that the terminal's encoding lacks is spelled out."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(io.UnsupportedOperation):
                stream.reconfigure(errors="backslashreplace")
    app()
