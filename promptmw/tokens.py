"""Token counts: an estimate that needs nothing, and the memory of counts."""

from __future__ import annotations

import functools
import re
from math import ceil
from typing import Protocol, runtime_checkable

from promptmw.logs import warn


@runtime_checkable
class TokenCounter(Protocol):
    """Counts tokens. Total: it takes any string, lone surrogates included, and never raises.

    Attributes:
        name: Part of every remembered count.
        exact: False for an estimate.
    """

    name: str
    exact: bool

    def count(self, text: str) -> int:
        """Returns the number of tokens in ``text``."""
        ...


_UNITS = (
    ("word", r"[A-Za-z]++", (0.91, 0.92, 0.97)),
    ("digits", r"[0-9]++", (1.66, 1.67, 2.15)),
    ("punctuation", r"[!-/:-@\[-`{-~]++", (0.88, 0.84, 0.92)),
    ("breaks", r"[\r\n][ \t\r\n]*+", (1.36, 1.43, 1.15)),
    ("blanks", r"[ \t]{2,}+", (1.0, 1.0, 1.0)),
    ("blank", r"[ \t]", (0.0, 0.0, 0.0)),
    ("ideograph", r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]++", (0.85, 1.19, 1.09)),
    ("kana", r"[\u3040-\u30ff]++", (0.69, 0.96, 0.64)),
    ("hangul", r"[\uac00-\ud7a3]++", (0.71, 1.11, 0.71)),
    ("latin", r"[\u00c0-\u024f]++", (0.1, 0.9, 0.1)),
    ("greek", r"[\u0370-\u03ff]++", (0.41, 1.05, 0.43)),
    ("cyrillic", r"[\u0400-\u04ff]++", (0.27, 0.44, 0.31)),
    ("semitic", r"[\u0590-\u06ff]++", (0.39, 0.87, 0.39)),
    ("indic", r"[\u0900-\u0fff]++", (0.40, 1.05, 0.50)),
    ("marks", r"[\u2010-\u206f\u3000-\u303f\uff00-\uffef]++", (0.1, 0.2, 0.1)),
    ("other", r"[\s\S]", (1.0, 1.0, 1.0)),
)
_PATTERN = re.compile("|".join(f"({pattern})" for _, pattern, _ in _UNITS))
_PER_RUN = frozenset({"word", "punctuation", "breaks", "blanks"})
_LONG_WORD = (0.13, 0.12, 0.15)
_FAMILIES = {"gpt-4o": 0, "gpt-5": 0, "o1": 0, "o3": 0, "o4": 0, "gpt-4": 1, "gpt-3.5": 1, "mistral": 2, "ministral": 2}


class Estimate:
    """Estimates tokens by one pass over the text, with weights fitted to the vocabularies in use.

    Args:
        model: Chooses the table; an unknown model gets the highest weight of each row.
    """

    exact = False

    def __init__(self, model: str = "") -> None:
        base = model.rsplit("/", 1)[-1].lower()
        column = next((c for prefix, c in sorted(_FAMILIES.items(), reverse=True) if base.startswith(prefix)), None)
        self.name = f"estimate-{column if column is not None else 'any'}"
        self._weights = [max(w) if column is None else w[column] for _, _, w in _UNITS]
        self._long = max(_LONG_WORD) if column is None else _LONG_WORD[column]

    def count(self, text: str) -> int:
        """Returns the estimate, at least 1 for text that is not empty."""
        total = 0.0
        for match in _PATTERN.finditer(text):
            kind = (match.lastindex or len(_UNITS)) - 1
            total += self._cost(kind, match.end() - match.start())
        return max(1, ceil(total)) if text else 0

    def _cost(self, kind: int, size: int) -> float:
        name, weight = _UNITS[kind][0], self._weights[kind]
        if name == "word":
            return weight + self._long * max(0, size - 6)
        if name == "digits":
            return weight * ceil(size / 3)
        return weight if name in _PER_RUN else weight * size


class Counted:
    """Remembers the counts of another counter by text; long texts are counted each time.

    Where that counter raises, the estimate counts in its place.

    Args:
        counter: Who counts.
        size: How many counts are remembered.

    Attributes:
        failed: Whether it has raised, so that a part of the counts are estimates.
    """

    _LONGEST = 200_000

    def __init__(self, counter: TokenCounter, *, size: int = 4096) -> None:
        self.name = counter.name
        self.exact = counter.exact
        self.failed = False
        self._counter = counter
        self._remembered = functools.lru_cache(maxsize=size)(self._count)

    def count(self, text: str) -> int:
        """Returns the number of tokens in ``text``."""
        return self._remembered(text) if len(text) <= self._LONGEST else self._count(text)

    def _count(self, text: str) -> int:
        try:
            return self._counter.count(text)
        except Exception as error:  # a stranger's counter, on a stranger's text
            if not self.failed:
                warn("a token counter failed: the estimate counts", counter=self.name, error=type(error).__name__)
            self.failed = True
            return Estimate().count(text)
