"""Code fences in an answer: what stands in one is text, unless it is a call that a model wrapped."""

from __future__ import annotations

from promptmw.toolmode.answer import Answer
from promptmw.toolmode.candidates import fenced
from promptmw.toolmode.cursor import WHITE, Reading, literal
from promptmw.toolmode.options import Where

_BLANKS = 64


def code_fence(answer: Answer, run: str) -> Reading[None]:
    """Reads a run of fence characters: a call that a code fence encloses, a code fence, or text."""
    c = answer.cursor
    text = answer.text
    opens = text.line_start and text.indent in ("", " ", "  ", "   ")
    if not opens:
        text.show(run)
        c.at += len(run)
        return
    recording, blocks = c.record(most=2 * answer.options.limits.block), answer.blocks
    size = yield from c.skip_run(run[0])
    if size >= 3 and answer.options.calls_in_fences is Where.LAST:
        found = yield from fenced(answer, run[0], size)
        if found is not None:
            c.drop(recording)
            for item in found.items:
                answer.deliver(item)
            text.block_gone()
            return
    answer.blocks = blocks
    c.push_back(c.recorded(recording))
    text.show(c.text[c.at : c.at + size])
    c.at += size
    if size >= 3 and (yield from _opens_fence(answer, run[0])):
        yield from _inside_fence(answer, run[0], size)


def _opens_fence(answer: Answer, char: str) -> Reading[bool]:
    """Passes the rest of a fence's line; False if it is inline code."""
    c = answer.cursor
    stop = literal(*("\n`" if char == "`" else "\n")).pattern
    while True:
        match = stop.search(c.text, c.at)
        end = len(c.text) if match is None else match.start()
        answer.text.show(c.text[c.at : end])
        c.at = end
        if match is not None:
            return match.group() == "\n"
        if not (yield from c.more()):
            return False


def _inside_fence(answer: Answer, char: str, size: int) -> Reading[None]:
    """Passes the inside of a code fence, markers and all, up to its closing line."""
    c = answer.cursor
    text = answer.text
    while True:
        at = c.text.find(char, c.at)
        end = len(c.text) if at < 0 else at
        text.show(c.text[c.at : end])
        c.at = end
        if at < 0:
            if not (yield from c.more()):
                return
            continue
        starts = text.line_start and text.indent in ("", " ", "  ", "   ")
        recording = c.record(most=answer.options.limits.block)
        run = yield from c.skip_run(char)
        text.show(c.recorded(recording))
        if starts and run >= size and (yield from _rest_is_blank(answer)):
            return


def _rest_is_blank(answer: Answer) -> Reading[bool]:
    """Says whether nothing else stands in this line."""
    c = answer.cursor
    while True:
        rest, broken, _ = c.text[c.at :].partition("\n")
        if broken or rest.strip(WHITE) or len(rest) > _BLANKS:
            return not rest.strip(WHITE)
        if not (yield from c.more()):
            return True
