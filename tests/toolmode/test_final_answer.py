"""A structured answer comes as a call, and is shown as text."""

from __future__ import annotations

import pytest

from promptmw.toolmode import Choice, ChoiceKind
from promptmw.toolmode.events import ArgumentsDelta, CallStart, Ended, FinishReason, TextDelta
from promptmw.toolmode.final_answer import FinalAnswer, answering, free_name

AUTO, NONE, REQUIRED = ChoiceKind.AUTO, ChoiceKind.NONE, ChoiceKind.REQUIRED
DONE = Ended(FinishReason.TOOL_CALLS)


def test_the_arguments_are_the_text_and_nothing_else_is() -> None:
    final = FinalAnswer("final_answer")
    first = [TextDelta("Here: "), CallStart(0, "call_1", "final_answer"), ArgumentsDelta(0, '{"a"')]
    assert final.shown(first) == [TextDelta('{"a"')]
    assert final.shown([ArgumentsDelta(0, ": 1}"), TextDelta(" That is it."), DONE]) == [
        TextDelta(": 1}"),
        Ended(FinishReason.STOP),
    ]


def test_calls_beside_it_stay_calls_with_indexes_without_a_gap() -> None:
    final = FinalAnswer("final_answer")
    events = [
        CallStart(0, "call_1", "final_answer"),
        ArgumentsDelta(0, "{}"),
        CallStart(1, "call_2", "now"),
        CallStart(2, "call_3", "final_answer"),
        ArgumentsDelta(2, '{"again": 1}'),
        CallStart(3, "call_4", "now"),
        DONE,
    ]
    assert final.shown(events) == [
        TextDelta("{}"),
        CallStart(0, "call_2", "now"),
        CallStart(1, "call_4", "now"),
        DONE,
    ]


def test_without_a_name_and_without_a_call_everything_passes() -> None:
    events = [TextDelta("Words."), Ended(FinishReason.LENGTH)]
    assert FinalAnswer("").shown(events) is events
    assert FinalAnswer("final_answer").shown(events) == events


@pytest.mark.parametrize(
    ("stated", "alone", "expected"),
    [
        (None, False, Choice(REQUIRED)),
        (None, True, Choice(REQUIRED, ("final_answer",))),
        (Choice(NONE), False, Choice(REQUIRED, ("final_answer",))),
        (Choice(AUTO, ("now",)), False, Choice(REQUIRED, ("final_answer", "now"))),
        (Choice(REQUIRED, ("now",)), False, Choice(REQUIRED, ("now",))),
        (Choice(NONE, final="Enough."), False, Choice(NONE, final="Enough.")),
    ],
)
def test_what_may_be_called(stated: Choice | None, alone: bool, expected: Choice) -> None:
    assert answering(stated, "final_answer", alone=alone) == expected


def test_the_name_is_free() -> None:
    assert free_name(()) == "final_answer"
    assert free_name({"final_answer", "final_answer_2", "now"}) == "final_answer_3"
