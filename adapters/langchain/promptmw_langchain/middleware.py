"""A middleware that assembles the prompt of every model call of an agent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, TracePolicy, omit_payload
from langchain.agents.middleware.internal_call_transformer import InternalCallTransformer
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.language_models import BaseChatModel
from langgraph.config import get_config

from promptmw import Pipeline, ToolMode, Turn
from promptmw.inside import inside, is_inside
from promptmw.logs import warn
from promptmw.steps import adrive, drive
from promptmw.toolmode.bounds import LoopPolicy
from promptmw_langchain import answers, looping, nested, turns
from promptmw_langchain.calls import refuses_tools
from promptmw_langchain.chat_model import PromptChatModel
from promptmw_langchain.edits import Edit, edit
from promptmw_langchain.nested import assembles_itself, with_turn
from promptmw_langchain.system import SystemFormat
from promptmw_langchain.tool_runs import ToolRun, as_model_request

Request = ModelRequest[Any]
TurnSource = Turn | Callable[[Request], Turn | Awaitable[Turn | None] | None] | None
"""A turn for all calls, or a function of the request; a request for which it returns None stays as it is."""


class PromptMiddleware(AgentMiddleware[Any, Any, Any]):
    """Assembles the prompt of every model call of an agent. Belongs last in the list: there it sees the final request.

    Args:
        pipeline: Assembles; by default the chat profile with all installed plugins.
        turn: A `Turn`, or a function of the request that returns one, or an awaitable of one for async runs, or None
            for a request that shall stay as it is. For a call of a plugin's tool it is asked again, with the messages,
            state and runtime of that moment. Without it, the runtime's context counts if it is a turn or has one as
            ``promptmw``, then the config's metadata.
        name: Must be unique in an agent: pass one when an agent has two.
        tool_mode: Goes before what the turn states, unless it is ``auto``.
        system_format: ``blocks`` sends the system text as one block a section.

    A model without function calling gets its tools as text, and its calls are read out of what it writes.

    Example:
        >>> agent = create_agent(model, tools, middleware=[PromptMiddleware(turn=lambda request: Turn(…))])
    """

    trace_policy = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)
    transformers = (InternalCallTransformer,)
    """Keeps model calls that a plugin marks as its own out of the agent's messages."""

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        turn: TurnSource = None,
        name: str = "promptmw",
        tool_mode: ToolMode | str = ToolMode.AUTO,
        system_format: SystemFormat = "auto",
    ) -> None:
        super().__init__()
        self.tools = []
        self.pipeline = pipeline or Pipeline()
        self._turn = turn
        self._name = name
        self._tool_mode = ToolMode(tool_mode)
        self._system_format: SystemFormat = system_format

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    def wrap_model_call(self, request: Request, handler: Callable[[Request], ModelResponse[Any]]) -> ModelResponse[Any]:
        """Assembles, and lets the model answer."""
        turn, request = self._ending(request, turns.settled(self._stated(request)))
        found = self._edit(request, turn)
        if not isinstance(found, Edit):
            return handler(found)
        prompt = found.draft.assemble()
        edited = found.edited(prompt)
        told = answers.FAILED
        try:
            with inside(self.pipeline):
                response = handler(edited)
            told = answers.of_response(response)
            return response
        except Exception as error:
            if not self._switches(found, error):
                raise
        finally:
            found.draft.pipeline.answered(prompt, told)
        return handler(self._as_text(request, turn))

    async def awrap_model_call(
        self, request: Request, handler: Callable[[Request], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Assembles, awaiting what plugins collect, and lets the model answer."""
        turn, request = self._ending(request, await turns.asettled(self._stated(request)))
        found = self._edit(request, turn)
        if not isinstance(found, Edit):
            return await handler(found)
        prompt = await found.draft.aassemble()
        edited = found.edited(prompt)
        told = answers.FAILED
        try:
            with inside(self.pipeline):
                response = await handler(edited)
            told = answers.of_response(response)
            return response
        except Exception as error:
            if not self._switches(found, error):
                raise
        finally:
            await found.draft.pipeline.aanswered(prompt, told)
        return await handler(self._as_text(request, turn))

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Runs a tool within the bounds of the loop; a plugin's one with the turn of its prompt."""
        if request.tool is None:
            found = self._tool_run(request, turns.settled(self._stated(as_model_request(request))))
            request = found.with_tool(found.draft.assemble()) if found else request
        return drive(looping.run_steps(request, partial(handler, self._restored(request)), self._bounds))

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> Any:
        """Runs a tool within the bounds of the loop, awaiting it. Otherwise as `wrap_tool_call`."""
        if request.tool is None:
            found = self._tool_run(request, await turns.asettled(self._stated(as_model_request(request))))
            request = found.with_tool(await found.draft.aassemble()) if found else request
        return await adrive(looping.run_steps(request, looping.awaited(handler, self._restored(request)), self._bounds))

    def _restored(self, request: ToolCallRequest) -> ToolCallRequest:
        return looping.restored(request, self.pipeline.catalog.policy.settings.restore)

    @property
    def _bounds(self) -> LoopPolicy:
        return self.pipeline.catalog.tool_loop

    def _ending(self, request: Request, turn: Turn | None) -> tuple[Turn | None, Request]:
        """Returns turn and request of a last round, in which no tool may be called, where it is one."""
        finish = None if turn is None else looping.ending(request, self._bounds)
        if turn is None or finish is None:
            return turn, request
        warn("the loop of an agent ends", reason=finish.reason, rounds=finish.rounds)
        return looping.last(turn, finish), request.override(tool_choice="none")

    def _stated(self, request: Request) -> Any:
        if is_inside(self.pipeline):
            return None
        if self._turn is not None:
            return turns.given(self._turn, request)
        context = getattr(request.runtime, "context", None)
        stated = context if isinstance(context, Turn) else getattr(context, turns.KEY, None)
        return turns.from_metadata(_metadata(), self.pipeline) if stated is None else stated

    def _edit(self, request: Request, turn: Turn | None) -> Edit | Request:
        """Returns the edit of a request; the request itself where there is nothing to edit."""
        if turn is None:
            return request
        if assembles_itself(request.model):
            own = turn is turns.UNSTATED
            return request if own else request.override(model=with_turn(request.model, self._with_mode(turn)))
        found = edit(
            request, turn, pipeline=self.pipeline, tool_mode=self._tool_mode, system_format=self._system_format
        )
        return self._as_text(request, turn) if found.draft.as_text else found

    def _as_text(self, request: Request, turn: Turn | None) -> Request:
        """Returns a request whose models write the tools into the prompt, and read the calls from the text."""
        model = nested.wrapped(request.model, partial(self._assembling, turn))
        return request.override(model=model)

    def _assembling(self, turn: Turn | None, inner: BaseChatModel) -> PromptChatModel:
        return PromptChatModel(
            inner=inner, pipeline=self.pipeline, turn=turn, tool_mode=self._tool_mode,
            system_format=self._system_format, runs_tools=True,
        )  # fmt: skip

    def _switches(self, found: Edit, error: Exception) -> bool:
        """Says whether a request goes again with its tools in the prompt, as the model takes none."""
        draft, request = found.draft, found.request
        retries = draft.pipeline.catalog.tool_settings.on_rejected_tools == "retry"
        free = not draft.mode_stated and bool(request.tools) and retries
        return free and refuses_tools(draft.facts, error)

    def _tool_run(self, request: ToolCallRequest, turn: Turn | None) -> ToolRun | None:
        if turn is None:
            return None
        return ToolRun.of(request, self._with_mode(turn), self.pipeline)

    def _with_mode(self, turn: Turn) -> Turn:
        return turn if self._tool_mode is ToolMode.AUTO else turn.replace(tool_mode=self._tool_mode)


def _metadata() -> Any:
    """Returns the config's metadata; outside a graph there is none."""
    try:
        return get_config().get("metadata")
    except RuntimeError:
        return None
