"""What an import costs is what it loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {
    "structlog", "json", "tomllib", "importlib.metadata", "pydantic", "asyncio", "babel", "typer", "rich", "yaml",
    "litellm", "langchain_core", "langchain", "xllamacpp", "sqlalchemy", "email", "http", "socket", "ssl",
}  # fmt: skip


def loaded(statement: str) -> set[str]:
    code = f"import sys; before = set(sys.modules); {statement}; print(*sorted(set(sys.modules) - before))"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    """XA6."""
    assert not loaded("import promptmw") & (HEAVY | {"pluggy", "dataclasses", "logging", "inspect"})


def test_a_pipeline_loads_no_framework_until_it_is_made() -> None:
    found = loaded("from promptmw import Pipeline, Turn, Section, hookimpl, Untrusted, line")
    assert "pluggy" in found
    assert not found & HEAVY


def test_a_turn_is_made_without_the_fencing_and_without_pluggy() -> None:
    found = loaded("from promptmw import Turn, ToolSpec; Turn(tools=('a',))")
    assert not found & (HEAVY | {"pluggy", "promptmw.fencing", "promptmw.assembly"})


@pytest.mark.parametrize("framework", ["litellm", "langchain_core", "typer", "rich", "yaml", "structlog"])
def test_assembling_loads_no_framework(framework: str) -> None:
    assert framework not in loaded("from promptmw import Pipeline, Turn; Pipeline().assemble(Turn())")


@pytest.mark.parametrize("command", ["--help", "compose --help", "profiles --json"])
def test_the_command_line_loads_no_model_framework(command: str) -> None:
    statement = (
        "import sys, contextlib, io; from promptmw.cli import main; "
        f"sys.argv = ['promptmw', *{command.split()!r}]\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main()\n"
    )
    code = f"{statement}print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"litellm", "langchain_core", "openai"} & set(found)
