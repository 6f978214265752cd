"""Reserved headings: lines of a user's text that would read as a heading of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable

from promptmw.fencing.tables import FILLER, fold

_DRESS = re.compile(r"[\s>*_~`]|</?(?:h[1-6]|b|strong|em|i|u)\s*/?>", re.I)
_MARKS = re.compile(r"^(?:[\s>]|[-*+]\s|\d{1,9}[.)]\s)*(?P<hash>#+)(?P<title>.*)$", re.S)
_LONGEST = 400


class Headings:
    """Finds lines that start a section of ours.

    Args:
        headings: The heading texts of all locales and plugins, with or without their ``#``.
        distinct_only: Headings of one common word are free.
    """

    def __init__(self, headings: Iterable[str], *, distinct_only: bool = False) -> None:
        skeletons = {(skeleton(cut), _distinct(cut)) for cut in map(_title, headings)}
        self._distinct = tuple(sorted(s for s, distinct in skeletons if distinct and s))
        self._plain = tuple(sorted(s for s, distinct in skeletons if not distinct and s and not distinct_only))

    def find(self, text: str) -> set[int]:
        """Returns the offsets that have to be escaped, one for each such line."""
        found: set[int] = set()
        start = 0
        for line in text.splitlines(keepends=True):
            at = self._reserved(line) if len(line) < _LONGEST else -1
            if at >= 0:
                found.add(start + at)
            start += len(line)
        return found

    def _reserved(self, line: str) -> int:
        marked = _MARKS.match(line)
        if marked and self._starts(skeleton(marked["title"]), plain=line.startswith("## ")):
            return marked.start("hash")
        bare = _bare(line)
        if bare and skeleton(bare) in self._distinct:
            return line.index(bare[0])
        return -1

    def _starts(self, title: str, *, plain: bool) -> bool:
        if any(title.startswith(s) for s in self._distinct):
            return True
        return plain and any(title.startswith(s) for s in self._plain)


def skeleton(text: str) -> str:
    """Returns what is left of a heading when case, marks, blanks and look-alikes do not count."""
    kept = "".join(c for c in fold(text) if c.isalnum() or c == "|")
    return kept.replace("1", "l").replace("i", "l").replace("|", "l").replace("0", "o")


def _title(heading: str) -> str:
    return re.split(r"\{|\(", heading.lstrip("# "), maxsplit=1)[0].strip()


def _distinct(title: str) -> bool:
    return " " in title or any(c.isalpha() and not c.isascii() and ord(c) >= 0x2E80 for c in title)


def _bare(line: str) -> str:
    """Returns the line without its dress, or nothing when it carries a list mark."""
    text = re.sub(r"</?(?:h[1-6]|b|strong|em|i|u)\s*/?>", "", line, flags=re.I)
    text = text.strip(" \t\r\n>*_~`:.=：。" + FILLER)
    return "" if text.startswith(("- ", "+ ")) else text
