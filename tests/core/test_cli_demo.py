"""``promptmw demo`` without the model: its turn, its legs, what it shows and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import install, run

from promptmw import EngineError, local
from promptmw.answers import Usage
from promptmw.cli import demo, legs
from promptmw.cli.legs import Call, Step, calls

LEG = """
from promptmw.answers import Usage
from promptmw.cli.legs import Step
asked = []
def run(pipeline, turn, messages, engine):
    asked.append(messages)
    assert not turn.preview
    text = pipeline.messages(turn, messages)[0]["content"]
    yield Step("whole", text[:8], 0.5, Usage(100, 2, 90))
    yield Step("stream", "a")
    yield Step("stream", "b")
    yield Step("stream", seconds=0.25, usage=Usage(100, 2, 99))
"""
SILENT = "from promptmw.cli.legs import Step\ndef run(*_): yield Step('whole', ' ', 0.1)"
BROKEN = "def run(*_):\n    raise RuntimeError('no luck')"


class Engine:
    """Stands where the local model would."""

    model, base_url, api_key = "small", "http://127.0.0.1:1/v1", "none"

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture(autouse=True)
def _only_strange_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    found = legs.installed
    monkeypatch.setattr(demo, "installed", lambda: [p for p in found() if p.value.startswith("strange")])
    monkeypatch.setattr(local, "LocalEngine", Engine)


def test_pieces_become_calls_and_are_shown_as_they_come() -> None:
    seen: list[Step] = []
    steps = [Step("a", "x"), Step("a", "y"), Step("a", "z", 2.0, Usage(1)), Step("b", "w", 1.0)]
    assert list(calls(steps, seen.append)) == [Call("a", "xyz", 2.0, Usage(1)), Call("b", "w", 1.0, Usage())]
    assert seen == steps


def test_its_turn_is_small_enough_for_the_model_and_has_untrusted_material() -> None:
    prompt = demo.demo_turn().prompt()
    assert prompt.tokens < 2_000
    assert {"persona", "trust", "memories", "rag", "summary"} <= {b.section for b in prompt.blocks}
    assert prompt.problems == ()


def test_each_call_is_shown_and_then_the_next_turn_with_what_was_cached(packages: Path) -> None:
    install(packages, legs.GROUP, {"strange_leg": LEG}, {"one": "strange_leg:run"})
    result = run("demo")
    assert result.exit_code == 0
    assert (
        "─── one: whole ───\nYou are \n0.5 s, 100 prompt tokens, 90 of them cached, 2 in the answer\n" in result.stdout
    )
    assert "─── one: stream ───\nab\n0.2 s, " in result.stdout
    assert result.stdout.endswith("90 of 100 prompt tokens came from the prefix cache.\n")
    assert "│ persona " in result.stdout


def test_json_has_everything_and_nothing_else_is_on_standard_output(packages: Path) -> None:
    install(packages, legs.GROUP, {"strange_json": LEG}, {"one": "strange_json:run"})
    found: dict[str, Any] = json.loads(run("demo", "--json").stdout)
    assert [c["text"] for c in found["legs"][0]["calls"]] == ["You are ", "ab"]
    usage = {"input_tokens": 100, "output_tokens": 2, "cached_tokens": 90}
    assert found["next_turn"]["calls"] == [{"title": "whole", "text": "You are ", "seconds": 0.5, "usage": usage}]
    assert found["blocks"]


def test_the_next_turn_asks_something_else_behind_the_first_answer(packages: Path) -> None:
    install(packages, legs.GROUP, {"strange_next": LEG}, {"one": "strange_next:run"})
    run("demo")
    import strange_next  # type: ignore[import-not-found]

    first, second = strange_next.asked
    assert second[: len(first)] == first
    assert [m["role"] for m in second[len(first) :]] == ["assistant", "user"]


@pytest.mark.parametrize(("source", "words"), [(SILENT, "no answer from: bad"), (BROKEN, "RuntimeError: no luck")])
def test_a_leg_without_an_answer_makes_it_exit_with_1_and_lets_the_others_run(
    packages: Path, source: str, words: str
) -> None:
    module = f"strange_{abs(hash(source))}"
    install(
        packages,
        legs.GROUP,
        {"strange_good": LEG, module: source},
        {"bad": f"{module}:run", "good": "strange_good:run"},
    )
    result = run("demo")
    assert result.exit_code == 1
    assert words in result.stderr
    assert "good: stream" in result.stdout


def test_without_any_leg_it_says_what_to_install() -> None:
    result = run("demo")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "pip install promptmw-langchain promptmw-litellm" in result.stderr


def test_without_the_engine_it_says_what_to_install(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Missing(Engine):
        def __enter__(self) -> Missing:
            raise EngineError("the package xllamacpp is not installed: pip install xllamacpp")

    monkeypatch.setattr(local, "LocalEngine", Missing)
    install(packages, legs.GROUP, {"strange_none": LEG}, {"one": "strange_none:run"})
    result = run("demo", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "xllamacpp is not installed" in result.stderr
