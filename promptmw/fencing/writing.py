"""Writes the pieces of a text one after the other, and notes whose each character is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from promptmw.fencing.modes import QUOTE, in_fences
from promptmw.fencing.neutral import Neutraliser
from promptmw.fencing.settings import FenceMode
from promptmw.fencing.text import Edge, Piece
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
        bare: The same text in plain fences and without escapes, where that is another one.
    """

    text: str
    spans: tuple[Span, ...] = ()
    marks: tuple[tuple[int, str], ...] = ()
    bare: str | None = None


class Writing:
    """Is one text being written.

    Args:
        neutralise: Escapes in values what is reserved.
        modes: Returns the modes of a fence.
    """

    def __init__(self, neutralise: Neutraliser, modes: Callable[[str], frozenset[FenceMode]]) -> None:
        self._neutralise = neutralise
        self._modes = modes
        self._around: list[frozenset[FenceMode]] = []
        self._parts: list[str] = []
        self._bare: list[str] = []
        self._spans: list[Span] = []
        self._marks: list[tuple[int, str]] = []
        self._size = 0

    def of(self, pieces: Sequence[Piece], ids: Mapping[int, str]) -> Written:
        """Returns what the pieces become.

        Args:
            pieces: Of a text.
            ids: Of keyed fences, under the indexes of the pieces that are their edges.
        """
        for at, piece in enumerate(pieces):
            self._add(piece, ids.get(at, ""))
        text, bare = "".join(self._parts), "".join(self._bare)
        return Written(text, tuple(self._spans), tuple(self._marks), None if bare == text else bare)

    def _add(self, piece: Piece, id: str) -> None:
        part, bare, escapes = self._string(piece)
        self._bare.append(bare)
        if piece.edge is not None:
            part = self._edge(piece, part, id)
        elif self._around:
            part = in_fences(part, self._around)
        if piece.tag and piece.edge is not Edge.BODY:
            self._marks.append((self._size + part.index("<"), piece.tag))
        if piece.trust is not Trust.AUTHORED:
            self._spans.append(_span(piece, self._size, len(part), escapes))
        self._parts.append(part)
        self._size += len(part)

    def _string(self, piece: Piece) -> tuple[str, str, Mapping[str, int]]:
        if isinstance(piece.text, str):
            return piece.text, piece.text, {}
        assert piece.slot is not None  # a Piece with an untrusted value is only made by a slot
        raw = piece.text.reveal()
        part, escapes = self._neutralise(raw, piece.slot)
        return part, self._neutralise.bare(raw, piece.slot) if escapes else part, escapes

    def _edge(self, piece: Piece, part: str, id: str) -> str:
        """Returns an edge of a fence as it stands in the fences around it."""
        own = self._modes(piece.tag)
        if piece.edge is Edge.CLOSE:
            self._around.pop()
        if id:
            head, tag, rest = part.partition(piece.tag)
            part = f'{head}{tag} id="{id}"{rest}'
        if piece.edge is Edge.BODY and FenceMode.QUOTED in own:
            part += QUOTE
        part = in_fences(part, self._around)
        if piece.edge is Edge.BODY:
            self._around.append(own)
        return part


def _span(piece: Piece, at: int, size: int, escapes: Mapping[str, int]) -> Span:
    end, counted = at + size, tuple(escapes.items())
    if isinstance(piece.text, Untrusted):
        assert piece.slot is not None  # as above
        value = piece.text
        return Span(at, end, piece.slot.name, piece.trust, value.source, value.size, value.cut, counted)
    return Span(at, end, "", piece.trust, "", size, piece.cut)
