"""Rules that the sources keep."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import promptmw
from promptmw import hookspecs

ROOT = Path(__file__).parents[2]
PACKAGES = (
    ROOT / "promptmw",
    ROOT / "plugins" / "promptmw_plugins",
    ROOT / "adapters" / "langchain" / "promptmw_langchain",
    ROOT / "adapters" / "litellm" / "promptmw_litellm",
)
MODULES = sorted(m for package in PACKAGES for m in package.rglob("*.py"))
PROJECTS = [
    ROOT / "pyproject.toml",
    *sorted(ROOT.glob("*/pyproject.toml")),
    *sorted(ROOT.glob("adapters/*/pyproject.toml")),
]
REVEALING = {"material.py", "retrieval.py", "testing.py"}
"""Modules outside the fencing that hand raw text to the application or to tests: never to a prompt."""
HOOKS = sorted(n for n in vars(hookspecs) if n.startswith("promptmw_"))


def name(module: Path) -> str:
    return str(module.relative_to(ROOT))


def calls(module: Path) -> Iterator[ast.Call]:
    yield from (n for n in ast.walk(ast.parse(module.read_text(encoding="utf-8"))) if isinstance(n, ast.Call))


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in listed.splitlines() if (ROOT / line).is_file()]


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_no_module_is_longer_than_300_lines(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_raw_text_is_revealed_in_few_places(module: Path) -> None:
    reveals = any(isinstance(c.func, ast.Attribute) and c.func.attr == "reveal" for c in calls(module))
    assert not reveals or module.parent.name == "fencing" or module.name in REVEALING


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_no_template_engine_and_no_loader_of_objects(module: Path) -> None:
    """Values are inserted, never scanned; data never names a class."""
    for call in calls(module):
        attribute = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        plain = call.func.id if isinstance(call.func, ast.Name) else ""
        assert attribute not in ("format", "format_map", "safe_substitute", "substitute"), ast.unparse(call)
        assert plain not in ("eval", "exec", "Template"), ast.unparse(call)
    imported = re.findall(r"^\s*(?:import|from) (\w+)", module.read_text(encoding="utf-8"), flags=re.M)
    assert not {"pickle", "marshal", "shelve", "jinja2"} & set(imported)


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_no_text_is_made_by_percent_formatting(module: Path) -> None:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            text = isinstance(node.left, ast.JoinedStr) or isinstance(getattr(node.left, "value", None), str)
            assert not text, ast.unparse(node)


@pytest.mark.parametrize("module", [m for m in MODULES if "cli" not in m.parts], ids=name)
def test_nothing_but_the_command_line_prints(module: Path) -> None:
    assert not any(isinstance(c.func, ast.Name) and c.func.id == "print" for c in calls(module))


@pytest.mark.parametrize("hook", HOOKS)
def test_each_argument_of_a_hook_is_documented(hook: str) -> None:
    specification = getattr(hookspecs, hook)
    text = specification.__doc__
    for argument in inspect.signature(specification).parameters:
        assert f"\n        {argument}: " in text.partition("Args:")[2]


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_is_documented_in_full(hook: str) -> None:
    text = getattr(hookspecs, hook).__doc__
    for part in ("Called: ", "An exception", "Example::", f"def {hook}("):
        assert part in text
    assert "Returns: " in text or hook == "promptmw_assembled"
    assert "None: " in text or hook in ("promptmw_assembled", "promptmw_answered")


@pytest.mark.parametrize("hook", HOOKS)
def test_each_hook_is_implemented_by_a_test_or_a_plugin(hook: str) -> None:
    places = [*MODULES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    assert any(
        f"def {hook}(" in p.read_text(encoding="utf-8")
        for p in places
        if p.name not in ("hookspecs.py", Path(__file__).name)
    )


def test_all_distributions_have_one_version() -> None:
    versions = {tomllib.loads(p.read_text(encoding="utf-8"))["project"]["version"] for p in PROJECTS}
    assert versions == {promptmw.__version__}
    assert len(PROJECTS) == 4


def test_every_built_in_plugin_has_an_entry_point_of_its_own() -> None:
    points = tomllib.loads((ROOT / "plugins" / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    for plugin, target in points["promptmw"].items():
        assert target == f"promptmw_plugins.{plugin}"
        assert any(n.startswith("promptmw_") for n in vars(import_module(target)))


def test_no_document_promises_that_injection_is_prevented() -> None:
    documents = [p for p in tracked() if p.suffix in (".md", ".py", ".toml") and "tests" not in p.parts]
    for document in documents:
        text = document.read_text(encoding="utf-8").lower()
        assert not re.search(r"(prevents?|stops?|blocks?|immune to) (all )?prompt.injection", text), document


def test_no_file_names_a_developer_s_machine_or_a_package_index() -> None:
    paths = r"(?<!\w)/(?:root|home/\w+|tmp|work)/"
    hosts = r"https?://[\w.-]*(?:pypi|pythonhosted|npmjs|debian)[\w.-]*"
    for file in tracked():
        if file.suffix in (".py", ".md", ".toml", ".yaml", "") and file.name != "LICENSE":
            text = file.read_text(encoding="utf-8").replace("/workspace/", "")
            assert not re.search(f"{paths}|{hosts}", text), file


def test_the_lock_file_is_not_tracked() -> None:
    assert ROOT / "uv.lock" not in tracked()
