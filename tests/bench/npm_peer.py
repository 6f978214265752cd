"""The npm package that reads the same calls: installed outside of the project, run in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PACKAGE = "@ai-sdk-tool/parser@4.1.26"
SCRIPT = Path(__file__).with_name("npm_peer.mjs")
FOLDER = "PROMPTMW_NPM_PEER"
"""Environment variable: a folder in which the package is installed already."""


class NoPeer(Exception):
    """Says why the package cannot be run here."""


@dataclass(frozen=True, slots=True)
class Read:
    """Is what the package made of an answer; times in milliseconds.

    Attributes:
        text: What it shows.
        calls: Names and arguments as JSON text.
        ms: What it took.
        passed_ms: What a stream took that passes the same chunks on.
    """

    text: str
    calls: list[tuple[str, str]]
    ms: float
    passed_ms: float


@dataclass(frozen=True, slots=True)
class Peer:
    """Runs the package that is installed in a folder."""

    folder: Path

    def read(self, tools: Sequence[dict[str, Any]], answers: Sequence[Sequence[str]]) -> list[Read]:
        """Returns what it makes of answers in chunks; tools are given by name and parameters."""
        asked = json.dumps({"tools": tools, "answers": answers})
        done = subprocess.run(
            ["node", str(SCRIPT)], cwd=self.folder, input=asked, capture_output=True, text=True, check=True, timeout=900
        )
        return [Read(**{**row, "calls": [tuple(call) for call in row["calls"]]}) for row in json.loads(done.stdout)]


@contextmanager
def peer() -> Iterator[Peer]:
    """Gives the package, installed for as long as it is needed.

    Raises:
        NoPeer: It cannot be installed or run here.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise NoPeer(f"{program} is not installed")
    if found := os.environ.get(FOLDER):
        yield Peer(Path(found))
        return
    with tempfile.TemporaryDirectory() as folder:
        _install(folder)
        yield Peer(Path(folder))


def _install(folder: str) -> None:
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, PACKAGE]
    try:
        subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, timeout=300)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise NoPeer(f"npm could not install {PACKAGE}: {error}") from None
