"""Chat-completions messages of a turn file, checked for their shape; what they say stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from promptmw.cli.parsing import Document
from promptmw.cli.places import Path
from promptmw.errors import InputError, nearest
from promptmw.validation import dotted

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
WITHOUT_CONTENT = ("assistant",)
"""May have none, when they hold calls of tools."""


def messages_of(document: Document) -> list[dict[str, Any]]:
    """Returns the messages that a turn file states; none by default.

    Raises:
        InputError: One is no chat-completions message; the error names file, line and key.
    """
    stated = document.data.get("messages", [])
    if not isinstance(stated, list):
        raise _error(document, ("messages",), "takes a list of tables with role and content")
    return [_message(document, message, ("messages", i)) for i, message in enumerate(stated)]


def _message(document: Document, message: Any, path: Path) -> dict[str, Any]:
    if not isinstance(message, Mapping):
        raise _error(document, path, "takes a table with role and content")
    role = message.get("role")
    if role not in ROLES:
        stated = f"{role!r} is none of them.{nearest(str(role), ROLES)}" if role else f"one of {', '.join(ROLES)}"
        raise _error(document, (*path, "role"), f"takes a role: {stated}")
    content = message.get("content")
    if content is None and role in WITHOUT_CONTENT and message.get("tool_calls"):
        return dict(message)
    if not isinstance(content, str | list):
        raise _error(document, (*path, "content"), "takes text or a list of parts")
    for i, part in enumerate(content if isinstance(content, list) else ()):
        _check_part(document, part, (*path, "content", i))
    return dict(message)


def _check_part(document: Document, part: Any, path: Path) -> None:
    if not isinstance(part, Mapping) or not isinstance(part.get("type"), str):
        raise _error(document, path, "takes a table with a type, such as text or image_url")
    if part["type"] == "text" and not isinstance(part.get("text"), str):
        raise _error(document, (*path, "text"), "takes text")


def _error(document: Document, path: Path, message: str) -> InputError:
    return document.error(f"{dotted(path)}: {message}", path)
