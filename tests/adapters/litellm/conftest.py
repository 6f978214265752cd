"""What the LiteLLM tests share: a pipeline with a witness, and LiteLLM's process-wide state put back."""

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import litellm
import pytest
from litellm.litellm_core_utils.logging_worker import GLOBAL_LOGGING_WORKER

from promptmw import Answer, Pipeline, Problem, Prompt, Section, Stability, Turn, hookimpl
from promptmw_plugins.identity import Identity

NOW = datetime(2026, 8, 24, 9, 0, tzinfo=UTC)
STATE = (
    "callbacks",
    "success_callback",
    "failure_callback",
    "input_callback",
    "service_callback",
    "_async_success_callback",
    "_async_failure_callback",
    "custom_provider_map",
    "_custom_providers",
    "provider_list",
)


def pytest_configure(config: pytest.Config) -> None:
    """Let LiteLLM look through every attribute of a chunk, those that pydantic deprecates included."""
    config.addinivalue_line("filterwarnings", "ignore:Accessing the 'model_.*' attribute on the instance")


@dataclass(eq=False)
class Witness:
    """A plugin that remembers what it is told."""

    prompts: list[Prompt] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    reported: list[Problem] = field(default_factory=list)
    told: threading.Event = field(default_factory=threading.Event)

    @hookimpl
    def promptmw_assembled(self, prompt: Prompt) -> None:
        self.prompts.append(prompt)

    @hookimpl
    def promptmw_answered(self, prompt: Prompt, answer: Answer) -> None:
        self.answers.append(answer)
        self.reported.extend(prompt.problems)
        self.told.set()


class Failing:
    """A plugin whose required section raises."""

    @hookimpl
    def promptmw_sections(self, profile: Any) -> list[Section]:
        def render(facts: Any) -> str:
            raise RuntimeError("secret word")

        return [Section(name="failing", render=render, stability=Stability.STATIC, required=True)]


@pytest.fixture(autouse=True)
def _litellm_as_before() -> Iterator[None]:
    """One process has one set of callbacks and providers."""
    saved = {name: list(getattr(litellm, name)) for name in STATE}
    models = dict(litellm.model_cost)  # a call's model_info is entered here
    cache, suppressed = litellm.cache, litellm.suppress_debug_info
    yield
    for name, value in saved.items():
        setattr(litellm, name, value)
    litellm.model_cost.clear()
    litellm.model_cost.update(models)
    litellm.cache, litellm.suppress_debug_info = cache, suppressed


async def logged() -> None:
    """Wait until LiteLLM has worked off its queue of logging events."""
    for _ in range(3):  # a task puts them there, and another works them off
        await asyncio.sleep(0)
    await GLOBAL_LOGGING_WORKER.flush()
    await asyncio.sleep(0)


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest.fixture
def pipeline(witness: Witness) -> Pipeline:
    return Pipeline("chat", plugins=[witness], strict=True, clock=lambda: NOW)


@pytest.fixture
def failing() -> Pipeline:
    """A pipeline that never makes a prompt."""
    return Pipeline("chat", plugins=[Failing()])


@pytest.fixture
def nova() -> Turn:
    """A turn whose system text starts with ``You are Nova``."""
    return Turn(Identity(label="Nova"), timezone="UTC")


@pytest.fixture
def chat(native_server: Any) -> dict[str, Any]:
    """Where LiteLLM's OpenAI provider finds the server."""
    return {"model": "openai/small", "api_base": native_server.base_url, "api_key": "none"}


@pytest.fixture
def claude(native_server: Any) -> dict[str, Any]:
    """Where LiteLLM's Anthropic provider finds the server."""
    return {"model": "anthropic/small", "api_base": native_server.root_url, "api_key": "none"}
