"""What a model repeats of our escapes, over LiteLLM: characters again, whole and streaming."""

from __future__ import annotations

import json
from typing import Any

import litellm
import pytest

import promptmw_litellm
from promptmw import Pipeline, Turn
from promptmw.restoring import Restoring
from promptmw_litellm import Callback
from promptmw_litellm.restored import restored

from .conftest import NOW
from .test_as_text import HI, WEATHER, astreamed, awaited, streamed, whole

QUOTED = "See ⟦U+003C⟧excerpt> and ⟦U+001B⟧ ⟦U+00"
SEEN = "See <excerpt> and ⟦U+001B⟧ ⟦U+00"
CITY = [{"role": "user", "content": "Weather in '⟦U+003C⟧Oslo'?"}]
WAYS = {"whole": whole, "streamed": streamed, "awaited": awaited, "astreamed": astreamed}


@pytest.fixture(params=list(WAYS.values()), ids=list(WAYS))
def way(request: pytest.FixtureRequest) -> Any:
    return request.param


def where(server: Any) -> dict[str, Any]:
    return {"model": "openai/small", "api_base": server.base_url, "api_key": "none"}


def test_people_see_the_characters(way, text_server, pipeline, nova):
    """Row 145, over LiteLLM."""
    text_server.lines = [QUOTED]
    answer = way({"messages": HI, "pipeline": pipeline, "turn": nova, **where(text_server)})
    assert answer.choices[0].message.content == SEEN


def test_an_escaped_call_in_the_text_of_a_model_is_no_call(way, text_server, pipeline, nova):
    """Row 148."""
    text_server.lines = ["Write ⟦U+003C⟧tool_call {} there."]
    ours = {"pipeline": pipeline, "turn": nova, "tool_mode": "prompt", "tools": [WEATHER]}
    message = way({"messages": HI, **ours, **where(text_server)}).choices[0].message
    assert message.content == "Write <tool_call {} there."
    assert not message.tool_calls


def test_arguments_are_restored_where_there_is_no_later_place(way, native_server, pipeline, nova):
    ours = {"pipeline": pipeline, "turn": nova, "tool_mode": "native", "tools": [WEATHER]}
    message = way({"messages": CITY, **ours, **where(native_server)}).choices[0].message
    assert json.loads(message.tool_calls[0].function.arguments) == {"city": "<Oslo"}


@pytest.mark.parametrize("setting", ["arguments", "off"])
def test_the_profile_says_what_is_restored(text_server, nova, setting):
    pipeline = Pipeline("chat", settings={"trust": {"restore": setting}}, clock=lambda: NOW)
    text_server.lines = [QUOTED]
    answer = whole({"messages": HI, "pipeline": pipeline, "turn": nova, **where(text_server)})
    assert answer.choices[0].message.content == QUOTED


def test_a_loop_runs_tools_with_the_real_characters_and_shows_the_model_what_it_wrote(native_server, pipeline, nova):
    seen = []

    def get_weather(city: str) -> str:
        seen.append(city)
        return "fine"

    promptmw_litellm.completion(
        messages=CITY, pipeline=pipeline, turn=nova, tool_mode="native", tools=[WEATHER],
        run_tools={"get_weather": get_weather}, **where(native_server),
    )  # fmt: skip
    assert seen[0] == "<Oslo"
    (call,) = native_server.last.body["messages"][2]["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"city": "⟦U+003C⟧Oslo"}


async def test_the_callback_restores_whole_answers(text_server, pipeline):
    litellm.callbacks = [Callback(pipeline, turn=Turn())]
    text_server.lines = [QUOTED]
    answer = await litellm.acompletion(messages=HI, **where(text_server))
    assert answer.choices[0].message.content == SEEN


class Holding:
    """Stands for a request: what restoring needs of one."""

    as_text = False

    def __init__(self, pipeline: Pipeline) -> None:
        self.pipeline = pipeline


def test_answers_of_the_other_two_forms_are_restored(pipeline):
    message = {"content": [{"type": "text", "text": QUOTED}, {"type": "tool_use", "input": {"a": ["⟦U+003C⟧"]}}]}
    made = restored(message, Holding(pipeline))
    assert made["content"] == [{"type": "text", "text": SEEN}, {"type": "tool_use", "input": {"a": ["<"]}}]
    output = [
        {"type": "message", "content": [{"type": "output_text", "text": QUOTED}]},
        {"type": "function_call", "arguments": '{"a": "⟦U+0022⟧"}'},
    ]
    made = restored({"output": output}, Holding(pipeline))
    assert made["output"][0]["content"][0]["text"] == SEEN
    assert made["output"][1]["arguments"] == '{"a": "\\""}'
    assert Restoring(pipeline.catalog.policy.settings.restore).on
