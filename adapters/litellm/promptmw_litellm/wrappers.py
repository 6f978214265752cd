"""LiteLLM's own functions with the prompt put in: same arguments, same answers, streams included.

Beside LiteLLM's arguments each takes three of ours, by keyword:

* ``turn``: a turn, or a function of the call's keywords that returns one, or None for a call that shall stay as it is.
  By default ``metadata.promptmw`` states it.
* ``pipeline``: makes the prompt; by default one of the installed profile ``chat``.
* ``tool_mode``: how tools reach the model; goes before what the turn states.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import litellm

from promptmw import Pipeline, ToolMode
from promptmw.steps import adrive, drive
from promptmw.toolmode.choice import Choice
from promptmw_litellm.calls import Call
from promptmw_litellm.deployment import deployment_of
from promptmw_litellm.drafts import Draft, draft
from promptmw_litellm.looping import Loop, Made, Tools
from promptmw_litellm.pipelines import default_pipeline
from promptmw_litellm.request import Api
from promptmw_litellm.turns import TurnSource, turn_of, without_prefix

Mode = ToolMode | str | None
Given = Pipeline | None
RunTools = bool | Tools


def completion(
    *args: Any,
    turn: TurnSource = None,
    pipeline: Given = None,
    tool_mode: Mode = None,
    run_tools: RunTools = False,
    **kw: Any,
) -> Any:
    """Calls ``litellm.completion`` with the prompt put in.

    With ``run_tools`` it is called until the model answers in words: the plugins' tools that the profile offers are
    run, and the application's where functions are given by the names of their tools. An answer that calls any other
    tool is returned as it is. The profile's table ``tool_loop`` bounds the loop.

    Raises:
        PromptmwError: There is no prompt, or no answer. Whatever LiteLLM raises comes through as it is.
    """
    ours = _Ours(turn, pipeline, tool_mode)
    if run_tools is False:
        return _run(litellm.completion, Api.CHAT, ours, args, kw)
    call = Call(litellm.completion, Api.CHAT, ours.pipeline, restores=False)

    def making(found: Draft | None, fields: Mapping[str, Any]) -> Made:
        prepared = found.assemble() if found else None
        return prepared, call.make(prepared, fields)

    loop = Loop(ours.looping, making, _functions(run_tools), Pipeline.run_tool)
    return drive(loop.steps(_named(litellm.completion, args, kw)))


async def acompletion(
    *args: Any,
    turn: TurnSource = None,
    pipeline: Given = None,
    tool_mode: Mode = None,
    run_tools: RunTools = False,
    **kw: Any,
) -> Any:
    """Calls ``litellm.acompletion`` with the prompt put in. Otherwise as `completion`."""
    ours = _Ours(turn, pipeline, tool_mode)
    if run_tools is False:
        return await _arun(litellm.acompletion, Api.CHAT, ours, args, kw)
    call = Call(litellm.acompletion, Api.CHAT, ours.pipeline, restores=False)

    async def making(found: Draft | None, fields: Mapping[str, Any]) -> Made:
        prepared = await found.aassemble() if found else None
        return prepared, await call.amake(prepared, fields)

    loop = Loop(ours.looping, making, _functions(run_tools), Pipeline.arun_tool)
    return await adrive(loop.steps(_named(litellm.acompletion, args, kw)))


def responses(*args: Any, turn: TurnSource = None, pipeline: Given = None, tool_mode: Mode = None, **kw: Any) -> Any:
    """Calls ``litellm.responses`` with the prompt put in. Otherwise as `completion`."""
    return _run(litellm.responses, Api.RESPONSES, _Ours(turn, pipeline, tool_mode), args, kw)


async def aresponses(
    *args: Any, turn: TurnSource = None, pipeline: Given = None, tool_mode: Mode = None, **kw: Any
) -> Any:
    """Calls ``litellm.aresponses`` with the prompt put in. Otherwise as `completion`."""
    return await _arun(litellm.aresponses, Api.RESPONSES, _Ours(turn, pipeline, tool_mode), args, kw)


async def anthropic_messages(
    *args: Any, turn: TurnSource = None, pipeline: Given = None, tool_mode: Mode = None, **kw: Any
) -> Any:
    """Calls ``litellm.anthropic_messages`` with the prompt put in. Otherwise as `completion`."""
    return await _arun(litellm.anthropic_messages, Api.MESSAGES, _Ours(turn, pipeline, tool_mode), args, kw)


def prepare(
    *,
    api: Api | str = Api.CHAT,
    turn: TurnSource = None,
    pipeline: Given = None,
    tool_mode: Mode = None,
    **kw: Any,
) -> dict[str, Any]:
    """Returns the keywords of a call with the prompt put in, for ``Router.completion`` and whatever else takes them.

    Plugins are not told the answer: only the caller sees it.

    Args:
        api: The form of the keywords.
        turn: As of the wrappers.
        pipeline: As of the wrappers.
        tool_mode: As of the wrappers.
        **kw: The keywords; untouched.

    Raises:
        PromptmwError: There is no prompt.
    """
    found = _Ours(turn, pipeline, tool_mode).draft(Api(api), kw)
    return found.assemble().fields if found else kw


async def aprepare(
    *,
    api: Api | str = Api.CHAT,
    turn: TurnSource = None,
    pipeline: Given = None,
    tool_mode: Mode = None,
    **kw: Any,
) -> dict[str, Any]:
    """Returns the keywords of a call with the prompt put in, awaiting what plugins collect. Otherwise as `prepare`."""
    found = _Ours(turn, pipeline, tool_mode).draft(Api(api), kw)
    return (await found.aassemble()).fields if found else kw


@dataclass(frozen=True, slots=True)
class _Ours:
    """Is what a caller gives beside LiteLLM's arguments."""

    turn: TurnSource
    given: Given
    tool_mode: Mode

    @property
    def pipeline(self) -> Pipeline:
        return self.given or default_pipeline()

    def looping(self, fields: Mapping[str, Any], choice: Choice | None) -> Draft | None:
        """Returns the draft of one call of a loop that runs tools."""
        return self.draft(Api.CHAT, fields, reads=True, runs_tools=True, choice=choice)

    def draft(
        self,
        api: Api,
        fields: Mapping[str, Any],
        *,
        reads: bool = False,
        runs_tools: bool = False,
        choice: Choice | None = None,
    ) -> Draft | None:
        """Returns the draft of a request; None where it shall stay as it is.

        Args:
            api: Its form.
            fields: Its keywords.
            reads: Whether calls of tools can be read out of the answer.
            runs_tools: Whether plugins' tools can be run.
            choice: Of tools, in the place of the request's own.
        """
        turn = turn_of(self.turn, fields, self.pipeline)
        turn = turn.adding(choice) if turn is not None and choice is not None else turn
        if turn is not None and self.tool_mode is not None:
            turn = turn.replace(tool_mode=self.tool_mode)
        deployment = deployment_of(fields.get("model_info"))
        if turn is None or not deployment.enabled:
            return None
        return draft(
            api, without_prefix(fields), pipeline=self.pipeline, turn=turn, deployment=deployment,
            reads=reads, runs_tools=runs_tools,
        )  # fmt: skip


def _run(function: Callable[..., Any], api: Api, ours: _Ours, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    fields = _named(function, args, kw)
    found = ours.draft(api, fields, reads=api is Api.CHAT)
    return Call(function, api, ours.pipeline).make(found.assemble() if found else None, fields)


async def _arun(function: Callable[..., Any], api: Api, ours: _Ours, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    fields = _named(function, args, kw)
    found = ours.draft(api, fields, reads=api is Api.CHAT)
    return await Call(function, api, ours.pipeline).amake(await found.aassemble() if found else None, fields)


def _named(function: Callable[..., Any], args: tuple[Any, ...], kw: dict[str, Any]) -> dict[str, Any]:
    """Returns all arguments by name; positions mean what they mean to that very function."""
    if not args:
        return kw
    bound = _signature(function).bind_partial(*args, **kw).arguments
    others = bound.pop("kwargs", {})
    return {**bound, **others}


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _functions(run_tools: RunTools) -> Tools:
    return run_tools if isinstance(run_tools, Mapping) else {}
