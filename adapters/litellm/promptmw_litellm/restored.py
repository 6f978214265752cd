"""Takes escapes out of answers: whole ones of all three APIs, and streams of chat completions as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from litellm.types.utils import Delta, ModelResponseStream, StreamingChoices

from promptmw.restoring import Restoring
from promptmw_litellm.drafts import Prepared
from promptmw_litellm.formats import field

Put = Callable[[Any], Any]


def restoring(prepared: Prepared) -> Restoring:
    """Returns what restores the answer to a request."""
    return Restoring(prepared.pipeline.catalog.policy.settings.restore, parsed=prepared.as_text)


def restored(response: Any, prepared: Prepared) -> Any:
    """Returns a whole answer with its texts and arguments restored, in place: nobody else has it yet."""
    found = restoring(prepared)
    if found.on:
        for holder, name, kind in _places(response):
            _put(holder, name, {"text": found.whole_text, "json": found.whole_arguments, "value": found.value}[kind])
    return response


class RestoredStream:
    """Restores the chunks of a stream of chat completions.

    Args:
        found: Restores.
    """

    def __init__(self, found: Restoring) -> None:
        self._found = found
        self._last: Any = None

    def of(self, chunk: Any) -> Any:
        """Returns a chunk, restored in place; what was held back of a text comes out where its choice ends."""
        self._last = chunk
        for choice in (field(chunk, "choices") or ()) if self._found.on else ():
            self._delta(field(choice, "index") or 0, field(choice, "delta"), ends=bool(field(choice, "finish_reason")))
        return chunk

    def rest(self) -> Iterator[Any]:
        """Yields what was held back of a stream that stopped without an end."""
        for index, text in self._found.rest():
            head = {name: field(self._last, name) for name in ("id", "created", "model")}
            choice = StreamingChoices(index=index, delta=Delta(content=text), finish_reason=None)
            yield ModelResponseStream(**head, choices=[choice])

    def _delta(self, index: int, delta: Any, *, ends: bool) -> None:
        _put(delta, "content", partial(self._found.text, index))
        for piece in field(delta, "tool_calls") or ():
            place = (index, field(piece, "index"))
            _put(field(piece, "function"), "arguments", partial(self._found.arguments, place))
        _put(field(delta, "function_call"), "arguments", partial(self._found.arguments, index))
        if ends and (held := self._found.ended(index)):
            delta.content = (field(delta, "content") or "") + held


def _places(response: Any) -> Iterator[tuple[Any, str, str]]:
    """Yields where texts and arguments stand in an answer of any API, and which of both each is."""
    for choice in field(response, "choices") or ():
        yield from _in_message(field(choice, "message"))
    for item in field(response, "output") or ():
        yield from ((part, "text", "text") for part in field(item, "content") or ())
        yield item, "arguments", "json"
    for block in field(response, "content") or ():
        yield block, "text", "text"
        yield block, "input", "value"


def _in_message(message: Any) -> Iterator[tuple[Any, str, str]]:
    yield message, "content", "text"
    for call in field(message, "tool_calls") or ():
        yield field(call, "function"), "arguments", "json"
    yield field(message, "function_call"), "arguments", "json"


def _put(holder: Any, name: str, restore: Put) -> None:
    """Puts the restored value in the place of another one, where there is one."""
    value = None if holder is None else field(holder, name)
    made = restore(value) if isinstance(value, str | dict) else value
    if made is value:
        return
    if isinstance(holder, dict):
        holder[name] = made
    else:
        setattr(holder, name, made)
