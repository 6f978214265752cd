"""``promptmw plugins``, ``promptmw profiles``, and commands of other distributions."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import data, install, run

HELLO = '''"""Say hello.

More about it.
"""
def register(app):
    @app.command()
    def hello(name: str = "you"):
        """Say it."""
        print(f"hello {name}")
'''
TEXTS = """
import promptmw
from promptmw import Section, hookimpl
@hookimpl
def promptmw_sections(profile):
    return [Section(name="weather", render=lambda facts: facts.texts["weather.text"])]
@hookimpl
def promptmw_locales():
    return ("en", "de")
@hookimpl
def promptmw_texts(locale):
    return {"en": {"weather.text": "Sunny.", "weather.more": "Dry."}, "de": {"weather.text": "Sonnig."}}.get(locale)
"""


def test_plugins_are_listed_with_distribution_and_hooks() -> None:
    result = run("plugins")
    assert (result.exit_code, result.stderr) == (0, "")
    found = {p["name"]: p for p in data("plugins")["plugins"]}
    assert found["persona"]["distribution"] == "promptmw-plugins"
    assert found["persona"]["hooks"] == ["promptmw_inputs", "promptmw_sections"]
    assert {p["status"] for p in found.values()} == {"loaded"}
    assert "│ persona " in result.stdout


def test_a_broken_plugin_is_reported_with_its_cause_and_exit_code_1(packages: Path) -> None:
    install(packages, "promptmw", {"strange_one": "raise RuntimeError('no luck')"}, {"strange": "strange_one"})
    result = run("plugins")
    assert result.exit_code == 1
    assert "strange of strange 1.0 was skipped: RuntimeError: no luck" in result.stdout
    skipped = [p for p in data("plugins")["plugins"] if p["status"] == "skipped"]
    assert [p["name"] for p in skipped] == ["strange"]


def test_missing_texts_are_listed_by_locale(packages: Path) -> None:
    install(packages, "promptmw", {"strange_texts": TEXTS}, {"strange": "strange_texts"})
    result = run("plugins")
    assert result.exit_code == 0
    assert "weather is in English where de is wanted: no weather.more" in result.stdout
    assert data("plugins")["missing"] == [{"section": "weather", "locale": "de", "keys": ["weather.more"]}]


def test_two_distributions_of_one_plugin_name_are_an_error(packages: Path) -> None:
    install(packages, "promptmw", {"strange_persona": ""}, {"persona": "strange_persona"})
    result = run("plugins")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "plugin 'persona' comes from both" in result.stderr


def test_a_profile_that_cannot_be_made_does_not_hide_the_plugins(tmp_path: Path) -> None:
    config = tmp_path / "promptmw.toml"
    config.write_text('disable_plugins = ["trust"]')
    result = run("plugins", "--config", config)
    assert result.exit_code == 2
    assert "requires the section 'trust'" in result.stderr
    assert "│ persona " in result.stdout


def test_profiles_are_listed_with_their_sections_in_order(tmp_path: Path) -> None:
    config = tmp_path / "promptmw.toml"
    config.write_text('[profiles.short]\nenable = ["trust", "date"]\nrequired = []\nlayout = "cache"')
    found = {p["name"]: p for p in data("profiles", "--config", config)}
    assert found["short"] == {"name": "short", "layout": "cache", "sections": ["trust", "date"], "error": ""}
    assert found["chat"]["sections"][:3] == ["identity", "style", "date"]
    assert "│ short " in run("profiles", "--config", config).stdout


def test_a_command_is_listed_by_its_docstring_and_not_imported(packages: Path) -> None:
    marked = HELLO.replace("def register", "raise SystemExit('imported')\ndef register")
    install(packages, "promptmw.commands", {"strange_hello": marked}, {"hello": "strange_hello:register"})
    result = run("--help")
    assert result.exit_code == 0
    assert "hello" in result.stdout
    assert "Say hello." in result.stdout


def test_a_command_of_another_distribution_runs_with_its_own_options(packages: Path) -> None:
    install(packages, "promptmw.commands", {"strange_hi": HELLO}, {"hello": "strange_hi:register"})
    assert run("hello", "--name", "Ada").stdout == "hello Ada\n"
    assert "--name" in run("hello", "--help").stdout
    assert run("hello", "--nam").exit_code == 2


@pytest.mark.parametrize(
    ("source", "cause"),
    [
        ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("def register(app): app.command('other')(lambda: None)", "strange_bad:register registers no command 'hello'"),
        ("register = 5", "'int' object is not callable"),
    ],
)
def test_a_broken_command_is_reported_on_use_and_in_plugins_and_breaks_no_other(
    packages: Path, source: str, cause: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.delitem(sys.modules, "strange_bad", raising=False)
    install(packages, "promptmw.commands", {"strange_bad": source}, {"hello": "strange_bad:register"})
    used, listed = run("hello"), run("plugins")
    sys.modules.pop("strange_bad", None)
    assert (used.exit_code, used.stdout) == (2, "")
    assert used.stderr.startswith("command 'hello' of strange 1.0 cannot be loaded: ")
    assert cause in used.stderr
    assert (listed.exit_code, cause in listed.stdout) == (1, True)
    assert run("profiles").exit_code == 0


def test_two_distributions_of_one_command_are_an_error_on_use(packages: Path) -> None:
    install(packages, "promptmw.commands", {"strange_hey": HELLO}, {"hello": "strange_hey:register"})
    install(packages, "promptmw.commands", {}, {"hello": "strange_hey:register"}, name="stranger")
    result = run("hello")
    assert result.exit_code == 2
    assert "command 'hello' comes from both strange 1.0 and stranger 1.0" in result.stderr


def test_a_built_in_command_is_not_theirs_to_take(packages: Path) -> None:
    install(packages, "promptmw.commands", {"strange_hallo": HELLO}, {"compose": "strange_hallo:register"})
    assert run("compose", "-", stdin="locale: fr").stdout.startswith("─── system ───\nVous êtes")
