"""What a call carries from its entry to the model."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import BaseMessage

from promptmw import Pipeline, Prompt

PREPARED = "promptmw"
"""The one private keyword of a call; it is taken out before the inner model is called."""


class PreparedCall:
    """Holds the prompts of a call. A plain class on purpose: tracers print it with ``repr`` and see no content.

    Args:
        pipeline: Who made the prompts.
        prompts: The messages sent, each with the prompt that was laid over them.
    """

    __slots__ = ("_prompts", "pipeline")

    def __init__(self, pipeline: Pipeline, prompts: Sequence[tuple[Sequence[BaseMessage], Prompt]]) -> None:
        self.pipeline = pipeline
        self._prompts = tuple(prompts)

    def prompt(self, messages: Sequence[BaseMessage]) -> Prompt:
        """Returns the prompt that these messages were made with."""
        same = (p for sent, p in self._prompts if sent and messages and sent[-1] is messages[-1])
        return next(same, self._prompts[0][1])

    def __repr__(self) -> str:
        return f"promptmw:{self.pipeline.profile.name}:{self.pipeline.catalog.policy.id}"
