"""A cursor over text that comes in chunks, for grammars that are written as generators.

A grammar yields where it needs more text, and goes on when it has come: it reads as if the whole text were there, and
a cut between two chunks cannot change what it finds.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
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
        more: A further pattern to search for, in the group ``run``.
    """

    def __init__(self, literals: Iterable[str], *, more: str = "") -> None:
        self.all = frozenset(literals)
        pattern = _branches(sorted(self.all)) if self.all else r"(?!)"
        self.pattern = re.compile(f"{pattern}|(?P<run>{more})" if more else pattern)

    def __contains__(self, found: str) -> bool:
        return found in self.all


def _branches(words: list[str]) -> str:
    """Returns a pattern that looks at each character once, and that also takes a beginning at the end of the text."""
    heads: dict[str, list[str]] = {}
    for word in words:
        heads.setdefault(word[0], []).append(word[1:])
    return f"(?:{'|'.join(re.escape(c) + _rest(rest) for c, rest in heads.items())})"


def _rest(words: list[str]) -> str:
    return "" if "" in words else rf"(?:\Z|{_branches(words)})"


class Recording:
    """Keeps what a cursor passes, from where it was begun.

    Args:
        start: Where in the cursor's text.
        most: Characters kept; what is beyond is only counted.
    """

    def __init__(self, start: int, most: int) -> None:
        self.pieces: list[str] = []
        self.start = start
        self.size = 0
        self.most = most

    def take(self, text: str, end: int) -> None:
        """Keeps the text up to ``end``; the next one begins behind it."""
        piece = text[self.start : end]
        self.start = end
        self.size += len(piece)
        if self.size <= self.most:
            self.pieces.append(piece)

    def forget(self, text: str, end: int, count: int) -> None:
        """Lets the last ``count`` characters before ``end`` go."""
        self.take(text, end)
        whole = "".join(self.pieces)
        self.pieces = [whole[: len(whole) - count]]
        self.size -= count
        self.start = 0

    @property
    def too_large(self) -> bool:
        """Whether there was more than is kept."""
        return self.size > self.most


class Cursor:
    """Is a place in a text of which only the part around it is held."""

    __slots__ = ("_before", "_passed", "_recordings", "at", "ended", "reason", "text")

    def __init__(self) -> None:
        self.text = ""
        self.at = 0
        self.ended = False
        self.reason: FinishReason | None = None
        self._recordings: list[Recording] = []
        self._before = ""
        self._passed = 0

    @property
    def position(self) -> int:
        """How many characters were passed in all."""
        return self._passed + self.at

    @property
    def before(self) -> str:
        """The character that was passed last; blank at the start."""
        return self.text[self.at - 1] if self.at else self._before

    def more(self) -> Reading[bool]:
        """Waits for more text; says whether there is some. What was passed is let go."""
        if self.ended:
            return False
        chunk = yield
        if chunk is None:
            self.ended = True
            return False
        for recording in self._recordings:
            recording.take(self.text, self.at)
            recording.start = 0
        self.let_go()
        self.text = self.text[self.at :] + chunk if self.at < len(self.text) else chunk
        self.at = 0
        return True

    def let_go(self) -> None:
        """Forgets what was passed, all but its last character."""
        if self.at:
            self._before = self.text[self.at - 1]
            self._passed += self.at

    def replace(self, chunk: str) -> None:
        """Goes on with a chunk where all that came before was passed."""
        self.let_go()
        self.text = chunk
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
        return "".join(recording.pieces)

    def drop(self, recording: Recording) -> None:
        """Ends a recording, if it was not ended before, and lets it go."""
        if recording in self._recordings:
            self._recordings.remove(recording)

    def push_back(self, text: str) -> None:
        """Puts the text that was passed last in front again; recordings forget it."""
        for recording in self._recordings:
            recording.forget(self.text, self.at, len(text))
        self._passed += self.at - len(text)
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
