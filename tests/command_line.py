"""Runs of the command line, and distributions made up for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from promptmw.cli.app import app

ROOT = Path(__file__).parents[1]
TURNS = ROOT / "examples" / "turns"


def run(*arguments: object, stdin: str | bytes = "") -> Result:
    """Returns what the command line does with these arguments, in this process."""
    return CliRunner().invoke(app, [str(a) for a in arguments], input=stdin)


def data(*arguments: object, stdin: str | bytes = "") -> Any:
    """Returns the JSON that a command prints."""
    result = run(*arguments, "--json", stdin=stdin)
    return json.loads(result.stdout)


def process(*arguments: object, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Returns what the command line does in a process of its own."""
    command = [sys.executable, "-m", "promptmw.cli", *(str(a) for a in arguments)]
    full = {**os.environ, **environment}
    return subprocess.run(command, input=stdin, env=full, capture_output=True, text=True, encoding="utf-8", check=False)


def install(
    folder: Path, group: str, modules: dict[str, str], points: dict[str, str], *, name: str = "strange"
) -> None:
    """Puts a distribution into a folder as an installer would.

    Args:
        folder: That shall be on the path.
        group: Of its entry points.
        modules: Source texts by module name.
        points: What the entry points name, by their names.
        name: Of the distribution.
    """
    for module, source in modules.items():
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"[{group}]", *(f"{point} = {target}" for point, target in points.items())]
    about.joinpath("entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
