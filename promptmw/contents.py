"""Contents of messages: their text, and text put to it. A content is a string, a list of parts, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

GAP = "\n\n"


def text_of(content: Any) -> str:
    """Returns the text of a content: its text parts joined by one line break, all else left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    return "\n".join(t for p in content if (t := _part_text(p)))


def put_before(content: Any, text: str, *, text_type: str) -> Any:
    """Returns a new content with ``text`` in front and one blank line between."""
    if content is None or isinstance(content, str):
        return f"{text}{_gap_before(content)}{content}" if content else text
    if not content:
        return text
    return [{"type": text_type, "text": text + _gap_before(_part_text(content[0]))}, *content]


def put_behind(content: Any, text: str, *, text_type: str) -> Any:
    """Returns a new content with ``text`` behind its last text and one blank line between."""
    if content is None or isinstance(content, str):
        return f"{content}{_gap_behind(content)}{text}" if content else text
    at = next((i for i in range(len(content) - 1, -1, -1) if _part_text(content[i])), None)
    if at is None:
        return [*content, {"type": text_type, "text": text}]
    part = {"type": text_type, "text": _gap_behind(_part_text(content[at])) + text}
    return [*content[: at + 1], part, *content[at + 1 :]]


def changed_texts(content: Any, change: Callable[[str], str]) -> Any:
    """Returns a content with its texts changed; itself where none is.

    Args:
        content: Untouched.
        change: Returns the new text; the same object where nothing is to be done.
    """
    if isinstance(content, str):
        return change(content)
    if not isinstance(content, Sequence):
        return content
    parts = [_changed_part(part, change) for part in content]
    return content if all(new is old for new, old in zip(parts, content, strict=True)) else parts


def _changed_part(part: Any, change: Callable[[str], str]) -> Any:
    text = _part_text(part)
    made = change(text) if text else text
    if made is text:
        return part
    return made if isinstance(part, str) else {**part, "text": made}


def put_together(contents: Sequence[Any], *, text_type: str) -> Any:
    """Returns contents as one, with one blank line between texts; the time it takes grows with their length."""
    said = [c for c in contents if c and not (isinstance(c, str) and not c.strip("\r\n"))]
    if all(isinstance(c, str) for c in said):
        return _one_text(said)
    parts: list[Any] = []
    for content in said:
        last = content is said[-1]
        text = content if last or not isinstance(content, str) else f"{_without_end(content)}{GAP}"
        parts += [{"type": text_type, "text": text}] if isinstance(text, str) else text
    return parts


def _one_text(texts: Sequence[str]) -> str:
    pieces = [piece for t in texts for piece in (_gap_before(t), _without_end(t))]
    return "".join(pieces[1:-1] + list(texts[-1:]))


def _without_end(text: str) -> str:
    return text.rstrip("\r\n")


def _gap_behind(text: str) -> str:
    """Returns the line breaks that are missing to one blank line behind ``text``."""
    return "\n" * max(0, 2 - _breaks(text[len(text.rstrip("\r\n")) :]))


def _gap_before(text: str) -> str:
    return "\n" * max(0, 2 - _breaks(text[: len(text) - len(text.lstrip("\r\n"))]))


def _breaks(run: str) -> int:
    return len(run.replace("\r\n", "\n"))


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Mapping) and is_text_part(part):
        return str(part.get("text") or "")
    return ""


def is_text_part(part: Mapping[str, Any]) -> bool:
    """Says whether a part is text."""
    return part.get("type") in ("text", "input_text", "output_text")
