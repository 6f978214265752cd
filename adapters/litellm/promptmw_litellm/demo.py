"""A leg of ``promptmw demo``: the wrapper ``completion`` on the local model, whole and streaming."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from promptmw import Pipeline, Turn, Usage
from promptmw.cli.legs import Engine, Step

MOST_TOKENS = 60


def run(pipeline: Pipeline, turn: Turn, messages: list[dict[str, Any]], engine: Engine) -> Iterator[Step]:
    """Yields the answers of a whole and of a streaming call, in pieces as they come."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # the demo needs no network; read while importing
    from promptmw_litellm.wrappers import completion

    call = partial(
        completion,
        f"openai/{engine.model}",
        messages,
        api_base=engine.base_url,
        api_key=engine.api_key,
        temperature=0,
        frequency_penalty=1.0,
        max_tokens=MOST_TOKENS,
        turn=turn,
        pipeline=pipeline,
    )
    yield _whole(call)
    yield from _streamed(call)


def _whole(call: partial[Any]) -> Step:
    from promptmw_litellm.answers import answer_of

    started = time.perf_counter()
    answer = answer_of(call())
    return Step("completion", answer.text, time.perf_counter() - started, answer.usage)


def _streamed(call: partial[Any]) -> Iterator[Step]:
    from promptmw_litellm.answers import usage_of

    title, started, usage = "completion, streaming", time.perf_counter(), Usage()
    for chunk in call(stream=True, stream_options={"include_usage": True}):
        if getattr(chunk, "usage", None):
            usage = usage_of(chunk.usage)
        text = chunk.choices[0].delta.content if chunk.choices else None
        if text:
            yield Step(title, text)
    yield Step(title, seconds=time.perf_counter() - started, usage=usage)
