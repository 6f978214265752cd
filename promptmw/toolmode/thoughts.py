"""Reads a thought: what the model says to itself, and a call that it never came out to make."""

from __future__ import annotations

from promptmw.toolmode.answer import Answer
from promptmw.toolmode.candidates import Candidate, blocks
from promptmw.toolmode.cursor import Reading
from promptmw.toolmode.events import Call, CallError, FinishReason, Note, ProblemKind, ReasoningDelta
from promptmw.toolmode.marks import Mark
from promptmw.toolmode.options import Where
from promptmw.toolmode.readers import Outcome
from promptmw.toolmode.showing import Shown


def thought(answer: Answer, ends: frozenset[str]) -> Reading[None]:
    """Reads a thought whose opening tag was passed.

    Args:
        answer: Whose cursor stands behind that tag.
        ends: Tags that close it.
    """
    c = answer.cursor
    shown = Shown(answer.events.append, ReasoningDelta, strips=True)
    answer.text.markup_gone()
    search = answer.marks.thoughts.pattern.search
    while True:
        match = search(c.text, c.at)
        end = len(c.text) if match is None else match.start()
        shown.show(c.text[c.at : end])
        c.at = end
        found = match.group() if match is not None else ""
        if found in ends:
            c.at += len(found)
            answer.text.line_begins()
            return
        if answer.marks.kinds.get(found) is Mark.OPENER:
            if (yield from _taken(answer, ends)):
                return
            size = len(found)
        elif found in answer.marks.kinds:
            size = len(found)
        elif (yield from c.more()):
            continue
        else:
            size = len(c.text) - c.at
        shown.show(c.text[c.at : c.at + size])
        c.at += size
        if c.ended and c.at >= len(c.text):
            return shown.flush() if shown.started else None


def _taken(answer: Answer, ends: frozenset[str]) -> Reading[bool]:
    """Takes a call that ends a thought, and with it the answer; otherwise goes back to where it began."""
    if answer.options.calls_in_reasoning is Where.NEVER:
        return False
    c = answer.cursor
    recording = c.record(most=2 * answer.options.limits.block)
    before = answer.blocks
    found = yield from blocks(answer)
    last = found.outcome is not Outcome.TEXT and (yield from c.empty())
    if last and _counts(answer, found):
        c.drop(recording)
        for item in found.items:
            answer.deliver(_from_reasoning(item) if isinstance(item, Call) else item)
        answer.text.block_gone()
        return True
    text = c.recorded(recording)
    if last and found.outcome is Outcome.OPEN and _stopped(answer) and not any(end in text for end in ends):
        answer.emit(CallError(found.problem(ProblemKind.STOPPED_IN_REASONING)))
        return True
    answer.blocks = before + 1
    c.push_back(text)
    return False


def _counts(answer: Answer, found: Candidate) -> bool:
    unclosed = any(isinstance(item, Call) and Note.MISSING_CLOSE in item.notes for item in found.items)
    closed = found.outcome is Outcome.CLOSED and found.valid and not unclosed
    return closed and answer.cursor.reason is not FinishReason.LENGTH


def _stopped(answer: Answer) -> bool:
    ended = answer.cursor.reason in (FinishReason.STOP, FinishReason.STOP_SEQUENCE)
    return answer.options.stop_sent and ended


def _from_reasoning(call: Call) -> Call:
    return Call(
        call.id, call.name, call.arguments, call.arguments_text, call.notes | {Note.FROM_REASONING}, call.changes
    )
