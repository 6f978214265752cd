"""Commands of other distributions, from the entry-point group ``promptmw.commands``.

An entry point is called as its command is, and names a function ``register(app: typer.Typer) -> None`` that adds that
command. Its module is imported when the command is used; the list of commands shows the first line of the module's
docstring, which is read without importing anything.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperCommand
from typer.main import get_group

from promptmw.errors import PluginError

GROUP = "promptmw.commands"


@dataclass(frozen=True, slots=True)
class Offered:
    """Is a command that a distribution offers.

    Attributes:
        name: Of the command.
        points: Entry points of that name; more than one is an error on use.
    """

    name: str
    points: tuple[EntryPoint, ...]

    @property
    def owner(self) -> str:
        """Distribution and version of each."""
        return " and ".join(dict.fromkeys(_owner(p) for p in self.points))

    def summary(self) -> str:
        """Returns one line about the command, without importing it."""
        return _first_line(self.points[0]) or f"From {self.owner}."

    def load(self) -> Any:
        """Returns the command.

        Raises:
            PluginError: It cannot be imported, does not register itself, or two distributions offer it.
        """
        if len(self.points) > 1:
            raise PluginError(f"command {self.name!r} comes from both {self.owner}: uninstall one")
        try:
            return _registered(self.points[0])
        except (Exception, SystemExit) as error:  # a stranger's module may raise anything, or try to leave
            reason = f"{type(error).__name__}: {error}"
            raise PluginError(f"command {self.name!r} of {self.owner} cannot be loaded: {reason}") from error


def offered(built_in: Iterable[str]) -> dict[str, Offered]:
    """Returns the commands of other distributions, by name; built-in names are not theirs to take."""
    points: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda p: (p.name, _owner(p))):
        points.setdefault(point.name, []).append(point)
    return {name: Offered(name, tuple(points[name])) for name in points if name not in set(built_in)}


class Deferred(TyperCommand):
    """Stands for a command in the list of commands, and becomes it when it is called."""

    def __init__(self, command: Offered) -> None:
        super().__init__(command.name, help=command.summary())
        self._command = command

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        """Returns the context of the real command, which is loaded here."""
        return self._command.load().make_context(info_name, args, parent=parent, **extra)


def _registered(point: EntryPoint) -> Any:
    app = typer.Typer()
    point.load()(app)
    found = get_group(app).commands.get(point.name)
    if found is None:
        raise PluginError(f"{point.value} registers no command {point.name!r}")
    return found


def _owner(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else "an unknown distribution"


def _first_line(point: EntryPoint) -> str:
    """Returns the first line of the docstring of an entry point's module; blank where there is none to be read."""
    try:
        tree = ast.parse(_source(point.module).read_bytes())
    except (OSError, SyntaxError, ValueError, ImportError):
        return ""
    return (ast.get_docstring(tree) or "").partition("\n")[0]


def _source(module: str) -> Path:
    """Returns the file of a module; only finding a package's parent would import it, so folders are walked instead.

    Raises:
        FileNotFoundError: It is no Python source in a folder.
    """
    package, *rest = module.split(".")
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(module)
    file = Path(spec.origin)
    for name in rest:
        folder = file.parent / name
        file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return file
