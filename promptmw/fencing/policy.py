"""A policy: the one place where the pieces of a text become a string."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from promptmw.fencing import grammars
from promptmw.fencing.code_points import escape, hidden
from promptmw.fencing.headings import Headings
from promptmw.fencing.markers import FOREIGN, Markers
from promptmw.fencing.text import Piece, Slot, Text
from promptmw.fencing.untrusted import Untrusted
from promptmw.kinds import Trust

_SUSPECT = re.compile(r"[<&\\%=\[⟦]|[^\t\n -~]")


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
    """

    start: int
    end: int
    slot: str
    trust: Trust
    source: str
    size: int = 0
    cut: int = 0


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
        import json  # here, so that importing a pipeline does not load it

        self.tags = tuple(sorted(set(tags)))
        names = tuple(sorted(set(headings)))
        self.id = "pmw1-" + hashlib.sha256(json.dumps([self.tags, FOREIGN, names]).encode()).hexdigest()[:12]
        self._headings = Headings(names)
        self._markers = functools.lru_cache(maxsize=64)(lambda local: Markers(self.tags, local=local))

    def write(self, text: Text | str) -> Written:
        """Returns the string of a text, every value in it neutralised for its slot."""
        parts: list[str] = []
        spans: list[Span] = []
        marks: list[tuple[int, str]] = []
        at = 0
        for piece in (Piece(text),) if isinstance(text, str) else text:
            part = self._string(piece)
            if piece.tag:
                marks.append((at + part.index("<"), piece.tag))
            if piece.trust is not Trust.AUTHORED:
                spans.append(_span(piece, at, len(part)))
            parts.append(part)
            at += len(part)
        whole = parts[0] if len(parts) == 1 else "".join(parts)
        return Written(whole, tuple(spans), tuple(marks))

    def neutralise(self, text: str, slot: Slot) -> str:
        """Returns ``text`` with everything escaped that has a meaning in that slot; itself when nothing has."""
        found = self._hits(text, slot)
        if not found:
            return text
        return "".join(escape(c) if i in found else c for i, c in enumerate(text))

    def _string(self, piece: Piece) -> str:
        if isinstance(piece.text, str):
            return piece.text
        assert piece.slot is not None  # a Piece with an untrusted value is only made by a slot
        return self.neutralise(piece.text.reveal(), piece.slot)

    def _hits(self, text: str, slot: Slot) -> set[int]:
        found: set[int] = set()
        if _SUSPECT.search(text):
            found = hidden(text) | self._markers(slot.local_tags).find(text)
        if slot.dangling:
            found |= self._markers(slot.local_tags).dangling(text)
        if slot.headings:
            found |= self._headings.find(text)
        for name in slot.grammars:
            found.update(grammars.hits(grammars.BY_NAME[name], text))
        return found | _characters(text, slot)


def _characters(text: str, slot: Slot) -> set[int]:
    """Returns the offsets of the single characters that this slot escapes."""
    wanted = (slot.escapes[:1] if slot.name in ("line", "list_item") else slot.escapes) + (
        "\t\n\r" if slot.one_line else ""
    )
    if not any(c in text for c in wanted):
        return set()
    if slot.escapes and slot.name in ("line", "list_item"):
        separator = {m.start() for m in re.finditer(re.escape(slot.escapes), text)}
        return separator | {i for i, c in enumerate(text) if c in "\t\n\r"}
    return {i for i, c in enumerate(text) if c in wanted}


def _span(piece: Piece, at: int, size: int) -> Span:
    if isinstance(piece.text, Untrusted):
        assert piece.slot is not None  # as above
        return Span(at, at + size, piece.slot.name, piece.trust, piece.text.source, piece.text.size, piece.text.cut)
    return Span(at, at + size, "", piece.trust, "", size, piece.cut)
