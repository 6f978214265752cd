"""Lets the inner model answer a call that has its prompt: natively, or with calls of tools in the text."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from promptmw_langchain import calls
from promptmw_langchain.prepared import PREPARED, PreparedCall
from promptmw_langchain.text_calls import keywords_of, reads, stop_of

if TYPE_CHECKING:
    from promptmw_langchain.entries import AssemblingModel

Stop = list[str] | None


def generate(
    model: AssemblingModel, messages: list[BaseMessage], stop: Stop, manager: Any, keywords: Any
) -> ChatResult:
    """Returns the answer to a call."""
    call: PreparedCall | None = keywords.pop(PREPARED, None)
    inner, text = model.inner._generate, reads(call, messages, stop)
    if text is not None:
        return calls.answer(
            call,
            lambda: text.generate(lambda r: inner(r.messages, stop_of(r), manager, **keywords_of(r, keywords))),
            lambda: text.answer.report,
        )
    try:
        return calls.answer(call, lambda: inner(messages, stop, manager, **keywords))
    except Exception as error:
        again = calls.switched(call, error)
        if again is None:
            raise
        anew = calls.laid(model, again.draft, again.draft.assemble(), again.keywords)
    return generate(model, anew.messages, stop, manager, anew.keywords)


async def agenerate(
    model: AssemblingModel, messages: list[BaseMessage], stop: Stop, manager: Any, keywords: Any
) -> ChatResult:
    """Returns the answer to a call, awaited. Otherwise as `generate`."""
    call: PreparedCall | None = keywords.pop(PREPARED, None)
    inner, text = model.inner._agenerate, reads(call, messages, stop)
    if text is not None:
        return await calls.aanswer(
            call,
            lambda: text.agenerate(lambda r: inner(r.messages, stop_of(r), manager, **keywords_of(r, keywords))),
            lambda: text.answer.report,
        )
    try:
        return await calls.aanswer(call, lambda: inner(messages, stop, manager, **keywords))
    except Exception as error:
        again = calls.switched(call, error)
        if again is None:
            raise
        anew = calls.laid(model, again.draft, await again.draft.aassemble(), again.keywords)
    return await agenerate(model, anew.messages, stop, manager, anew.keywords)


def stream(
    model: AssemblingModel, messages: list[BaseMessage], stop: Stop, keywords: Any
) -> Iterator[ChatGenerationChunk]:
    """Yields the answer to a call as it comes."""
    call: PreparedCall | None = keywords.pop(PREPARED, None)
    inner, text, begun = model.inner._stream, reads(call, messages, stop), False
    if text is not None:
        source = text.stream(lambda r: inner(r.messages, stop_of(r), **keywords_of(r, keywords)))
        yield from calls.chunks(call, lambda: source, lambda: text.answer.report)
        return
    try:
        for chunk in calls.chunks(call, lambda: inner(messages, stop, **keywords)):
            begun = True
            yield chunk
        return
    except Exception as error:
        again = None if begun else calls.switched(call, error)
        if again is None:
            raise
        anew = calls.laid(model, again.draft, again.draft.assemble(), again.keywords)
    yield from stream(model, anew.messages, stop, without_stop(anew.keywords))


async def astream(
    model: AssemblingModel, messages: list[BaseMessage], stop: Stop, keywords: Any
) -> AsyncGenerator[ChatGenerationChunk]:
    """Yields the answer to a call as it comes, awaited. Otherwise as `stream`."""
    call: PreparedCall | None = keywords.pop(PREPARED, None)
    inner, text, begun = model.inner._astream, reads(call, messages, stop), False
    if text is not None:
        source = text.astream(lambda r: inner(r.messages, stop_of(r), **keywords_of(r, keywords)))
        async with aclosing(calls.achunks(call, lambda: source, lambda: text.answer.report)) as found:
            async for chunk in found:
                yield chunk
        return
    try:
        async with aclosing(calls.achunks(call, lambda: inner(messages, stop, **keywords))) as found:
            async for chunk in found:
                begun = True
                yield chunk
        return
    except Exception as error:
        again = None if begun else calls.switched(call, error)
        if again is None:
            raise
        anew = calls.laid(model, again.draft, await again.draft.aassemble(), again.keywords)
    async with aclosing(astream(model, anew.messages, stop, without_stop(anew.keywords))) as found:
        async for chunk in found:
            yield chunk


def without_stop(keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns the keywords of a streaming call without the stop sequences, which models get beside them."""
    return {name: value for name, value in keywords.items() if name != "stop"}
