"""A draft: a call that is understood, and waits for its prompt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from promptmw import Conversation, Pipeline, Problem, Prompt, ToolMode, Turn
from promptmw.prompts import Kind
from promptmw.toolmode.capability import ModelFacts
from promptmw.toolmode.choice import Choice
from promptmw_langchain import tooling
from promptmw_langchain.models import facts_of, name_of

OWNER = "promptmw-langchain"


@dataclass(frozen=True, slots=True)
class Draft:
    """Is a call that waits for its prompt.

    Attributes:
        pipeline: Of the turn's profile.
        turn: With the model, the tools and the mode of this call.
        conversation: Its messages.
        can_run_tools: Whether plugins' tools can be offered.
        facts: What is known of the model.
        mode_stated: Whether the application states the tool mode.
    """

    pipeline: Pipeline
    turn: Turn
    conversation: Conversation
    can_run_tools: bool
    facts: ModelFacts
    mode_stated: bool

    @property
    def as_text(self) -> bool:
        """Whether tools, calls and results go to the model as text."""
        return self.turn.tool_mode is ToolMode.PROMPT

    def assemble(self) -> Prompt:
        """Returns the prompt.

        Raises:
            SectionError: A required section failed.
        """
        return self._noted(self.pipeline.assemble(self.turn, self.conversation, can_run_tools=self.can_run_tools))

    async def aassemble(self) -> Prompt:
        """Returns the prompt, awaiting what plugins collect. Otherwise as `assemble`."""
        prompt = await self.pipeline.aassemble(self.turn, self.conversation, can_run_tools=self.can_run_tools)
        return self._noted(prompt)

    def _noted(self, prompt: Prompt) -> Prompt:
        wanted = self.pipeline.profile.offer_tools
        if self.can_run_tools or not wanted or self.turn.tool_mode is ToolMode.NONE:
            return prompt
        detail = f"not offered, as nothing in this call can run them: {', '.join(wanted)}"
        return replace(prompt, problems=(*prompt.problems, Problem(Kind.NOTE, "offer_tools", OWNER, detail)))


@dataclass(frozen=True, slots=True)
class Means:
    """Is what a call has at hand.

    Attributes:
        model: The chat model that is asked first; None if that is not known yet.
        tools: In any provider's form.
        tool_mode: As the adapter was told; AUTO leaves it to the turn.
        runs_tools: Whether there is something that runs plugins' tools.
        binds: Whether plugins' tools can be bound to the model; those in the prompt need not be.
        choice: What the call says about calling tools.
    """

    model: Any
    tools: Sequence[Any]
    tool_mode: ToolMode
    runs_tools: bool = False
    binds: bool = True
    choice: tuple[Choice, ...] = ()


def draft(pipeline: Pipeline, turn: Turn, conversation: Conversation, means: Means) -> Draft:
    """Returns the draft of a call.

    Args:
        pipeline: Of any profile.
        turn: What the application states.
        conversation: The messages.
        means: What the call has at hand.

    Raises:
        ConfigError: There is no such profile.
    """
    mode = turn.tool_mode if means.tool_mode is ToolMode.AUTO else means.tool_mode
    facts = facts_of(means.model, mode)
    as_text = facts.tools.mode is ToolMode.PROMPT
    hosted = tuple(t for t in turn.tools if t.hosted)
    specs = tuple(map(tooling.written, means.tools)) if as_text else tooling.specs(means.tools)
    settled = turn.replace(
        profile="",
        model=name_of(means.model) or turn.model,
        tools=(*hosted, *specs),
        tool_mode=facts.tools.mode or ToolMode.NATIVE,
    )
    own = pipeline.for_profile(turn.profile) if turn.profile else pipeline
    stated = settled.adding(*means.choice) if as_text and settled.get(Choice) is None else settled
    return Draft(
        own,
        stated,
        conversation,
        can_run_tools=means.runs_tools and (as_text or means.binds),
        facts=facts,
        mode_stated=mode is not ToolMode.AUTO,
    )
