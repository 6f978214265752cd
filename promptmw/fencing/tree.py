"""The tree of all names, by their letters: what a marker is read along."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

ALIKE = str.maketrans("1i|0", "lllo")
"""Letters and digits that count as one in a name."""


def skeleton(name: str) -> str:
    """Returns what counts of a name."""
    return "".join(c for c in name.lower() if c.isalnum()).translate(ALIKE)


@dataclass(slots=True, eq=False)
class Node:
    """Is a place in the tree of all names.

    Attributes:
        children: By the next letter.
        ours: Whether a tag of ours ends here: it counts whatever follows.
        foreign: Whether somebody else's tag ends here: it counts if the word does.
        token: Whether a control token ends here: it counts with a bar at one side.
        assigned: Whether it counts with an equals sign behind it.
        square: Whether it counts in square brackets.
    """

    children: dict[str, Node] = field(default_factory=dict)
    ours: bool = False
    foreign: bool = False
    token: bool = False
    assigned: bool = False
    square: bool = False

    def add(self, names: Iterable[str], kind: str) -> None:
        """Adds names of one kind."""
        for name in names:
            node = self
            for letter in skeleton(name):
                node = node.children.setdefault(letter, Node())
            setattr(node, kind, True)
