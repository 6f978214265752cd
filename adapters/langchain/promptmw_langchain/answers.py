"""What LangChain's messages say of an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import reduce
from operator import add

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from promptmw import Answer, ToolCall, Usage

FAILED = Answer(complete=False)


def of_message(message: BaseMessage | None, *, complete: bool = True) -> Answer:
    """Returns the answer in a message; an incomplete one when there is none."""
    if not isinstance(message, AIMessage):
        return FAILED
    calls = (ToolCall(c.get("id") or "", c["name"], json.dumps(c["args"])) for c in message.tool_calls)
    return Answer(text=message.text, tool_calls=tuple(calls), usage=_usage(message), complete=complete)


def of_result(result: ChatResult) -> Answer:
    """Returns the first answer of a result."""
    return of_message(result.generations[0].message if result.generations else None)


def of_chunks(chunks: Iterable[ChatGenerationChunk], *, complete: bool) -> Answer:
    """Returns the answer that a stream's chunks make together."""
    messages = [c.message for c in chunks]
    return of_message(reduce(add, messages) if messages else None, complete=complete)


def of_messages(messages: Iterable[BaseMessage]) -> Answer:
    """Returns the last answer among messages."""
    found = [m for m in messages if isinstance(m, AIMessage)]
    return of_message(found[-1] if found else None)


def _usage(message: AIMessage) -> Usage:
    counts = message.usage_metadata
    if counts is None:
        return Usage()
    details = counts.get("input_token_details") or {}
    return Usage(counts["input_tokens"], counts["output_tokens"], details.get("cache_read"))
