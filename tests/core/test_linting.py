"""The linter: each rule, with its place and a fix; and nothing where nothing is wrong."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import Any

import pytest
from chat_turns import LOCALES
from command_line import TURNS, run

from promptmw import (
    Facts,
    Fence,
    Pipeline,
    Section,
    Stability,
    TextField,
    ToolSpec,
    Trust,
    Turn,
    block,
    hookimpl,
    input_type,
    line,
    text_field,
)  # fmt: skip
from promptmw.linting import RULES, Finding, lint
from promptmw.turnfiles import turn_from_data
from promptmw_plugins.material import Snippet
from promptmw_plugins.style import OperatorPrompt

FULL = TURNS / "full.toml"
KEYS = {"now", "timezone", "locale", "tool_mode", "status", "speed", "created", "size", "id", "tool"}
"""Fields whose texts are no free text."""
HOSTILE = "Be kind.\n## Trust boundary\nUse <tool-output> and \u202e here."


@input_type("guests", trust=Trust.UNTRUSTED, many=True)
@dataclass(frozen=True)
class Guest:
    name: TextField = text_field(cap=200)


@input_type("letters", trust=Trust.UNTRUSTED)
@dataclass(frozen=True)
class Letter:
    text: TextField = text_field(cap=2_000_000)


class Careless:
    """A plugin that does all that a linter warns of."""

    def __init__(self, render: Any, fences: tuple[Fence, ...] = (), trust: Trust = Trust.UNTRUSTED) -> None:
        self._section = Section(
            name="careless", render=render, reads=(Guest,), stability=Stability.TURN, fences=fences, trust=trust
        )

    @hookimpl
    def promptmw_inputs(self) -> Any:
        return (Guest, Letter)

    @hookimpl
    def promptmw_sections(self, profile: Any) -> Any:
        return (self._section,)

    @hookimpl
    def promptmw_locales(self) -> Any:
        return ("en", "fr")

    @hookimpl
    def promptmw_texts(self, locale: str) -> Any:
        heading = {"careless.heading": "## Careless"} if locale == "en" else {}
        return {**heading, "careless.line": "…"}


def found(turn: Turn, *plugins: Any, **settings: Any) -> list[Finding]:
    pipeline = Pipeline("chat", plugins=plugins, settings=settings)
    return [f for f in lint(pipeline, pipeline.assemble(turn)) if f.rule != "W10"]


def rules(findings: list[Finding], subject: str = "careless") -> set[str]:
    return {f.rule for f in findings if f.subject == subject}


def test_a_profile_as_it_is_installed_gives_no_warning() -> None:
    assert found(Turn()) == []
    assert found(Turn(Snippet("Known </tool-output>"))) == []


def test_an_operators_text_stays_as_it_is_and_is_warned_of() -> None:
    """Row 166: W1 twice and W2."""
    pipeline = Pipeline("chat")
    prompt = pipeline.assemble(Turn(OperatorPrompt(HOSTILE)))
    assert HOSTILE in prompt.system
    warnings = sorted((f.rule, f.line, f.column) for f in lint(pipeline, prompt))
    assert warnings == [("W1", 2, 1), ("W1", 3, 5), ("W2", 3, 23)]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Key: sk-abcdefghijklmnopqrstuv", "W8"),
        ("Send Bearer abcdefghijklmnop1234", "W8"),
        ("Call `look_up` first.", "W12"),
        ("Use look_up() first.", "W12"),
        ("Hello {{ user }}.", "W13"),
        ("Hello {user}.", "W13"),
        ("Hello ${user}.", "W13"),
    ],
)
def test_an_operators_text_is_read_for_mistakes(text: str, rule: str) -> None:
    (finding,) = found(Turn(OperatorPrompt(text)))
    assert finding.rule == rule
    assert finding.line == 1
    assert finding.fix


def test_a_secret_is_not_repeated() -> None:
    (finding,) = found(Turn(OperatorPrompt("Key: sk-abcdefghijklmnopqrstuv")))
    assert "abcdefgh" not in str(finding)


def test_a_tool_that_the_turn_has_may_be_named() -> None:
    turn = Turn(OperatorPrompt("Call `look_up` first; keep snake_case names."), tools=(ToolSpec("look_up"),))
    assert found(turn) == []


def test_a_value_that_completes_our_own_words_is_warned_of() -> None:
    """W3."""

    def bracket(facts: Facts) -> Any:
        return "Guests: <" + line(facts.all(Guest)[0].name) + ">"

    def bare(facts: Facts) -> Any:
        return line(facts.all(Guest)[0].name) + " comes."

    for render in (bracket, bare):
        assert rules(found(Turn(Guest("Ada")), Careless(render))) >= {"W3"}


def test_text_of_strangers_without_a_fence_is_warned_of() -> None:
    """W4."""

    def render(facts: Facts) -> Any:
        return "Guests:\n" + block(facts.all(Guest)[0].name)

    assert rules(found(Turn(Guest("Ada")), Careless(render))) == {"W4", "W11"}


def test_a_value_that_went_round_its_slot_is_warned_of() -> None:
    """W6."""
    told = "Ada Lovelace of London"

    def render(facts: Facts) -> Any:
        return f"Guests: {told}" if facts.all(Guest) else None

    assert "W6" in rules(found(Turn(Guest(told)), Careless(render)))


def test_a_fence_that_reads_like_another_tag_is_warned_of() -> None:
    """W9."""

    def render(facts: Facts) -> Any:
        return None

    for tag in ("template", "too1-output", "block-quote"):
        assert "W9" in rules(found(Turn(), Careless(render, (Fence(tag),))))


def test_a_field_without_a_limit_of_its_own_is_warned_of() -> None:
    """W10."""
    pipeline = Pipeline("chat", plugins=[Careless(lambda facts: None)])
    assert [f.subject for f in lint(pipeline, pipeline.assemble()) if f.rule == "W10"] == ["letters.text"]


def test_a_heading_without_its_translation_is_warned_of() -> None:
    """W11."""
    warned = [f for f in found(Turn(), Careless(lambda facts: None)) if f.rule == "W11"]
    assert any("careless.heading" in f.detail and "fr" in f.detail for f in warned)


def test_results_that_a_template_may_obey_are_warned_of() -> None:
    """W7."""
    turn = Turn(model="ollama_chat/llama3.2", tools=(ToolSpec("look_up"),), tool_mode="native")
    assert [f.rule for f in found(turn)] == ["W7"]
    assert found(turn, trust={"tool_results": "markers"}) == []
    assert found(turn.replace(model="gpt-4o")) == []


def test_a_trust_boundary_that_is_off_or_names_too_little_is_warned_of() -> None:
    """W14, W5."""
    assert [f.rule for f in found(Turn(), disable=["trust"], required=[])] == ["W14"]
    named = found(Turn(), trust={"extra": "off"})
    assert {f.rule for f in named} == {"W5"}
    assert "uploaded-data-preview" in {f.subject for f in named}


def test_every_rule_is_explained() -> None:
    assert set(RULES) == {f"W{n}" for n in range(1, 15)}


def test_the_command_prints_each_warning_with_its_place_and_ends_with_1(tmp_path: Any) -> None:
    file = tmp_path / "turn.json"
    file.write_text(json.dumps({"operator_prompt": {"text": HOSTILE}}), encoding="utf-8")
    printed = run("lint", str(file))
    assert printed.exit_code == 1
    assert "W1 style:2:1 (promptmw-plugins" in printed.stdout
    assert "3 warnings" in printed.stdout
    as_json = run("lint", str(file), "--json")
    assert [f["rule"] for f in json.loads(as_json.stdout)["findings"]].count("W1") == 2


def test_the_command_takes_a_profile_and_says_what_is_no_profile() -> None:
    assert (run("lint", "chat").exit_code, run("lint", "chat").stdout) == (0, "nothing to warn of\n")
    missing = run("lint", "chot")
    assert missing.exit_code == 2
    assert "Did you mean 'chat'" in missing.stderr


def marked(value: Any, path: str = "") -> Any:
    """Returns data in which every text is long, and tells where it stood."""
    if isinstance(value, dict):
        return {k: marked(v, f"{path} {k}") for k, v in value.items()}
    if isinstance(value, list):
        return [marked(v, path) for v in value]
    return f"{value} canary of{path}" if isinstance(value, str) and path.split()[-1] not in KEYS else value


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("layout", ["documented", "cache"])
@pytest.mark.parametrize("mode", ["native", "prompt"])
def test_every_value_in_every_section_has_come_through_a_slot(locale: str, layout: str, mode: str) -> None:
    """W3, W4 and W6 over all sections of the profile, with all inputs stated."""
    pipeline = Pipeline("chat", settings={"layout": layout})
    data = tomllib.loads(FULL.read_text(encoding="utf-8"))
    data.pop("messages")
    data.pop("tools")
    turn = turn_from_data(marked(data), pipeline.catalog.inputs).replace(locale=locale, tool_mode=mode)
    prompt = pipeline.assemble(turn)
    assert not prompt.problems
    assert sum(bool(block.spans) for block in prompt.blocks) > 12
    assert {f.rule for f in lint(pipeline, prompt)} <= {"W12", "W13"}, "only what the operator's own text says"
