"""Makes the states of what a marker is when they are first needed, and then keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from promptmw.fencing.states import HIT, SHOUTED, Made, Named, Start, State
from promptmw.fencing.tree import ALIKE, Node

States = frozenset[State]


class Step(NamedTuple):
    """Is where a character leads.

    Attributes:
        states: In which one is then; none where nothing can come of it.
        hit: Whether a marker is complete.
        shouted: Whether one is, if no letter of it is small.
    """

    states: States
    hit: bool
    shouted: bool


class Machine:
    """Makes the states for one set of names.

    Args:
        names: The root of the tree of those in angle brackets.
        squares: The same for square brackets.
    """

    def __init__(self, names: Node, squares: Node) -> None:
        self.names = names
        self.squares = squares
        self._states: dict[tuple[object, ...], State] = {}
        self._steps: dict[tuple[States, str], Step] = {}
        self.start = Start(self)

    def step(self, states: States, character: str) -> Step:
        """Returns where a folded character leads from some states; kept, as most texts ask the same again and again."""
        found = self._steps.get((states, character))
        if found is None:
            after = {state for before in states for state in before.after(character)}
            found = Step(frozenset(after - {HIT, SHOUTED}), HIT in after, SHOUTED in after)
            if character.isascii():
                self._steps[states, character] = found
        return found

    def state(self, kind: type[Made], *key: object) -> State:
        """Returns the one state of a kind with some properties."""
        found = self._states.get((kind, *key))
        if found is None:
            found = self._states[kind, *key] = kind(self, *key)
        return found

    def named(self, letter: str, root: Node, *, bar: bool, prefixed: bool, square: bool = False) -> Iterator[State]:
        """Yields the state behind the first letter of a name."""
        child = root.children.get(letter.translate(ALIKE))
        if child is not None:
            yield from self.behind(child, bar=bar, prefixed=prefixed, square=square, broken=False)

    def behind(self, node: Node, *, bar: bool, prefixed: bool, square: bool, broken: bool) -> Iterator[State]:
        """Yields the state behind a letter of a name; `HIT` where nothing more is needed."""
        yield (
            HIT
            if node.ours and not prefixed and not square
            else self.state(Named, node, bar, prefixed, square, broken, False)
        )
