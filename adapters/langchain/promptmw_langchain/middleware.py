"""A middleware that assembles the prompt of every model call of an agent."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import AgentMiddleware, ModelRequest, ModelResponse, TracePolicy, omit_payload
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.config import get_config

from promptmw import Conversation, Pipeline, Prompt, ToolMode, Turn
from promptmw.inside import inside, is_inside
from promptmw.recent import Recent
from promptmw_langchain import answers, tooling, turns
from promptmw_langchain.calls import FORM
from promptmw_langchain.chat_model import PromptChatModel
from promptmw_langchain.plugin_tools import PluginTool, result_message
from promptmw_langchain.system import SystemFormat, system_message

TurnSource = Callable[[ModelRequest], Turn | Awaitable[Turn]]


class PromptMiddleware(AgentMiddleware):
    """Assembles the prompt of every model call of an agent. Belongs last in the list: there it sees the final request.

    Args:
        pipeline: Assembles; by default the chat profile with all installed plugins.
        turn: A function of the request that returns the `Turn`, or an awaitable of one for async runs. Without it, the
            runtime's context counts if it is a turn or has one as ``promptmw``, then the config's metadata.
        name: Must be unique in an agent: pass one when an agent has two.
        tool_mode: ``auto``, ``native`` or ``none``.
        system_format: ``blocks`` sends the system text as one block a section.

    Raises:
        ToolModeError: The agent has tools and the model has no tool calling; when called.

    Example:
        >>> agent = create_agent(model, tools, middleware=[PromptMiddleware(turn=lambda request: Turn(…))])
    """

    trace_policy = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)

    def __init__(
        self,
        pipeline: Pipeline | None = None,
        *,
        turn: TurnSource | None = None,
        name: str = "promptmw",
        tool_mode: ToolMode | str = ToolMode.AUTO,
        system_format: SystemFormat = "auto",
    ) -> None:
        super().__init__()
        self.tools = []
        self._pipeline = pipeline or Pipeline()
        self._turn = turn
        self._name = name
        self._tool_mode = ToolMode(tool_mode)
        self._system_format = system_format
        self._offered: Recent[str, tuple[Pipeline, Prompt]] = Recent(1024)

    @property
    def name(self) -> str:
        """The name that it was given."""
        return self._name

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]) -> ModelResponse:
        """Assembles, and lets the model answer."""
        if is_inside(self._pipeline):
            return handler(request)
        turn = turns.checked(self._stated(request))
        if isinstance(request.model, PromptChatModel):
            return handler(_with_turn(request, turn))
        draft = _Draft(self._pipeline, turn, request, self._tool_mode)
        prompt = draft.pipeline.assemble(draft.turn, draft.conversation)
        told = answers.FAILED
        try:
            with inside(self._pipeline):
                response = handler(draft.edited(prompt, self._system_format))
            told = answers.of_messages(response.result)
            self._remember(draft.pipeline, prompt, response)
            return response
        finally:
            draft.pipeline.answered(prompt, told)

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """Assembles, awaiting what plugins collect, and lets the model answer."""
        if is_inside(self._pipeline):
            return await handler(request)
        stated = self._stated(request)
        turn = turns.checked(await stated if inspect.isawaitable(stated) else stated)
        if isinstance(request.model, PromptChatModel):
            return await handler(_with_turn(request, turn))
        draft = _Draft(self._pipeline, turn, request, self._tool_mode)
        prompt = await draft.pipeline.aassemble(draft.turn, draft.conversation)
        told = answers.FAILED
        try:
            with inside(self._pipeline):
                response = await handler(draft.edited(prompt, self._system_format))
            told = answers.of_messages(response.result)
            self._remember(draft.pipeline, prompt, response)
            return response
        finally:
            await draft.pipeline.aanswered(prompt, told)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Runs a plugin's tool; every other call goes on untouched."""
        found = self._offered.get(request.tool_call["id"] or "")
        if found is None:
            return handler(request)
        pipeline, prompt = found
        result = pipeline.run_tool(prompt, request.tool_call["name"], request.tool_call["args"])
        return result_message(result, request.tool_call)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Any]]
    ) -> ToolMessage | Any:
        """Runs a plugin's tool, awaiting it; every other call goes on untouched."""
        found = self._offered.get(request.tool_call["id"] or "")
        if found is None:
            return await handler(request)
        pipeline, prompt = found
        result = await pipeline.arun_tool(prompt, request.tool_call["name"], request.tool_call["args"])
        return result_message(result, request.tool_call)

    def _stated(self, request: ModelRequest) -> Any:
        if self._turn is not None:
            return self._turn(request)
        context = getattr(request.runtime, "context", None)
        stated = context if isinstance(context, Turn) else getattr(context, turns.KEY, None)
        return stated if isinstance(stated, Turn) else turns.from_metadata(_metadata(), self._pipeline)

    def _remember(self, pipeline: Pipeline, prompt: Prompt, response: ModelResponse) -> None:
        """Remembers which calls of the answer are for plugins' tools, and the prompt that offered them."""
        names = {t.name for t in prompt.offered}
        for message in response.result if names else ():
            for call in message.tool_calls if isinstance(message, AIMessage) else ():
                if call["name"] in names:
                    self._offered.put(call["id"] or "", (pipeline, prompt))


class _Draft:
    """Is one model call before it is assembled."""

    def __init__(self, pipeline: Pipeline, turn: Turn, request: ModelRequest, tool_mode: ToolMode) -> None:
        stated = turn.tool_mode if tool_mode is ToolMode.AUTO else tool_mode
        self._mode = tooling.resolved(stated, request.model, request.tools)
        self._request = request
        self.pipeline = turns.pipeline_of(pipeline, turn)
        self.turn = turn.replace(
            profile="",
            tool_mode=self._mode,
            tools=tooling.specs(request.tools),
            model=turn.model or str(getattr(request.model, "model_name", "")),
        )
        system = request.system_message.text if request.system_message else ""
        self.conversation = Conversation(request.messages, FORM, system=system)

    def edited(self, prompt: Prompt, form: SystemFormat) -> ModelRequest:
        """Returns the request with the prompt laid over it; fields that do not change stay the same objects."""
        laid = self.pipeline.lay_out(prompt, self.conversation)
        fields: dict[str, Any] = {"system_message": system_message(prompt, form)}
        if len(prompt.blocks) > len(prompt.system_blocks) or prompt.edit.keep_from:
            fields["messages"] = laid.messages
        return self._request.override(**fields, **self._tool_fields(prompt))

    def _tool_fields(self, prompt: Prompt) -> dict[str, Any]:
        request = self._request
        if self._mode is ToolMode.NONE:
            settings = {k: v for k, v in request.model_settings.items() if k not in tooling.KEYWORDS}
            return {"tools": [], "tool_choice": None, "model_settings": settings}
        tools = [*request.tools, *(PluginTool.of(t) for t in prompt.offered)]
        arranged = tooling.ordered(tools, self.pipeline.profile)
        return {} if arranged == request.tools else {"tools": arranged}


def _with_turn(request: ModelRequest, turn: Turn) -> ModelRequest:
    """Returns the request for a model that assembles itself: it gets the turn, and nothing else changes."""
    model = request.model.model_copy(update={"turn": lambda messages, metadata: turn})
    return request.override(model=model)


def _metadata() -> Any:
    """Returns the config's metadata; outside a graph there is none."""
    try:
        return get_config().get("metadata")
    except RuntimeError:
        return None
