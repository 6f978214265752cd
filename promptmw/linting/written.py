"""Rules for the blocks of a prompt: how values stand in them."""

from __future__ import annotations

from collections.abc import Iterator

from promptmw.fencing import Span
from promptmw.fencing.values import values_in
from promptmw.kinds import Trust
from promptmw.linting.findings import Finding
from promptmw.sections import Block

_ONE_LINE = ("line", "list_item")
_OPEN = "<[&"
_TELLING = 12
"""Characters from which on a value that stands in our own words is no coincidence."""


def findings(block: Block) -> Iterator[Finding]:
    """Yields what is wrong with how values stand in a block."""
    for span in block.spans:
        if span.trust is not Trust.OPERATOR:
            yield from _placed(block, span)
    if block.trust is Trust.UNTRUSTED and not block.tags and any(s.slot == "block" for s in block.spans):
        fix = "Put block() inside a Fence, or use a one-line slot"
        yield Finding("W4", block.section, block.distribution, "text of strangers stands in no fence", fix)
    yield from _without_slot(block)


def _placed(block: Block, span: Span) -> Iterator[Finding]:
    before = block.text[: span.start]
    if before[-1:] and before[-1] in _OPEN:
        what, fix = f"our own {before[-1]!r} stands directly before a value", "Put a word of ours between them"
    elif span.slot in _ONE_LINE and (not before or before.endswith("\n")) and not _fenced(block, span):
        what, fix = "a value begins a line, where it can read as a heading", "Put a word or a bullet of ours before it"
    else:
        return
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    yield Finding("W3", block.section, block.distribution, what, fix, line, column)


def _fenced(block: Block, span: Span) -> bool:
    """Says whether a value stands in a fence, where no line is a heading of ours."""
    before = [at for at, _ in block.marks if at < span.start]
    return 2 * sum(block.text.startswith("</", at) for at in before) < len(before)


def _without_slot(block: Block) -> Iterator[Finding]:
    ours = _ours(block)
    for name, read in block.reads:
        for path, value in values_in(read, name):
            at = value.measure(ours.find) if value.size >= _TELLING else -1
            if at >= 0:
                what = f"the value of {path} stands in it as if it were ours"
                yield Finding("W6", block.section, block.distribution, what, "Put it through a slot, such as line()")


def _ours(block: Block) -> str:
    """Returns what of a block's text is not somebody's value."""
    parts, end = [], 0
    for span in block.spans:
        parts.append(block.text[end : span.start])
        end = span.end
    return "\x00".join([*parts, block.text[end:]])
