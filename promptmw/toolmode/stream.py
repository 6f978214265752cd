"""Reads an answer as it comes: what is text, what is a thought, what is a call. Each character is looked at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from promptmw.errors import ProtocolStateError
from promptmw.toolmode.answer import Answer
from promptmw.toolmode.code_fences import code_fence
from promptmw.toolmode.cursor import WHITE, Literals, Reading
from promptmw.toolmode.definitions import ToolTable
from promptmw.toolmode.events import (
    CallError,
    CallProblem,
    Dropped,
    DropReason,
    Ended,
    Event,
    FinishReason,
    Noted,
    NotedKind,
    ProblemKind,
)
from promptmw.toolmode.marks import RESULT_TAGS, Mark
from promptmw.toolmode.options import ParserOptions
from promptmw.toolmode.readers import Outcome, Reader
from promptmw.toolmode.settling import new_id as fresh_id
from promptmw.toolmode.thoughts import thought

_RESULTS = Literals(RESULT_TAGS)


class Parser:
    """Reads one answer.

    Args:
        table: What may be called.
        options: How to read.
        readers: Of all formats that are understood.
        new_id: Makes ids of calls.
    """

    def __init__(
        self,
        table: ToolTable,
        options: ParserOptions,
        readers: Sequence[Reader],
        *,
        new_id: Callable[[], str] = fresh_id,
    ) -> None:
        self._answer = Answer(table, options, readers, new_id)
        self._events = self._answer.events
        self._cursor = self._answer.cursor
        self._reading = _answer(self._answer)
        self._send = self._reading.send
        self._finished = False
        next(self._reading)

    @property
    def done(self) -> bool:
        """Whether text is being dropped, and all that may follow will be."""
        return self._answer.drops

    def feed(self, text: str) -> Sequence[Event]:
        """Returns what more text gives. Never raises for what a model writes.

        Raises:
            ProtocolStateError: The answer has ended already.
        """
        if self._finished:
            raise ProtocolStateError("feed() after finish(): open a parser for each answer")
        quick = self._cursor.quick
        if text and (quick is None or not quick(text)):
            self._send(text)
        events = self._events
        if not events:
            return ()
        taken = events.copy()
        events.clear()
        return taken

    def finish(self, reason: FinishReason | None) -> Sequence[Event]:
        """Returns what the end of the answer gives; `Ended` is the last of it.

        Args:
            reason: As the provider gave it; None for a stream that broke off.

        Raises:
            ProtocolStateError: As `feed`.
        """
        if self._finished:
            raise ProtocolStateError("finish() after finish(): open a parser for each answer")
        self._finished = True
        self._cursor.reason = reason
        for _ in self._reading:  # being told of the end, it goes on to its own
            pass
        self._answer.text.end()
        return [*self._events, Ended(_reason(self._answer, reason))]


def _reason(answer: Answer, reason: FinishReason | None) -> FinishReason | None:
    """Returns the reason that the application gets: calls count, but never hide that an answer was cut."""
    if reason in (FinishReason.LENGTH, FinishReason.CONTENT_FILTER):
        return reason
    if answer.delivered:
        return FinishReason.TOOL_CALLS
    return FinishReason.STOP if reason is FinishReason.TOOL_CALLS else reason


def _answer(answer: Answer) -> Reading[None]:
    if answer.options.starts_in_reasoning:
        yield from thought(answer, answer.marks.ends)
    for reader in answer.readers:
        if reader.bare is not None and (yield from _bare(answer, reader)):
            break
    while not answer.done and (yield from _to_mark(answer)):
        pass
    if answer.done:
        yield from _dropped(answer)


def _to_mark(answer: Answer) -> Reading[bool]:
    """Passes text on up to a marker, and does what that asks for; False at the end of the answer."""
    c = answer.cursor
    search = answer.marks.text.pattern.search
    show = answer.text.show
    while True:
        match = search(c.text, c.at)
        if match is None:
            show(c.text[c.at :])
            c.at = len(c.text)
            if not (yield from c.wait(answer.quick)):
                return False
            continue
        show(c.text[c.at : match.start()])
        c.at = match.start()
        if match.group()[0] in "`~":
            yield from code_fence(answer, match.group())
        elif match.group() in answer.marks.text:
            yield from _mark(answer, match.group())
        elif not (yield from c.more()):
            _begun(answer)
            return False
        else:
            continue
        return True


def _mark(answer: Answer, found: str) -> Reading[None]:
    """Does what a marker at the cursor asks for."""
    text = answer.text
    if not text.after_backtick:
        match answer.marks.kinds[found]:
            case Mark.OPENER:
                if (yield from _block(answer, answer.marks.readers[found], found)):
                    return
            case Mark.HEAD if text.line_start:
                if (yield from _head(answer, found)):
                    return
            case Mark.CLOSER if text.behind_block:
                answer.cursor.at += len(found)
                return text.markup_gone()
            case Mark.SILENT:
                answer.cursor.at += len(found)
                text.markup_gone()
                return text.line_begins()
            case Mark.RESULT if text.line_start or answer.calls:
                if (yield from _forged(answer, found)):
                    return
            case Mark.THOUGHT if text.line_start:
                answer.cursor.at += len(found)
                return (yield from thought(answer, frozenset((answer.marks.closers[found],))))
            case Mark.THOUGHT_END:
                answer.cursor.at += len(found)
                answer.emit(Noted(NotedKind.UNOPENED_REASONING))
                return text.markup_gone()
    text.show(found)
    answer.cursor.at += len(found)


def _block(answer: Answer, reader: Reader, opener: str, *, bare: bool = False) -> Reading[bool]:
    """Reads a block; False if what opens it is text."""
    start = answer.text.line_start
    outcome = yield from answer.block(reader, opener, answer.deliver, line_start=start, bare=bare, sends=True)
    if outcome is Outcome.TEXT:
        return False
    if outcome is Outcome.THOUGHT:
        yield from thought(answer, frozenset(reader.thought_ends))
        return True
    if outcome is Outcome.GONE:
        answer.text.line_begins()
        return True
    answer.text.block_gone()
    most = answer.options.max_blocks
    answer.done = most is not None and answer.blocks >= most
    return True


def _bare(answer: Answer, reader: Reader) -> Reading[bool]:
    """Reads a block that needs no opening marker, at the start of the answer."""
    c = answer.cursor
    recording = c.record(most=answer.options.limits.block)
    yield from c.skip_white()
    white = c.recorded(recording)
    if (yield from _block(answer, reader, "", bare=True)):
        return True
    c.push_back(white)
    return False


def _head(answer: Answer, lead: str) -> Reading[bool]:
    """Reads calls without an opening tag, if the first is one of a tool in the table."""
    c = answer.cursor
    reader = answer.marks.readers[lead]
    assert reader.head is not None  # it is by that head that the reader was found
    most = len(lead) + answer.options.limits.name
    while (end := c.text.find(reader.head.tail, c.at)) < 0 and len(c.text) - c.at < most:
        if not (yield from c.more()):
            break
    known = c.text[c.at + len(lead) : max(end, 0)].strip() in answer.table
    return known and (yield from _block(answer, reader, ""))


def _forged(answer: Answer, tag: str) -> Reading[bool]:
    """Ends the answer at a result that the model made up."""
    behind = (yield from answer.cursor.within(len(tag) + 1))[len(tag) :]
    if behind and behind not in f"{WHITE}/>":
        return False
    answer.done = True
    return True


def _begun(answer: Answer) -> None:
    """Settles a marker that is only begun at the end of the answer."""
    c = answer.cursor
    rest = c.text[c.at :]
    c.at = len(c.text)
    opens = len(rest) > 1 and any(mark.startswith(rest) for mark in answer.marks.openers.all)
    if opens and c.reason is FinishReason.LENGTH and answer.text.line_start:
        answer.emit(CallError(CallProblem(ProblemKind.TRUNCATED, message="the answer ended before the call did")))
        answer.text.markup_gone()
    else:
        answer.text.show(rest)


def _dropped(answer: Answer) -> Reading[None]:
    """Drops the rest of the answer."""
    c = answer.cursor
    yield from c.skip_white()
    forged = yield from c.ahead(_RESULTS)
    answer.drops = not (yield from c.empty())
    size = len(c.text) - c.at
    c.at = len(c.text)
    while (yield from c.more()):
        size += len(c.text)
        c.at = len(c.text)
    if size:
        reason = DropReason.FORGED_RESULT if forged else DropReason.AFTER_BLOCK
        answer.emit(Dropped(reason, size))
        answer.text.markup_gone()
