"""The wrappers' own loop: tools are run until the model answers in words; natively and as text."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import promptmw_litellm
from promptmw import InputError, Pipeline, Tool, ToolFailed, ToolLoopExhausted, hookimpl

from .conftest import NOW

HI = [{"role": "user", "content": "Weather in 'Oslo'?"}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
GOOD = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
CANARY = "token-1234"


class Notes:
    """A plugin with a tool."""

    @hookimpl
    def promptmw_tools(self, turn: Any) -> tuple[Tool, ...]:
        schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        return (Tool(name="note", description="Notes.", parameters=schema, handler=lambda turn, given: "noted"),)


def called(call: dict[str, Any]) -> Any:
    return promptmw_litellm.completion(**call)


def awaited(call: dict[str, Any]) -> Any:
    return asyncio.run(promptmw_litellm.acompletion(**call))


@pytest.fixture(params=[called, awaited], ids=["sync", "async"])
def way(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(params=["native", "prompt"])
def call(request: pytest.FixtureRequest, native_server: Any, text_server: Any, pipeline: Any, nova: Any) -> Any:
    server = native_server if request.param == "native" else text_server
    where = {"model": "openai/small", "api_base": server.base_url, "api_key": "none"}
    ours = {"pipeline": pipeline, "turn": nova, "tool_mode": request.param, "run_tools": {"get_weather": weather}}
    return {**where, **ours, "messages": HI, "tools": [WEATHER]}


@pytest.fixture
def text(text_server: Any, pipeline: Any, nova: Any) -> dict[str, Any]:
    where = {"model": "openai/small", "api_base": text_server.base_url, "api_key": "none"}
    ours = {"pipeline": pipeline, "turn": nova, "tool_mode": "prompt", "run_tools": {"get_weather": weather}}
    return {**where, **ours, "messages": HI, "tools": [WEATHER]}


def weather(city: str) -> str:
    return f"Fine in {city}."


def test_tools_are_run_until_the_model_answers_in_words(call, way, native_server, text_server):
    answer = way(call)
    assert answer.choices[0].message.content.startswith("Hello, here is")
    assert answer.choices[0].finish_reason == "stop"
    server = native_server if call["tool_mode"] == "native" else text_server
    assert len(server.requests) == 2
    assert "Fine in Oslo." in str(server.last.body["messages"][-1]["content"])
    assert HI == [{"role": "user", "content": "Weather in 'Oslo'?"}]


def test_functions_may_be_async(call, way):
    async def slow_weather(city: str) -> dict[str, Any]:
        await asyncio.sleep(0)
        return {"city": city, "degrees": 21}

    answer = way({**call, "run_tools": {"get_weather": slow_weather}})
    assert answer.choices[0].message.content.startswith("Hello, here is")


def test_a_tool_that_is_not_ours_to_run_is_returned(call, way):
    answer = way({**call, "run_tools": True})
    assert answer.choices[0].message.tool_calls[0].function.name == "get_weather"


def test_plugins_tools_are_offered_and_run(call, way, witness, native_server, text_server):
    pipeline = Pipeline("chat", plugins=[witness, Notes()], settings={"offer_tools": ["note"]}, clock=lambda: NOW)
    rest = {k: v for k, v in call.items() if k != "tools"}
    answer = way({**rest, "pipeline": pipeline, "run_tools": True})
    assert answer.choices[0].message.content.startswith("Hello, here is")
    server = native_server if call["tool_mode"] == "native" else text_server
    assert "noted" in str(server.last.body["messages"][-1]["content"])


def test_what_a_tool_raises_stays_inside(call, way, native_server, text_server):
    """LP13"""

    def failing(city: str) -> str:
        raise RuntimeError(f"{CANARY} {city}")

    way({**call, "run_tools": {"get_weather": failing}})
    server = native_server if call["tool_mode"] == "native" else text_server
    sent = str(server.last.body["messages"])
    assert "The tool failed." in sent
    assert CANARY not in sent


def test_what_is_meant_for_the_model_gets_there(text, way, text_server):
    def closed(city: str) -> str:
        raise ToolFailed("Closed on Mondays.")

    way({**text, "run_tools": {"get_weather": closed}})
    block = '<tool-output name="get_weather" status="error">\nClosed on Mondays.\n</tool-output>'
    assert text_server.last.body["messages"][-1]["content"] == block


def test_the_loop_ends_in_words(text, way, text_server):
    """LP1, LP9"""
    text_server.lines = [GOOD] * 3 + ["I saw nothing."]
    assert way(text).choices[0].message.content == "I saw nothing."
    bodies = [r.body for r in text_server.requests]
    assert len({b["messages"][0]["content"] for b in bodies}) == 1
    assert "The last calls brought nothing new." in bodies[-1]["messages"][1]["content"]
    assert bodies[-1]["stop"] == ["<tool_call>"]


def test_a_loop_without_an_answer_is_an_error(text, way, text_server):
    """LP8"""
    text_server.lines = [GOOD] * 5
    with pytest.raises(ToolLoopExhausted):
        way(text)
    assert len(text_server.requests) == 5


def test_equal_calls_of_one_answer_run_twice(text, way, text_server):
    """LP4"""
    ran: list[str] = []

    def counted(city: str) -> str:
        ran.append(city)
        return "fine"

    text_server.lines = [f"{GOOD}\n{GOOD}", "Done."]
    pipeline = Pipeline("chat", settings={"tool_protocol": {"calls": "many"}}, clock=lambda: NOW)
    way({**text, "pipeline": pipeline, "run_tools": {"get_weather": counted}})
    assert ran == ["Oslo", "Oslo"]
    assert text_server.last.body["messages"][-1]["content"].count("fine") == 2


def test_a_loop_does_not_stream(text):
    with pytest.raises(InputError, match="run_tools"):
        called({**text, "stream": True})
