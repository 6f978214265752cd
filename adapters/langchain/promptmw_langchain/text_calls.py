"""Calls in prompt-tool mode: as many requests to the model as one answer takes, whole and streaming, sync and async."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing
from typing import Any

from langchain_core.messages import BaseMessage, message_chunk_to_message
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from promptmw.toolmode.attempts import Ask, Attempts, for_prompt
from promptmw_langchain import answers
from promptmw_langchain.chunking import as_chunk, generation_chunk
from promptmw_langchain.form import FORM
from promptmw_langchain.prepared import PreparedCall
from promptmw_langchain.text_answers import TextAnswer


class TextCall:
    """Is a call whose answer is read for calls of tools.

    Args:
        call: As prepared.
        messages: As they go to the model.
        stop: The caller's stop sequences.
    """

    def __init__(self, call: PreparedCall, messages: list[BaseMessage], stop: list[str] | None) -> None:
        self._call = call
        self._messages = messages
        self._stop = tuple(stop or ())
        self.answer = TextAnswer(self._attempts(once=False))

    def _attempts(self, *, once: bool) -> Attempts:
        found = for_prompt(
            self._call.prompt,
            self._messages,
            form=FORM,
            facts=self._call.facts,
            policy=self._call.pipeline.catalog.policy,
            stop=self._stop,
            once=once,
        )
        assert found is not None  # it is only made for prompts with a protocol
        return found

    def generate(self, ask: Callable[[Ask], ChatResult]) -> ChatResult:
        """Returns the whole answer."""
        seen: list[ChatGenerationChunk] = []
        while (request := self.answer.ask()) is not None:
            try:
                result = ask(request)
            except Exception as error:
                self._go_on(error)
                continue
            if len(result.generations) > 1:
                return self._each(result)
            seen += [*self.answer.take(as_chunk(result)), *self.answer.ended()]
        return _whole(seen)

    async def agenerate(self, ask: Callable[[Ask], Awaitable[ChatResult]]) -> ChatResult:
        """Returns the whole answer, awaited."""
        seen: list[ChatGenerationChunk] = []
        while (request := self.answer.ask()) is not None:
            try:
                result = await ask(request)
            except Exception as error:
                self._go_on(error)
                continue
            if len(result.generations) > 1:
                return self._each(result)
            seen += [*self.answer.take(as_chunk(result)), *self.answer.ended()]
        return _whole(seen)

    def stream(self, ask: Callable[[Ask], Iterator[ChatGenerationChunk]]) -> Iterator[ChatGenerationChunk]:
        """Yields the answer as it comes; a stream whose rest is of no use is closed."""
        while (request := self.answer.ask()) is not None:
            source = ask(request)
            try:
                for chunk in source:
                    yield from self.answer.take(chunk)
                    if self.answer.enough:
                        break
            except Exception as error:
                self._go_on(error)
                continue
            finally:
                if hasattr(source, "close"):
                    source.close()
            yield from self.answer.ended()

    async def astream(
        self, ask: Callable[[Ask], AsyncIterator[ChatGenerationChunk]]
    ) -> AsyncGenerator[ChatGenerationChunk]:
        """Yields the answer as it comes, awaited. Otherwise as `stream`."""
        while (request := self.answer.ask()) is not None:
            source: Any = ask(request)
            try:
                async with aclosing(source):
                    async for chunk in source:
                        for shown in self.answer.take(chunk):
                            yield shown
                        if self.answer.enough:
                            break
            except Exception as error:
                self._go_on(error)
                continue
            for shown in self.answer.ended():
                yield shown

    def _go_on(self, error: Exception) -> None:
        """Raises the model's error, unless the request goes again without our stop sequence."""
        if not self.answer.refused(error):
            raise error

    def _each(self, result: ChatResult) -> ChatResult:
        """Returns the answers of a call that asked for several; none of them is asked for again."""
        found = []
        for generation in result.generations:
            answer = TextAnswer(self._attempts(once=True))
            answer.ask()
            seen = [*answer.take(generation_chunk(generation)), *answer.ended()]
            found += _whole(seen).generations
        return ChatResult(generations=found, llm_output=result.llm_output)


def reads(call: PreparedCall | None, messages: list[BaseMessage], stop: list[str] | None) -> TextCall | None:
    """Returns how a call's answer is read; None where nothing has to be."""
    return TextCall(call, messages, stop) if call is not None and call.as_text else None


def keywords_of(request: Ask, keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns a call's keywords with what a request adds to its body."""
    if not request.body:
        return keywords
    return {**keywords, "extra_body": {**(keywords.get("extra_body") or {}), **request.body}}


def stop_of(request: Ask) -> list[str] | None:
    """Returns a request's stop sequences as models take them."""
    return list(request.stop) or None


def _whole(seen: Sequence[ChatGenerationChunk]) -> ChatResult:
    message: Any = message_chunk_to_message(answers.joined(seen).message)
    return ChatResult(generations=[ChatGeneration(message=message)])
