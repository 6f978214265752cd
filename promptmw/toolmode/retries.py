"""Retries of a round: what the answers to one message of the user may cost together, calls in between or not."""

from __future__ import annotations

from dataclasses import dataclass

from promptmw.inputs import input_type
from promptmw.kinds import Trust
from promptmw.messages import Conversation
from promptmw.recent import Recent


@input_type("tool_round", trust=Trust.AUTHORED)
@dataclass(frozen=True, slots=True)
class ToolRound:
    """Is the round that a request belongs to. Stated by the core in prompt-tool mode.

    Attributes:
        first: The id of its first call; blank as long as there is none.
        in_loop: Whether we run the tools.
    """

    first: str = ""
    in_loop: bool = False


def round_of(conversation: Conversation, *, in_loop: bool) -> ToolRound:
    """Returns the round of a conversation: what came since the last message of the user."""
    said = conversation.body(conversation.last_user or 0)
    ids = (call.id for message in said for call in conversation.form.calls(message))
    return ToolRound(next(ids, ""), in_loop)


class Retries:
    """Counts the retries of rounds. Bounded; losing a count is harmless.

    Args:
        size: Rounds that are remembered.
    """

    def __init__(self, size: int = 512) -> None:
        self._counts: Recent[str, int] = Recent(size)

    def used(self, first: str) -> int:
        """Returns how many retries the round took whose first call has this id; none where it is blank."""
        return self._counts.get(first) or 0 if first else 0

    def add(self, first: str, count: int) -> None:
        """Adds some."""
        if first and count:
            self._counts.put(first, self.used(first) + count)


RETRIES = Retries()
"""Of this process."""
