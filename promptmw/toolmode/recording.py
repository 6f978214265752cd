"""Keeps the record of the attempts at one answer, for the report."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from promptmw.answers import Usage
from promptmw.toolmode.asking import Request
from promptmw.toolmode.attempt import Attempt
from promptmw.toolmode.events import Dropped, DropReason, FinishReason
from promptmw.toolmode.report import AttemptRow, CallRow, DropRow, ProblemRow, ToolReport

_CHARACTERS_A_TOKEN = 4


class Cause(Enum):
    """Says why a request was made."""

    FIRST = "first"
    STOP_REFUSED = "stop refused"
    WITHOUT_STOP = "without stop"
    ASKED_AGAIN = "asked again"
    WITHOUT_TOOLS = "without tools"


class Record:
    """Collects the rows of a report.

    Args:
        request: What the application asks for.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self._rows: list[AttemptRow] = []
        self.notes: list[str] = []
        if request.using.settings.constrain != "off" and not request.constrained:
            self.notes.append("a grammar was asked for, and the deployment is not known to take one")

    def add(
        self,
        cause: Cause,
        outcome: str,
        attempt: Attempt,
        *,
        stop: str = "",
        grammar: bool = False,
        prefilled: bool = False,
        closed: bool = False,
        usage: Usage | None = None,
    ) -> None:
        """Adds the row of an attempt that has ended."""
        self._rows.append(
            AttemptRow(
                cause=cause.value,
                outcome=outcome,
                reason=attempt.reason.value if attempt.reason else "",
                stop=stop,
                stop_held=_held(stop, attempt),
                grammar=grammar,
                prefilled=prefilled,
                closed=closed,
                text=len(attempt.text),
                calls=tuple(CallRow(c.name, tuple(sorted(n.value for n in c.notes))) for c in attempt.calls),
                problems=tuple(
                    ProblemRow(p.kind.value, p.name or "", p.position, tuple(v.rule for v in p.violations))
                    for p in attempt.problems
                ),
                drops=_drops(attempt.drops),
                noted=tuple(n.kind.value for n in attempt.noted),
                usage=usage or Usage(output_tokens=attempt.written // _CHARACTERS_A_TOKEN if closed else None),
                estimated=closed and usage is None,
            )
        )

    def refused(self, cause: Cause, stop: str) -> None:
        """Adds the row of a request that the provider refused because of our stop sequence."""
        self._rows.append(AttemptRow(cause=cause.value, outcome="stop refused", stop=stop, stop_held="refused"))

    def report(self, *, retries: int, choice_unmet: bool) -> ToolReport:
        """Returns the report so far."""
        using = self._request.using
        return ToolReport(
            format=using.protocol.name,
            why=using.why,
            accept=tuple(p.name for p in using.accept),
            attempts=tuple(self._rows),
            retries=retries,
            choice_unmet=choice_unmet,
            notes=tuple(self.notes),
        )


def _held(stop: str, attempt: Attempt) -> str:
    """Says whether the provider ended the answer at our sequence, as far as that can be seen."""
    if not stop:
        return ""
    if any(d.reason is DropReason.AFTER_BLOCK for d in attempt.drops):
        return "no"
    ended = attempt.reason in (FinishReason.STOP_SEQUENCE, FinishReason.TOOL_CALLS)
    return "yes" if ended and attempt.calls else ""


def _drops(drops: Sequence[Dropped]) -> tuple[DropRow, ...]:
    return tuple(DropRow(d.reason.value, d.chars) for d in drops)
