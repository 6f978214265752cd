"""A policy: the one place where the pieces of a text become a string."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from promptmw.fencing import grammars
from promptmw.fencing.code_points import escape
from promptmw.fencing.headings import Headings
from promptmw.fencing.names import ASSIGNED, EXACT, FOREIGN, SQUARE, TOKENS
from promptmw.fencing.neutral import Neutraliser
from promptmw.fencing.tables import digest
from promptmw.fencing.text import Piece, Slot, Text
from promptmw.fencing.untrusted import Untrusted
from promptmw.kinds import Trust


@dataclass(frozen=True, slots=True)
class Span:
    """Says whose the characters ``start`` to ``end`` of a block are.

    Attributes:
        start: Offset of the first character.
        end: Offset behind the last one.
        slot: The slot they went through; blank for an operator's text.
        trust: Whose text it is.
        source: Where it came from.
        size: Code points of the raw value that is shown.
        cut: Code points left out at its end.
        escapes: How many characters were made visible, by kind.
    """

    start: int
    end: int
    slot: str
    trust: Trust
    source: str
    size: int = 0
    cut: int = 0
    escapes: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """Is a rendered text with what a machine may ask of it.

    Attributes:
        text: The string that goes into the prompt.
        spans: What in it is not ours.
        marks: Offset and tag of every tag that a fence of ours wrote.
    """

    text: str
    spans: tuple[Span, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()


class Policy:
    """Knows what is reserved, and writes texts so that no untrusted character can imitate it.

    Args:
        tags: Tags of the fences of all loaded plugins, whether a profile switches them on or not.
        headings: Headings of all locales of all loaded plugins.
    """

    def __init__(self, tags: Iterable[str], headings: Iterable[str] = ()) -> None:
        self.tags = tuple(sorted(set(tags)))
        self.headings = tuple(sorted(set(headings)))
        self._neutralise = Neutraliser(self.tags, Headings(self.headings))

    @functools.cached_property
    def id(self) -> str:
        """Names what is reserved and how it is escaped: with the same id the same text gives the same bytes."""
        import json  # here, so that importing a pipeline does not load it

        known = [digest(), escape("<"), self.tags, self.headings, FOREIGN, ASSIGNED, TOKENS, EXACT, SQUARE]
        patterns = {name: g.pattern.pattern for name, g in sorted(grammars.BY_NAME.items())}
        return "pmw1-" + hashlib.sha256(json.dumps([*known, patterns]).encode()).hexdigest()[:12]

    def write(self, text: Text | str) -> Written:
        """Returns the string of a text, every value in it neutralised for its slot."""
        parts: list[str] = []
        spans: list[Span] = []
        marks: list[tuple[int, str]] = []
        at = 0
        for piece in (Piece(text),) if isinstance(text, str) else text:
            part, escapes = self._string(piece)
            if piece.tag:
                marks.append((at + part.index("<"), piece.tag))
            if piece.trust is not Trust.AUTHORED:
                spans.append(_span(piece, at, len(part), escapes))
            parts.append(part)
            at += len(part)
        whole = parts[0] if len(parts) == 1 else "".join(parts)
        return Written(whole, tuple(spans), tuple(marks))

    def neutralise(self, text: str, slot: Slot) -> str:
        """Returns ``text`` with everything escaped that has a meaning in that slot; itself when nothing has."""
        return self._neutralise(text, slot)[0]

    def _string(self, piece: Piece) -> tuple[str, Mapping[str, int]]:
        if isinstance(piece.text, str):
            return piece.text, {}
        assert piece.slot is not None  # a Piece with an untrusted value is only made by a slot
        return self._neutralise(piece.text.reveal(), piece.slot)


def _span(piece: Piece, at: int, size: int, escapes: Mapping[str, int]) -> Span:
    end, counted = at + size, tuple(escapes.items())
    if isinstance(piece.text, Untrusted):
        assert piece.slot is not None  # as above
        value = piece.text
        return Span(at, end, piece.slot.name, piece.trust, value.source, value.size, value.cut, counted)
    return Span(at, end, "", piece.trust, "", size, piece.cut)
