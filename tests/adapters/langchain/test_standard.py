"""The standard suites of langchain-tests, over wrapped models."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_anthropic import ChatAnthropic
from langchain_litellm import ChatLiteLLM
from langchain_openai import ChatOpenAI
from langchain_tests.integration_tests import ChatModelIntegrationTests
from langchain_tests.unit_tests import ChatModelUnitTests
from promptmw_langchain import PromptChatModel
from promptmw_plugins.identity import Identity
from promptmw_plugins.persona import Persona
from servers import NativeServer

from promptmw import Pipeline, Turn

PIPELINE = Pipeline()
TURN = Turn(Identity(label="Nova"), Persona(traits=("concise",)), timezone="UTC")


def wrapped(inner: Any) -> dict[str, Any]:
    return {"inner": inner, "pipeline": PIPELINE, "turn": lambda messages, metadata: TURN}


class TestOpenAIUnit(ChatModelUnitTests):
    chat_model_class = PromptChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return wrapped(ChatOpenAI(model="gpt-4o", api_key="none"))


class TestAnthropicUnit(ChatModelUnitTests):
    chat_model_class = PromptChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return wrapped(ChatAnthropic(model_name="claude-sonnet-4-6", api_key="none"))


class TestLiteLLMUnit(ChatModelUnitTests):
    chat_model_class = PromptChatModel

    @property
    def chat_model_params(self) -> dict[str, Any]:
        return wrapped(ChatLiteLLM(model="openai/gpt-4o", api_key="none"))


class Integration(ChatModelIntegrationTests):
    """Holds what the integration suites share; ``server`` is set for each test."""

    server: NativeServer
    chat_model_class = PromptChatModel
    model_override_value = "other"

    @pytest.fixture(autouse=True)
    def _server(self, native_server: NativeServer) -> None:
        type(self).server = native_server


class TestOpenAI(Integration):
    @property
    def chat_model_params(self) -> dict[str, Any]:
        return wrapped(
            ChatOpenAI(model="gpt-4o", base_url=self.server.base_url, api_key="none", stream_usage=True, max_retries=0)
        )


class TestLiteLLM(Integration):
    @property
    def chat_model_params(self) -> dict[str, Any]:
        return wrapped(
            ChatLiteLLM(
                model="openai/gpt-4o", api_base=self.server.base_url, api_key="none", stream_options={"include_usage": True}
            )
        )


class TestAnthropic(Integration):
    @property
    def chat_model_params(self) -> dict[str, Any]:
        return wrapped(
            ChatAnthropic(
                model_name="claude-sonnet-4-6", base_url=self.server.root_url, api_key="none", max_retries=0, timeout=60
            )
        )


del Integration, ChatModelIntegrationTests, ChatModelUnitTests
