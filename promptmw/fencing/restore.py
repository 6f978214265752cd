"""Takes escapes back out of a text."""

from __future__ import annotations

import re

ESCAPED = "⟦"
"""What every escape begins with."""

_ESCAPE = re.compile(r"⟦U\+(0[0-9A-F]{3}|[1-9A-F][0-9A-F]{3,4}|10[0-9A-F]{4})⟧")


def restore(text: str) -> str:
    """Returns the text that was neutralised: every canonical ``⟦U+H⟧`` becomes its character again."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)), text) if ESCAPED in text else text
