"""Takes escapes out of answers on their way to the application. Adapters say where texts and arguments stand."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any

from promptmw.fencing.restore import Restorer, restore_arguments
from promptmw.fencing.settings import Restored


class Restoring:
    """Restores one answer, whole or as it streams: each text and the arguments of each call apart.

    Args:
        wanted: The setting ``restore`` of the table ``trust``.
        parsed: Whether arguments were read out of a text, where they are restored already.

    Attributes:
        final: Whether an escape that arguments still hold stands for itself.
        on: Whether there is anything to do.
    """

    def __init__(self, wanted: Restored, *, parsed: bool = False) -> None:
        self._texts = wanted is Restored.ARGUMENTS_DISPLAY
        self._arguments = wanted is not Restored.OFF and not parsed
        self._held: dict[tuple[str, Hashable], Restorer] = {}
        self.final = parsed or self._arguments
        self.on = self._texts or self.final

    def text(self, place: Hashable, piece: str) -> str:
        """Returns a piece of the text at a place; the beginning of an escape at its end is held back."""
        return self._fed(("text", place), piece, Restorer.for_display) if self._texts else piece

    def arguments(self, place: Hashable, piece: str) -> str:
        """Returns a piece of the arguments, as text of JSON, of the call at a place. Otherwise as `text`."""
        return self._fed(("arguments", place), piece, Restorer.for_json) if self._arguments else piece

    def whole_text(self, text: str) -> str:
        """Returns a whole text."""
        return Restorer.for_display().all(text) if self._texts else text

    def whole_arguments(self, text: str) -> str:
        """Returns whole arguments, as text of JSON."""
        return Restorer.for_json().all(text) if self._arguments else text

    def value(self, arguments: Any) -> Any:
        """Returns whole arguments, as parsed."""
        return restore_arguments(arguments) if self._arguments else arguments

    def ended(self, place: Hashable) -> str:
        """Returns what is held back of the text at a place, as it ends there."""
        restorer = self._held.get(("text", place))
        return restorer.end() if restorer else ""

    def rest(self) -> Iterator[tuple[Any, str]]:
        """Yields what is held back of texts, by place. Nothing is held of arguments that are whole JSON."""
        for kind, place in self._held:
            if kind == "text" and (held := self.ended(place)):
                yield place, held

    def _fed(self, key: tuple[str, Hashable], piece: str, new: Callable[[], Restorer]) -> str:
        if key not in self._held:
            self._held[key] = new()
        return self._held[key].feed(piece)
