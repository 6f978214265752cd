"""What a plugin may do to the history of one request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEdit:
    """Leaves messages out of one request; the application's stored history stays as it is.

    Attributes:
        keep_from: Index of the first message that is sent.
        inputs: Inputs that stand for what is left out, such as a summary.
    """

    keep_from: int = 0
    inputs: tuple[object, ...] = ()
