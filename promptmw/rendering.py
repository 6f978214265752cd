"""Renders sections: each once for the inputs that it reads, and never again while these stay the same."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from promptmw.catalog import Catalog, Planned
from promptmw.errors import InputError, SectionError
from promptmw.fencing import Text, Verified, Written
from promptmw.fitting import Fitting
from promptmw.inputs import declared
from promptmw.kinds import CutReason
from promptmw.recent import Recent
from promptmw.sections import Block, Body, Cut, Facts, Item, Section
from promptmw.settled import FencesInUse
from promptmw.turn import Turn
from promptmw.verifying import check


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
            FenceBreach: It returned a tag that none of its fences has written.
            InputError: An input that it reads cannot be hashed.
        """
        section = planned.section
        values: tuple[tuple[Any, ...], ...] = tuple(turn.all(kind) for kind in section.reads)
        tenant = turn.tenant if self._catalog.policy.keyed else ""
        key = (section.name, locale, tenant, values)
        try:
            found = self._blocks.get(key)
        except TypeError as error:
            raise InputError(f"section {section.name!r} reads an input that cannot be hashed: {error}") from error
        if found is None:
            found = _Found(self._render(planned, values, locale, tenant))
            self._blocks.put(key, found)
        return found.block

    def _render(self, planned: Planned, values: tuple[tuple[Any, ...], ...], locale: str, tenant: str) -> Block | None:
        self.rendered += 1
        section, policy = planned.section, self._catalog.policy
        texts = self._catalog.texts.scope(section.text_prefixes, locale)
        body = _as_body(section, section.render(Facts(section, dict(zip(section.reads, values, strict=True)), texts)))
        write = partial(policy.write, tenant=tenant)
        written, kept, cuts = Fitting(section, body, write, self._catalog.counter.count).fitted()
        if not written.text.strip():
            return None
        block = self._block(planned, written, values, texts.locale)
        citations = tuple(dict.fromkeys(c for item in kept for c in item.citations))
        block = replace(block, cuts=(*_field_cuts(written), *body.cuts, *cuts), citations=citations, notes=body.notes)
        if policy.settings.verify is not Verified.OFF:
            check(block, policy, declared=frozenset(f.tag for f in section.fences))
        return block

    def _block(self, planned: Planned, written: Written, values: tuple[tuple[Any, ...], ...], locale: str) -> Block:
        section, count = planned.section, self._catalog.counter.count
        tokens = count(written.text)
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
            tokens=tokens,
            locale=locale,
            spans=written.spans,
            marks=written.marks,
            tags=tuple(sorted({tag for _, tag in written.marks})),
            mentions=section.mentions or FencesInUse in section.reads,
            tokens_added=0 if written.bare is None else tokens - count(written.bare.strip("\r\n")),
            reads=tuple((declared(kind).name, value) for kind, value in zip(section.reads, values, strict=True)),
        )


def _as_body(section: Section, rendered: object) -> Body:
    if isinstance(rendered, Body):
        return rendered
    if rendered is None or isinstance(rendered, Text | str):
        return Body(items=(Item(rendered or ""),), build=_only)
    raise SectionError(
        f"section {section.name!r} returned {type(rendered).__name__}: return Text, str, Body or None; "
        "values that are not ours go through a slot"
    )


def _only(items: tuple[Item, ...], _cut: bool) -> Text | str:
    return items[0].text if items else ""


def digest(text: str) -> str:
    """Returns 16 hex digits that name a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _field_cuts(written: Written) -> list[Cut]:
    return [
        Cut(CutReason.FIELD_LIMIT, "characters", s.size + s.cut, s.size, source=s.source)
        for s in written.spans
        if s.cut
    ]
