"""Finds markers in any spelling: our tags, tags of other harnesses, and control tokens of chat templates."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from enum import Enum

from promptmw.fencing.machine import Machine, States
from promptmw.fencing.names import ASSIGNED, EXACT, FOREIGN, SQUARE, TOKENS
from promptmw.fencing.readings import Allowance, Overrun, Readings
from promptmw.fencing.scanning import Scanner
from promptmw.fencing.tables import fold
from promptmw.fencing.tree import Node

_EXACT = re.compile(rf"</?(?:{'|'.join(EXACT)})>")
_SMALL = re.compile("[a-z]")
_WINDOW = 24
_GROWTH = 4
_NONE: States = frozenset()


class Found(Enum):
    """Says what begins at a place."""

    MARKER = "marker"
    BEGUN = "begun"
    """It is one if the right characters follow behind the end of the text."""


@functools.lru_cache(maxsize=64)
def markers(tags: tuple[str, ...], local: tuple[str, ...] = (), extra: tuple[str, ...] = ()) -> Markers:
    """Returns what finds some tags; remembered."""
    return Markers(tags, local=local, extra=extra)


class Markers:
    """Finds the places in a text where a marker begins.

    Args:
        tags: The tags of all loaded fences. Nothing is required behind such a name for it to count.
        local: Tags that are reserved in this place only; a letter behind the name makes it another word.
        extra: Tags and control tokens of an application or its models, as they are written.
    """

    def __init__(self, tags: Iterable[str], *, local: Iterable[str] = (), extra: Iterable[str] = ()) -> None:
        shapes = [(name, _shape(name)) for name in extra]
        names = Node()
        names.add(tags, "ours")
        names.add((*FOREIGN, *local, *(n for n, shape in shapes if shape == "foreign")), "foreign")
        names.add((*TOKENS, *(n for n, shape in shapes if shape == "token")), "token")
        names.add(ASSIGNED, "assigned")
        squares = Node()
        squares.add((*SQUARE, *(n for n, shape in shapes if shape == "square")), "square")
        self._machine = Machine(names, squares)
        self._scanner = Scanner(names, squares)

    def find(self, text: str, *, begun: bool = False) -> set[int]:
        """Returns the offsets at which a marker begins.

        Args:
            text: Of any content.
            begun: Whether one counts that is only begun at the end of the text.
        """
        return self._hits(text, self._scanner.candidates(text), begun=begun)

    def every(self, text: str, *, begun: bool = False) -> set[int]:
        """Returns the same by looking at each place: the definition, with which the faster way has to agree."""
        places = (at for at in range(len(text)) if not text.startswith("\\\\", at))
        return self._hits(text, places, begun=begun)

    def _hits(self, text: str, places: Iterable[int], *, begun: bool) -> set[int]:
        wanted = (Found.MARKER, Found.BEGUN) if begun else (Found.MARKER,)
        found = {at for at, what in self._decided(text, places) if what in wanted}
        found |= {m.start() for m in _EXACT.finditer(text)} if "<" in text else set()
        return {at for at in found if not (text[at] == "\\" and at + 1 in found)}

    def _decided(self, text: str, places: Iterable[int]) -> Iterator[tuple[int, Found]]:
        allowance = Allowance(len(text))
        for at in places:
            found = self._at(text, at, allowance)
            if found is not None:
                yield at, found

    def _at(self, text: str, at: int, allowance: Allowance) -> Found | None:
        """Returns what begins at a place. What would take too long to find out counts as a marker."""
        size = _WINDOW
        try:
            while not allowance.spent:
                follower = _Follower(self._machine, Readings(text, at, at + size, allowance), at)
                found = follower.found()
                if not follower.cut:
                    return found
                size *= _GROWTH
        except Overrun:
            pass
        return Found.MARKER


def _shape(marker: str) -> str:
    """Says what kind of marker is written like this."""
    return "square" if marker.startswith("[") else "token" if "|" in marker else "foreign"


class _Follower:
    """Follows all readings of a part of a text from a place on, side by side.

    Attributes:
        cut: Whether one would have to read on behind the part.
    """

    def __init__(self, machine: Machine, readings: Readings, at: int) -> None:
        self.cut = False
        self._machine = machine
        self._readings = readings
        self._start = at
        self._later: dict[int, States] = {at: frozenset((machine.start,))}

    def found(self) -> Found | None:
        """Returns what begins there, as far as the part tells."""
        states, place, later = _NONE, self._start, self._later
        while states or later:
            if not states:
                place = min(later)
            states |= later.pop(place, _NONE)
            if place >= self._readings.end:
                return self._at_end(states)
            step = self._step(states, place)
            if step is None:
                return Found.MARKER
            states, place = step, place + 1
        return None

    def _at_end(self, states: States) -> Found | None:
        if self._readings.end < len(self._readings.text):
            self.cut = True
            return None
        if any(state.counts_at_end for state in states):
            return Found.MARKER
        return Found.BEGUN if any(state.begun for state in states) else None

    def _step(self, states: States, place: int) -> States | None:
        """Returns the states one character on, and keeps those that are further; None for a marker."""
        readings, after = self._readings, _NONE
        self.cut = self.cut or place in readings.cut
        for text, behind in readings.at(place):
            if not text and place == self._start:  # a line break of mail is no character to begin with
                continue
            reached = self._fed(states, fold(text), behind)
            if reached is None:
                return None
            if behind == place + 1:
                after |= reached
            elif reached:
                self._later[behind] = self._later.get(behind, _NONE) | reached
        return after

    def _fed(self, states: States, folded: str, behind: int) -> States | None:
        for character in folded:
            step = self._machine.step(states, character)
            if step.hit or (step.shouted and not _SMALL.search(self._readings.text, self._start, behind)):
                return None
            states = step.states
        return states
