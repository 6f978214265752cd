"""A cursor over text that comes in chunks, for grammars that are written as generators.

A grammar yields where it needs more text, and goes on when it has come: it reads as if the whole text were there, and
a cut between two chunks cannot change what it finds.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Generator, Iterable
from io import StringIO
from typing import TypeVar

from promptmw.toolmode.events import FinishReason

T = TypeVar("T")
Reading = Generator[None, "str | None", T]
"""A grammar: it is sent chunks, and None at the end."""

WHITE = " \t\r\n\f\v"
_ENOUGH = 1024
_WHITE = re.compile(rf"[{WHITE}]*+")


class Literals:
    """Finds any of some literals, and what could still become one at the end of the text.

    Args:
        literals: None of them begins another.
        runs: Characters of which runs are found as well.
    """

    def __init__(self, literals: Iterable[str], *, runs: str = "") -> None:
        self.all = frozenset(literals)
        branches = [*_branches(sorted(self.all)), *(f"{c}{c}*+" for c in map(re.escape, runs))]
        self.pattern = re.compile("|".join(branches) or r"(?!)")

    def __contains__(self, found: str) -> bool:
        return found in self.all


@functools.lru_cache(maxsize=256)
def literal(*texts: str) -> Literals:
    """Returns what finds some texts; remembered."""
    return Literals(texts)


def _branches(words: list[str]) -> list[str]:
    """Returns patterns that look at each character once, and that also take a beginning at the end of the text.

    Each begins with another plain character: so the engine skips what cannot begin any of them.
    """
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[0], []).append(word[1:])
    return [re.escape(c) + _rest(rest) for c, rest in heads.items()]


def _rest(words: list[str]) -> str:
    return "" if "" in words else rf"(?:\Z|{'|'.join(_branches(words))})"


class Recording:
    """Keeps what a cursor passes, from where it was begun.

    Args:
        start: Where in the cursor's text.
        most: Characters kept; what is beyond is only counted.

    Attributes:
        kept: What was passed so far.
        size: How many characters were passed so far.
    """

    __slots__ = ("kept", "most", "size", "start")

    def __init__(self, start: int, most: int) -> None:
        self.kept = StringIO(newline="")
        self.start = start
        self.size = 0
        self.most = most

    def take(self, text: str, end: int) -> None:
        """Keeps the text up to ``end``; the next one begins behind it."""
        self.size += end - self.start
        if self.size <= self.most:
            self.kept.write(text[self.start : end])
        self.start = end

    def forget(self, text: str, end: int, count: int) -> None:
        """Lets the last ``count`` characters before ``end`` go."""
        self.take(text, end)
        self.kept.seek(max(0, self.kept.tell() - count))
        self.kept.truncate()
        self.size -= count
        self.start = 0

    @property
    def text(self) -> str:
        """What is kept."""
        return self.kept.getvalue()

    @property
    def too_large(self) -> bool:
        """Whether there was more than is kept."""
        return self.size > self.most


class Cursor:
    """Is a place in a text of which only the part around it is held.

    Attributes:
        text: That part.
        at: The place in it.
        ended: Whether nothing more will come.
        reason: Why, when it has ended.
        quick: Set while a grammar waits where most chunks hold nothing of interest: takes such a chunk without waking
            the grammar up, and says whether it did.
    """

    __slots__ = ("_before", "_recordings", "at", "ended", "quick", "reason", "text")

    def __init__(self) -> None:
        self.text = ""
        self.at = 0
        self.ended = False
        self.reason: FinishReason | None = None
        self._recordings: list[Recording] = []
        self.quick: Callable[[str], bool] | None = None
        self._before = ""

    @property
    def before(self) -> str:
        """The character that was passed last; blank at the start."""
        return self.text[self.at - 1] if self.at else self._before[-1:]

    def more(self) -> Reading[bool]:
        """Waits for more text; says whether there is some. What was passed is let go."""
        if self.ended:
            return False
        chunk = yield
        if chunk is None:
            self.ended = True
            return False
        self._let_go()
        self.text = self.text + chunk if self.text else chunk
        return True

    def wait(self, quick: Callable[[str], bool]) -> Reading[bool]:
        """Waits like `more` where all was passed; meanwhile ``quick`` may take chunks, and `took` them."""
        if self.ended:
            return False
        self._let_go()
        self.quick = quick
        chunk = yield
        self.quick = None
        if chunk is None:
            self.ended = True
            return False
        self.text = chunk
        return True

    def took(self, chunk: str) -> None:
        """Passes a chunk at once."""
        for recording in self._recordings:  # as `take`, without a call for each chunk
            recording.size += len(chunk)
            if recording.size <= recording.most:
                recording.kept.write(chunk)
        self._before = chunk

    def _let_go(self) -> None:
        """Forgets what was passed, all but its last character."""
        for recording in self._recordings:
            recording.take(self.text, self.at)
            recording.start = 0
        if self.at:
            self._before = self.text[self.at - 1]
            self.text = self.text[self.at :]
            self.at = 0

    def record(self, *, most: int) -> Recording:
        """Begins to keep what is passed from here on."""
        recording = Recording(self.at, most)
        self._recordings.append(recording)
        return recording

    def recorded(self, recording: Recording) -> str:
        """Ends a recording and returns its text."""
        recording.take(self.text, self.at)
        self._recordings.remove(recording)
        return recording.text

    def drop(self, recording: Recording) -> None:
        """Ends a recording, if it was not ended before, and lets it go."""
        if recording in self._recordings:
            self._recordings.remove(recording)

    def push_back(self, text: str) -> None:
        """Puts the text that was passed last in front again; recordings forget it."""
        for recording in self._recordings:
            recording.forget(self.text, self.at, len(text))
        self.text = text + self.text[self.at :]
        self.at = 0

    def empty(self) -> Reading[bool]:
        """Says whether there is nothing left, waiting until that is known."""
        while self.at >= len(self.text):
            if not (yield from self.more()):
                return True
        return False

    def skip_white(self) -> Reading[bool]:
        """Passes white space; says whether a line break was in it."""
        broken = False
        while True:
            match = _WHITE.match(self.text, self.at)
            assert match is not None  # it matches nothing as well
            broken = broken or "\n" in match.group()
            self.at = match.end()
            if self.at < len(self.text) or not (yield from self.more()):
                return broken

    def skip_run(self, char: str) -> Reading[int]:
        """Passes a run of one character and returns its length."""
        size = 0
        while True:
            rest = self.text[self.at :]
            run = len(rest) - len(rest.lstrip(char))
            self.at += run
            size += run
            if run < len(rest) or not (yield from self.more()):
                return size

    def ahead(self, literals: Literals) -> Reading[str]:
        """Returns the literal that stands here, without passing it; blank for none."""
        while True:
            match = literals.pattern.match(self.text, self.at)
            if match is None:
                return ""
            if match.group() in literals:
                return match.group()
            if not (yield from self.more()):
                return ""

    def follows(self, offset: int, literals: Literals) -> Reading[bool]:
        """Says whether white space alone, then one of some literals or the end of the text, is ``offset`` ahead.

        So much white space that nobody would wait for what is behind it counts as well.
        """
        while True:
            match = _WHITE.match(self.text, self.at + offset)
            assert match is not None  # it matches nothing as well
            if match.end() - match.start() >= _ENOUGH:
                return True
            if match.end() < len(self.text):
                found = literals.pattern.match(self.text, match.end())
                if found is None or found.group() in literals:
                    return found is not None
            if not (yield from self.more()):
                return match.end() >= len(self.text)

    def within(self, count: int) -> Reading[str]:
        """Returns the next ``count`` characters without passing them; fewer only at the end of the text."""
        while len(self.text) - self.at < count:
            if not (yield from self.more()):
                break
        return self.text[self.at : self.at + count]
