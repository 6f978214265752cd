"""A round: one real user message and all that follows. Its facts are fixed at its first model call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from promptmw.kinds import ToolMode
from promptmw.messages import Conversation
from promptmw.recent import Recent
from promptmw.turn import Turn


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """Is what every call of a round shares.

    Attributes:
        now: The time of its first call.
        inputs: What was collected then.
    """

    now: datetime
    inputs: tuple[object, ...] = ()


class Rounds:
    """Remembers the facts of rounds that are going on.

    Args:
        size: How many rounds.
    """

    LASTS = timedelta(minutes=15)
    """A call that comes later begins its round anew."""

    def __init__(self, size: int = 512) -> None:
        self._facts: Recent[Hashable, RoundFacts] = Recent(size)

    def known(self, key: Hashable | None, now: datetime) -> RoundFacts | None:
        """Returns the facts of a round that has begun, or None."""
        facts = None if key is None else self._facts.get(key)
        return facts if facts and timedelta() <= now - facts.now <= self.LASTS else None

    def begin(self, key: Hashable | None, facts: RoundFacts) -> None:
        """Fixes the facts of a round."""
        if key is not None:
            self._facts.put(key, facts)


def round_key(turn: Turn, conversation: Conversation, *, collects: bool, own: Callable[[Any], Any]) -> Hashable | None:
    """Returns what tells one round from another, or None where there is no user message.

    Args:
        turn: As stated. Without a session, what it states is part of the key, so that nobody gets what was collected
            for another who asks the same.
        conversation: Its messages.
        collects: Whether anything is collected at all.
        own: Returns what of a content is the user's own, so that an assembled request belongs to the same round.
    """
    at = conversation.last_user
    if at is None:
        return None
    opening = conversation.text(conversation.first_user(), own)
    whose = turn.session or (_stated(turn) if collects else "")
    return (turn.tenant, turn.profile, whose, opening, at, conversation.text(at, own))


def _stated(turn: Turn) -> Turn:
    """Returns the turn without what may differ between the calls of one round: a retry may ask another model."""
    return turn.replace(now=None, model="", tools=(), tool_mode=ToolMode.AUTO)
