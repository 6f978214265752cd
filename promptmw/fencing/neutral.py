"""Neutralisation: what of a value has a meaning in its slot is made visible. Nothing is deleted, nothing added."""

from __future__ import annotations

import re
from collections.abc import Iterator

from promptmw.fencing import grammars
from promptmw.fencing.code_points import escape, hidden
from promptmw.fencing.headings import Headings
from promptmw.fencing.markers import markers
from promptmw.fencing.text import Slot

_BREAKS = "\t\n\r"
_FIRST_ONLY = ("line", "list_item")


class Neutraliser:
    """Escapes in values what is reserved.

    Args:
        tags: Tags of the fences of all loaded plugins.
        headings: Finds lines that read as a heading of ours.
    """

    def __init__(self, tags: tuple[str, ...], headings: Headings) -> None:
        self._tags = tags
        self._headings = headings

    def __call__(self, text: str, slot: Slot) -> tuple[str, dict[str, int]]:
        """Returns the text as its slot writes it, and how many characters were escaped, by kind.

        The text is the same object when nothing has to be escaped.
        """
        kinds = {kind: found for kind, found in self.found(text, slot) if found}
        if kinds:
            text = _escaped(text, sorted(set().union(*kinds.values())))
        if slot.quotes:
            import json  # here, so that importing a pipeline does not load it

            text = json.dumps(text, ensure_ascii=False)[1:-1]
        return text, {kind: len(found) for kind, found in kinds.items()}

    def found(self, text: str, slot: Slot) -> Iterator[tuple[str, set[int]]]:
        """Yields each kind of what is reserved with its offsets, all decided on the text as it is."""
        if not slot.markers_only:
            yield "code point", hidden(text)
        elif "⟦" in text:
            yield "code point", {m.start() for m in re.finditer("⟦", text)}
        yield "marker", markers(self._tags, slot.local_tags).find(text, begun=slot.dangling)
        if slot.headings:
            yield "heading", self._headings.find(text)
        for name in slot.grammars:
            yield "grammar", set(grammars.hits(grammars.BY_NAME[name], text))
        if slot.one_line or slot.escapes:
            yield "slot", set(_characters(text, slot))


def _escaped(text: str, places: list[int]) -> str:
    parts, end = [], 0
    for at in places:
        parts += [text[end:at], escape(text[at])]
        end = at + 1
    return "".join([*parts, text[end:]])


def _characters(text: str, slot: Slot) -> Iterator[int]:
    """Yields the offsets of the separator or of the single characters that this slot escapes."""
    breaks = _BREAKS if slot.one_line else ""
    if slot.escapes and slot.name in _FIRST_ONLY:
        yield from (m.start() for m in re.finditer(re.escape(slot.escapes), text))
        wanted = breaks
    else:
        wanted = slot.escapes + breaks
    for character in wanted:
        if character in text:
            yield from (m.start() for m in re.finditer(re.escape(character), text))
