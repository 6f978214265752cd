"""``response_format`` in prompt-tool mode: the text of the answer is the JSON of the schema."""

from __future__ import annotations

import json
from typing import Any

import litellm
import pytest
from pydantic import BaseModel

import promptmw_litellm
from promptmw import Pipeline

from .test_as_text import GOOD, WEATHER, WRAPPERS, by_provider, call, calls_in, streamed_by_provider, text, way

__all__ = ["call", "text", "way"]

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}, "degrees": {"type": "integer"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "weather", "schema": SCHEMA | {"required": ["city"]}}}
ANSWER = 'It is:\n<tool_call>\n{"name": "final_answer", "arguments": {"city": "Oslo", "degrees": "21"}}\n</tool_call>'
JSON = '{"city": "Oslo", "degrees": 21}'


def taking(call: dict[str, Any], takes: bool) -> dict[str, Any]:
    info = {"supports_function_calling": False, "supports_response_schema": takes}
    return {**call, "model_info": info, "response_format": FORMAT}


def alone(call: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in call.items() if k != "tools"}


@pytest.mark.parametrize("ask", WRAPPERS)
def test_the_text_is_the_json_of_the_schema(text_server: Any, call: dict[str, Any], ask: Any) -> None:
    """TC7"""
    text_server.lines = [ANSWER]
    answer = ask(taking(alone(call), False))
    assert answer.choices[0].message.content == JSON
    assert answer.choices[0].finish_reason == "stop"
    assert calls_in(answer) == []
    body = text_server.last.body
    assert "response_format" not in body
    assert '"name": "final_answer"' in body["messages"][0]["content"]


@pytest.mark.parametrize("ask", [by_provider, streamed_by_provider])
def test_over_the_provider_too(text_server: Any, call: dict[str, Any], ask: Any, monkeypatch: Any) -> None:
    text_server.lines = [ANSWER]
    monkeypatch.setitem(litellm.model_cost, "openai/small", {"supports_response_schema": False})
    answer = ask({**alone(call), "response_format": FORMAT})
    assert answer.choices[0].message.content == JSON


def test_a_provider_that_takes_it_gets_it(native_server: Any, chat: dict[str, Any], call: dict[str, Any]) -> None:
    promptmw_litellm.completion(**taking({**alone(call), **chat}, True))
    assert native_server.last.body["response_format"] == FORMAT
    assert "final_answer" not in str(native_server.last.body["messages"])


@pytest.mark.parametrize("takes", [True, False])
def test_beside_tools_the_model_may_call_either(text_server: Any, call: dict[str, Any], takes: bool) -> None:
    text_server.lines = [GOOD]
    answer = promptmw_litellm.completion(**taking(call, takes))
    assert calls_in(answer) == [("get_weather", {"city": "Oslo"})]
    assert "response_format" not in text_server.last.body
    text_server.lines = [ANSWER]
    answer = promptmw_litellm.completion(**taking(call, takes))
    assert (answer.choices[0].message.content, calls_in(answer)) == (JSON, [])


def test_where_no_tool_may_be_called_the_answer_is_what_may(text_server: Any, call: dict[str, Any]) -> None:
    text_server.lines = [GOOD, ANSWER]
    answer = promptmw_litellm.completion(**taking(call, False), tool_choice="none")
    assert answer.choices[0].message.content == JSON


def test_a_class_is_a_schema(text_server: Any, call: dict[str, Any]) -> None:
    class Weather(BaseModel):
        city: str
        degrees: int

    text_server.lines = [ANSWER]
    answer = promptmw_litellm.completion(**{**taking(alone(call), False), "response_format": Weather})
    assert Weather.model_validate_json(answer.choices[0].message.content).degrees == 21


def test_the_loop_ends_with_the_answer(text_server: Any, call: dict[str, Any]) -> None:
    text_server.lines = [GOOD, ANSWER]
    answer = promptmw_litellm.completion(
        **taking(call, False), run_tools={"get_weather": lambda city: f"{city}: 21 degrees"}
    )
    assert json.loads(answer.choices[0].message.content) == {"city": "Oslo", "degrees": 21}


def test_a_tool_of_that_name_keeps_it(text_server: Any, call: dict[str, Any], pipeline: Pipeline) -> None:
    own = {**WEATHER, "function": {**WEATHER["function"], "name": "final_answer"}}  # type: ignore[dict-item]
    text_server.lines = [ANSWER.replace("final_answer", "final_answer_2")]
    answer = promptmw_litellm.completion(**{**taking(call, False), "tools": [own]})
    assert answer.choices[0].message.content == JSON
