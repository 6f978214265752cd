"""Calls of plugins' tools in an agent, which does not have these tools itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from langchain.agents.middleware import ModelRequest
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AnyMessage

from promptmw import Conversation, Pipeline, Prompt, ToolMode, Turn
from promptmw_langchain.drafts import Draft, Means, draft
from promptmw_langchain.form import FORM
from promptmw_langchain.plugin_tools import offered_tools


@dataclass(frozen=True, slots=True)
class ToolRun:
    """Is a call of a tool that the agent itself does not have.

    The prompt that offered the tool is assembled again: the round's facts are known, and nothing has to be kept between
    two nodes of a graph that may be interrupted, and go on in another process.

    Attributes:
        request: As it came.
        draft: Of the prompt that offers the tool.
    """

    request: ToolCallRequest
    draft: Draft

    @classmethod
    def of(cls, request: ToolCallRequest, turn: Turn, pipeline: Pipeline) -> Self | None:
        """Returns the run of a call; None where the turn's profile has no such tool on offer."""
        means = Means(None, request.runtime.tools, ToolMode.AUTO, runs_tools=True)
        found = draft(pipeline, turn, Conversation(messages_of(request.state), FORM), means)
        offered = request.tool_call["name"] in found.pipeline.profile.offer_tools
        return cls(request, found) if offered and found.can_run_tools else None

    def with_tool(self, prompt: Prompt) -> ToolCallRequest:
        """Returns the request with the plugin's tool in it; as it came where the prompt does not offer it."""
        name = self.request.tool_call["name"]
        tool = next((t for t in offered_tools(self.draft.pipeline, prompt) if t.name == name), None)
        return self.request.override(tool=tool) if tool else self.request


def as_model_request(request: ToolCallRequest) -> ModelRequest[Any]:
    """Returns what a function of a model's request can read of a tool's: messages, state and runtime."""
    parts: dict[str, Any] = {"model": None, "state": request.state, "runtime": request.runtime}
    return ModelRequest(messages=list(messages_of(request.state)), **parts)


def messages_of(state: Any) -> Sequence[AnyMessage]:
    """Returns the messages in a graph's state."""
    if isinstance(state, list):
        return state
    found: Sequence[AnyMessage] = state["messages"] if isinstance(state, dict) else state.messages
    return found
