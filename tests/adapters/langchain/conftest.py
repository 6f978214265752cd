"""What the LangChain tests share: a pipeline with a witness, and the gate of the standard suites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from promptmw import Answer, Pipeline, Problem, Prompt, Turn, hookimpl
from promptmw_plugins.identity import Identity

NOW = datetime(2026, 8, 24, 9, 0, tzinfo=UTC)  # a Monday

SKIPS = {
    "test_init_from_env",
    "test_serdes",
    "test_pdf_inputs",
    "test_audio_inputs",
    "test_image_inputs",
    "test_image_tool_message",
    "test_pdf_tool_message",
    "test_anthropic_inputs",
    "test_stream_time",
}
"""What the standard suites may skip: content that is not claimed, serialisation, settings from the environment."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
    """Fail a standard test that is skipped and may not be."""
    report = yield
    if report.skipped and item.path.name.startswith("test_standard") and not hasattr(report, "wasxfail"):
        name = getattr(item, "originalname", item.name)
        if name not in SKIPS:
            report.outcome = "failed"
            report.longrepr = f"{name} may not be skipped"
    return report


@dataclass(eq=False)
class Witness:
    """A plugin that remembers what it is told."""

    prompts: list[Prompt] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    reported: list[Problem] = field(default_factory=list)

    @hookimpl
    def promptmw_assembled(self, prompt: Prompt) -> None:
        self.prompts.append(prompt)

    @hookimpl
    def promptmw_answered(self, prompt: Prompt, answer: Answer) -> None:
        self.answers.append(answer)
        self.reported.extend(prompt.problems)


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest.fixture
def pipeline(witness: Witness) -> Pipeline:
    return Pipeline("chat", plugins=[witness], strict=True, clock=lambda: NOW)


@pytest.fixture
def nova() -> Turn:
    """A turn whose system text starts with ``You are Nova``."""
    return Turn(Identity(label="Nova"), timezone="UTC", tenant="nova")
