"""What LangChain's messages say of an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from promptmw import Answer, ToolCall, Usage

FAILED = Answer(complete=False)
"""What plugins are told of a call that failed."""


def of_message(message: object, *, complete: bool = True) -> Answer:
    """Returns the answer in a message; an incomplete one where there is none."""
    if not isinstance(message, AIMessage):
        return FAILED
    calls = (ToolCall(c.get("id") or "", c["name"], _as_json(c["args"])) for c in message.tool_calls)
    return Answer(text=str(message.text), tool_calls=tuple(calls), usage=_usage(message), complete=complete)


def of_result(result: ChatResult) -> Answer:
    """Returns the first answer of a result."""
    return of_message(result.generations[0].message if result.generations else None)


def of_chunks(chunks: Sequence[ChatGenerationChunk], *, complete: bool) -> Answer:
    """Returns the answer that a stream's chunks make together."""
    if not chunks:
        return FAILED
    first: Any = chunks[0].message
    return of_message(first + [c.message for c in chunks[1:]], complete=complete)  # all at once: one by one is square


def of_response(response: Any) -> Answer:
    """Returns the answer of a model response of an agent: the message, or what holds it."""
    response = getattr(response, "model_response", response)
    messages: Sequence[BaseMessage] = getattr(response, "result", None) or [response]
    return of_message(next((m for m in messages if isinstance(m, AIMessage)), None))


def _as_json(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def _usage(message: AIMessage) -> Usage:
    counts = message.usage_metadata
    if counts is None:
        return Usage()
    details = counts.get("input_token_details") or {}
    return Usage(counts["input_tokens"], counts["output_tokens"], details.get("cache_read"))
