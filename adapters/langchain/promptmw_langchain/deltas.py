"""What a parser says, in LangChain's chunks. One mapping for streams and, joined, for whole answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk

from promptmw.toolmode.events import (
    ArgumentsDelta,
    CallError,
    CallProblem,
    CallStart,
    Event,
    FinishReason,
    ReasoningDelta,
    TextDelta,
)
from promptmw.toolmode.settling import new_id

_REASONS = {
    "stop": FinishReason.STOP,
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP_SEQUENCE,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "tool_calls": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
}
_UNREADABLE = ' ] " ] '
"""Keeps the arguments of a call that broke while it was sent from being read: LangChain reads any beginning."""

_KEYS = ("finish_reason", "stop_reason", "done_reason")
_IN_ANTHROPIC = {"tool_calls": "tool_use", "stop": "end_turn", "length": "max_tokens"}


def reason_of(metadata: dict[str, Any]) -> tuple[str, str]:
    """Returns the key under which an answer states why it ended, and what it states; blank if it does not."""
    key = next((k for k in _KEYS if isinstance(metadata.get(k), str)), "finish_reason")
    return key, str(metadata.get(key) or "")


def as_reason(stated: str) -> FinishReason:
    """Returns the reason that a model states; one that is unknown or missing, in an answer that is whole, is STOP."""
    return _REASONS.get(stated.lower(), FinishReason.STOP)


def in_words(key: str, stated: str, reason: FinishReason | None) -> str:
    """Returns the reason for the application, in the words that the model itself uses.

    Args:
        key: As of `reason_of`.
        stated: As of `reason_of`, of the last attempt.
        reason: As the attempts ended.
    """
    if reason is None or as_reason(stated) is reason:
        return stated or "stop"
    plain = "stop" if reason is FinishReason.STOP_SEQUENCE else reason.value
    return _IN_ANTHROPIC.get(plain, plain) if key == "stop_reason" else plain


def chunks(events: Iterable[Event]) -> Iterator[AIMessageChunk]:
    """Yields the chunks of some events."""
    for event in events:
        if isinstance(event, TextDelta):
            yield AIMessageChunk(content=event.text)
        elif isinstance(event, ReasoningDelta):
            yield AIMessageChunk(content="", additional_kwargs={"reasoning_content": event.text})
        elif isinstance(event, CallStart):
            part = tool_call_chunk(name=event.name, args="", id=event.id, index=event.index)
            yield AIMessageChunk(content="", tool_call_chunks=[part])
        elif isinstance(event, ArgumentsDelta):
            part = tool_call_chunk(name=None, args=event.text, id=None, index=event.index)
            yield AIMessageChunk(content="", tool_call_chunks=[part])
        elif isinstance(event, CallError) and event.index is not None:
            part = tool_call_chunk(name=None, args=_UNREADABLE, id=None, index=event.index)
            yield AIMessageChunk(content="", tool_call_chunks=[part])


def invalid(problem: CallProblem, sentence: str, index: int) -> AIMessageChunk:
    """Returns a call that is not delivered; its arguments are what was wrong, which LangChain cannot read as any.

    Args:
        problem: Of the call.
        sentence: What is wrong, in words.
        index: Of the call in its message.
    """
    text = f"{sentence}\n{problem.excerpt}" if problem.excerpt else sentence
    part = tool_call_chunk(name=problem.name or "", args=text, id=new_id(), index=index)
    return AIMessageChunk(content="", tool_call_chunks=[part])


def as_generation(message: AIMessageChunk) -> ChatGenerationChunk:
    """Returns a chunk as models yield it."""
    return ChatGenerationChunk(message=message)
