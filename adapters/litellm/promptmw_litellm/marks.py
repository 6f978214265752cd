"""The state of one call, kept where LiteLLM keeps its own: on the logging object, out of every client's reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from promptmw import Problem, Turn
from promptmw_litellm.drafts import Prepared

_ATTRIBUTE = "_promptmw"
_DETAIL = "promptmw_mark"


class CallMark:
    """Remembers what was done for a call; it dies with the request.

    Args:
        entry: Call type of the outermost call; bridges make inner ones of other types.
        resolved: The turn, where it is known before a deployment is chosen.
        problems: What the report names of that.
    """

    __slots__ = ("entry", "prepared", "problems", "resolved")

    def __init__(self, entry: str, *, resolved: Turn | None = None, problems: tuple[Problem, ...] = ()) -> None:
        self.entry = entry
        self.resolved = resolved
        self.problems = problems
        self.prepared: Prepared | None = None

    def taken(self) -> Prepared | None:
        """Returns what was assembled last, once: whoever gets it tells the answer."""
        prepared, self.prepared = self.prepared, None
        return prepared

    def __deepcopy__(self, memo: object) -> CallMark:
        return self  # some loggers copy all that they find in a call's details

    def __repr__(self) -> str:
        return f"<CallMark of {self.entry}>"


def mark_of(logging_obj: Any) -> CallMark | None:
    """Returns the mark of a call, or None."""
    mark = getattr(logging_obj, _ATTRIBUTE, None)
    return mark if isinstance(mark, CallMark) else None


def logged_mark(details: Mapping[str, Any]) -> CallMark | None:
    """Returns the mark of a call that a logging event tells of, which comes without its logging object."""
    mark = details.get(_DETAIL)
    return mark if isinstance(mark, CallMark) else None


def put_mark(logging_obj: Any, mark: CallMark) -> None:
    """Marks a call."""
    if logging_obj is not None:
        setattr(logging_obj, _ATTRIBUTE, mark)
        logging_obj.model_call_details[_DETAIL] = mark
