"""Anthropic's messages: reading requests, writing whole answers and events."""

import json
from collections.abc import Iterator
from typing import Any

from .answering import (
    ARGUMENTS_PIECE,
    TEXT_PIECE,
    Answer,
    Ask,
    Finish,
    Said,
    Tool,
    Usage,
    chosen,
    joined_text,
    pieces,
    usage,
)
from .loopback import Event, Received

REASONS = {
    Finish.STOP: "end_turn",
    Finish.STOP_TEXT: "stop_sequence",
    Finish.LENGTH: "max_tokens",
    Finish.CALL: "tool_use",
}


def read(received: Received) -> Ask:
    """Read a request to `/messages`."""
    body = received.body
    tools, forced = _tools(body)
    wanted = (body.get("output_config") or {}).get("format") or body.get("output_format") or {}
    system = Said(role="system", text=joined_text(body.get("system")))
    return Ask(
        model=body["model"],
        said=(system, *(_said(message) for message in body["messages"])),
        tools=tools,
        forced=forced,
        schema=wanted.get("schema"),
        stop=tuple(body.get("stop_sequences") or ()),
        limit=body["max_tokens"],
        number=received.number,
    )


def _said(message: dict[str, Any]) -> Said:
    """Read one message; the user's message with results counts as a tool's."""
    blocks = message["content"] if isinstance(message["content"], list) else []
    result = any(block["type"] == "tool_result" for block in blocks)
    calls = tuple(block["name"] for block in blocks if block["type"] == "tool_use")
    return Said(role="tool" if result else message["role"], text=joined_text(message["content"]), calls=calls)


def _tools(body: dict[str, Any]) -> tuple[tuple[Tool, ...], bool]:
    own = [tool for tool in body.get("tools") or () if "input_schema" in tool]
    offered = [Tool(name=tool["name"], schema=tool["input_schema"]) for tool in own]
    choice = body.get("tool_choice") or {"type": "auto"}
    return chosen(offered, mode=choice["type"], name=choice.get("name"))


def whole(ask: Ask, answer: Answer) -> dict[str, Any]:
    """Write an answer in one piece."""
    block: dict[str, Any] = {"type": "text", "text": answer.text}
    if answer.call:
        block = {**_start(answer), "input": json.loads(answer.call.arguments)}
    ending = {"stop_reason": REASONS[answer.finish], "stop_sequence": answer.stop_text}
    return {**_head(ask), "content": [block], **ending, "usage": written(usage(ask, answer))}


def events(ask: Ask, answer: Answer) -> Iterator[Event]:
    """Write an answer as named events."""
    for data in _events(ask, answer):
        yield data["type"], data


def _events(ask: Ask, answer: Answer) -> Iterator[dict[str, Any]]:
    count = written(usage(ask, answer))
    message = {**_head(ask), "content": [], "stop_reason": None, "stop_sequence": None}
    yield {"type": "message_start", "message": {**message, "usage": {**count, "output_tokens": 1}}}
    yield {"type": "content_block_start", "index": 0, "content_block": _start(answer)}
    for delta in _deltas(answer):
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": REASONS[answer.finish], "stop_sequence": answer.stop_text}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": count["output_tokens"]}}
    yield {"type": "message_stop"}


def _start(answer: Answer) -> dict[str, Any]:
    if answer.call:
        return {"type": "tool_use", "id": f"toolu_{answer.call.id}", "name": answer.call.name, "input": {}}
    return {"type": "text", "text": ""}


def _deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    if answer.call:
        for piece in pieces(answer.call.arguments, ARGUMENTS_PIECE):
            yield {"type": "input_json_delta", "partial_json": piece}
    for piece in pieces(answer.text, TEXT_PIECE):
        yield {"type": "text_delta", "text": piece}


def _head(ask: Ask) -> dict[str, Any]:
    return {"id": f"msg_{ask.number}", "type": "message", "role": "assistant", "model": ask.model}


def written(count: Usage) -> dict[str, Any]:
    """Write usage with the names of this API, where cached tokens are no part of the input."""
    return {
        "input_tokens": count.prompt - count.cached,
        "cache_read_input_tokens": count.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": count.completion,
    }
