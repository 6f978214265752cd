"""The example plugin, installed and removed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "third_party_plugin"
STATEMENT = """
from promptmw import Pipeline, Turn
from promptmw.turnfiles import turn_from_data
pipeline = Pipeline()
data = {"weather": {"report": "sunny"}} if "weather" in pipeline.catalog.inputs else {}
print(pipeline.assemble(turn_from_data(data, pipeline.catalog.inputs)).system)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns an empty folder of packages, which subprocesses have on their path."""
    return tmp_path / "packages"


def system_text(folder: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", STATEMENT]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def install(folder: Path) -> None:
    """Builds the wheel with the environment's own backend and unpacks it, as an installer does; no network."""
    source = folder.parent / "source"
    shutil.copytree(EXAMPLE, source)
    built = folder.parent / "built"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", built],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (wheel,) = built.glob("*.whl")
    shutil.unpack_archive(wheel, folder, "zip")


def test_installing_the_plugin_adds_its_section_and_removing_it_takes_it_away(folder: Path) -> None:
    before = system_text(folder)
    install(folder)
    assert "## Weather\nWhere the user is, it is sunny." in system_text(folder)
    shutil.rmtree(folder)
    assert system_text(folder) == before
