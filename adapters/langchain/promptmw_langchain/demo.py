"""A leg of ``promptmw demo``: the wrapped chat model on the local model, whole and streaming."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from pydantic import SecretStr

from promptmw import EngineError, Pipeline, Turn, Usage
from promptmw.cli.legs import Engine, Step
from promptmw_langchain.chat_model import PromptChatModel

MOST_TOKENS = 60


def run(pipeline: Pipeline, turn: Turn, messages: list[dict[str, Any]], engine: Engine) -> Iterator[Step]:
    """Yields the answers of a whole and of a streaming call, in pieces as they come."""
    model = PromptChatModel(inner=_inner(engine), pipeline=pipeline, turn=lambda messages, metadata: turn)
    started = time.perf_counter()
    message = model.invoke(messages)
    yield Step("invoke", message.text, time.perf_counter() - started, _usage(message))
    started, usage = time.perf_counter(), Usage()
    for chunk in model.stream(messages):
        usage = _usage(chunk) if chunk.usage_metadata else usage
        if chunk.text:
            yield Step("stream", chunk.text)
    yield Step("stream", seconds=time.perf_counter() - started, usage=usage)


def _inner(engine: Engine) -> Any:
    """Returns LangChain's client of the chat-completions API.

    Raises:
        EngineError: It is not installed; ``langchain-core`` has none of its own.
    """
    try:
        from langchain_openai import ChatOpenAI
    except ImportError:
        raise EngineError("this leg speaks through langchain-openai: pip install langchain-openai") from None
    return ChatOpenAI(
        model=engine.model,
        base_url=engine.base_url,
        api_key=SecretStr(engine.api_key),
        temperature=0,
        frequency_penalty=1.0,
        max_completion_tokens=MOST_TOKENS,
        stream_usage=True,
    )


def _usage(message: Any) -> Usage:
    counts = message.usage_metadata or {}
    cached = (counts.get("input_token_details") or {}).get("cache_read")
    return Usage(counts.get("input_tokens"), counts.get("output_tokens"), cached)
