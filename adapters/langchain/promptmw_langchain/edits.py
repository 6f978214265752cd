"""The edit of one model request of an agent: only the fields that change, everything else the caller's objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langchain.agents.middleware import ModelRequest

from promptmw import Conversation, Pipeline, Prompt, ToolMode, Turn
from promptmw.layout import Laid
from promptmw_langchain import tooling
from promptmw_langchain.drafts import Draft, Means, draft
from promptmw_langchain.form import FORM
from promptmw_langchain.models import chat_model_in
from promptmw_langchain.plugin_tools import offered_tools
from promptmw_langchain.system import SystemFormat, system_message


@dataclass(frozen=True, slots=True)
class Edit:
    """Is a request that waits for its prompt.

    Attributes:
        request: As it came.
        draft: Of its prompt.
        system_format: How the system text is written.
    """

    request: ModelRequest[Any]
    draft: Draft
    system_format: SystemFormat

    def edited(self, prompt: Prompt) -> ModelRequest[Any]:
        """Returns the request with the prompt laid over it."""
        laid = self.draft.pipeline.lay_out(prompt, self.draft.conversation)
        changes = {**self._system(prompt), **self._messages(prompt, laid), **self._tools(prompt)}
        return self.request.override(**changes) if changes else self.request

    def _system(self, prompt: Prompt) -> dict[str, Any]:
        message = system_message(prompt, self.system_format)
        before = self.request.system_message
        same = message is before or (message and before and message.content == before.content)
        return {} if same else {"system_message": message}

    def _messages(self, prompt: Prompt, laid: Laid) -> dict[str, Any]:
        moved = prompt.edit.keep_from or self.draft.conversation.lead
        return {"messages": laid.messages} if moved or laid.changed else {}

    def _tools(self, prompt: Prompt) -> dict[str, Any]:
        request = self.request
        if self.draft.turn.tool_mode is ToolMode.NONE:
            return {"tools": [], "tool_choice": None, **self._settings()}
        tools = [*request.tools, *offered_tools(self.draft.pipeline, prompt)]
        if not tools:
            return self._settings() if request.response_format is None else {}
        ordered = tooling.ordered(tools, self.draft.pipeline.profile)
        same = len(ordered) == len(request.tools) and all(a is b for a, b in zip(ordered, request.tools, strict=True))
        return {} if same else {"tools": ordered}

    def _settings(self) -> dict[str, Any]:
        """Returns the change of settings that only go with tools."""
        settings = self.request.model_settings
        rest = {k: v for k, v in settings.items() if k not in tooling.KEYWORDS}
        return {} if len(rest) == len(settings) else {"model_settings": rest}


def edit(
    request: ModelRequest[Any], turn: Turn, *, pipeline: Pipeline, tool_mode: ToolMode, system_format: SystemFormat
) -> Edit:
    """Returns the edit of a request.

    Args:
        request: As it came; untouched.
        turn: What the application states.
        pipeline: Of any profile.
        tool_mode: As the middleware was told.
        system_format: As the middleware was told.
    """
    means = Means(chat_model_in(request.model), request.tools, tool_mode, runs_tools=True)
    system = FORM.content(request.system_message) if request.system_message else ""
    conversation = Conversation(request.messages, FORM, system=system)
    return Edit(request, draft(pipeline, turn, conversation, means), system_format)
