"""A call's way: into the pipeline at its entry, out again when the model has answered."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from promptmw import Answer, Conversation, Pipeline, Prompt, ToolMode, Turn
from promptmw.inside import inside, is_inside
from promptmw_langchain import answers, tooling, turns
from promptmw_langchain.form import LangChainFormat
from promptmw_langchain.prepared import PREPARED, PreparedCall
from promptmw_langchain.system import system_message

if TYPE_CHECKING:
    from promptmw_langchain.chat_model import PromptChatModel

FORM = LangChainFormat()
Lists = list[list[BaseMessage]]


def entered(
    model: PromptChatModel, lists: Lists, metadata: Mapping[str, Any] | None, kwargs: dict[str, Any]
) -> tuple[Lists, dict[str, Any]]:
    """Returns the messages and keywords of a call as they are sent; unchanged for one that is assembled already."""
    if PREPARED in kwargs or is_inside(model.pipeline) or not lists:
        return lists, kwargs
    done = []
    for messages in lists:
        turn = turns.checked(_stated(model, messages, metadata or {}))
        draft = _Draft(model, messages, turn, kwargs)
        done.append(draft.laid(draft.pipeline.assemble(draft.turn, draft.conversation, can_run_tools=False)))
    return _together(done, draft.pipeline, draft.keywords)


async def aentered(
    model: PromptChatModel, lists: Lists, metadata: Mapping[str, Any] | None, kwargs: dict[str, Any]
) -> tuple[Lists, dict[str, Any]]:
    """Returns the same, awaiting the application's turn and what plugins collect."""
    if PREPARED in kwargs or is_inside(model.pipeline) or not lists:
        return lists, kwargs
    done = []
    for messages in lists:
        stated = _stated(model, messages, metadata or {})
        turn = turns.checked(await stated if inspect.isawaitable(stated) else stated)
        draft = _Draft(model, messages, turn, kwargs)
        prompt = await draft.pipeline.aassemble(draft.turn, draft.conversation, can_run_tools=False)
        done.append(draft.laid(prompt))
    return _together(done, draft.pipeline, draft.keywords)


class _Draft:
    """Is one call before it is assembled: whose pipeline, which turn, which keywords."""

    def __init__(
        self, model: PromptChatModel, messages: Sequence[BaseMessage], turn: Turn, kwargs: dict[str, Any]
    ) -> None:
        tools = kwargs.get("tools") or kwargs.get("functions") or ()
        stated = turn.tool_mode if model.tool_mode == ToolMode.AUTO.value else ToolMode(model.tool_mode)
        mode = tooling.resolved(stated, model.inner, tools)
        self.pipeline = turns.pipeline_of(model.pipeline, turn)
        self.turn = turn.replace(
            profile="", tool_mode=mode, tools=tooling.specs(tools), model=turn.model or model.model_name
        )
        self.conversation = Conversation(messages, FORM)
        self.keywords = self._keywords(mode, tools, kwargs)
        self._form = model.system_format

    def laid(self, prompt: Prompt) -> tuple[list[BaseMessage], Prompt]:
        """Returns the messages to send, and the prompt that they were made with."""
        laid = self.pipeline.lay_out(prompt, self.conversation)
        system = system_message(prompt, self._form)
        return ([system, *laid.messages] if system else laid.messages), prompt

    def _keywords(self, mode: ToolMode, tools: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
        if mode is ToolMode.NONE:
            return {k: v for k, v in kwargs.items() if k not in tooling.KEYWORDS}
        if "tools" in kwargs:
            return {**kwargs, "tools": tooling.ordered(tools, self.pipeline.profile)}
        return kwargs


def _stated(model: PromptChatModel, messages: Sequence[BaseMessage], metadata: Mapping[str, Any]) -> Any:
    if model.turn is not None:
        return model.turn(messages, metadata)
    return turns.from_metadata(metadata, model.pipeline)


def _together(
    done: list[tuple[list[BaseMessage], Prompt]], pipeline: Pipeline, keywords: dict[str, Any]
) -> tuple[Lists, dict[str, Any]]:
    return [messages for messages, _ in done], {**keywords, PREPARED: PreparedCall(pipeline, done)}


def answer(call: PreparedCall | None, messages: Sequence[BaseMessage], ask: Callable[[], ChatResult]) -> ChatResult:
    """Returns the inner model's answer, and tells plugins of it, also when there is none."""
    if call is None:
        return ask()
    told = answers.FAILED
    try:
        with inside(call.pipeline):
            result = ask()
        told = answers.of_result(result)
        return result
    finally:
        call.pipeline.answered(call.prompt(messages), told)


async def aanswer(
    call: PreparedCall | None, messages: Sequence[BaseMessage], ask: Callable[[], Awaitable[ChatResult]]
) -> ChatResult:
    """Returns the same, awaiting."""
    if call is None:
        return await ask()
    told = answers.FAILED
    try:
        with inside(call.pipeline):
            result = await ask()
        told = answers.of_result(result)
        return result
    finally:
        await call.pipeline.aanswered(call.prompt(messages), told)


def chunks(
    call: PreparedCall | None, messages: Sequence[BaseMessage], ask: Callable[[], Iterator[ChatGenerationChunk]]
) -> Iterator[ChatGenerationChunk]:
    """Yields the inner model's chunks as they come; tells plugins of the answer when the stream ends or is closed."""
    if call is None:
        yield from ask()
        return
    seen: list[ChatGenerationChunk] = []
    complete = False
    try:
        with inside(call.pipeline):  # the request is made when the first chunk is asked for
            stream = ask()
            first = next(stream, None)
        if first is not None:
            seen.append(first)
            yield first
            for chunk in stream:
                seen.append(chunk)
                yield chunk
        complete = True
    finally:
        call.pipeline.answered(call.prompt(messages), _streamed(call, seen, complete=complete))


async def achunks(
    call: PreparedCall | None, messages: Sequence[BaseMessage], ask: Callable[[], AsyncIterator[ChatGenerationChunk]]
) -> AsyncIterator[ChatGenerationChunk]:
    """Yields the same, awaiting."""
    if call is None:
        async for chunk in ask():
            yield chunk
        return
    seen: list[ChatGenerationChunk] = []
    complete = False
    try:
        with inside(call.pipeline):
            stream = ask()
            first = await anext(stream, None)
        if first is not None:
            seen.append(first)
            yield first
            async for chunk in stream:
                seen.append(chunk)
                yield chunk
        complete = True
    finally:
        await call.pipeline.aanswered(call.prompt(messages), _streamed(call, seen, complete=complete))


def as_chunks(result: ChatResult) -> Iterator[ChatGenerationChunk]:
    """Yields a whole answer as one chunk, for models that cannot stream."""
    for generation in result.generations:
        fields = generation.message.model_dump(exclude={"type", "tool_calls", "invalid_tool_calls", "chunk_position"})
        tool_calls = getattr(generation.message, "tool_calls", [])
        parts = [
            tool_call_chunk(name=c["name"], args=json.dumps(c["args"]), id=c.get("id"), index=i)
            for i, c in enumerate(tool_calls)
        ]
        message = AIMessageChunk(**fields, tool_call_chunks=parts, chunk_position="last")
        yield ChatGenerationChunk(message=message, generation_info=generation.generation_info)


def _streamed(call: PreparedCall, seen: Sequence[ChatGenerationChunk], *, complete: bool) -> Answer:
    """Returns the answer of a stream; its chunks are only put together where a plugin wants to know."""
    if not call.pipeline.plugins.implements("promptmw_answered"):
        return Answer(complete=complete)
    return answers.of_chunks(seen, complete=complete)
