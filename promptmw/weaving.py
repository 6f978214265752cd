"""Weaves the sections of a turn: those that everybody may see first, those that name the others' fences last."""

from __future__ import annotations

from collections.abc import Iterable

from promptmw.catalog import Catalog, Planned
from promptmw.errors import FenceBreach, PromptmwError, SectionError
from promptmw.prompts import Kind, Problem
from promptmw.rendering import Renderer
from promptmw.sections import Block
from promptmw.settled import FencesInUse
from promptmw.turn import Turn


class Weaver:
    """Renders all sections of a catalog for a turn, in the order in which they are sent.

    Args:
        catalog: What is on.
        strict: Raise where a section would be dropped because it breaches its fences.
    """

    def __init__(self, catalog: Catalog, *, strict: bool = False) -> None:
        self._catalog = catalog
        self._strict = strict
        self.renderer = Renderer(catalog)
        self._order = {p.section.name: i for i, p in enumerate(catalog.sections)}
        self._late = frozenset(p.section.name for p in catalog.sections if FencesInUse in p.section.reads)
        self._untrusted = frozenset(catalog.untrusted)

    def weave(self, turn: Turn, problems: list[Problem]) -> tuple[Block, ...]:
        """Returns the blocks of a turn.

        Raises:
            SectionError: A required section failed.
            FenceBreach: A required section breaches its fences; or any, when strict.
        """
        locale = self._catalog.texts.best(turn.locale)
        early = [p for p in self._catalog.sections if p.section.name not in self._late]
        return self.with_late(turn, self._blocks(early, turn, locale, problems), problems)

    def with_late(self, turn: Turn, blocks: Iterable[Block], problems: list[Problem]) -> tuple[Block, ...]:
        """Returns blocks with the sections that name the fences of the others rendered anew."""
        others = [b for b in blocks if b.section not in self._late]
        locale = self._catalog.texts.best(turn.locale)
        known = turn.adding(FencesInUse(self.fences(others), self._catalog.untrusted))
        late = [p for p in self._catalog.sections if p.section.name in self._late]
        return self.ordered([*others, *self._blocks(late, known, locale, problems)])

    def fences(self, blocks: Iterable[Block]) -> tuple[str, ...]:
        """Returns the tags of the UNTRUSTED fences that enclose something in these blocks."""
        return tuple(sorted({tag for b in blocks for tag in b.tags if tag in self._untrusted}))

    def is_late(self, block: Block) -> bool:
        """Says whether a block names the fences of the others."""
        return block.section in self._late

    def ordered(self, blocks: Iterable[Block]) -> tuple[Block, ...]:
        """Returns blocks in the order in which they are sent; those of no known section by their own order."""
        last = len(self._order)
        return tuple(sorted(blocks, key=lambda b: (b.layer, self._order.get(b.section, last), b.order, b.section)))

    def _blocks(self, planned: Iterable[Planned], turn: Turn, locale: str, problems: list[Problem]) -> list[Block]:
        found = (self._block(p, turn, locale, problems) for p in planned)
        return [b for b in found if b is not None]

    def _block(self, planned: Planned, turn: Turn, locale: str, problems: list[Problem]) -> Block | None:
        """Returns a section's block; a section that fails loses only itself, unless it is required."""
        try:
            return self.renderer.block(planned, turn, locale)
        except Exception as error:
            problems.append(self._failed(planned, error))
            return None

    def _failed(self, planned: Planned, error: Exception) -> Problem:
        name, owner = planned.section.name, planned.plugin.owner
        breach = isinstance(error, FenceBreach)
        if breach and (planned.section.required or self._strict):
            raise error
        detail = str(error) if isinstance(error, PromptmwError) else type(error).__name__
        if planned.section.required:
            raise SectionError(f"required section {name!r} of {owner} failed: {detail}") from error
        return Problem(Kind.BREACH if breach else Kind.SECTION_FAILED, name, owner, detail)
