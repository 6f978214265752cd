"""Watches a stream go by, restores its texts, and tells plugins the answer when it ends, breaks or is given up."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Iterable, Iterator
from contextlib import aclosing, closing
from dataclasses import replace
from typing import Any

from promptmw import Answer, ToolCall, Usage
from promptmw_litellm.answers import answer_of, tool_calls_of, usage_of
from promptmw_litellm.drafts import Prepared
from promptmw_litellm.formats import field
from promptmw_litellm.request import Api
from promptmw_litellm.restored import RestoredStream, restoring


class Watched:
    """Is a stream with an observer: iterates as the inner one does, and has all of its attributes.

    Args:
        inner: The stream.
        chunks: Yields its chunks.
    """

    def __init__(self, inner: Any, chunks: Iterator[Any] | AsyncIterator[Any]) -> None:
        self._inner = inner
        self._chunks: Any = chunks

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return next(self._chunks)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        return await anext(self._chunks)

    def close(self) -> None:
        """Gives the stream up."""
        self._chunks.close()

    async def aclose(self) -> None:
        """Gives the stream up."""
        await self._chunks.aclose()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


Told = Callable[[Answer], Answer] | None
"""Adds to an answer what prompt-tool mode did for it; None in other modes."""


def watched(stream: Any, api: Api, prepared: Prepared, told: Told = None) -> Watched:
    """Returns the sync stream; its answer is told."""
    return Watched(stream, _chunks(stream, api, prepared, told))


def awatched(stream: Any, api: Api, prepared: Prepared, told: Told = None) -> Watched:
    """Returns the async stream; its answer is told."""
    return Watched(stream, _achunks(stream, api, prepared, told))


def _chunks(stream: Any, api: Api, prepared: Prepared, told: Told) -> Iterator[Any]:
    seen: list[Any] = []
    complete = False
    restored = RestoredStream(restoring(prepared))
    try:
        for chunk in stream:
            seen.append(chunk)
            yield restored.of(chunk)
        complete = True
        yield from restored.rest()
    finally:
        if not complete and hasattr(stream, "close"):
            stream.close()
        prepared.pipeline.answered(prepared.prompt, _answer(seen, api, told, complete=complete))


async def _achunks(stream: Any, api: Api, prepared: Prepared, told: Told) -> AsyncIterator[Any]:
    seen: list[Any] = []
    complete = False
    restored = RestoredStream(restoring(prepared))
    try:
        async for chunk in stream:
            seen.append(chunk)
            yield restored.of(chunk)
        complete = True
        for chunk in restored.rest():
            yield chunk
    finally:
        if not complete and hasattr(stream, "aclose"):
            await stream.aclose()
        await prepared.pipeline.aanswered(prepared.prompt, _answer(seen, api, told, complete=complete))


def _answer(seen: Iterable[Any], api: Api, told: Told, *, complete: bool) -> Answer:
    answer = replace(streamed_answer(seen, api), complete=complete)
    return told(answer) if told else answer


def streamed_answer(chunks: Iterable[Any], api: Api) -> Answer:
    """Returns the answer that the chunks of a stream make up; of several choices the first."""
    return _READ[api](chunks)


def _read_chat(chunks: Iterable[Any]) -> Answer:
    texts: list[str] = []
    calls: dict[int, dict[str, Any]] = {}
    usage = Usage()
    for chunk in chunks:
        usage = usage_of(field(chunk, "usage")) if field(chunk, "usage") else usage
        for choice in field(chunk, "choices") or ():
            if field(choice, "index") == 0:
                texts.append(field(field(choice, "delta"), "content") or "")
                for piece in field(field(choice, "delta"), "tool_calls") or ():
                    _add_call(calls.setdefault(field(piece, "index") or 0, {}), piece)
    return Answer(text="".join(texts), tool_calls=tool_calls_of(calls[i] for i in sorted(calls)), usage=usage)


def _add_call(call: dict[str, Any], piece: Any) -> None:
    function = call.setdefault("function", {"name": "", "arguments": ""})
    call["id"] = call.get("id") or field(piece, "id")
    for name in function:
        function[name] += field(field(piece, "function"), name) or ""


def _read_messages(chunks: Iterable[Any]) -> Answer:
    texts: list[str] = []
    calls: dict[int, tuple[str, str, list[str]]] = {}
    counts: dict[str, Any] = {}
    for event in _events(chunks):
        at, delta, block = event.get("index", 0), event.get("delta") or {}, event.get("content_block") or {}
        texts.append(delta.get("text") or block.get("text") or "")
        if block.get("type") == "tool_use":
            calls[at] = (str(block.get("id")), str(block.get("name")), [])
        if at in calls:
            calls[at][2].append(delta.get("partial_json") or "")
        counts |= (event.get("message") or {}).get("usage") or {}
        counts |= event.get("usage") or {}
    found = tuple(ToolCall(id, name, "".join(pieces) or "{}") for id, name, pieces in calls.values())
    return Answer(text="".join(texts), tool_calls=found, usage=usage_of(counts))


def _events(chunks: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Yields the events of a stream of server-sent events, whose chunks may end anywhere, or of dicts."""
    held = list(chunks)
    if not all(isinstance(c, bytes | str) for c in held):
        yield from (c for c in held if isinstance(c, dict))
        return
    text = b"".join(c if isinstance(c, bytes) else c.encode() for c in held).decode(errors="replace")
    for line in text.splitlines():
        if line.startswith("data:") and (event := _parsed(line[5:])) is not None:
            yield event


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        event = json.loads(text)
    except ValueError:  # a line that was cut when the stream broke
        return None
    return event if isinstance(event, dict) else None


def _read_responses(chunks: Iterable[Any]) -> Answer:
    texts: list[str] = []
    for event in chunks:
        kind = _kind(event)
        if kind in _LAST_EVENTS:
            return answer_of(field(event, "response"))
        if kind == "response.output_text.delta":
            texts.append(field(event, "delta") or "")
    return Answer(text="".join(texts))


def _kind(event: Any) -> str:
    kind = field(event, "type")
    return str(getattr(kind, "value", kind))


_LAST_EVENTS = ("response.completed", "response.incomplete", "response.failed")
_READ: dict[Api, Callable[[Iterable[Any]], Answer]] = {
    Api.CHAT: _read_chat,
    Api.MESSAGES: _read_messages,
    Api.RESPONSES: _read_responses,
}


def held(chunks: Generator[Any]) -> Generator[Any]:
    """Yields a chat stream's chunks, those that end a choice last: LiteLLM ignores counts that come behind them."""
    ends: list[Any] = []
    with closing(chunks):
        for chunk in chunks:
            if _ends(chunk):
                ends.append(chunk)
            else:
                yield _counts_alone(chunk)
    yield from ends


async def aheld(chunks: AsyncGenerator[Any]) -> AsyncGenerator[Any]:
    """Yields an async chat stream's chunks as `held` does."""
    ends: list[Any] = []
    async with aclosing(chunks):
        async for chunk in chunks:
            if _ends(chunk):
                ends.append(chunk)
            else:
                yield _counts_alone(chunk)
    for chunk in ends:
        yield chunk


def _ends(chunk: Any) -> bool:
    return any(field(choice, "finish_reason") for choice in field(chunk, "choices") or ())


def _counts_alone(chunk: Any) -> Any:
    """Returns a chunk with counts without its choice, which is an empty one that LiteLLM adds."""
    return chunk.model_copy(update={"choices": []}) if field(chunk, "usage") else chunk
