"""What a call carries from its entry to the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from langchain_core.messages import BaseMessage

from promptmw import Pipeline, Prompt
from promptmw.fencing import Restored
from promptmw.restoring import Restoring
from promptmw.toolmode.capability import ModelFacts
from promptmw.toolmode.using import ProtocolInUse

if TYPE_CHECKING:
    from promptmw_langchain.calls import Again

PREPARED = "promptmw"
"""The one private keyword of a call; it is taken out before the inner model is called."""


class PreparedCall:
    """Holds the prompt of a call. A plain class on purpose: tracers print it with ``repr`` and see no content.

    Args:
        pipeline: Who made the prompt.
        prompt: What was laid over the messages.
        facts: What is known of the model.
        again: Assembles the call anew, for a model that turns out to have no function calling.
        made: The name of the model that the inner one was made with.
        called: The name that this call asks for instead; blank for none.
        restores: Whether escapes are taken out of the answer; otherwise it is as the model wrote it.
    """

    __slots__ = ("_called", "_made", "_restores", "again", "facts", "pipeline", "prompt")

    def __init__(
        self,
        pipeline: Pipeline,
        prompt: Prompt,
        *,
        facts: ModelFacts,
        again: Callable[[], Again] | None = None,
        made: str = "",
        called: str = "",
        restores: bool = True,
    ) -> None:
        self.pipeline = pipeline
        self.prompt = prompt
        self.facts = facts
        self.again = again
        self._made = made
        self._called = called
        self._restores = restores

    @property
    def as_text(self) -> bool:
        """Whether the answer is read for calls of tools."""
        return self.prompt.turn.get(ProtocolInUse) is not None

    def restoring(self) -> Restoring:
        """Returns what restores one answer."""
        wanted = self.pipeline.catalog.policy.settings.restore if self._restores else Restored.OFF
        return Restoring(wanted, parsed=self.as_text)

    def named(self, message: BaseMessage) -> None:
        """Puts the model that was called into an answer that names the one it was made with, as some models do."""
        if self._called and message.response_metadata.get("model_name") == self._made:
            message.response_metadata["model_name"] = self._called

    def __deepcopy__(self, memo: object) -> PreparedCall:
        return self  # some tracers copy all that they find in a call's keywords

    def __repr__(self) -> str:
        """Says of the answer what the messages do not: it is part of the key under which caches keep it."""
        return f"promptmw:{self.prompt.tools.mode.value}"
