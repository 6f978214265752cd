"""The command line as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest
from command_line import TURNS, process, run

import promptmw
from promptmw import cli

LOADED = "import sys; from promptmw.cli.app import app; app({!r}, standalone_mode=False); print(sorted(sys.modules))"


@pytest.mark.parametrize("command", ["compose", "inspect", "plugins", "profiles", "demo"])
def test_the_help_of_each_command_has_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "Example: " in result.stdout
    assert f"promptmw {command}" in " ".join(result.stdout.split())


def test_no_command_shows_the_help_and_an_unknown_one_or_option_is_an_error() -> None:
    assert "compose" in run().output
    assert run("composs").exit_code == 2
    result = run("compose", TURNS / "minimal.toml", "--nope")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--nope" in result.stderr


def test_the_version_is_the_packages() -> None:
    assert run("--version").stdout == f"promptmw {promptmw.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["compose", str(TURNS / "full.toml")]])
def test_no_framework_is_imported_for_help_or_for_a_built_in_command(arguments: list[str]) -> None:
    done = subprocess.run([sys.executable, "-c", LOADED.format(arguments)], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1]
    assert "'promptmw.cli.compose'" in loaded
    assert "'litellm'" not in loaded
    assert "'langchain_core'" not in loaded


@pytest.mark.parametrize(
    ("missing", "words"), [(["rich"], "needs rich"), (["typer", "rich", "yaml"], "needs typer, rich and yaml")]
)
def test_missing_packages_get_one_line_that_names_the_extra(
    missing: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(SystemExit) as left:
        cli.main()
    written = capsys.readouterr()
    assert (left.value.code, written.out) == (2, "")
    assert written.err == f'promptmw: the command line {words}: pip install "promptmw[cli]"\n'


def test_the_core_never_imports_the_extras_packages() -> None:
    code = "import promptmw, sys; promptmw.Pipeline().assemble(); print({'typer', 'rich', 'yaml'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_a_reader_that_leaves_early_is_no_traceback() -> None:
    command = [sys.executable, "-m", "promptmw.cli", "compose", str(TURNS / "full.toml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert b"Traceback" not in running.stderr.read()


def test_an_interrupted_command_exits_with_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("promptmw.cli.turns.read_text", interrupted)
    result = run("compose", "-")
    assert (result.exit_code, result.stdout) == (130, "")
    assert "Traceback" not in result.stderr


def test_bad_input_in_a_process_of_its_own_exits_with_2() -> None:
    done = process("compose", "-", stdin="nope = 1")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("<stdin>:1: a turn has no key 'nope'.")
