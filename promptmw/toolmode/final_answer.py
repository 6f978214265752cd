"""Structured answers without a provider that has them: the model calls a tool with its answer, and that is the text."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from promptmw.toolmode.choice import Choice, ChoiceKind
from promptmw.toolmode.events import (
    ArgumentsDelta,
    CallEnd,
    CallError,
    CallStart,
    Ended,
    Event,
    FinishReason,
    TextDelta,
)

NAME = "final_answer"
DESCRIPTION = "Takes the answer to the user. Call it once, when you have the answer, and write nothing besides."


def free_name(taken: Collection[str]) -> str:
    """Returns a name for the tool that no other has."""
    if NAME not in taken:
        return NAME
    return next(name for n in range(2, len(taken) + 3) if (name := f"{NAME}_{n}") not in taken)


def answering(choice: Choice | None, name: str, *, alone: bool) -> Choice:
    """Returns a choice of tools with which an answer comes as a call.

    Args:
        choice: As the application states it.
        name: Of the tool that takes the answer.
        alone: Whether there is no other tool.
    """
    choice = choice or Choice()
    if choice.final:
        return choice
    if alone or choice.kind is ChoiceKind.NONE:
        return replace(choice, kind=ChoiceKind.REQUIRED, names=(name,))
    if choice.kind is ChoiceKind.AUTO and choice.names:
        return replace(choice, kind=ChoiceKind.REQUIRED, names=tuple(sorted((*choice.names, name))))
    return replace(choice, kind=ChoiceKind.REQUIRED)


class FinalAnswer:
    """Turns the call that takes the answer into text; other calls stay calls.

    Args:
        name: Of the tool; blank for none, so that everything passes.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._first: int | None = None
        self._taken: set[int] = set()
        self._others = False

    def shown(self, events: Sequence[Event]) -> Sequence[Event]:
        """Returns events as the application sees them; text beside an answer is not part of it."""
        if not self._name:
            return events
        for event in events:
            if isinstance(event, CallStart):
                self._start(event)
        return [shown for event in events for shown in self._as_shown(event)]

    def _start(self, event: CallStart) -> None:
        if event.name != self._name:
            self._others = True
            return
        self._first = event.index if self._first is None else self._first
        self._taken.add(event.index)

    def _as_shown(self, event: Event) -> Iterator[Event]:
        if isinstance(event, CallStart | ArgumentsDelta | CallEnd | CallError) and event.index is not None:
            yield from self._call(event, event.index)
        elif isinstance(event, Ended) and event.reason is FinishReason.TOOL_CALLS and not self._others:
            yield Ended(FinishReason.STOP)
        elif not (isinstance(event, TextDelta) and self._taken):
            yield event

    def _call(self, event: CallStart | ArgumentsDelta | CallEnd | CallError, index: int) -> Iterator[Event]:
        if index not in self._taken:
            yield replace(event, index=index - sum(taken < index for taken in self._taken))
        elif isinstance(event, ArgumentsDelta) and index == self._first:
            yield TextDelta(event.text)
