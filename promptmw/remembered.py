"""What is made of texts of a conversation, remembered by the text: a history comes again with every request."""

from __future__ import annotations

from collections.abc import Callable

from promptmw.recent import Recent

_LONGEST = 256 * 1024
_OVERHEAD = 64  # characters, for what an entry takes besides its text
_MADE: Recent[tuple[str, str], str] = Recent(8 * 1024 * 1024, weigh=lambda text: len(text) + _OVERHEAD)


def remembered(kind: str, text: str, make: Callable[[], str]) -> str:
    """Returns what is made of a text.

    Args:
        kind: Names how it is made, with all that this depends on.
        text: Of which.
        make: Makes it.
    """
    made = _MADE.get((kind, text))
    if made is None:
        made = make()
        if len(text) <= _LONGEST:
            _MADE.put((kind, text), made)
    return made
