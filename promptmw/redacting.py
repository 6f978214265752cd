"""What looks like a secret is taken out of log fields, and what is no single line is made one."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|\bBearer\s+[A-Za-z0-9._~+/-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bAKIA[A-Z0-9]{16}\b|\bxox[abpr]-[A-Za-z0-9-]{10,}"
)
"""Keys and tokens of well-known services."""

_SECRET = frozenset({
    "api_key", "authorization", "content", "cookie", "fence_key", "memory", "password", "prompt", "secret", "token",
    "x-api-key",
})  # fmt: skip
_LINES = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST = 2_000
_MASK = "[redacted]"


def redacted(_logger: Any, _method: str, fields: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Returns the fields of a log record without secrets, each a single line: the names in them are strangers' text."""
    for name, value in fields.items():
        if name.lower() in _SECRET:
            fields[name] = _MASK
        elif isinstance(value, str):
            fields[name] = one_line(KEY_SHAPES.sub(_MASK, value[:_LONGEST]))
    return fields


def one_line(text: str) -> str:
    """Returns a text with its controls and line ends spelled out."""
    return _LINES.sub(spelled, text)


def spelled(match: re.Match[str]) -> str:
    """Returns a control character as an escape that can be seen."""
    return f"\\x{ord(match[0]):02x}"
