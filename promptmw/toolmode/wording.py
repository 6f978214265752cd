"""What a model is told when a call of it could not be used. English for every locale, as the preamble is."""

from __future__ import annotations

import difflib
import string
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from promptmw.fencing import Policy, Text, Untrusted, line
from promptmw.toolmode.events import CallProblem, ProblemKind, Violation

if TYPE_CHECKING:
    from promptmw.toolmode.definitions import ToolTable

UNREADABLE = (
    "The call could not be read: {problem}{near}. Nothing was run. Write the whole call again in the form given above."
)
NEAR = ' near "{excerpt}"'
AMBIGUOUS_ESCAPE = (
    'A backslash in "{key}" can be read in two ways. Nothing was run. Write every backslash in a string as \\\\.'
)
NOT_A_CALL = 'The block held no call: it needs "name" and "arguments". Nothing was run.'
UNKNOWN_TOOL = 'There is no tool "{name}".{close} The tools are: {list}.'
CLOSE = ' Did you mean "{close}"?'
NOT_ALLOWED = 'The tool "{name}" may not be called now. Nothing was run. Call one of these: {list}.'
INVALID_ARGUMENTS = "The arguments of {name} do not fit its schema: {list}. Nothing was run."
TRUNCATED = "The call was cut off before its end. Nothing was run. Send less at once."
CALL_REQUIRED = "A tool call is needed now. Write only the call."
NO_ANSWER = "The message held neither an answer nor a call. The application alone writes results of tools."
NO_RESULT = "No result was recorded for this call."
NO_CALL = "Do not call a tool in this message."
LAST_ROUND = "Answer with what you have, and say what is missing."

ROUNDS_USED_UP = "The number of tool rounds is used up."
BUDGET_USED_UP = "The tool budget is used up."
NOTHING_NEW = "The last calls brought nothing new."
ALL_FAILED = "The last calls all failed."
TIME_USED_UP = "The time for tools is used up."

MOST = 1000
"""Characters of what a model is told about one problem."""

_NAMES = 40
_NAME = 128
_VIOLATIONS = 5
_PLAIN = {
    ProblemKind.NOT_A_CALL: NOT_A_CALL,
    ProblemKind.TRUNCATED: TRUNCATED,
    ProblemKind.STOPPED_IN_STRING: TRUNCATED,
    ProblemKind.STOPPED_IN_REASONING: TRUNCATED,
}


def over_budget(name: str) -> str:
    """Returns the result of a call that is not run, as its tool was called often enough.

    Args:
        name: Of a tool in the table.
    """
    return f"The budget for {name} is used up in this turn."


def last_round(reason: str = "") -> str:
    """Returns the note of a message in which no tool may be called.

    Args:
        reason: A sentence of ours that says why; blank for none.
    """
    return " ".join(part for part in (NO_CALL, reason, LAST_ROUND) if part)


def filled(template: str, **values: Text | str) -> Text:
    """Returns a sentence of ours with values in it, each already in its slot."""
    parts: list[Text | str] = []
    for literal, name, _, _ in string.Formatter().parse(template):
        parts += [literal, values[name]] if name else [literal]
    return Text.of(*parts)


class Wording:
    """Says in words what was wrong with a call.

    Args:
        table: All tools of the turn.
        allowed: Names of those that may be called now.
        policy: Measures and writes.
    """

    def __init__(self, table: ToolTable, allowed: Iterable[str], policy: Policy) -> None:
        self._table = table
        self._allowed = tuple(allowed)
        self._policy = policy

    def of(self, problem: CallProblem) -> Text:
        """Returns the sentences about a problem, at most `MOST` characters when written."""
        plain = _PLAIN.get(problem.kind)
        if plain is not None:
            return Text.of(plain)
        if problem.kind is ProblemKind.UNKNOWN_TOOL:
            return self._unknown(problem.name or "")
        if problem.kind is ProblemKind.INVALID_ARGUMENTS:
            return self._invalid(problem)
        if problem.kind is ProblemKind.AMBIGUOUS_ESCAPE:
            return filled(AMBIGUOUS_ESCAPE, key=_quoted(problem.message, _NAME))
        return _unreadable(problem)

    def _unknown(self, name: str) -> Text:
        shown = _quoted(name, _NAME)
        names = [line(Untrusted(n), reserve=",") for n in self._allowed[:_NAMES]]
        if name in self._table:
            return self._listing(NOT_ALLOWED, names, ", ", name=shown)
        close = difflib.get_close_matches(name[:_NAME], self._allowed, n=1)
        question = filled(CLOSE, close=_quoted(close[0], _NAME)) if close else ""
        return self._listing(UNKNOWN_TOOL, names, ", ", name=shown, close=question)

    def _invalid(self, problem: CallProblem) -> Text:
        rows = [_violation(v) for v in problem.violations[:_VIOLATIONS]]
        return self._listing(INVALID_ARGUMENTS, rows, "; ", name=_one_line(problem.name or "the tool", _NAME))

    def _listing(self, template: str, items: Iterable[Text], between: str, **values: Text | str) -> Text:
        """Returns a sentence with as many items in its list as there is room for."""
        room = MOST - self._size(filled(template, list="", **values))
        return filled(template, list=Text.join(between, self._fitting(items, room)), **values)

    def _fitting(self, items: Iterable[Text], room: int) -> Iterator[Text]:
        for item in items:
            room -= self._size(item) + 2  # for what stands between two
            if room < 0:
                return
            yield item

    def _size(self, text: Text) -> int:
        return len(self._policy.write(text).text)


def _unreadable(problem: CallProblem) -> Text:
    what = problem.message.rstrip(". ") or "it is malformed"
    near = filled(NEAR, excerpt=_quoted(problem.excerpt, 80)) if problem.excerpt.strip() else ""
    return filled(UNREADABLE, problem=_one_line(what, 200), near=near)


def _violation(violation: Violation) -> Text:
    message = _one_line(violation.message.rstrip(". ") or violation.rule, 160)
    if not violation.pointer:
        return message
    return Text.of(line(Untrusted(violation.pointer).one_line().cap(120), reserve=":"), ": ", message)


def _one_line(text: str, most: int) -> Text:
    return line(Untrusted(text).one_line().cap(most))


def _quoted(text: str, most: int) -> Text:
    return line(Untrusted(text).one_line().cap(most), quoted=True)
