"""Chat completions: reading requests, writing whole answers and chunks."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from .answering import (
    ARGUMENTS_PIECE,
    TEXT_PIECE,
    Answer,
    Ask,
    Call,
    Finish,
    Said,
    Tool,
    Usage,
    chosen,
    joined_text,
    pieces,
    usage,
)
from .fitting import quoted_names
from .loopback import Event, Received

REASONS = {Finish.STOP: "stop", Finish.STOP_TEXT: "stop", Finish.LENGTH: "length", Finish.CALL: "tool_calls"}
ROLES = {"developer": "system"}


def read(received: Received) -> Ask:
    """Read a request to `/chat/completions`."""
    body = received.body
    tools, forced = _tools(body)
    stop = body.get("stop") or ()
    return Ask(
        model=body["model"],
        said=tuple(_said(message) for message in body["messages"]),
        tools=tools,
        forced=forced,
        schema=_schema(body),
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
        limit=body.get("max_completion_tokens") or body.get("max_tokens"),
        number=received.number,
    )


def _said(message: dict[str, Any]) -> Said:
    role = ROLES.get(message["role"], message["role"])
    calls = tuple(call["function"]["name"] for call in message.get("tool_calls") or ())
    return Said(role=role, text=joined_text(message.get("content")), calls=calls)


def _tools(body: dict[str, Any]) -> tuple[tuple[Tool, ...], bool]:
    functions = [tool["function"] for tool in body.get("tools") or () if tool.get("type") == "function"]
    offered = [Tool(name=f["name"], schema=f.get("parameters") or {"type": "object"}) for f in functions]
    choice = body.get("tool_choice") or "auto"
    if isinstance(choice, str):
        return chosen(offered, mode=choice, name=None)
    return chosen(offered, mode="named", name=choice["function"]["name"])


def _schema(body: dict[str, Any]) -> dict[str, Any] | None:
    wanted = body.get("response_format") or {"type": "text"}
    if wanted["type"] == "json_schema":
        return dict(wanted["json_schema"]["schema"])
    if wanted["type"] == "json_object":
        return _named_in_question(joined_text(body["messages"][-1].get("content")))
    return None


def _named_in_question(question: str) -> dict[str, Any]:
    """Make a schema with the keys that the question names in quotation marks."""
    keys = quoted_names(question) or ["answer"]
    return {"type": "object", "properties": {key: {"type": "string"} for key in keys}, "required": keys}


def whole(ask: Ask, answers: list[Answer]) -> dict[str, Any]:
    """Write an answer in one piece."""
    choices = [_choice(i, answer) for i, answer in enumerate(answers)]
    return {**_head(ask, "chat.completion"), "choices": choices, "usage": written(usage(ask, *answers))}


def _choice(index: int, answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text, "refusal": None}
    if answer.call:
        message |= {"content": None, "tool_calls": [_call(answer.call, arguments=answer.call.arguments)]}
    return {"index": index, "message": message, "finish_reason": REASONS[answer.finish], "logprobs": None}


def _call(call: Call, *, arguments: str) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def chunks(ask: Ask, answers: list[Answer], *, size: int = TEXT_PIECE, with_usage: bool) -> Iterator[Event]:
    """Write an answer in small pieces, the choices taking turns."""
    head = _head(ask, "chat.completion.chunk") | ({"usage": None} if with_usage else {})
    for row in zip_longest(*(_deltas(answer, size) for answer in answers)):
        for index, part in enumerate(row):
            if part is not None:
                delta, reason = part
                yield None, {**head, "choices": [{"index": index, "delta": delta, "finish_reason": reason}]}
    if with_usage:
        yield None, {**head, "choices": [], "usage": written(usage(ask, *answers))}
    yield None, "[DONE]"


def _deltas(answer: Answer, size: int) -> Iterator[tuple[dict[str, Any], str | None]]:
    if answer.call:
        first = {"index": 0, **_call(answer.call, arguments="")}
        yield {"role": "assistant", "content": None, "tool_calls": [first]}, None
        for piece in pieces(answer.call.arguments, ARGUMENTS_PIECE):
            yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}, None
    else:
        yield {"role": "assistant", "content": ""}, None
        for piece in pieces(answer.text, size):
            yield {"content": piece}, None
    yield {}, REASONS[answer.finish]


def _head(ask: Ask, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{ask.number}", "object": kind, "created": 1_767_323_045, "model": ask.model}


def written(count: Usage) -> dict[str, Any]:
    """Write usage with the names of this API."""
    return {
        "prompt_tokens": count.prompt,
        "completion_tokens": count.completion,
        "total_tokens": count.total,
        "prompt_tokens_details": {"cached_tokens": count.cached},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
