"""How far a marker has been read: what each character may be followed by.

A state is fed folded characters. Names are compared without the fillers between their letters, and ``l``, ``1``, ``i``
and ``|`` count as one letter there, as do ``o`` and ``0``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from promptmw.fencing.tree import ALIKE, Node

if TYPE_CHECKING:
    from promptmw.fencing.machine import Machine

_FILLERS = frozenset(map(chr, range(0x21))) | {"\x7f", "-", "_"}
_SKIPPED = _FILLERS | frozenset("/\\!?")
_BREAKS = frozenset("\n\r")
_GOES_ON = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_.:@-")
"""Behind the name of somebody else's tag: it is another word."""

_GENERIC = _GOES_ON | {"/"}
_MOST_GENERIC = 64
_MOST_PREFIX = 12


class State:
    """Is how far a marker has been read.

    Attributes:
        counts_at_end: Whether the end of the text makes it a marker.
        begun: Whether more text could make it one.
    """

    __slots__ = ("_moves",)
    counts_at_end = False
    begun = False

    def __init__(self) -> None:
        self._moves: dict[str, tuple[State, ...]] = {}

    def after(self, character: str) -> tuple[State, ...]:
        """Returns the states behind a folded character; `HIT` among them where the marker is complete."""
        found = self._moves.get(character)
        if found is None:
            found = self._moves[character] = tuple(self._after(character)) if character.isascii() else ()
        return found

    def _after(self, character: str) -> Iterator[State]:
        raise NotImplementedError


class _Hit(State):
    __slots__ = ()

    def _after(self, character: str) -> Iterator[State]:
        return iter(())


HIT = _Hit()
"""A marker is complete."""

SHOUTED = _Hit()
"""A marker in square brackets is complete, if no letter of it is small."""


class Made(State):
    """Is a state of a machine."""

    __slots__ = ("machine",)

    def __init__(self, machine: Machine, *key: object) -> None:
        super().__init__()
        self.machine = machine


class Start(Made):
    """In front of a marker."""

    __slots__ = ()

    def _after(self, character: str) -> Iterator[State]:
        if character == "<":
            yield self.machine.state(_Opened, True)
        elif character == "[":
            yield self.machine.state(_Square, False)


class _Opened(Made):
    """Behind ``<`` and what is skipped."""

    __slots__ = ("first",)
    begun = True

    def __init__(self, machine: Machine, first: bool) -> None:
        super().__init__(machine)
        self.first = first

    def _after(self, character: str) -> Iterator[State]:
        machine = self.machine
        if character in _SKIPPED:
            yield machine.state(_Opened, False)
        if self.first and character == "|":
            yield machine.state(_Barred, 0, False)
            yield machine.state(_BarName)
        if self.first and character == "<":
            yield machine.state(_Sys, 0)
        if character.isalpha():
            yield machine.state(_Prefix, 1)
        yield from machine.named(character, machine.names, bar=False, prefixed=False)


class _Prefix(Made):
    """Behind one to twelve letters that may stand before a colon."""

    __slots__ = ("count",)

    def __init__(self, machine: Machine, count: int) -> None:
        super().__init__(machine)
        self.count = count

    def _after(self, character: str) -> Iterator[State]:
        if character == ":":
            yield self.machine.state(_Prefixed)
        elif character.isalpha() and self.count < _MOST_PREFIX:
            yield self.machine.state(_Prefix, self.count + 1)


class _Prefixed(Made):
    """Behind a prefix and its colon."""

    __slots__ = ()
    begun = True

    def _after(self, character: str) -> Iterator[State]:
        yield from self.machine.named(character, self.machine.names, bar=False, prefixed=True)


class _BarName(Made):
    """Behind ``<|``, in front of the name of a control token."""

    __slots__ = ()
    begun = True

    def _after(self, character: str) -> Iterator[State]:
        if character in _FILLERS - _BREAKS:
            yield self
        yield from self.machine.named(character, self.machine.names, bar=True, prefixed=False)


class Named(Made):
    """Behind a letter of a name, and fillers."""

    __slots__ = ("_bar", "_broken", "_filled", "_node", "_prefixed", "_square")
    begun = True

    def __init__(
        self, machine: Machine, node: Node, bar: bool, prefixed: bool, square: bool, broken: bool, filled: bool
    ) -> None:
        super().__init__(machine)
        self._node, self._bar, self._prefixed, self._square = node, bar, prefixed, square
        self._broken, self._filled = broken, filled

    @property
    def counts_at_end(self) -> bool:  # type: ignore[override]
        """Whether the end of the text ends the word."""
        return self._node.foreign and not self._filled and not self._bar and not self._square

    def _after(self, character: str) -> Iterator[State]:
        if self._completes(character):
            yield SHOUTED if self._square else HIT
            return
        node, machine = self._node, self.machine
        if character in _FILLERS and not (self._square and character in _BREAKS):
            broken = self._broken or character in _BREAKS
            yield machine.state(Named, node, self._bar, self._prefixed, self._square, broken, True)
        child = node.children.get(character.translate(ALIKE))
        if child is not None:
            yield from machine.behind(
                child, bar=self._bar, prefixed=self._prefixed, square=self._square, broken=self._broken
            )

    def _completes(self, character: str) -> bool:
        node = self._node
        if self._square:
            return node.square and character == "]"
        if (
            node.token
            and not self._broken
            and not self._prefixed
            and (character == "|" or (self._bar and character == ">"))
        ):
            return True
        if self._bar:
            return False
        if node.assigned and character == "=":
            return True
        return node.foreign and not self._filled and character not in _GOES_ON


class _Barred(Made):
    """Behind ``<|`` and what a control token may hold."""

    __slots__ = ("_count", "_worded")

    def __init__(self, machine: Machine, count: int, worded: bool) -> None:
        super().__init__(machine)
        self._count, self._worded = count, worded

    def _after(self, character: str) -> Iterator[State]:
        if character == "|" and self._worded:
            yield self.machine.state(_BarredEnd)
        elif self._holds(character) and self._count < _MOST_GENERIC:
            yield self.machine.state(_Barred, self._count + 1, self._worded or character.isalnum())

    def _holds(self, character: str) -> bool:
        """Says whether a token may hold a character here: no blank at its start, as operators have."""
        return character in _GENERIC or (self._count > 0 and character in _FILLERS - _BREAKS)


class _BarredEnd(Made):
    """Behind the second bar of a control token."""

    __slots__ = ()

    def _after(self, character: str) -> Iterator[State]:
        if character == ">":
            yield HIT


class _Sys(Made):
    """Inside ``<<SYS>``."""

    __slots__ = ("_count",)

    def __init__(self, machine: Machine, count: int) -> None:
        super().__init__(machine)
        self._count = count

    def _after(self, character: str) -> Iterator[State]:
        if self._count == 0 and character == "/":
            yield self
        elif character == "sys>"[self._count]:
            yield HIT if self._count == 3 else self.machine.state(_Sys, self._count + 1)


class _Square(Made):
    """Behind ``[``, and fillers."""

    __slots__ = ("_slashed",)

    def __init__(self, machine: Machine, slashed: bool) -> None:
        super().__init__(machine)
        self._slashed = slashed

    begun = True

    def _after(self, character: str) -> Iterator[State]:
        machine = self.machine
        if character in _FILLERS - _BREAKS:
            yield self
        elif character == "/" and not self._slashed:
            yield machine.state(_Square, True)
        yield from machine.named(character, machine.squares, bar=False, prefixed=False, square=True)
