"""Citation numbers: one number for each source, never given to another."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from promptmw.fencing import Untrusted

_NONE = Untrusted("")


@dataclass(frozen=True, slots=True)
class Citation:
    """Says what a number in the prompt stands for.

    Attributes:
        number: As printed, ``[number]``.
        key: The source's key.
        title: As stated; the application reads it with ``reveal()``.
        url: As stated; likewise.
    """

    number: int
    key: str = field(repr=False)
    title: Untrusted = _NONE
    url: Untrusted = _NONE


@dataclass(frozen=True, slots=True)
class Source:
    """Is one thing to be cited.

    Attributes:
        key: Equal for the same source.
        wanted: The number that the application states; None, zero and less for none.
    """

    key: str
    wanted: int | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """Is an allocation of numbers to sources.

    Attributes:
        by_key: The number of each source, in order of allocation.
        moved: Keys of sources that did not get the number stated for them, because another source had it.
    """

    by_key: Mapping[str, int]
    moved: tuple[str, ...] = ()

    def more(self, keys: Iterable[str]) -> Numbers:
        """Returns this allocation gone on for further sources, such as those of a tool result."""
        return _fill(dict(self.by_key), [Source(k) for k in keys], self.moved)


def allocate(sources: Iterable[Source], used: Iterable[tuple[str, int]] = ()) -> Numbers:
    """Returns numbers for sources; the same arguments always give the same numbers, and no number stands for two.

    Args:
        sources: In the order in which free numbers are given out.
        used: Keys and numbers that this conversation has already shown; of two with one number the first counts.
    """
    listed = list(sources)
    by_number: dict[int, str] = {}
    by_key: dict[str, int] = {}
    refused: set[str] = set()
    for key, number in [*used, *((s.key, s.wanted or 0) for s in listed)]:
        if number > 0 and key not in by_key:
            if by_number.setdefault(number, key) == key:
                by_key[key] = number
            else:
                refused.add(key)
    moved = dict.fromkeys(s.key for s in listed if s.key in refused and s.key not in by_key)
    return _fill(by_key, listed, tuple(moved))


def _fill(by_key: dict[str, int], sources: Iterable[Source], moved: tuple[str, ...]) -> Numbers:
    highest = max(by_key.values(), default=0)
    for source in sources:
        if source.key not in by_key:
            highest += 1
            by_key[source.key] = highest
    return Numbers(by_key, moved)


_MARKER = re.compile(r"\[([1-9][0-9]{0,5})\](?!\()")


def renumber(text: str, sources: Iterable[str], numbers: Numbers) -> tuple[str, Numbers]:
    """Returns a tool result with its own markers ``[1]`` to ``[k]`` mapped to the shared numbers, once.

    Args:
        text: The result as the tool wrote it.
        sources: Keys of the k sources that it cites. None: the text stays as it is.
        numbers: What is given out so far.
    """
    keys = tuple(sources)
    if not keys:
        return text, numbers
    after = numbers.more(keys)

    def shared(match: re.Match[str]) -> str:
        own = int(match[1])
        return f"[{after.by_key[keys[own - 1]]}]" if own <= len(keys) else match[0]

    return _MARKER.sub(shared, text), after
