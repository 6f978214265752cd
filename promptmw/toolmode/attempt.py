"""One attempt at an answer: what of it the application sees at once, later or never, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from promptmw.toolmode.events import (
    Call,
    CallEnd,
    CallError,
    CallProblem,
    CallStart,
    Dropped,
    DropReason,
    Ended,
    Event,
    FinishReason,
    Noted,
    ProblemKind,
    ReasoningDelta,
    TextDelta,
)  # fmt: skip

if TYPE_CHECKING:
    from promptmw.toolmode.protocol import CallParser

_TEXT = (TextDelta, ReasoningDelta)
_STOPPED = frozenset({ProblemKind.STOPPED_IN_STRING, ProblemKind.STOPPED_IN_REASONING})


class Show(Enum):
    """Says when the text of an attempt is shown."""

    LIVE = "live"
    """As it comes."""
    WITH_CALL = "with call"
    """When a call comes."""
    AT_END = "at end"
    """If it ends without a call; with one, the lead-in was shown before."""
    NEVER = "never"


class Attempt:
    """Reads one answer of the model.

    Args:
        parser: Of the protocol.
        show: When its text is shown.
        begun: The beginning of the answer that the request already held.

    Attributes:
        calls: Delivered so far.
        problems: Calls that are not delivered, so far.
        drops: Text that is not shown, so far.
        noted: What else was seen, so far.
        started: Whether a call has gone out, be it finished or not.
        thought: Whether there were thoughts in the text.
        passed: Whether text that can be seen has gone out.
        reason: Why it ended.
        written: Characters that came.
    """

    def __init__(self, parser: CallParser, show: Show, *, begun: str = "") -> None:
        self.calls: list[Call] = []
        self.problems: list[CallProblem] = []
        self.drops: list[Dropped] = []
        self.noted: list[Noted] = []
        self.started = self.thought = self.passed = False
        self.reason: FinishReason | None = None
        self.written = 0
        self._parser = parser
        self._show = show
        self._begun = begun
        self._texts: list[str] = []
        self._held: list[TextDelta | ReasoningDelta] = []
        self._errors: list[CallError] = []

    def feed(self, text: str) -> list[Event]:
        """Returns what more text shows."""
        self.written += len(text)
        if self._begun:
            text, self._begun = self._begun + text, ""
        events = self._parser.feed(text)
        return self._shown(events) if events else []

    def end(self, reason: FinishReason | None) -> list[Event]:
        """Returns what the end of the answer shows, without `Ended`."""
        lead = self.feed("") if self._begun else []
        return lead + self._shown(self._parser.finish(reason))

    @property
    def done(self) -> bool:
        """Whether everything that follows will be dropped."""
        return self._parser.done

    @property
    def text(self) -> str:
        """The visible text so far, whether it was shown or not."""
        return "".join(self._texts)

    @property
    def silent(self) -> bool:
        """Whether there is neither visible text nor a call."""
        return not self.started and not self.text.strip()

    @property
    def blank(self) -> bool:
        """Whether it is silent although something was dropped."""
        return self.silent and any(d.chars for d in self.drops)

    @property
    def empty_block(self) -> bool:
        """Whether a block held nothing."""
        return any(d.reason is DropReason.EMPTY_BLOCK for d in self.drops)

    @property
    def stopped(self) -> bool:
        """Whether our stop sequence ended it in the middle of something."""
        return any(p.kind in _STOPPED for p in self.problems)

    def release(self, *, behind: bool) -> list[Event]:
        """Returns what was held, as the answer.

        Args:
            behind: Whether text stands before it, from which one blank line sets it off.
        """
        held, self._held = self._held, []
        self._show = Show.LIVE
        if behind:
            held = _set_off(held)
        return self._pass(held)

    def errors(self) -> Sequence[CallError]:
        """Returns the calls that are not delivered and of which nothing is out yet."""
        return self._errors

    def _shown(self, events: Sequence[Event]) -> list[Event]:
        seen: list[Event] = []
        for event in events:
            seen += self._delta(event) if isinstance(event, _TEXT) else self._other(event)
        return seen

    def _delta(self, event: TextDelta | ReasoningDelta) -> list[Event]:
        if isinstance(event, TextDelta):
            self._texts.append(event.text)
        else:
            self.thought = True
            if self._show is Show.WITH_CALL:
                return [event]
        if self._show is Show.LIVE:
            return self._pass([event])
        if self._show is not Show.NEVER:
            self._held.append(event)
        return []

    def _pass(self, events: Sequence[TextDelta | ReasoningDelta]) -> list[Event]:
        if not self.passed:
            self.passed = any(isinstance(e, TextDelta) and not e.text.isspace() for e in events)
        return list(events)

    def _other(self, event: Event) -> list[Event]:
        if isinstance(event, CallStart):
            return [*self._start(), event]
        if isinstance(event, Ended):
            self.reason = event.reason
            return []
        if isinstance(event, CallError):
            self.problems.append(event.problem)
            if event.index is None:
                self._errors.append(event)
                return []
        self._note(event)
        return [event]

    def _start(self) -> list[Event]:
        """Returns the text that goes in front of a call."""
        self.started = True
        if self._show is Show.WITH_CALL:
            return self.release(behind=False)
        if self._show is Show.AT_END:
            self._held.clear()
            self._show = Show.NEVER
        return []

    def _note(self, event: Event) -> None:
        if isinstance(event, CallEnd):
            self.calls.append(event.call)
        elif isinstance(event, Dropped):
            self.drops.append(event)
        elif isinstance(event, Noted):
            self.noted.append(event)


def _set_off(held: Sequence[TextDelta | ReasoningDelta]) -> list[TextDelta | ReasoningDelta]:
    """Returns the same with one blank line in front of its first text that can be seen."""
    at = next((i for i, e in enumerate(held) if isinstance(e, TextDelta) and not e.text.isspace()), None)
    if at is None:
        return [e for e in held if not isinstance(e, TextDelta)]
    before = [e for e in held[:at] if not isinstance(e, TextDelta)]
    return [*before, TextDelta("\n\n" + held[at].text.lstrip()), *held[at + 1 :]]
