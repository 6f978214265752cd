"""A draft: a request that is understood, and waits for its prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from promptmw import Conversation, Layer, Pipeline, Problem, Prompt, ToolMode, ToolSpec, Turn
from promptmw.prompts import Kind
from promptmw.toolmode.capability import ModelFacts
from promptmw.toolmode.choice import Choice
from promptmw.toolmode.final_answer import answering
from promptmw.toolmode.using import ProtocolInUse
from promptmw_litellm.capabilities import facts_of
from promptmw_litellm.deployment import Deployment
from promptmw_litellm.request import PLACES, Api
from promptmw_litellm.structured import FIELD, answer_tool
from promptmw_litellm.tooling import TOOL_FIELDS, choice_in, definition, sorted_tools, tool_specs, unread
from promptmw_litellm.turns import without_stated_turn

OWNER = "promptmw-litellm"


@dataclass(frozen=True, slots=True)
class Prepared:
    """Is a request with its prompt in it.

    Attributes:
        fields: The keywords of the call.
        prompt: What was assembled.
        pipeline: By which; it is told the answer.
        facts: What is known of the model.
        again: Drafts the request anew for a model that turns out to take no tools; None where nobody may choose.
        legacy: Whether the request used ``functions``, so that its answer has a ``function_call``.
        answers: The tool whose arguments are the answer's text; blank for none.
    """

    fields: dict[str, Any]
    prompt: Prompt
    pipeline: Pipeline
    facts: ModelFacts
    again: Callable[[], Draft | None] | None = None
    legacy: bool = False
    answers: str = ""

    @property
    def as_text(self) -> bool:
        """Whether the answer is read for calls of tools."""
        return self.prompt.turn.get(ProtocolInUse) is not None


@dataclass(frozen=True, slots=True)
class Draft:
    """Is a request that waits for its prompt.

    Attributes:
        api: Its form.
        fields: As they came.
        pipeline: Of the turn's profile.
        turn: With the model, the tools and the mode of this request.
        conversation: Its messages.
        facts: What is known of the model.
        problems: What was found out before.
        again: As of `Prepared`.
        runs_tools: Whether there is something that runs plugins' tools.
        answers: As of `Prepared`.
    """

    api: Api
    fields: Mapping[str, Any]
    pipeline: Pipeline
    turn: Turn
    conversation: Conversation
    facts: ModelFacts
    problems: tuple[Problem, ...] = ()
    again: Callable[[], Draft | None] | None = None
    runs_tools: bool = False
    answers: str = ""

    def assemble(self) -> Prepared:
        """Returns the request with its prompt in it.

        Raises:
            SectionError: A required section failed.
        """
        return self._prepared(self.pipeline.assemble(self.turn, self.conversation, can_run_tools=self.runs_tools))

    async def aassemble(self) -> Prepared:
        """Returns the request with its prompt in it, awaiting what plugins collect. Otherwise as `assemble`."""
        return self._prepared(
            await self.pipeline.aassemble(self.turn, self.conversation, can_run_tools=self.runs_tools)
        )

    def _prepared(self, prompt: Prompt) -> Prepared:
        prompt = _without_history(prompt, self.conversation) if self._history_elsewhere else prompt
        before = (*self.problems, *self._not_offered())
        prompt = replace(prompt, problems=(*before, *prompt.problems)) if before else prompt
        fields = PLACES[self.api].written(self._offering(prompt), self.pipeline.lay_out(prompt, self.conversation))
        legacy = bool(fields.get("functions")) and not fields.get("tools")
        return Prepared(self._with_tools(fields), prompt, self.pipeline, self.facts, self.again, legacy, self.answers)

    def _offering(self, prompt: Prompt) -> Mapping[str, Any]:
        """Returns the fields with the plugins' tools that a prompt offers among their tools."""
        if not prompt.offered:
            return self.fields
        return {**self.fields, "tools": [*(self.fields.get("tools") or ()), *map(definition, prompt.offered)]}

    def _not_offered(self) -> Iterator[Problem]:
        """Yields a note for each plugin's tool that the profile offers, and that nothing would run here."""
        if self.turn.tool_mode is not ToolMode.NONE and not self.runs_tools:
            for name in sorted({*self.pipeline.profile.offer_tools} - {t.name for t in self.turn.tools}):
                yield Problem(Kind.NOTE, name, OWNER, "the tool was not offered: nothing runs it on this path")

    @property
    def _history_elsewhere(self) -> bool:
        return self.api is Api.RESPONSES and bool(self.fields.get("previous_response_id"))

    def _with_tools(self, fields: dict[str, Any]) -> dict[str, Any]:
        tools = fields.get("tools")
        mode = self.turn.tool_mode
        if mode in (ToolMode.NONE, ToolMode.PROMPT) or not (tools or fields.get("functions")):
            return {k: v for k, v in fields.items() if k not in TOOL_FIELDS and not (self.answers and k == FIELD)}
        if tools and self.pipeline.profile.tool_order == "name":
            return {**fields, "tools": sorted_tools(tools)}
        return fields


def draft(
    api: Api,
    fields: Mapping[str, Any],
    *,
    pipeline: Pipeline,
    turn: Turn,
    deployment: Deployment,
    problems: tuple[Problem, ...] = (),
    reads: bool = False,
    runs_tools: bool = False,
) -> Draft | None:
    """Returns the draft of a request, or None where it has no messages.

    Args:
        api: Its form.
        fields: The keywords of the call; untouched.
        pipeline: Of any profile.
        turn: What the application states.
        deployment: What the operator says about where it goes.
        problems: What the report shall name first.
        reads: Whether calls of tools can be read out of the answer on this path.
        runs_tools: Whether there is something that runs plugins' tools.

    Raises:
        ConfigError: There is no such profile.
        InputError: The choice of tools has a form that nobody knows.
        ToolModeError: Tools go into the prompt, and nothing reads the answer.
    """
    fields = without_stated_turn(fields)
    conversation = PLACES[api].conversation(fields)
    if conversation is None:
        return None
    profile = deployment.profile or turn.profile
    pipeline = pipeline.for_profile(profile) if profile else pipeline
    facts = facts_of(turn.tool_mode, fields, deployment)
    tools = tool_specs(fields)
    as_text = facts.tools.mode is ToolMode.PROMPT
    if as_text and tools and not reads:
        raise unread(str(fields.get("model") or ""))
    answer = answer_tool(fields, tools, facts.schema) if as_text and reads else None
    settled = turn.replace(
        profile="",
        model=str(fields.get("model") or ""),
        tools=(*(t for t in turn.tools if t.hosted), *tools, *([answer] if answer else [])),
        tool_mode=facts.tools.mode or ToolMode.NATIVE,
    )
    free = turn.tool_mode is deployment.tool_mode is ToolMode.AUTO and not as_text and bool(tools) and reads
    again = partial(
        draft, api, fields, pipeline=pipeline, turn=turn.replace(tool_mode=ToolMode.PROMPT), deployment=deployment,
        problems=problems, reads=reads, runs_tools=runs_tools,
    )  # fmt: skip
    return Draft(
        api,
        fields,
        pipeline,
        _choosing(settled, fields, answer) if as_text else settled,
        conversation,
        facts,
        problems,
        again if free and pipeline.catalog.tool_settings.on_rejected_tools == "retry" else None,
        runs_tools,
        answer.name if answer else "",
    )


def _choosing(turn: Turn, fields: Mapping[str, Any], answer: ToolSpec | None) -> Turn:
    """Returns a turn with what a request says about calling tools, where the turn does not say it itself."""
    if turn.get(Choice) is not None:
        return turn
    choice = choice_in(fields)
    if answer is not None:
        choice = answering(choice, answer.name, alone=all(t is answer or t.hosted for t in turn.tools))
    return turn.adding(choice) if choice else turn


def _without_history(prompt: Prompt, conversation: Conversation) -> Prompt:
    """Returns the prompt for a request whose history the provider keeps.

    Blocks for a user message go into one that is there. Without any, as with the outputs of calls only, the message
    that they belong to was sent before, with its blocks.
    """
    if not any(prompt.layer(layer) for layer in (Layer.FIRST_USER, Layer.LAST_USER)):
        return prompt
    if conversation.last_user is None:
        detail = "the history is not in the request: blocks of user messages were left out"
        prompt = replace(prompt, blocks=prompt.system_blocks)
    else:
        detail = "the history is not in the request: blocks of its first message went into the first one present"
    note = Problem(Kind.NOTE, "previous_response_id", OWNER, detail)
    return replace(prompt, problems=(*prompt.problems, note))
