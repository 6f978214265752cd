"""The edges of visible text: white space that may stand beside markup is held until one knows."""

from __future__ import annotations

from collections.abc import Callable

from promptmw.toolmode.cursor import WHITE
from promptmw.toolmode.events import ReasoningDelta, TextDelta


class Shown:
    """Passes text on; white space at its end is held until something follows.

    Args:
        emit: Takes the deltas.
        delta: What they are.
        strips: Whether white space at the start is dropped from the beginning on.
    """

    __slots__ = ("_before_blocks", "_delta", "_emit", "_white", "behind_block", "fresh", "last", "removed", "started")

    def __init__(
        self,
        emit: Callable[[TextDelta | ReasoningDelta], object],
        delta: type[TextDelta] | type[ReasoningDelta],
        *,
        strips: bool = False,
    ) -> None:
        self._emit = emit
        self._delta = delta
        self._white: list[str] = []
        self._before_blocks: list[str] | None = None
        self.started = self.behind_block = False
        self.removed = strips
        self.fresh = True
        self.last = ""

    def show(self, text: str) -> None:
        """Passes more text on."""
        kept = text.rstrip(WHITE)
        if not kept:
            if text:
                self._white.append(text)
            return
        size = len(kept)
        self.last = kept[-1]
        if self._white or self.fresh or self._before_blocks is not None:
            self._emit(self._delta(self._with_white(kept)))
        else:
            self._emit(self._delta(kept))
        if size < len(text):
            self._white.append(text[size:])

    def _with_white(self, text: str) -> str:
        whole = "".join((*(self._before_blocks or ()), *self._white, text))
        if not self.started and self.removed:
            whole = whole.lstrip(WHITE)
        self._white.clear()
        self._before_blocks = None
        self.started = True
        self.fresh = False
        return whole

    def block_gone(self) -> None:
        """Says that a block stood here: white space between two of them is not text."""
        if self._before_blocks is None:
            self._before_blocks = self._white.copy()
        self._white.clear()
        self.markup_gone()
        self.behind_block = self.fresh = True
        self.last = ""

    def markup_gone(self) -> None:
        """Says that something was taken out of the text here."""
        self.removed = True

    def line_begins(self) -> None:
        """Says that a line begins here."""
        self.fresh = True

    @property
    def line_start(self) -> bool:
        """Whether only white space stands in this line so far."""
        return self.fresh or any("\n" in white for white in self._white)

    @property
    def indent(self) -> str:
        """The white space in front, since the start of the line."""
        return "".join(self._white).rpartition("\n")[2]

    @property
    def after_backtick(self) -> bool:
        """Whether a backtick stands directly in front."""
        return self.last == "`" and not self._white

    def end(self) -> None:
        """Passes held white space on, unless something was taken out."""
        if not self.removed:
            self.flush()

    def flush(self) -> None:
        """Passes held white space on."""
        white = "".join(self._white)
        self._white.clear()
        if white:
            self._emit(self._delta(white))
