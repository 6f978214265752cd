"""CM1: the integration suite of langchain-tests over wrapped models, on the wire."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_litellm import ChatLiteLLM
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests
from servers import NativeServer, TextServer

from promptmw import Pipeline, Turn
from promptmw_langchain import PromptChatModel
from promptmw_plugins.identity import Identity

PIPELINE = Pipeline(strict=True)
TURN = Turn(Identity(label="Nova"), timezone="UTC")


class Integration(ChatModelIntegrationTests):
    """Wraps the model of each suite; the server is set before each test."""

    chat_model_class = PromptChatModel
    supports_json_mode = True
    server: NativeServer
    text: TextServer

    @pytest.fixture(autouse=True)
    def _server(self, native_server: NativeServer) -> None:
        type(self).server = native_server

    @property
    def inner(self) -> Any:
        raise NotImplementedError

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {"inner": self.inner, "pipeline": PIPELINE, "turn": TURN}

    @property
    def model_override_value(self) -> str:
        return "other"


class TestNative(Integration):
    @property
    def inner(self) -> ChatOpenAI:
        return ChatOpenAI(model="gpt-4o", base_url=self.server.base_url, api_key="none", stream_usage=True)


class TestNativeAnthropic(Integration):
    @property
    def inner(self) -> ChatAnthropic:
        return ChatAnthropic(model_name="claude-sonnet-4-6", base_url=self.server.root_url, api_key="none")


class TestNativeLiteLLM(Integration):
    @property
    def inner(self) -> ChatLiteLLM:
        return ChatLiteLLM(
            model="openai/gpt-4o",
            api_base=self.server.base_url,
            api_key="none",
            stream_options={"include_usage": True},
        )

    @property
    def model_override_value(self) -> str:
        return "openai/other"


class TestAsText(Integration):
    """Over a model that refuses tools, results and schemas: all of them go through its text."""

    @pytest.fixture(autouse=True)
    def _text_server(self, text_server: TextServer) -> None:
        type(self).text = text_server

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return {**super().chat_model_params, "tool_mode": "prompt"}

    @property
    def inner(self) -> ChatOpenAI:
        return ChatOpenAI(model="small", base_url=self.text.base_url, api_key="none", stream_usage=True)


def test_the_suites_are_whole(request: pytest.FixtureRequest) -> None:
    """CM1: fewer tests than these, and the gate is open."""
    suites = [item.cls for item in request.session.items if getattr(item, "cls", None) and item.path == request.path]
    assert {suite.__name__: suites.count(suite) for suite in suites} == {
        "TestNative": 50,
        "TestNativeAnthropic": 50,
        "TestNativeLiteLLM": 50,
        "TestAsText": 50,
    }


del Integration, ChatModelIntegrationTests
