"""A call's way: into the pipeline at its entry, out again when the model has answered."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from promptmw import Answer, Conversation, Prompt, ToolMode, Turn
from promptmw.inside import inside, is_inside
from promptmw_langchain import answers, tooling, turns
from promptmw_langchain.drafts import Draft, Means, draft
from promptmw_langchain.form import FORM
from promptmw_langchain.models import name_of
from promptmw_langchain.prepared import PREPARED, PreparedCall
from promptmw_langchain.system import system_message

if TYPE_CHECKING:
    from promptmw_langchain.entries import AssemblingModel

Metadata = Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Call:
    """Is a call as it goes on from its entry.

    Attributes:
        messages: As they are sent.
        keywords: For the model, with `PREPARED` among them.
    """

    messages: list[BaseMessage]
    keywords: dict[str, Any]


def entered(model: AssemblingModel, messages: list[BaseMessage], metadata: Metadata, keywords: dict[str, Any]) -> Call:
    """Returns a call with its prompt in it; unchanged if it has one already.

    Raises:
        PromptmwError: There is no prompt.
    """
    if PREPARED in keywords:
        return Call(messages, keywords)
    found = _draft(model, messages, turns.settled(_stated(model, messages, metadata)), keywords)
    return _laid(model, found, found.assemble(), keywords) if found else _as_it_is(messages, keywords)


async def aentered(
    model: AssemblingModel, messages: list[BaseMessage], metadata: Metadata, keywords: dict[str, Any]
) -> Call:
    """Returns a call with its prompt in it, awaiting the turn and what plugins collect. Otherwise as `entered`."""
    if PREPARED in keywords:
        return Call(messages, keywords)
    found = _draft(model, messages, await turns.asettled(_stated(model, messages, metadata)), keywords)
    return _laid(model, found, await found.aassemble(), keywords) if found else _as_it_is(messages, keywords)


def _stated(model: AssemblingModel, messages: list[BaseMessage], metadata: Metadata) -> Any:
    if is_inside(model.pipeline):
        return None
    if model.turn is not None:
        return turns.given(model.turn, messages, metadata or {})
    return turns.from_metadata(metadata, model.pipeline)


def _draft(
    model: AssemblingModel, messages: list[BaseMessage], turn: Turn | None, keywords: Mapping[str, Any]
) -> Draft | None:
    if turn is None:
        return None
    tools = (*(keywords.get("tools") or ()), *(keywords.get("functions") or ()))
    means = Means(model.inner, tools, model.tool_mode)
    return draft(model.pipeline, turn, Conversation(messages, FORM), means)


def _laid(model: AssemblingModel, found: Draft, prompt: Prompt, keywords: dict[str, Any]) -> Call:
    laid = found.pipeline.lay_out(prompt, found.conversation)
    messages = laid.behind(system_message(prompt, model.system_format))
    names = {"made": name_of(model.inner), "called": str(keywords.get("model") or "")}
    return Call(messages, {**_with_tools(found, keywords), PREPARED: PreparedCall(found.pipeline, prompt, **names)})


def _with_tools(found: Draft, keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns the keywords with their tools in order; without tools none of those that go with them."""
    tools = keywords.get("tools")
    if found.turn.tool_mode is ToolMode.NONE or not (tools or keywords.get("functions")):
        return {k: v for k, v in keywords.items() if k not in tooling.KEYWORDS}
    return {**keywords, "tools": tooling.ordered(tools, found.pipeline.profile)} if tools else keywords


def _as_it_is(messages: list[BaseMessage], keywords: dict[str, Any]) -> Call:
    """Returns a call that gets no prompt; it says so, for the turn to be asked for once only."""
    return Call(messages, {**keywords, PREPARED: None})


def answer(call: PreparedCall | None, ask: Callable[[], ChatResult]) -> ChatResult:
    """Returns the inner model's answer, and tells plugins of it, also when there is none."""
    if call is None:
        return ask()
    told = answers.FAILED
    try:
        with inside(call.pipeline):
            result = ask()
        _name(call, result.generations)
        told = answers.of_result(result)
        return result
    finally:
        call.pipeline.answered(call.prompt, told)


async def aanswer(call: PreparedCall | None, ask: Callable[[], Awaitable[ChatResult]]) -> ChatResult:
    """Returns the inner model's answer, awaited. Otherwise as `answer`."""
    if call is None:
        return await ask()
    told = answers.FAILED
    try:
        with inside(call.pipeline):
            result = await ask()
        _name(call, result.generations)
        told = answers.of_result(result)
        return result
    finally:
        await call.pipeline.aanswered(call.prompt, told)


def chunks(
    call: PreparedCall | None, ask: Callable[[], Iterator[ChatGenerationChunk]]
) -> Iterator[ChatGenerationChunk]:
    """Yields the inner model's chunks as they come; tells plugins of the answer when the stream ends or is closed."""
    if call is None:
        yield from ask()
        return
    seen: list[ChatGenerationChunk] = []
    complete = False
    stream = ask()
    try:
        with inside(call.pipeline):  # the request is made when the first chunk is asked for
            chunk = next(stream, None)
        while chunk is not None:
            _name(call, [chunk])
            seen.append(chunk)
            yield chunk
            chunk = next(stream, None)
        complete = True
    finally:
        if not complete and hasattr(stream, "close"):
            stream.close()
        call.pipeline.answered(call.prompt, _streamed(call, seen, complete=complete))


async def achunks(
    call: PreparedCall | None, ask: Callable[[], AsyncIterator[ChatGenerationChunk]]
) -> AsyncGenerator[ChatGenerationChunk]:
    """Yields the inner model's chunks as they come, awaited. Otherwise as `chunks`."""
    if call is None:
        async for chunk in ask():
            yield chunk
        return
    seen: list[ChatGenerationChunk] = []
    complete = False
    stream = ask()
    try:
        with inside(call.pipeline):
            first = await anext(stream, None)
        if first is not None:
            _name(call, [first])
            seen.append(first)
            yield first
            async for chunk in stream:
                _name(call, [chunk])
                seen.append(chunk)
                yield chunk
        complete = True
    finally:
        if not complete and hasattr(stream, "aclose"):
            await stream.aclose()
        await call.pipeline.aanswered(call.prompt, _streamed(call, seen, complete=complete))


def _name(call: PreparedCall, generations: Sequence[ChatGeneration]) -> None:
    for generation in generations:
        call.named(generation.message)


def as_chunk(result: ChatResult) -> ChatGenerationChunk:
    """Returns a whole answer as one chunk, for models that cannot stream."""
    generation: ChatGeneration = result.generations[0]
    message: Any = generation.message
    taken = {name: getattr(message, name) for name in _KEPT if getattr(message, name, None)}
    calls = [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]
    parts = [
        tool_call_chunk(name=c["name"], args=_as_text(c["args"]), id=c.get("id"), index=i) for i, c in enumerate(calls)
    ]
    chunk = AIMessageChunk(content=message.content, **taken, tool_call_chunks=parts, chunk_position="last")
    return ChatGenerationChunk(message=chunk, generation_info=generation.generation_info)


_KEPT = ("additional_kwargs", "response_metadata", "usage_metadata", "id", "name")


def _as_text(arguments: Any) -> str | None:
    return arguments if arguments is None or isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _streamed(call: PreparedCall, seen: list[ChatGenerationChunk], *, complete: bool) -> Answer:
    """Returns the answer of a stream; its chunks are only put together where a plugin wants to know."""
    if not call.pipeline.plugins.implements("promptmw_answered"):
        return Answer(complete=complete)
    return answers.of_chunks(seen, complete=complete)
