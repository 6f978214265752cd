"""Stop sequences: which one of ours goes with a request, and what was seen of models that cannot have one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from promptmw.recent import Recent
from promptmw.toolmode.capability import LEARNED, Fact

if TYPE_CHECKING:
    from promptmw.toolmode.capability import ModelFacts
    from promptmw.toolmode.using import ProtocolInUse

_REFUSAL = re.compile(r"\bstop(?:[_ ]?sequences?)?\b", re.IGNORECASE)
_STATUSES = frozenset({400, 422})


class Thinkers:
    """Remembers which deployments think in the text of their answers. Bounded; losing an entry is harmless.

    Args:
        size: Deployments that are remembered.
    """

    def __init__(self, size: int = 256) -> None:
        self._seen: Recent[str, bool] = Recent(size)

    def note(self, key: str) -> None:
        """Remembers a deployment; one without a name is not told apart from others, so it is not."""
        if key:
            self._seen.put(key, True)

    def __contains__(self, key: str) -> bool:
        return self._seen.get(key) is not None


THINKERS = Thinkers()


def own_stop(using: ProtocolInUse, *, refused: bool, thinks: bool) -> str:
    """Returns the sequence that ends an answer where nothing of use can follow; blank for none.

    Args:
        using: The protocol in use.
        refused: Whether calls are refused.
        thinks: Whether the model thinks in the text: a sequence inside a thought would kill it.
    """
    if refused:
        return using.protocol.open
    if thinks:
        return ""
    return f"<{using.settings.result_tag}" if using.many else using.protocol.close


def wanted(using: ProtocolInUse, facts: ModelFacts, *, refused: bool) -> str:
    """Returns our sequence for a request to a deployment; blank where none is sent."""
    if not using.settings.stop or facts.stop is Fact.NO or LEARNED.refused_stop(facts.key):
        return ""
    thinks = facts.reasoning_in_text is Fact.YES or facts.key in THINKERS
    return own_stop(using, refused=refused, thinks=thinks)


def with_own(caller: Sequence[str], own: str, facts: ModelFacts) -> tuple[str, ...]:
    """Returns the caller's sequences with ours behind them, where there is room for it."""
    if not own or own in caller or len(caller) >= facts.max_stops:
        return tuple(caller)
    return (*caller, own)


def says_no_stop(status: int | None, text: str) -> bool:
    """Says whether a provider's error means that it does not take stop sequences."""
    return status in _STATUSES and _REFUSAL.search(text) is not None
