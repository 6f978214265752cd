"""Reads what a model answered, whole, in the form of any of the three APIs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from promptmw import Answer, ToolCall, Usage
from promptmw_litellm.formats import field

FAILED = Answer(complete=False)
"""What plugins are told of a call that failed."""


def answer_of(response: Any) -> Answer:
    """Returns the answer in a response: of chat completions (its first choice), of messages, or of responses."""
    if field(response, "choices") is not None:
        return _of_chat(response)
    if field(response, "output") is not None:
        return _of_response(response)
    return _of_message(response)


def usage_of(usage: Any) -> Usage:
    """Returns the counts of any of the three APIs; cached input counts as input, as Anthropic's does not."""
    cached = field(usage, "cache_read_input_tokens")
    if field(usage, "prompt_tokens") is not None:
        details = field(usage, "prompt_tokens_details")
        return Usage(field(usage, "prompt_tokens"), field(usage, "completion_tokens"), field(details, "cached_tokens"))
    details = field(usage, "input_tokens_details")
    fresh = field(usage, "input_tokens")
    if details is not None or fresh is None:
        return Usage(fresh, field(usage, "output_tokens"), field(details, "cached_tokens"))
    whole = fresh + (cached or 0) + (field(usage, "cache_creation_input_tokens") or 0)
    return Usage(whole, field(usage, "output_tokens"), cached)


def tool_calls_of(calls: Iterable[Any]) -> tuple[ToolCall, ...]:
    """Returns the calls of a chat message."""
    return tuple(
        ToolCall(
            str(field(c, "id") or ""),
            str(field(field(c, "function"), "name") or ""),
            str(field(field(c, "function"), "arguments") or ""),
        )
        for c in calls
    )


def _of_chat(response: Any) -> Answer:
    choices = field(response, "choices")
    message = field(choices[0], "message") if choices else None
    calls = tool_calls_of(field(message, "tool_calls") or ())
    text = str(field(message, "content") or "")
    return Answer(text=text, tool_calls=calls, usage=usage_of(field(response, "usage")))


def _of_message(response: Any) -> Answer:
    blocks = field(response, "content") or ()
    text = "".join(str(field(b, "text") or "") for b in blocks if field(b, "type") == "text")
    calls = tuple(
        ToolCall(str(field(b, "id") or ""), str(field(b, "name") or ""), _as_json(field(b, "input")))
        for b in blocks
        if field(b, "type") == "tool_use"
    )
    return Answer(text=text, tool_calls=calls, usage=usage_of(field(response, "usage")))


def _of_response(response: Any) -> Answer:
    items = field(response, "output")
    parts = [p for i in items if field(i, "type") == "message" for p in field(i, "content") or ()]
    calls = tuple(
        ToolCall(str(field(i, "call_id") or ""), str(field(i, "name") or ""), str(field(i, "arguments") or ""))
        for i in items
        if field(i, "type") == "function_call"
    )
    text = "".join(str(field(p, "text") or "") for p in parts)
    usage = usage_of(field(response, "usage"))
    return Answer(text=text, tool_calls=calls, usage=usage, complete=field(response, "status") != "failed")


def _as_json(arguments: Any) -> str:
    given = arguments if isinstance(arguments, Mapping) else {}
    return json.dumps(given, ensure_ascii=False)
