"""Patterns with a meaning inside one section, which a value in that section must not imitate."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Grammar:
    """Is a named pattern; its group ``at`` starts at the one character that is escaped."""

    name: str
    pattern: re.Pattern[str]


_BLANKS = r"[^\S\r\n]"

CITATION = Grammar("CITATION", re.compile(rf"^{_BLANKS}*+(?P<at>\[){_BLANKS}*+\d++{_BLANKS}*+\]", re.M))
"""``[7]`` at the start of a line would open a source of its own."""

STATUS = Grammar("STATUS", re.compile(r"(?P<at>\[)[\s_-]*+(?:CURRENT|CONTEXT[\s_-]*+DEPENDENT)[\s_-]*+\]", re.I))
"""The labels of memories."""

TRUNCATION = Grammar(
    "TRUNCATION",
    re.compile(rf"(?:^{_BLANKS}*+(?P<at>…)\(truncated)|(?P<end>…)\(truncated[^\n()]*+\){_BLANKS}*+$", re.M),
)
"""The mark of a cut."""

BY_NAME = {g.name: g for g in (CITATION, STATUS, TRUNCATION)}


def hits(grammar: Grammar, text: str) -> list[int]:
    """Returns where in ``text`` the grammar is imitated."""
    found = grammar.pattern.finditer(text)
    return [next(start for name in m.groupdict() if (start := m.start(name)) >= 0) for m in found]
