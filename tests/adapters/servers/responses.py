"""OpenAI's responses: reading requests, writing whole answers and events."""

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

ROLES = {"developer": "system"}
ECHOED = ("instructions", "metadata", "max_output_tokens", "temperature", "previous_response_id", "text")


def read(received: Received) -> Ask:
    """Read a request to `/responses`."""
    body = received.body
    tools, forced = _tools(body)
    system = Said(role="system", text=body.get("instructions") or "")
    given = body["input"]
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return Ask(
        model=body["model"],
        said=(system, *(_said(item) for item in items)),
        tools=tools,
        forced=forced,
        schema=((body.get("text") or {}).get("format") or {}).get("schema"),
        stop=(),
        limit=body.get("max_output_tokens"),
        number=received.number,
    )


def _said(item: dict[str, Any]) -> Said:
    if item.get("type") == "function_call":
        return Said(role="assistant", text="", calls=(item["name"],))
    if item.get("type") == "function_call_output":
        return Said(role="tool", text=joined_text(item["output"]))
    role = item.get("role", "assistant")
    return Said(role=ROLES.get(role, role), text=joined_text(item.get("content")))


def _tools(body: dict[str, Any]) -> tuple[tuple[Tool, ...], bool]:
    own = [tool for tool in body.get("tools") or () if tool["type"] == "function"]
    offered = [Tool(name=tool["name"], schema=tool.get("parameters") or {"type": "object"}) for tool in own]
    choice = body.get("tool_choice") or "auto"
    if isinstance(choice, str):
        return chosen(offered, mode=choice, name=None)
    return chosen(offered, mode="named", name=choice["name"])


def whole(ask: Ask, answer: Answer, *, body: dict[str, Any]) -> dict[str, Any]:
    """Write an answer in one piece; the API repeats parts of the request."""
    cut = answer.finish is Finish.LENGTH
    return {
        **_head(ask, body),
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [_item(ask, answer)],
        "usage": written(usage(ask, answer)),
    }


def events(ask: Ask, answer: Answer, *, body: dict[str, Any]) -> Iterator[Event]:
    """Write an answer as named and numbered events."""
    for number, data in enumerate(_events(ask, answer, body)):
        yield data["type"], {**data, "sequence_number": number}


def _events(ask: Ask, answer: Answer, body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**_head(ask, body), "status": "in_progress", "output": [], "usage": None}
    item = _item(ask, answer)
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    yield {"type": "response.output_item.added", "output_index": 0, "item": {**item, **_empty(answer)}}
    place = {"output_index": 0, "item_id": item["id"]}
    yield from _call_events(place, item) if answer.call else _text_events(place, item)
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    ended = whole(ask, answer, body=body)
    yield {"type": f"response.{ended['status']}", "response": ended}


def _empty(answer: Answer) -> dict[str, Any]:
    return {"status": "in_progress", **({"arguments": ""} if answer.call else {"content": []})}


def _call_events(place: dict[str, Any], item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    kind = "response.function_call_arguments"
    for piece in pieces(item["arguments"], ARGUMENTS_PIECE):
        yield {"type": f"{kind}.delta", **place, "delta": piece}
    yield {"type": f"{kind}.done", **place, "name": item["name"], "arguments": item["arguments"]}


def _text_events(place: dict[str, Any], item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    place, part = {**place, "content_index": 0}, item["content"][0]
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for piece in pieces(part["text"], TEXT_PIECE):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}


def _item(ask: Ask, answer: Answer) -> dict[str, Any]:
    if answer.call:
        call = {"call_id": answer.call.id, "name": answer.call.name, "arguments": answer.call.arguments}
        return {"type": "function_call", "id": f"fc_{ask.number}", "status": "completed", **call}
    part = {"type": "output_text", "text": answer.text, "annotations": [], "logprobs": []}
    status = "incomplete" if answer.finish is Finish.LENGTH else "completed"
    return {"type": "message", "id": f"msg_{ask.number}", "role": "assistant", "status": status, "content": [part]}


def _head(ask: Ask, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"resp_{ask.number}",
        "object": "response",
        "created_at": 1_767_323_045,
        "model": ask.model,
        "error": None,
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "tool_choice": body.get("tool_choice") or "auto",
        "tools": body.get("tools") or [],
        **{key: body.get(key) for key in ECHOED},
    }


def written(count: Usage) -> dict[str, Any]:
    """Write usage with the names of this API."""
    return {
        "input_tokens": count.prompt,
        "input_tokens_details": {"cached_tokens": count.cached, "cache_write_tokens": 0},
        "output_tokens": count.completion,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": count.total,
    }
