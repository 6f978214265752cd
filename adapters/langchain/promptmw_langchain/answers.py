"""What LangChain's messages say of an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from promptmw import Answer, ToolCall, Usage
from promptmw.toolmode.report import ToolReport

FAILED = Answer(complete=False)
"""What plugins are told of a call that failed."""


def of_message(message: object, *, complete: bool = True, tools: ToolReport | None = None) -> Answer:
    """Returns the answer in a message; an incomplete one where there is none."""
    if not isinstance(message, AIMessage):
        return FAILED
    calls = tuple(ToolCall(c.get("id") or "", c["name"], as_json(c["args"])) for c in message.tool_calls)
    text = str(message.text)
    return Answer(text=text, tool_calls=calls, usage=_usage(message), complete=complete, tools=tools)


def of_result(result: ChatResult) -> Answer:
    """Returns the first answer of a result."""
    return of_message(result.generations[0].message if result.generations else None)


def of_chunks(chunks: Sequence[ChatGenerationChunk], *, complete: bool, tools: ToolReport | None = None) -> Answer:
    """Returns the answer that a stream's chunks make together."""
    if not chunks:
        return replace(FAILED, tools=tools)
    return of_message(joined(chunks).message, complete=complete, tools=tools)


def joined(chunks: Sequence[ChatGenerationChunk]) -> ChatGenerationChunk:
    """Returns chunks as one."""
    first: Any = chunks[0].message
    whole = first + [c.message for c in chunks[1:]]  # all at once: one by one is square
    return ChatGenerationChunk(message=whole)


def of_response(response: Any) -> Answer:
    """Returns the answer of a model response of an agent: the message, or what holds it."""
    response = getattr(response, "model_response", response)
    messages: Sequence[BaseMessage] = getattr(response, "result", None) or [response]
    return of_message(next((m for m in messages if isinstance(m, AIMessage)), None))


def status_of(error: BaseException) -> int | None:
    """Returns the HTTP status of a provider's error, as clients' errors carry it; None where it has none."""
    stated = getattr(error, "status_code", None)
    if stated is None:
        stated = getattr(getattr(error, "response", None), "status_code", None)
    return stated if isinstance(stated, int) else None


def as_json(arguments: Any) -> str:
    """Returns arguments as text of JSON."""
    return json.dumps(arguments, ensure_ascii=False)


def _usage(message: AIMessage) -> Usage:
    counts = message.usage_metadata
    if counts is None:
        return Usage()
    details = counts.get("input_token_details") or {}
    return Usage(counts["input_tokens"], counts["output_tokens"], details.get("cache_read"))
