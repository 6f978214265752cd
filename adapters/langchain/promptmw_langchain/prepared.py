"""What a call carries from its entry to the model."""

from __future__ import annotations

from promptmw import Pipeline, Prompt

PREPARED = "promptmw"
"""The one private keyword of a call; it is taken out before the inner model is called."""


class PreparedCall:
    """Holds the prompt of a call. A plain class on purpose: tracers print it with ``repr`` and see no content.

    Args:
        pipeline: Who made the prompt.
        prompt: What was laid over the messages.
    """

    __slots__ = ("pipeline", "prompt")

    def __init__(self, pipeline: Pipeline, prompt: Prompt) -> None:
        self.pipeline = pipeline
        self.prompt = prompt

    def __deepcopy__(self, memo: object) -> PreparedCall:
        return self  # some tracers copy all that they find in a call's keywords

    def __repr__(self) -> str:
        """Says of the answer what the messages do not: it is part of the key under which caches keep it."""
        return f"promptmw:{self.prompt.tools.mode.value}"
