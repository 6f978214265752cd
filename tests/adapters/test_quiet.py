"""No content in what the adapters log, report or print: a canary in every argument, result, error and key."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.tools import tool

import promptmw_litellm
from promptmw import Answer, Pipeline, Prompt, Tool, ToolCallFailed, ToolFailed, Turn, hookimpl
from promptmw_langchain import PromptChatModel, PromptMiddleware

from .langchain.scripted import Scripted, calling

CANARY = "canary-7b1c"
KEY = f"sk-{CANARY}-0123456789"
ASKED = [{"role": "user", "content": f"{CANARY} Weather in '{CANARY}'?"}]
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = {"type": "function", "function": {"name": "get_weather", "description": CANARY, "parameters": SCHEMA}}


class Plugin:
    """Fails in all ways that an adapter can meet, and keeps what it is told of problems."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    @hookimpl
    def promptmw_tools(self, turn: Turn) -> list[Tool]:
        def note(turn: Turn, arguments: Any) -> str:
            raise ValueError(f"{CANARY} {arguments}")

        return [Tool(name="note", description="Notes.", parameters={"type": "object"}, handler=note)]

    @hookimpl
    def promptmw_answered(self, prompt: Prompt, answer: Answer) -> None:
        self.problems += map(str, prompt.problems)
        raise ValueError(CANARY)


@pytest.fixture
def plugin() -> Plugin:
    return Plugin()


@pytest.fixture
def pipeline(plugin: Plugin) -> Pipeline:
    return Pipeline("chat", plugins=[plugin], settings={"offer_tools": ["note"]})


@pytest.fixture(autouse=True)
def _quiet(plugin: Plugin, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> Any:
    """Row 172."""
    with caplog.at_level(logging.DEBUG, "promptmw"):
        yield
    ours = [record for record in caplog.get_records("call") if record.name.startswith("promptmw")]
    assert ours
    assert CANARY not in str([record.__dict__ for record in ours])
    assert CANARY not in str(plugin.problems)
    assert CANARY not in str(capfd.readouterr())


@tool
def weather(place: str) -> str:
    """Says what the weather is."""
    raise ValueError(CANARY)


def test_an_agent_and_its_tools(pipeline: Pipeline) -> None:
    said = [calling("weather", place=CANARY), calling("note", text=CANARY), AIMessage(CANARY)]
    agent = create_agent(Scripted(answers=said), [weather], middleware=[PromptMiddleware(pipeline, turn=Turn())])
    assert len(agent.invoke({"messages": [HumanMessage(CANARY)]})["messages"]) == 6


def test_calls_that_cannot_be_used(pipeline: Pipeline) -> None:
    call = f'<tool_call>\n{{"name": "wether", "arguments": {{"x": "{CANARY}"}}}}\n</tool_call>'
    ours = PromptMiddleware(pipeline, turn=Turn(), tool_mode="prompt")
    agent = create_agent(Scripted(answers=[AIMessage(call)] * 4), [weather], middleware=[ours])
    with pytest.raises(ToolCallFailed) as raised:
        agent.invoke({"messages": [HumanMessage(CANARY)]})
    assert CANARY not in str(raised.value)


def test_a_model_that_fails(pipeline: Pipeline) -> None:
    model = PromptChatModel(inner=Scripted(answers=[ValueError(CANARY)]), pipeline=pipeline, turn=Turn())
    with pytest.raises(ValueError, match=CANARY):
        model.invoke(CANARY)
    assert CANARY not in repr(pipeline.assemble())


@pytest.mark.parametrize("mode", ["native", "prompt"])
def test_a_loop_of_tools_over_litellm(pipeline: Pipeline, native_server: Any, text_server: Any, mode: str) -> None:
    server = native_server if mode == "native" else text_server

    def get_weather(city: str) -> str:
        raise ToolFailed(CANARY) if city else ValueError(CANARY)

    promptmw_litellm.completion(
        model="openai/small", api_base=server.base_url, api_key=KEY, messages=ASKED, pipeline=pipeline, turn=Turn(),
        tool_mode=mode, tools=[WEATHER], run_tools={"get_weather": get_weather},
    )  # fmt: skip
    assert server.requests


def test_a_refusal_of_the_provider(pipeline: Pipeline, text_server: Any) -> None:
    text_server.refusals = [CANARY]
    with pytest.raises(Exception, match=CANARY):
        promptmw_litellm.completion(
            model="openai/small", api_base=text_server.base_url, api_key=KEY, messages=ASKED, pipeline=pipeline,
            turn=Turn(), num_retries=0,
        )  # fmt: skip
