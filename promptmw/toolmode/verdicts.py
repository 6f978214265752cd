"""What an attempt leads to: it is the answer, or the model is asked again, or there is nothing more to ask. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from promptmw.toolmode.attempt import Attempt
from promptmw.toolmode.events import FinishReason, ProblemKind

_CUT = frozenset({FinishReason.LENGTH, FinishReason.CONTENT_FILTER})


class Verdict(Enum):
    """Says what an attempt leads to."""

    ANSWER = "answer"
    WITHOUT_STOP = "stopped too early"
    """The same request without our stop sequence, which ended a string or a thought."""
    ASK_AGAIN = "ask again"
    FAILED = "failed"
    """And there is no attempt left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chances:
    """Says what may still be done about an attempt that failed.

    Attributes:
        retries: How often the model may still be asked again.
        without_stop: Whether the request may be repeated without our stop sequence.
        cut_call: Whether a call that the output limit cut off is asked for again.
    """

    retries: int = 0
    without_stop: bool = False
    cut_call: bool = False


def verdict(attempt: Attempt, chances: Chances, *, required: bool, refused: bool) -> Verdict:
    """Returns what an attempt leads to.

    Args:
        attempt: That has ended.
        chances: What may still be done.
        required: Whether a call has to come.
        refused: Whether none may come.
    """
    if attempt.started:
        return Verdict.ANSWER
    if attempt.stopped and chances.without_stop:
        return Verdict.WITHOUT_STOP
    failed = attempt.silent if refused else bool(attempt.problems) or required or attempt.blank
    if not failed or (_cut(attempt) and not (chances.cut_call and attempt.problems)):
        return Verdict.ANSWER
    return Verdict.ASK_AGAIN if chances.retries > 0 else Verdict.FAILED


def _cut(attempt: Attempt) -> bool:
    """Says whether the provider cut the answer off, so that asking again would bring the same; as native, it is one."""
    whole = any(p.kind is not ProblemKind.TRUNCATED for p in attempt.problems)
    return attempt.reason in _CUT and not whole and not (attempt.blank and not attempt.problems)
