"""TOML text before it is parsed: how deep it nests, and its lines without what stands in strings of several lines."""

from __future__ import annotations

import re

from promptmw.cli.places import MOST_DEEP, Refused

# Closing quotes are optional so that a string without them matches to the end: each character is seen once.
_TOKEN = re.compile(
    r'(?P<long>"""(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5})?'
    r"|'''(?:[^']++|'(?!''))*+(?:'{3,5})?)"
    r'|(?P<short>"(?:[^"\\\n]++|\\[^\n])*+"?'
    r"|'[^'\n]*+'?)"
    r"|(?P<comment>#[^\n]*+)|(?P<open>[\[{])|(?P<close>[\]}])|(?P<dot>\.)|(?P<next>[=,\n])",
    re.DOTALL,
)


def check_depth(text: str) -> None:
    """Checks that brackets and dotted keys do not nest too deep for the parser.

    Raises:
        Refused: They do.
    """
    depth = dots = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        depth = max(0, depth + (kind == "open") - (kind == "close"))
        dots = dots + 1 if kind == "dot" else 0 if kind in ("open", "close", "next") else dots
        if depth + dots > MOST_DEEP:
            raise Refused(f"nested deeper than {MOST_DEEP}", text.count("\n", 0, match.start()) + 1)


def without_long_strings(text: str) -> str:
    """Returns the text with strings of several lines emptied; every line keeps its number."""
    return _TOKEN.sub(lambda m: "\n" * m[0].count("\n") if m.lastgroup == "long" else m[0], text)
