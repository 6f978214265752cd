"""Neutralisation: what of a value has a meaning in its slot is made visible. Nothing is deleted, nothing added."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

from promptmw.fencing import grammars
from promptmw.fencing.code_points import escape, hidden
from promptmw.fencing.headings import Headings
from promptmw.fencing.markers import Markers, markers
from promptmw.fencing.settings import HiddenRuns, TrustSettings
from promptmw.fencing.text import Slot

_BREAKS = "\t\n\r"
_FIRST_ONLY = ("line", "list_item")
_LONG_RUN = 16


class Neutraliser:
    """Escapes in values what is reserved.

    Args:
        tags: Tags of the fences of all loaded plugins.
        headings: Finds lines that read as a heading of ours.
        settings: Say what else is reserved, and how hidden characters are shown.
    """

    def __init__(self, tags: tuple[str, ...], headings: Headings, settings: TrustSettings) -> None:
        self._tags = tags
        self._settings = settings
        self.headings = headings

    def markers(self, local: tuple[str, ...]) -> Markers:
        """Returns what finds markers.

        Args:
            local: Tags that are reserved in this place only.
        """
        return markers(self._tags, local, self._settings.extra_markers)

    def __call__(self, text: str, slot: Slot) -> tuple[str, dict[str, int]]:
        """Returns the text as its slot writes it, and how many characters were escaped, by kind.

        The text is the same object when nothing has to be escaped.
        """
        kinds = {kind: found for kind, found in self.found(text, slot) if found}
        if kinds:
            text = self._escaped(text, kinds)
        return self.bare(text, slot), {kind: len(found) for kind, found in kinds.items()}

    def bare(self, text: str, slot: Slot) -> str:
        """Returns the text as its slot would write it if nothing were reserved."""
        if not slot.quotes:
            return text
        import json  # here, so that importing a pipeline does not load it

        return json.dumps(text, ensure_ascii=False)[1:-1]

    def found(self, text: str, slot: Slot) -> Iterator[tuple[str, set[int]]]:
        """Yields each kind of what is reserved with its offsets, all decided on the text as it is."""
        if not slot.markers_only:
            yield "code point", hidden(text)
        elif "⟦" in text:
            yield "code point", {m.start() for m in re.finditer("⟦", text)}
        yield "marker", self.markers(slot.local_tags).find(text, begun=slot.dangling)
        if slot.headings:
            yield "heading", self.headings.find(text)
        for name in slot.grammars:
            yield "grammar", set(grammars.hits(grammars.BY_NAME[name], text))
        if slot.one_line or slot.escapes:
            yield "slot", set(_characters(text, slot))

    def _escaped(self, text: str, kinds: dict[str, set[int]]) -> str:
        places = sorted(set().union(*kinds.values()))
        runs = _runs(kinds.get("code point", set())) if self._settings.hidden_runs is HiddenRuns.DIGEST else {}
        parts, end = [], 0
        for at in places:
            if at >= end:
                parts.append(text[end:at])
                end = runs.get(at, at + 1)
                parts.append(_note(text[at:end]) if at in runs else escape(text[at]))
        return "".join([*parts, text[end:]])


def _runs(places: set[int]) -> dict[int, int]:
    """Returns where each long run of hidden characters ends, by where it begins."""
    found: dict[int, int] = {}
    for at in places:
        if at - 1 not in places:
            end = at
            while end in places:
                end += 1
            if end - at >= _LONG_RUN:
                found[at] = end
    return found


def _note(hidden: str) -> str:
    digest = hashlib.sha256(hidden.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"⟦hidden {len(hidden)} characters sha256:{digest}⟧"


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
