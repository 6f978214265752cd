"""No content in logs, reports and reprs; nothing on the standard streams."""

from __future__ import annotations

import logging
import tomllib
from pathlib import Path
from typing import Any

import pytest
import structlog
from chat_turns import NOW

from promptmw import Answer, Pipeline, Section, Turn, hookimpl
from promptmw.turnfiles import turn_from_data

CANARY = "canary-5f3a"
FULL = Path(__file__).parents[2] / "examples" / "turns" / "full.toml"
KEYS = {"now", "timezone", "locale", "tool_mode", "status", "speed", "created", "size", "id", "tool"}


class Failing:
    """Fails in every hook of a turn, with the canary in what it raises."""

    def fail(self, facts: object) -> str:
        raise ValueError(CANARY)

    @hookimpl
    def promptmw_sections(self) -> tuple[Section, ...]:
        return (Section(name="failing", render=self.fail),)

    @hookimpl
    def promptmw_collect(self) -> object:
        raise ValueError(CANARY)

    @hookimpl
    def promptmw_history(self) -> object:
        raise ValueError(CANARY)

    @hookimpl
    def promptmw_revise(self) -> object:
        raise ValueError(CANARY)

    @hookimpl
    def promptmw_tools(self) -> object:
        raise ValueError(CANARY)

    @hookimpl
    def promptmw_answered(self) -> object:
        raise ValueError(CANARY)


def marked(value: Any, key: str = "") -> Any:
    """Returns data with the canary in every text."""
    if isinstance(value, dict):
        return {k: marked(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [marked(v, key) for v in value]
    return f"{value} {CANARY}" if isinstance(value, str) and key not in KEYS else value


@pytest.fixture
def pipeline() -> Pipeline:
    settings = {"caller_system": "drop", "offer_tools": ["nothing"]}
    return Pipeline("chat", plugins=[Failing()], settings=settings, clock=lambda: NOW)


@pytest.fixture
def turn(pipeline: Pipeline) -> Turn:
    data = tomllib.loads(FULL.read_text(encoding="utf-8"))
    data.pop("messages")
    return turn_from_data(marked({**data, "session": "s"}), pipeline.catalog.inputs)


def test_the_canary_is_in_no_record_no_report_and_no_repr(
    pipeline: Pipeline, turn: Turn, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """172, XA7."""
    with caplog.at_level(logging.DEBUG, "promptmw"):
        prompt = pipeline.assemble(turn)
        sent = pipeline.messages(turn, [{"role": "system", "content": CANARY}, {"role": "user", "content": CANARY}])
        pipeline.answered(prompt, Answer(text=CANARY))
    assert CANARY in str(sent)
    assert {p.kind.value for p in prompt.problems} >= {"section failed", "collect failed", "revise hook failed"}
    assert caplog.records
    assert CANARY not in str([r.__dict__ for r in caplog.records])
    assert CANARY not in str(prompt.problems)
    assert CANARY not in repr((turn, turn.inputs, prompt.blocks, prompt.citations)).replace(
        f"key='handbook#7 {CANARY}'", ""
    )
    assert capfd.readouterr() == ("", "")


def test_structlog_stays_as_the_application_left_it(pipeline: Pipeline) -> None:
    pipeline.assemble()
    assert not structlog.is_configured()
