"""Finds the few places of a text that are worth a closer look, at the speed of regular expressions."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from promptmw.fencing.readings import LEADS
from promptmw.fencing.tables import entities, fold, folding
from promptmw.fencing.tree import Node

_BEYOND = r"\x80-\U0010ffff"
_FILLER = r"[\x00-\x08\x0b\x0c\x0e-\x20\x7f_-]"
_SKIPPED = r"[\x00-\x08\x0b\x0c\x0e-\x20\x7f_/!?-]"
_ALIKE = {"l": "[l1iLI|]", "o": "[o0O]"}
_DEPTH = 3
_NEAR = 24
_ABOVE = re.compile("[\U00010000-\U0010ffff]")


class Scanner:
    """Finds candidates: more places than markers, and none too few.

    Args:
        names: The tree of the names in angle brackets.
        squares: The same for square brackets.
    """

    def __init__(self, names: Node, squares: Node) -> None:
        self._leads = [(lead, re.compile(pattern)) for lead, pattern in _patterns(names, squares, _BEYOND).items()]
        self._near = re.compile("|".join(_patterns(names, squares, "").values()), re.I)

    def candidates(self, text: str) -> Iterator[int]:
        """Yields the places at which a marker may begin."""
        for lead, pattern in self._leads:
            if lead in text:
                yield from self._read(text, pattern)
        if not text.isascii():
            yield from self._read(text, _others(above=False))
            if _ABOVE.search(text):
                yield from self._read(text, _others(above=True))

    def _read(self, text: str, pattern: re.Pattern[str]) -> Iterator[int]:
        """Yields where a pattern is found and, in a text beyond ASCII, it still is when what follows is folded."""
        ascii_only = text.isascii()
        for match in pattern.finditer(text):
            at = match.start()
            if ascii_only or self._near.match(fold(text[at : at + _NEAR])):
                yield at


def _patterns(names: Node, squares: Node, beyond: str) -> dict[str, str]:
    """Returns, by the character that it begins with, what a marker may look like.

    Args:
        names: The tree of the names in angle brackets.
        squares: The same for square brackets.
        beyond: What of the characters beyond ASCII can be read as something else, as part of a class.
    """
    unsure = rf"[&%=\t\n\r{beyond}]|\\(?![\"'])"
    angle = rf"{_SKIPPED}*+(?:{unsure}|[<|]|\Z|[a-zA-Z]{{1,12}}+(?::|\Z)|{_names(names, unsure, _DEPTH)})"
    square = rf"{_FILLER}*+/?{_FILLER}*+(?:{unsure}|\Z|{_names(squares, unsure, _DEPTH)})"
    return {
        "<": rf"<(?={angle})",
        "[": rf"\[(?={square})",
        "&": rf"&(?={_reference(beyond, _DEPTH)})",
        "\\": rf"\\(?=[xuU0-7&%={beyond}])",
        "%": rf"%(?={_octets(beyond, _DEPTH)})",
        "=": rf"=(?={_octets(beyond, _DEPTH)})",
    }


def _names(node: Node, unsure: str, depth: int) -> str:
    """Returns a pattern for the first letters of all names, fillers between."""
    if depth == 0 or not node.children:
        return ""
    branches = []
    for letter, child in sorted(node.children.items()):
        rest = _names(child, unsure, depth - 1)
        complete = child.ours or child.foreign or child.token or child.assigned or child.square
        behind = rf"{_FILLER}*+(?:{unsure}|\Z|{rest})" if rest and not complete else ""
        branches.append(_letter(letter) + behind)
    return "|".join(branches)


def _letter(letter: str) -> str:
    return _ALIKE.get(letter) or (f"[{letter}{letter.upper()}]" if letter.isalpha() else re.escape(letter))


def _reference(beyond: str, depth: int) -> str:
    """Returns a pattern for what stands behind ``&`` where that can be a bracket or an escape again."""
    wanted = {name for name, text in entities().items() if fold(text)[:1] in {"<", "[", *LEADS}}
    starts = "|".join(sorted({re.escape(name[:2]) for name in wanted}))
    return rf"[#\t\n\r{beyond}]|{starts}|\Z|[a-zA-Z]?{_escape(beyond, depth)}"


def _octets(beyond: str, depth: int) -> str:
    """Returns a pattern for two digits that can be a bracket, an escape again, or a character beyond ASCII."""
    digits = r"3[cCdD]|5[bBcC]|2[56]|[89a-fA-F][0-9a-fA-F]"
    return rf"{digits}|[\t\n\r{beyond}]|\Z|[0-9a-fA-F]?(?:[\t\n\r{beyond}]|{_escape(beyond, depth)})"


def _escape(beyond: str, depth: int) -> str:
    """Returns a pattern for an escape that may stand for one of the characters of another."""
    if depth == 0:
        return r"[&\\%=]"
    inner = _escape(beyond, depth - 1)
    octets = rf"[%=](?:[0-9a-fA-F]{{2}}|[0-9a-fA-F]?[\t\n\r{beyond}]|[0-9a-fA-F]?{inner}|\Z)"
    return rf"(?:&(?:[#\t\n\r{beyond}a-zA-Z]|{inner}|\Z)|\\(?![\"'])|{octets})"


@functools.cache
def _others(*, above: bool) -> re.Pattern[str]:
    """Returns a pattern for the characters beyond ASCII that fold to what a marker may begin with.

    Args:
        above: Those above U+FFFF, or those below: a class that holds both is ten times as slow.
    """
    found = [chr(p) for p, plain in folding().items() if p > 0x7F and plain[:1] in {"<", "[", *LEADS}]
    wanted = "".join(c for c in found if (ord(c) > 0xFFFF) == above)
    return re.compile(f"[{wanted}]")
