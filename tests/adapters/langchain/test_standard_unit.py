"""CM1: the unit suite of langchain-tests over wrapped models. Runs with sockets forbidden."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_litellm import ChatLiteLLM
from langchain_openai import ChatOpenAI
from langchain_tests.unit_tests import ChatModelUnitTests

from promptmw import Pipeline, Turn
from promptmw_langchain import PromptChatModel
from promptmw_plugins.identity import Identity

PIPELINE = Pipeline(strict=True)
TURN = Turn(Identity(label="Nova"), timezone="UTC")


@pytest.fixture(autouse=True)
def _cleared_servers() -> None:
    """These tests need no server."""


class Unit(ChatModelUnitTests):
    """Wraps the model of each suite."""

    chat_model_class = PromptChatModel
    inner: Any

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"inner": self.inner, "pipeline": PIPELINE, "turn": TURN}


class TestNativeUnit(Unit):
    inner = ChatOpenAI(model="gpt-4o", api_key="none")


class TestNativeAnthropicUnit(Unit):
    inner = ChatAnthropic(model_name="claude-sonnet-4-6", api_key="none")


class TestNativeLiteLLMUnit(Unit):
    inner = ChatLiteLLM(model="openai/gpt-4o", api_key="none")


class TestAsTextUnit(Unit):
    inner = ChatOpenAI(model="small", api_key="none")

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {**super().chat_model_params, "tool_mode": "prompt"}


def test_the_suites_are_whole(request: pytest.FixtureRequest) -> None:
    """CM1: fewer tests than these, and the gate is open."""
    suites = [item.cls for item in request.session.items if getattr(item, "cls", None) and item.path == request.path]
    assert {suite.__name__: suites.count(suite) for suite in suites} == {
        "TestNativeUnit": 10,
        "TestNativeAnthropicUnit": 10,
        "TestNativeLiteLLMUnit": 10,
        "TestAsTextUnit": 10,
    }


del Unit, ChatModelUnitTests
