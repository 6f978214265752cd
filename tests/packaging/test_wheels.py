"""The wheels, built from the sources and installed into an empty environment without them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

ROOT = Path(__file__).parents[2]
PACKAGES = {"promptmw", "promptmw_plugins", "promptmw_langchain", "promptmw_litellm"}


def run(*command: str | Path, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH", "UV_PYTHON")}
    done = subprocess.run(
        [str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def uv() -> str:
    found = os.environ.get("UV") or shutil.which("uv")
    assert found, "uv is not on the path"
    return found


@pytest.fixture(scope="module")
def dist(uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the four wheels and sdists."""
    folder = tmp_path_factory.mktemp("dist")
    run(uv, "build", "--quiet", "--all-packages", "--out-dir", folder, cwd=ROOT)
    return folder


@pytest.fixture(scope="module")
def python(uv: str, dist: Path) -> Path:
    """Returns the interpreter of an environment that holds the wheels and nothing of the sources."""
    run(uv, "venv", "--quiet", dist / "venv", cwd=dist)
    interpreter = dist / "venv" / "bin" / "python"
    wheels = [w for w in dist.glob("*.whl") if "litellm" not in w.name]
    core = next(w for w in wheels if w.name.startswith("promptmw-"))
    others = [w for w in wheels if w is not core]
    run(uv, "pip", "install", "--quiet", "--python", interpreter, f"promptmw[cli] @ file://{core}", *others, cwd=dist)
    return interpreter


def test_four_wheels_and_four_sdists_are_built(dist: Path) -> None:
    assert len(list(dist.glob("*.whl"))) == len(list(dist.glob("*.tar.gz"))) == 4


def test_each_wheel_holds_one_package_and_no_tests(dist: Path) -> None:
    """XA4."""
    found = set()
    for wheel in dist.glob("*.whl"):
        tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
        (package,) = {top for top in tops if not top.endswith(".dist-info")}
        found.add(package)
        assert not [n for n in zipfile.ZipFile(wheel).namelist() if "/tests/" in n or "/examples/" in n]
    assert found == PACKAGES


def test_each_wheel_says_that_it_is_typed(dist: Path) -> None:
    for wheel in dist.glob("*.whl"):
        assert any(name.endswith("/py.typed") for name in zipfile.ZipFile(wheel).namelist()), wheel.name


def test_the_wheel_of_the_core_holds_the_frozen_tables(dist: Path) -> None:
    (core,) = dist.glob("promptmw-0*.whl")
    names = {Path(name).name for name in zipfile.ZipFile(core).namelist() if "/fencing/data/" in name}
    assert names == {"code_points.tsv", "entities.tsv", "fold.tsv"}


def test_the_installed_wheels_find_their_plugins(python: Path, dist: Path) -> None:
    found = json.loads(run(python.parent / "promptmw", "plugins", "--json", cwd=dist))
    assert {p["name"] for p in found["plugins"]} >= {"identity", "trust", "rag", "profiles", "texts"}
    assert not [p for p in found["plugins"] if p["status"] == "skipped"]


def test_the_installed_wheels_assemble_a_prompt(python: Path, dist: Path) -> None:
    said = run(
        python,
        "-c",
        "from promptmw import Pipeline, Turn; print(Pipeline().assemble(Turn(locale='fr')).system)",
        cwd=dist,
    )
    assert said.startswith("Vous êtes un assistant IA.")


def test_a_missing_framework_is_named_with_its_extra(python: Path, dist: Path) -> None:
    """XA3."""
    code = "import promptmw_langchain\ntry: promptmw_langchain.PromptMiddleware\nexcept ImportError as e: print(e)"
    assert "promptmw-langchain[agents]" in run(python, "-c", code, cwd=dist)
