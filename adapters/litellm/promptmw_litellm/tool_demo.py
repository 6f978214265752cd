"""A leg of ``promptmw demo``: a round of tools on the local model, which has no function calling.

The model is too small to call anything of its own accord, so a grammar holds it to the call, and then to words.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from promptmw import Pipeline, Turn
from promptmw.cli.legs import Engine, Step

MOST_TOKENS = 60
QUESTION = {"role": "user", "content": "What is the weather in Oslo?"}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather for a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}


def get_weather(city: str) -> str:
    """Returns what the tool of the demo says."""
    return f"The weather in {city} is sunny, 21 degrees."


def run(pipeline: Pipeline, turn: Turn, messages: list[dict[str, Any]], engine: Engine) -> Iterator[Step]:
    """Yields the call of a tool, and the answer to its result; the demo's own turn is too long for them."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # the demo needs no network; read while importing
    from promptmw_litellm.wrappers import completion

    call = partial(
        completion,
        f"openai/{engine.model}",
        tools=[WEATHER],
        api_base=engine.base_url,
        api_key=engine.api_key,
        temperature=0,
        max_tokens=MOST_TOKENS,
        stop=["\n\n"],  # it would go on about tools
        turn=Turn(now=turn.now, timezone=turn.timezone),
        pipeline=Pipeline("chat", settings={"tool_protocol": {"constrain": "llguidance"}}),
        tool_mode="prompt",
        model_info={"promptmw": {"grammar": True}},
    )
    yield from _round(call)


def _round(call: partial[Any]) -> Iterator[Step]:
    chosen = {"type": "function", "function": {"name": "get_weather"}}
    message, step = _answered(partial(call, [QUESTION], tool_choice=chosen), "tool call")
    yield step
    asked = message.tool_calls[0]
    said = get_weather(**json.loads(asked.function.arguments))
    history = [QUESTION, message.model_dump(), {"role": "tool", "tool_call_id": asked.id, "content": said}]
    yield _answered(partial(call, history, tool_choice="none"), "answer to its result")[1]


def _answered(call: partial[Any], title: str) -> tuple[Any, Step]:
    """Returns the message of an answer and what is shown of it: its calls as written, and its text."""
    from promptmw_litellm.answers import answer_of

    started = time.perf_counter()
    response = call()
    message, answer = response.choices[0].message, answer_of(response)
    calls = [f"{c.function.name}({c.function.arguments})" for c in message.tool_calls or ()]
    text = "\n".join((*calls, *([answer.text] if answer.text else [])))
    return message, Step(title, text, time.perf_counter() - started, answer.usage)
