"""Renders sections: each once for the inputs that it reads, and never again while these stay the same."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from promptmw.catalog import Catalog, Planned
from promptmw.clipping import clipped
from promptmw.errors import InputError, SectionError
from promptmw.fencing import Span, Text, Written
from promptmw.inputs import declared
from promptmw.kinds import CutReason
from promptmw.recent import Recent
from promptmw.sections import Block, Body, Cut, CutRule, Facts, Item, Section
from promptmw.turn import Turn


@dataclass(frozen=True, slots=True)
class _Found:
    """Remembers what a section had to say, which may be nothing."""

    block: Block | None


class Renderer:
    """Turns sections into blocks and remembers them by what they read.

    Args:
        catalog: The sections, texts, policy and counter.
        size: Blocks remembered.
    """

    def __init__(self, catalog: Catalog, *, size: int = 4096) -> None:
        self._catalog = catalog
        self._blocks: Recent[tuple[object, ...], _Found] = Recent(size)
        self.rendered = 0
        """How many times a section was really rendered."""

    def block(self, planned: Planned, turn: Turn, locale: str) -> Block | None:
        """Returns a section's block, or None when it has nothing to say.

        Raises:
            Exception: Whatever the section raises.
            InputError: An input that it reads cannot be hashed.
        """
        section = planned.section
        values: tuple[tuple[Any, ...], ...] = tuple(turn.all(kind) for kind in section.reads)
        key = (section.name, locale, values)
        try:
            found = self._blocks.get(key)
        except TypeError as error:
            raise InputError(f"section {section.name!r} reads an input that cannot be hashed: {error}") from error
        if found is None:
            found = _Found(self._render(planned, values, locale))
            self._blocks.put(key, found)
        return found.block

    def _render(self, planned: Planned, values: tuple[tuple[Any, ...], ...], locale: str) -> Block | None:
        self.rendered += 1
        section = planned.section
        texts = self._catalog.texts.scope(section.text_prefixes, locale)
        rendered = section.render(Facts(section, dict(zip(section.reads, values, strict=True)), texts))
        body = _as_body(section, rendered)
        written, kept, cuts = self._fitted(_capped(section, body), body)
        if not written.text.strip():
            return None
        reads = tuple((declared(kind).name, value) for kind, value in zip(section.reads, values, strict=True))
        block = self._block(planned, written, reads, texts.locale)
        citations = tuple(dict.fromkeys(c for item in kept for c in item.citations))
        return replace(block, cuts=(*_field_cuts(written), *body.cuts, *cuts), citations=citations, notes=body.notes)

    def _block(self, planned: Planned, written: Written, reads: tuple[tuple[str, object], ...], locale: str) -> Block:
        section = planned.section
        return Block(
            section=section.name,
            text=written.text,
            digest=digest(written.text),
            distribution=planned.plugin.owner,
            layer=section.layer,
            order=section.order,
            stability=section.stability,
            trust=section.trust,
            required=section.required,
            tokens=self._catalog.counter.count(written.text),
            locale=locale,
            spans=written.spans,
            marks=written.marks,
            tags=tuple(sorted({tag for _, tag in written.marks})),
            reads=reads,
        )

    def _fitted(self, section: Section, body: Body) -> tuple[Written, tuple[Item, ...], tuple[Cut, ...]]:
        """Returns the text of as many items as the section's cap allows, with these items."""
        whole = self._written(body, body.items)
        if section.cap is None or not body.items or self._catalog.counter.count(whole.text) <= section.cap:
            return whole, body.items, ()
        if section.cut is CutRule.CLIP_END:
            written, cuts = self._clipped(section, body, whole)
            return written, body.items, cuts
        kept = self._most(section, body)
        dropped = tuple(i.id for i in body.items if i not in kept and i.id)
        cut = Cut(CutReason.CAP, "items", len(body.items), len(kept), dropped, section.name)
        return (self._written(body, kept) if kept else Written("")), kept, (cut,)

    def _clipped(self, section: Section, body: Body, whole: Written) -> tuple[Written, tuple[Cut, ...]]:
        """Returns the text with its values of several lines shortened to the section's cap."""
        found = clipped(Text.of(body.build(body.items, False)), lambda text: self._fits(section, text))
        written = _trimmed(self._catalog.policy.write(found or ""))
        before, after = (sum(s.size for s in w.spans) for w in (whole, written))
        return written, (Cut(CutReason.CAP, "characters", before, after, source=section.name),)

    def _fits(self, section: Section, text: Text) -> bool:
        size = self._catalog.counter.count(self._catalog.policy.write(text).text)
        return section.cap is None or size <= section.cap

    def _most(self, section: Section, body: Body) -> tuple[Item, ...]:
        """Returns the most items that fit, found by bisection."""
        assert section.cap is not None  # the caller has asked
        low, high = 0, 0 if section.cut is CutRule.DROP else len(body.items) - 1
        while low < high:
            middle = (low + high + 1) // 2
            text = self._written(body, _some(body.items, middle, section.cut)).text
            low, high = (middle, high) if self._catalog.counter.count(text) <= section.cap else (low, middle - 1)
        return _some(body.items, low, section.cut)

    def _written(self, body: Body, items: tuple[Item, ...]) -> Written:
        return _trimmed(self._catalog.policy.write(body.build(items, len(items) < len(body.items))))


def _as_body(section: Section, rendered: object) -> Body:
    if isinstance(rendered, Body):
        return rendered
    if rendered is None or isinstance(rendered, Text | str):
        return Body(items=(Item(rendered or ""),), build=_only)
    raise SectionError(
        f"section {section.name!r} returned {type(rendered).__name__}: return Text, str, Body or None; "
        "values that are not ours go through a slot"
    )


def digest(text: str) -> str:
    """Returns 16 hex digits that name a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _capped(section: Section, body: Body) -> Section:
    """Returns the section with the tighter of the two caps."""
    if body.cap is None:
        return section
    return replace(section, cap=body.cap if section.cap is None else min(body.cap, section.cap))


def _only(items: tuple[Item, ...], _cut: bool) -> Text | str:
    return items[0].text if items else ""


def _some(items: tuple[Item, ...], count: int, rule: CutRule) -> tuple[Item, ...]:
    return items[len(items) - count :] if rule is CutRule.DROP_FIRST else items[:count]


def _trimmed(written: Written) -> Written:
    """Returns the text without line breaks at its ends, the offsets moved along."""
    text = written.text
    start = len(text) - len(text.lstrip("\r\n"))
    end = len(text.rstrip("\r\n"))
    if start == 0 and end == len(text):
        return written
    spans = tuple(_moved(written.spans, start, end))
    return Written(text[start:end], spans, tuple((at - start, tag) for at, tag in written.marks))


def _moved(spans: Iterable[Span], start: int, end: int) -> Iterable[Span]:
    for span in spans:
        first, last = max(span.start, start), min(span.end, end)
        if first < last:
            yield replace(span, start=first - start, end=last - start)


def _field_cuts(written: Written) -> list[Cut]:
    return [
        Cut(CutReason.FIELD_LIMIT, "characters", s.size + s.cut, s.size, source=s.source)
        for s in written.spans
        if s.cut
    ]
