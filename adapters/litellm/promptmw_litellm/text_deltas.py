"""What a parser says, in the chunks of chat completions; and such chunks joined to a whole answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from promptmw.toolmode.events import ArgumentsDelta, CallStart, Event, FinishReason, ReasoningDelta, TextDelta

_REASONS = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
}


def as_reason(stated: object) -> FinishReason | None:
    """Returns the reason that a provider states; STOP for one that nobody knows, None where it states none."""
    return _REASONS.get(str(stated), FinishReason.STOP) if stated else None


def in_words(reason: FinishReason | None, *, legacy: bool) -> str:
    """Returns the reason as chat completions say it.

    Args:
        reason: As the attempts ended.
        legacy: Whether the request used ``functions``.
    """
    if reason is FinishReason.TOOL_CALLS:
        return "function_call" if legacy else "tool_calls"
    return "stop" if reason in (None, FinishReason.STOP_SEQUENCE) else reason.value


def deltas(events: Iterable[Event], *, legacy: bool) -> Iterator[dict[str, Any]]:
    """Yields the deltas of some events."""
    for event in events:
        if isinstance(event, TextDelta):
            yield {"content": event.text}
        elif isinstance(event, ReasoningDelta):
            yield {"reasoning_content": event.text}
        elif isinstance(event, CallStart):
            yield from _piece(event.index, {"name": event.name, "arguments": ""}, legacy=legacy, id=event.id)
        elif isinstance(event, ArgumentsDelta):
            yield from _piece(event.index, {"arguments": event.text}, legacy=legacy)


def _piece(index: int, function: dict[str, str], *, legacy: bool, id: str = "") -> Iterator[dict[str, Any]]:
    if not legacy:
        named = {"id": id} if id else {}
        yield {"tool_calls": [{"index": index, **named, "type": "function", "function": function}]}
    elif index == 0:  # one call is all that this form can hold
        yield {"function_call": function}


class Joined:
    """Is a whole answer, put together from the deltas that a stream of it would have."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._calls: dict[int, dict[str, Any]] = {}
        self._function: dict[str, str] | None = None

    def add(self, delta: dict[str, Any]) -> None:
        """Adds a delta."""
        self._texts.append(delta.get("content") or "")
        self._thoughts.append(delta.get("reasoning_content") or "")
        for piece in delta.get("tool_calls") or ():
            call = self._calls.setdefault(
                piece["index"], {"type": "function", "function": {"name": "", "arguments": ""}}
            )
            call.update({"id": piece["id"]} if "id" in piece else {})
            _add(call["function"], piece["function"])
        if "function_call" in delta:
            self._function = self._function or _blank()
            _add(self._function, delta["function_call"])

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the message: no text is None where there are calls."""
        calls = [self._calls[index] for index in sorted(self._calls)]
        thoughts = "".join(self._thoughts)
        return {
            "role": "assistant",
            "content": "".join(self._texts) or (None if calls or self._function else ""),
            **({"tool_calls": calls} if calls else {}),
            **({"function_call": self._function} if self._function else {}),
            **({"reasoning_content": thoughts} if thoughts else {}),
        }


def _blank() -> dict[str, str]:
    return {"name": "", "arguments": ""}


def _add(function: dict[str, str], piece: dict[str, str]) -> None:
    for name, text in piece.items():
        function[name] += text
