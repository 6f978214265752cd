"""A call's way: into the pipeline at its entry, out again when the model has answered."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from promptmw import Answer, Conversation, Prompt, ToolMode, Turn
from promptmw.inside import inside, is_inside
from promptmw.toolmode.capability import ModelFacts, learns_no_tools
from promptmw.toolmode.report import ToolReport
from promptmw_langchain import answers, tooling, turns
from promptmw_langchain.drafts import Draft, Means, draft
from promptmw_langchain.form import FORM
from promptmw_langchain.models import name_of
from promptmw_langchain.prepared import PREPARED, PreparedCall
from promptmw_langchain.restored import RestoredStream, restored
from promptmw_langchain.system import system_message

if TYPE_CHECKING:
    from promptmw_langchain.entries import AssemblingModel

Metadata = Mapping[str, Any] | None
Reported = Callable[[], ToolReport] | None
"""Returns what prompt-tool mode did for an answer; None in other modes."""


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
    turn = turns.settled(_stated(model, messages, metadata))
    found = _draft(model, messages, turn, keywords)
    return laid(model, found, found.assemble(), keywords, turn) if found else _as_it_is(messages, keywords)


async def aentered(
    model: AssemblingModel, messages: list[BaseMessage], metadata: Metadata, keywords: dict[str, Any]
) -> Call:
    """Returns a call with its prompt in it, awaiting the turn and what plugins collect. Otherwise as `entered`."""
    if PREPARED in keywords:
        return Call(messages, keywords)
    turn = await turns.asettled(_stated(model, messages, metadata))
    found = _draft(model, messages, turn, keywords)
    return laid(model, found, await found.aassemble(), keywords, turn) if found else _as_it_is(messages, keywords)


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
    return _drafted(model, messages, turn, keywords, model.tool_mode)


def _drafted(
    model: AssemblingModel, messages: list[BaseMessage], turn: Turn, keywords: Mapping[str, Any], mode: ToolMode
) -> Draft:
    tools = (*(keywords.get("tools") or ()), *(keywords.get("functions") or ()))
    means = Means(
        model.inner, tools, mode, runs_tools=model.runs_tools, binds=False, choice=tooling.choice_in(keywords)
    )
    return draft(model.pipeline, turn, Conversation(messages, FORM), means)


def laid(
    model: AssemblingModel, found: Draft, prompt: Prompt, keywords: dict[str, Any], turn: Turn | None = None
) -> Call:
    """Returns a call with its prompt in it.

    Args:
        model: That is called.
        found: The draft of the call.
        prompt: Of that draft.
        keywords: Of the call.
        turn: As stated, to draft the call again if the model turns out to take no tools.
    """
    messages = found.pipeline.lay_out(prompt, found.conversation).behind(system_message(prompt, model.system_format))
    names = {"made": name_of(model.inner), "called": str(keywords.get("model") or "")}
    again = _in_prompt_mode(model, found, turn, keywords) if turn is not None else None
    prepared = PreparedCall(
        found.pipeline, prompt, facts=found.facts, again=again, restores=not model.runs_tools, **names
    )
    return Call(messages, {**_with_tools(found, keywords), PREPARED: prepared})


def _in_prompt_mode(
    model: AssemblingModel, found: Draft, turn: Turn, keywords: dict[str, Any]
) -> Callable[[], Again] | None:
    """Returns how a call is drafted again with its tools in the prompt; None where nobody may choose the mode."""
    settings = found.pipeline.catalog.tool_settings
    has_tools = keywords.get("tools") or keywords.get("functions")
    if found.mode_stated or found.as_text or not has_tools or settings.on_rejected_tools != "retry":
        return None
    messages = list(found.conversation.all)
    return lambda: Again(_drafted(model, messages, turn, keywords, ToolMode.PROMPT), keywords)


@dataclass(frozen=True, slots=True)
class Again:
    """Is a call that goes again in prompt-tool mode.

    Attributes:
        draft: Of the call.
        keywords: Of the call.
    """

    draft: Draft
    keywords: dict[str, Any]


def switched(call: PreparedCall | None, error: Exception) -> Again | None:
    """Returns how a call goes again, if the model has refused its tools; that is remembered for the deployment."""
    if call is None or call.again is None or not refuses_tools(call.facts, error):
        return None
    return call.again()


def refuses_tools(facts: ModelFacts, error: Exception) -> bool:
    """Says whether a model's error means that it takes no tools, and remembers that."""
    return learns_no_tools(facts.key, answers.status_of(error), str(error))


def _with_tools(found: Draft, keywords: dict[str, Any]) -> dict[str, Any]:
    """Returns the keywords with their tools in order; where the model gets none, none of those that go with them."""
    tools = keywords.get("tools")
    if found.as_text or found.turn.tool_mode is ToolMode.NONE or not (tools or keywords.get("functions")):
        return {k: v for k, v in keywords.items() if k not in tooling.KEYWORDS}
    return {**keywords, "tools": tooling.ordered(tools, found.pipeline.profile)} if tools else keywords


def _as_it_is(messages: list[BaseMessage], keywords: dict[str, Any]) -> Call:
    """Returns a call that gets no prompt; it says so, for the turn to be asked for once only."""
    return Call(messages, {**keywords, PREPARED: None})


def answer(call: PreparedCall | None, ask: Callable[[], ChatResult], report: Reported = None) -> ChatResult:
    """Returns the inner model's answer, and tells plugins of it, also when there is none."""
    if call is None:
        return ask()
    told = answers.FAILED
    try:
        with inside(call.pipeline):
            result = restored(ask(), call.restoring())
        _name(call, result.generations)
        told = answers.of_result(result)
        return result
    finally:
        call.pipeline.answered(call.prompt, _reported(told, report))


async def aanswer(
    call: PreparedCall | None, ask: Callable[[], Awaitable[ChatResult]], report: Reported = None
) -> ChatResult:
    """Returns the inner model's answer, awaited. Otherwise as `answer`."""
    if call is None:
        return await ask()
    told = answers.FAILED
    try:
        with inside(call.pipeline):
            result = restored(await ask(), call.restoring())
        _name(call, result.generations)
        told = answers.of_result(result)
        return result
    finally:
        await call.pipeline.aanswered(call.prompt, _reported(told, report))


def chunks(
    call: PreparedCall | None, ask: Callable[[], Iterator[ChatGenerationChunk]], report: Reported = None
) -> Iterator[ChatGenerationChunk]:
    """Yields the inner model's chunks as they come; tells plugins of the answer when the stream ends or is closed."""
    if call is None:
        yield from ask()
        return
    seen: list[ChatGenerationChunk] = []
    complete = False
    restoring = RestoredStream(call.restoring())
    stream = ask()
    try:
        with inside(call.pipeline):  # the request is made when the first chunk is asked for
            chunk = next(stream, None)
        while chunk is not None:
            _name(call, [chunk])
            chunk = restoring.of(chunk)
            seen.append(chunk)
            yield chunk
            chunk = next(stream, None)
        complete = True
        yield from restoring.rest()
    finally:
        if not complete and hasattr(stream, "close"):
            stream.close()
        call.pipeline.answered(call.prompt, _reported(_streamed(call, seen, complete=complete), report))


async def achunks(
    call: PreparedCall | None, ask: Callable[[], AsyncIterator[ChatGenerationChunk]], report: Reported = None
) -> AsyncGenerator[ChatGenerationChunk]:
    """Yields the inner model's chunks as they come, awaited. Otherwise as `chunks`."""
    if call is None:
        async for chunk in ask():
            yield chunk
        return
    seen: list[ChatGenerationChunk] = []
    complete = False
    restoring = RestoredStream(call.restoring())
    stream = ask()
    try:
        with inside(call.pipeline):
            first = await anext(stream, None)
        if first is not None:
            async for chunk in _from(first, stream):
                _name(call, [chunk])
                seen.append(restoring.of(chunk))
                yield seen[-1]
        complete = True
        for chunk in restoring.rest():
            yield chunk
    finally:
        if not complete and hasattr(stream, "aclose"):
            await stream.aclose()
        await call.pipeline.aanswered(call.prompt, _reported(_streamed(call, seen, complete=complete), report))


async def _from(
    first: ChatGenerationChunk, rest: AsyncIterator[ChatGenerationChunk]
) -> AsyncIterator[ChatGenerationChunk]:
    yield first
    async for chunk in rest:
        yield chunk


def _name(call: PreparedCall, generations: Sequence[ChatGeneration]) -> None:
    for generation in generations:
        call.named(generation.message)


def _streamed(call: PreparedCall, seen: list[ChatGenerationChunk], *, complete: bool) -> Answer:
    """Returns the answer of a stream; its chunks are only put together where a plugin wants to know."""
    if not call.pipeline.plugins.implements("promptmw_answered"):
        return Answer(complete=complete)
    return answers.of_chunks(seen, complete=complete)


def _reported(told: Answer, report: Reported) -> Answer:
    return told if report is None else replace(told, tools=report())
