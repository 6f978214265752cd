"""Tag pairs around untrusted text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from promptmw.errors import ConfigError
from promptmw.fencing.text import Edge, Piece, Slot, Text
from promptmw.kinds import Trust

_TAG = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Fence:
    """Writes ``<tag a="…">``, the body on lines of its own, and ``</tag>``.

    Attributes:
        tag: Lower-case words joined by hyphens or underscores, at most 48 characters.
        trust: Whose text it encloses. The trust boundary names the UNTRUSTED ones.
        local: Reserved only inside this fence; for short or common names.
    """

    tag: str
    trust: Trust = Trust.UNTRUSTED
    local: bool = False

    def __post_init__(self) -> None:
        if len(self.tag) > 48 or not _TAG.fullmatch(self.tag):
            raise ConfigError(
                f"fence tag {self.tag!r}: use lower-case words joined by hyphens or underscores, at most 48 characters"
            )
        if not self.local and len(re.sub("[-_]", "", self.tag)) < 7:
            raise ConfigError(
                f"fence tag {self.tag!r} is too short to be reserved everywhere: 7 letters, or local=True"
            )

    def __call__(self, body: Text, **attributes: Text | str) -> Text:
        """Returns the body between its tags; nothing at all for an empty body. Blank attributes are left out."""
        if not body:
            return body
        if self.local:
            body = Text(_reserve(piece, self.tag) for piece in body)
        return Text.of(*self._open(attributes), body, self._edge(f"\n</{self.tag}>", Edge.CLOSE))

    def _open(self, attributes: dict[str, Text | str]) -> list[Text | str]:
        parts: list[Text | str] = [self._edge(f"<{self.tag}", Edge.OPEN)]
        for name, value in attributes.items():
            if value:
                parts += [f' {name}="', value, '"']
        return [*parts, self._edge(">\n", Edge.BODY)]

    def _edge(self, text: str, edge: Edge) -> Text:
        return Text((Piece(text, tag=self.tag, edge=edge),))


def _reserve(piece: Piece, tag: str) -> Piece:
    if piece.slot is None:
        return piece
    slot: Slot = replace(piece.slot, local_tags=(*piece.slot.local_tags, tag))
    return replace(piece, slot=slot)
