"""What the second reader makes of one JSON text.

It knows two tools: ``now`` without parameters, and ``echo`` with a required string ``text``.
"""

from __future__ import annotations

import json
from typing import Any

Short = tuple[Any, ...]
"""An event as plain data."""


def strict_so_far(text: str) -> bool:
    """Says whether a text that ends in a string is JSON up to there."""
    try:
        json.JSONDecoder(strict=False).raw_decode(text)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string")
    return False


def calls(text: str, notes: list[str]) -> list[Short]:
    """Returns what a JSON text gives."""
    twice = False

    def once(found: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        twice = twice or len(dict(found)) < len(found)
        return dict(found)

    try:
        value = json.JSONDecoder(strict=False, object_pairs_hook=once).decode(text)
    except json.JSONDecodeError:
        return [("error", "malformed")]
    if value == []:
        return [("drop", "empty_block")]
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in items):
        return [("error", "not_a_call")]
    notes = [*notes, "duplicate_key"] if twice else notes
    return [call(item["name"], item.get("arguments", {}), notes) for item in items]


def call(name: str, arguments: Any, notes: list[str]) -> Short:
    """Returns a call, or what is wrong with it."""
    if name not in ("now", "echo"):
        return ("error", "unknown_tool")
    if isinstance(arguments, str):
        blank = not arguments.strip()
        notes = [*notes, "empty_arguments" if blank else "decoded_twice"]
        try:
            arguments = {} if blank else json.loads(arguments, strict=False)
        except ValueError:
            return ("error", "malformed")
    if not isinstance(arguments, dict):
        return ("error", "malformed")
    if name == "echo" and not isinstance(arguments.get("text"), str):
        return ("error", "invalid_arguments")
    return ("call", name, arguments, notes)
