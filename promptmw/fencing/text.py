"""What sections return: text in pieces, each with its trust, until a policy makes a string of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NoReturn

from promptmw.errors import TrustError
from promptmw.fencing.untrusted import Untrusted
from promptmw.kinds import Trust

_FILLERS = " \t\r\n-_"
"""Characters that do not keep two halves of a marker apart."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Describes how one untrusted value stands in a prompt.

    Attributes:
        name: ``block``, ``section``, ``line``, ``quoted``, ``attr`` or ``list_item``.
        one_line: Line breaks and tabs are escaped.
        escapes: Single characters that are escaped as well.
        grammars: Names of line patterns that must not be imitated here.
        dangling: A tag that is only begun at the end counts as one.
        headings: Lines that read as a heading of ours are escaped.
        local_tags: Tags that are reserved inside the enclosing fence only.
        quotes: It stands between quotation marks of JSON, whose own escapes are written last.
        markers_only: Only markers and our own escapes are reserved: for messages that others wrote.
    """

    name: str
    one_line: bool = False
    escapes: str = ""
    grammars: tuple[str, ...] = ()
    dangling: bool = False
    headings: bool = False
    local_tags: tuple[str, ...] = ()
    quotes: bool = False
    markers_only: bool = False


class Edge(Enum):
    """Says which edge of a fence a string is."""

    OPEN = "open"
    """The beginning of its opening tag; attributes follow."""
    BODY = "body"
    """The end of its opening tag: the body follows."""
    CLOSE = "close"
    """Its closing tag."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Is one run of a `Text`: ours as a string, or a value with the slot that it goes through.

    Attributes:
        text: A string of ours or of the operator, or an untrusted value.
        slot: The slot of an untrusted value; ``None`` for a string.
        trust: Whose it is.
        tag: The fence whose tag this string is, for the strings that a `Fence` writes and for tags that are shown.
        edge: Which edge of a fence it is, if it is one.
        cut: Code points left out of an operator's text.
    """

    text: str | Untrusted
    slot: Slot | None = None
    trust: Trust = Trust.AUTHORED
    tag: str = ""
    edge: Edge | None = None
    cut: int = 0


class Text:
    """Is an immutable sequence of pieces. Only a policy turns it into a string."""

    __slots__ = ("pieces",)
    pieces: tuple[Piece, ...]

    def __init__(self, pieces: Iterable[Piece] = ()) -> None:
        object.__setattr__(self, "pieces", tuple(pieces))

    @classmethod
    def of(cls, *parts: Text | str) -> Text:
        """Returns the parts one after the other.

        Raises:
            TrustError: Two untrusted values would touch, or a part is neither text nor string.
        """
        pieces: list[Piece] = []
        before: Slot | None = None
        between = ""
        for part in parts:
            for piece in _pieces(part):
                if piece.slot is None:
                    between += str(piece.text)
                else:
                    _check_apart(before, between)
                    before, between = piece.slot, ""
                pieces.append(piece)
        return cls(pieces)

    @classmethod
    def join(cls, separator: str, parts: Iterable[Text | str]) -> Text:
        """Returns the parts that are not empty, with the separator between them."""
        spread: list[Text | str] = []
        for part in parts:
            if part:
                spread += [separator, part] if spread and separator else [part]
        return cls.of(*spread)

    def __add__(self, other: Text | str) -> Text:
        return Text.of(self, other)

    def __radd__(self, other: str) -> Text:
        return Text.of(other, self)

    def __bool__(self) -> bool:
        return bool(self.pieces)

    def __iter__(self) -> Iterator[Piece]:
        return iter(self.pieces)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self.pieces == other.pieces

    def __hash__(self) -> int:
        return hash(self.pieces)

    def __repr__(self) -> str:
        return f"<Text of {len(self.pieces)} pieces>"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Text is frozen: {name} cannot be set")

    def _refuse(self, *_: object) -> NoReturn:
        raise TrustError(
            "a Text has no string of its own: return it from the section, the pipeline's policy renders it"
        )

    __str__ = __format__ = _refuse


def _check_apart(before: Slot | None, between: str) -> None:
    """Checks that what stands between two values keeps them from forming a marker together."""
    if before is None or (between and before.one_line):
        return
    if not between or not (before.dangling or between.strip(_FILLERS)):
        raise TrustError("two untrusted values touch: put a separator of your own between them")


def _pieces(part: Text | str) -> tuple[Piece, ...]:
    if isinstance(part, Text):
        return part.pieces
    if isinstance(part, str):
        return (Piece(part),) if part else ()
    raise TrustError(f"a prompt is made of str and Text, not {type(part).__name__}: use a slot for untrusted values")
