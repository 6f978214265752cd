"""Calls in prompt-tool mode: as many requests as one answer takes, whole and streaming, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing, closing
from dataclasses import replace
from typing import Any

from litellm.types.utils import Choices, Delta, Message, ModelResponseStream, StreamingChoices

from promptmw import Answer
from promptmw.messages import ChatFormat
from promptmw.toolmode.attempts import Ask, Attempts, for_prompt
from promptmw_litellm.drafts import Prepared
from promptmw_litellm.formats import field
from promptmw_litellm.structured import FIELD
from promptmw_litellm.text_answers import Sum, TextAnswer
from promptmw_litellm.text_deltas import Joined, in_words

_FORM = ChatFormat()
_STATUS = "status_code"


class TextCall:
    """Is a call whose answer is read for calls of tools.

    Args:
        prepared: The request with its prompt in it.
    """

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._fields = prepared.fields
        self._many = (self._fields.get("n") or 1) > 1
        self._legacy = prepared.legacy
        self._answers = {0: self._new()}
        self._counts = Sum()
        self._head: dict[str, Any] = {}
        self._spoken: set[int] = set()

    def told(self, answer: Answer) -> Answer:
        """Returns an answer with what happened to its first choice."""
        return replace(answer, tools=self._answers[0].attempts.report)

    def make(self, function: Callable[..., Any]) -> Any:
        """Returns the whole answer."""
        joined: dict[int, Joined] = {}
        while (response := self._open(function)) is not None:
            last = self._take_whole(response, joined)
        return self._whole(last, joined)

    async def amake(self, function: Callable[..., Awaitable[Any]]) -> Any:
        """Returns the whole answer, awaited."""
        joined: dict[int, Joined] = {}
        while (response := await self._aopen(function)) is not None:
            last = self._take_whole(response, joined)
        return self._whole(last, joined)

    def stream(self, function: Callable[..., Any]) -> Iterator[Any]:
        """Returns the answer as it comes; the first request is made at once."""
        return self._chunks(self._open(function), function)

    async def astream(self, function: Callable[..., Awaitable[Any]]) -> AsyncIterator[Any]:
        """Returns the answer as it comes, awaited. Otherwise as `stream`."""
        return self._achunks(await self._aopen(function), function)

    def _open(self, function: Callable[..., Any]) -> Any:
        """Makes the next request; returns None when the answer is complete."""
        while (request := self._answers[0].ask()) is not None:
            try:
                return function(**self._request(request))
            except Exception as error:
                self._go_on(error)
        return None

    async def _aopen(self, function: Callable[..., Awaitable[Any]]) -> Any:
        """Makes the next request, awaited. Otherwise as `_open`."""
        while (request := self._answers[0].ask()) is not None:
            try:
                return await function(**self._request(request))
            except Exception as error:
                self._go_on(error)
        return None

    def _chunks(self, source: Any, function: Callable[..., Any]) -> Iterator[Any]:
        """Yields the answer; a stream whose rest is of no use is closed."""
        while source is not None:
            with closing(_Closing(source)):
                for chunk in source:
                    yield from self._take_chunk(chunk)
                    if self._enough:
                        break
            yield from self._ended()
            source = self._open(function)
        yield from self._last()

    async def _achunks(self, source: Any, function: Callable[..., Awaitable[Any]]) -> AsyncIterator[Any]:
        """Yields the answer, awaited. Otherwise as `_chunks`."""
        while source is not None:
            async with aclosing(_Closing(source)):
                async for chunk in source:
                    for made in self._take_chunk(chunk):
                        yield made
                    if self._enough:
                        break
            for made in self._ended():
                yield made
            source = await self._aopen(function)
        for made in self._last():
            yield made

    def _new(self) -> TextAnswer:
        prepared = self._prepared
        attempts: Attempts | None = for_prompt(
            prepared.prompt,
            self._fields["messages"],
            form=_FORM,
            facts=prepared.facts,
            policy=prepared.pipeline.catalog.policy,
            stop=_stops(self._fields),
            once=self._many,
        )
        assert attempts is not None  # it is only made for prompts with a protocol
        return TextAnswer(attempts, legacy=self._legacy, answers=prepared.answers)

    def _choice(self, index: int) -> TextAnswer:
        """Returns the answer of one of several choices."""
        if index not in self._answers:
            self._answers[index] = self._new()
            self._answers[index].ask()
        return self._answers[index]

    def _request(self, request: Ask) -> dict[str, Any]:
        """Returns the keywords of a request."""
        rest = {k: v for k, v in self._fields.items() if k != "stop"}
        stop = {"stop": list(request.stop)} if request.stop else {}
        holds = bool(request.body) and FIELD not in rest  # an engine keeps to one of both
        body = {"extra_body": {**(rest.get("extra_body") or {}), **request.body}} if holds else {}
        return {**rest, "messages": request.messages, **stop, **body}

    def _go_on(self, error: Exception) -> None:
        """Raises the provider's error, unless the request goes again without our stop sequence."""
        status = getattr(error, _STATUS, None)
        if self._many or not self._answers[0].attempts.failed(status if isinstance(status, int) else None, str(error)):
            raise error

    def _take_whole(self, response: Any, joined: dict[int, Joined]) -> Any:
        counts = field(response, "usage")
        self._counts.add(counts)
        self._remember(response)
        for choice in response.choices:
            answer = self._choice(choice.index)
            found = joined.setdefault(choice.index, Joined())
            for delta in (*answer.take(choice.message, choice.finish_reason), *answer.ended(counts)):
                found.add(delta)
        return response

    def _whole(self, response: Any, joined: Mapping[int, Joined]) -> Any:
        """Returns the last response with the answer in it, under the id of the first."""
        choices = [
            Choices(
                index=index,
                message=Message(**found.fields),
                finish_reason=in_words(self._answers[index].reason, legacy=self._legacy),
            )
            for index, found in sorted(joined.items())
        ]
        response.choices = choices
        response.usage = self._counts.counts
        response.id, response.created = self._head["id"], self._head["created"]
        return response

    def _remember(self, response: Any) -> None:
        self._head = self._head or {name: field(response, name) for name in ("id", "created", "model")}

    @property
    def _enough(self) -> bool:
        return all(answer.enough for answer in self._answers.values())

    def _take_chunk(self, chunk: Any) -> Iterator[Any]:
        self._remember(chunk)
        if (counts := field(chunk, "usage")) is not None:
            self._counts.add(counts)
        for choice in chunk.choices or ():
            answer = self._choice(choice.index)
            for delta in answer.take(choice.delta, choice.finish_reason):
                yield self._chunk(choice.index, delta)

    def _ended(self) -> Iterator[Any]:
        for index, answer in self._answers.items():
            for delta in answer.ended(None):
                yield self._chunk(index, delta)

    def _last(self) -> Iterator[Any]:
        """Yields the ends of all choices, and the counts."""
        for index, answer in self._answers.items():
            yield self._chunk(index, {}, in_words(answer.reason, legacy=self._legacy))
        if (counts := self._counts.counts) is not None:
            yield ModelResponseStream(**self._head, choices=[], usage=counts)

    def _chunk(self, index: int, delta: dict[str, Any], reason: str | None = None) -> Any:
        role = {} if index in self._spoken else {"role": "assistant"}
        self._spoken.add(index)
        choice = StreamingChoices(index=index, delta=Delta(**role, **delta), finish_reason=reason)
        return ModelResponseStream(**self._head, choices=[choice])


class _Closing:
    """Closes a stream that may have no way to be closed."""

    def __init__(self, source: Any) -> None:
        self._source = source

    def close(self) -> None:
        if hasattr(self._source, "close"):
            self._source.close()

    async def aclose(self) -> None:
        if hasattr(self._source, "aclose"):
            await self._source.aclose()


def _stops(fields: Mapping[str, Any]) -> tuple[str, ...]:
    stop = fields.get("stop") or ()
    return (stop,) if isinstance(stop, str) else tuple(stop)
