"""Fits what a section returned into its cap: whole items, or values shortened at a line end; never a cut tag."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from promptmw.clipping import clipped
from promptmw.fencing import Span, Text, Written
from promptmw.kinds import CutReason
from promptmw.sections import Body, Cut, CutRule, Item, Section


class Fitting:
    """Fits one body into its section's cap.

    Args:
        section: Whose cap holds.
        body: What it returned; it may have a tighter cap of its own.
        write: Makes a string of a text.
        count: Counts tokens.
    """

    def __init__(
        self, section: Section, body: Body, write: Callable[[Text | str], Written], count: Callable[[str], int]
    ) -> None:
        self._section = section
        self._body = body
        self._write = write
        self._count = count
        caps = [cap for cap in (section.cap, body.cap) if cap is not None]
        self._cap = min(caps) if caps else None

    def fitted(self) -> tuple[Written, tuple[Item, ...], tuple[Cut, ...]]:
        """Returns the text of as many items as the cap allows, with these items, and what was left out."""
        items = self._body.items
        whole = self._written(items)
        if not items or self._fits(whole):
            return whole, items, ()
        if self._section.cut is CutRule.CLIP_END:
            written, cuts = self._clipped(whole)
            return written, items, cuts
        kept = self._most()
        dropped = tuple(i.id for i in items if i not in kept and i.id)
        cut = Cut(CutReason.CAP, "items", len(items), len(kept), dropped, self._section.name)
        return (self._written(kept) if kept else Written("")), kept, (cut,)

    def _clipped(self, whole: Written) -> tuple[Written, tuple[Cut, ...]]:
        """Returns the text with its values of several lines shortened."""
        found = clipped(Text.of(self._body.build(self._body.items, False)), lambda text: self._fits(self._write(text)))
        written = _trimmed(self._write(found or ""))
        before, after = (sum(s.size for s in w.spans) for w in (whole, written))
        return written, (Cut(CutReason.CAP, "characters", before, after, source=self._section.name),)

    def _most(self) -> tuple[Item, ...]:
        """Returns the most items that fit, found by bisection."""
        low, high = 0, 0 if self._section.cut is CutRule.DROP else len(self._body.items) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._fits(self._written(self._some(middle))) else (low, middle - 1)
        return self._some(low)

    def _some(self, count: int) -> tuple[Item, ...]:
        items = self._body.items
        return items[len(items) - count :] if self._section.cut is CutRule.DROP_FIRST else items[:count]

    def _fits(self, written: Written) -> bool:
        return self._cap is None or self._count(written.text) <= self._cap

    def _written(self, items: tuple[Item, ...]) -> Written:
        return _trimmed(self._write(self._body.build(items, len(items) < len(self._body.items))))


def _trimmed(written: Written) -> Written:
    """Returns the text without line breaks at its ends, the offsets moved along."""
    text = written.text
    start = len(text) - len(text.lstrip("\r\n"))
    end = len(text.rstrip("\r\n"))
    if start == 0 and end == len(text):
        return written
    spans = tuple(_moved(written.spans, start, end))
    return Written(text[start:end], spans, tuple((at - start, tag) for at, tag in written.marks), written.bare)


def _moved(spans: Iterable[Span], start: int, end: int) -> Iterable[Span]:
    for span in spans:
        first, last = max(span.start, start), min(span.end, end)
        if first < last:
            yield replace(span, start=first - start, end=last - start)
