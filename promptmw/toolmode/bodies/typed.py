"""Values between tags that state their own types."""

from __future__ import annotations

from typing import Any

from promptmw.toolmode.lenient import Undecodable, decoded
from promptmw.toolmode.options import DEFAULT_LIMITS


def by_kind(text: str, kind: str) -> Any:
    """Returns a value of the kind that an attribute ``type`` names; what is no JSON stays a string."""
    return text if kind == "string" else _json(text)


def by_flag(text: str, is_string: str) -> Any:
    """Returns a value of which an attribute ``string`` says whether it is one; what is no JSON stays a string."""
    return text if is_string == "true" else _json(text)


def _json(text: str) -> Any:
    try:
        return decoded(text.strip(), complete=False, repair=False, limits=DEFAULT_LIMITS).value
    except Undecodable:
        return text
