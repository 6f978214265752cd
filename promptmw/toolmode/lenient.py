"""Decodes the JSON that models write: strictly first, then mended, and never by losing anything."""

from __future__ import annotations

import ast
import functools
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

from promptmw.logs import warn
from promptmw.toolmode.events import Note, ProblemKind
from promptmw.toolmode.options import Limits

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|(.))", re.DOTALL)
_KNOWN = frozenset('"\\/bfnrt')
_BLANKS = frozenset("bfnrt")
_MADE_OF = re.compile(r"""[\s{}\[\]():,;"'`\u2018-\u201f]|[^\W\x00-\x7f]""")
_QUOTE = re.compile("""["']""")
_LITERAL = re.compile(
    r"""(?:[\s,:\[\]{}]|(?:True|False|None|-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?)(?![\w.])"""
    r"""|'(?:[^'\\\r\n]|\\[\\'"abfnrtv])*+'|"(?:[^"\\\r\n]|\\[\\'"abfnrtv])*+")*+"""
)
"""Tokens of Python literals whose meaning is the same in JSON; all others make the parser warn, or guess."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Is a value, and what had to be done to read it."""

    value: Any
    notes: frozenset[Note] = frozenset()


class Undecodable(ValueError):
    """Says that a text is not the JSON of anything.

    Attributes:
        kind: `MALFORMED` or `AMBIGUOUS_ESCAPE`.
        message: What is wrong, without content; for an ambiguous escape the key whose value is meant.
        position: Where.
    """

    def __init__(self, kind: ProblemKind, message: str, position: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.position = position


def decoded(text: str, *, complete: bool, repair: bool, limits: Limits) -> Decoded:
    """Returns the value of a text.

    Args:
        text: One object or array, whose nesting was measured.
        complete: Whether it is known to be whole, so that something missing may be put in.
        repair: Whether anything but strict JSON is read.
        limits: Of the text that is repaired, and of the nesting of what comes out.

    Raises:
        Undecodable: There is no value, or no certain one.
    """
    try:
        return _strict(text)
    except json.JSONDecodeError as error:
        if not repair:
            raise _malformed(error) from None
        return _mended(text, error, complete=complete, limits=limits)


def _mended(text: str, error: json.JSONDecodeError, *, complete: bool, limits: Limits) -> Decoded:
    mended = _with_escapes(text)
    if mended != text:
        try:
            return _repaired(_strict(mended))
        except json.JSONDecodeError:
            pass
    if complete and len(text) <= limits.repair:
        steps: tuple[Callable[[], Any], ...] = (lambda: _literal(text, limits), lambda: _by_library(mended, limits))
        for step in steps:
            value = step()
            if value is not None:
                return _repaired(_strict(value))
    raise _malformed(error)


def _repaired(found: Decoded) -> Decoded:
    return Decoded(found.value, found.notes | {Note.REPAIRED})


def _malformed(error: json.JSONDecodeError) -> Undecodable:
    return Undecodable(ProblemKind.MALFORMED, error.msg[:1].lower() + error.msg[1:], error.pos)


def _strict(text: str) -> Decoded:
    """Returns the value of JSON with raw line breaks in its strings, and with the halves of characters mended."""
    notes: frozenset[Note] = frozenset()
    try:
        try:
            value = _WITH_KEYS_ONCE(text)
        except _Twice:
            value, notes = _WITH_LAST_KEYS(text), frozenset((Note.DUPLICATE_KEY,))
    except RecursionError:
        raise Undecodable(ProblemKind.TOO_LARGE, "the arguments are nested too deeply") from None
    except ValueError as error:
        if isinstance(error, json.JSONDecodeError | Undecodable):
            raise
        raise Undecodable(ProblemKind.MALFORMED, "a number has too many digits") from None
    if _has_halves(text):
        whole = without_halves(value)
        return Decoded(whole, notes if whole == value else notes | {Note.REPAIRED})
    return Decoded(value, notes)


def _no_constant(name: str) -> NoReturn:
    raise Undecodable(ProblemKind.MALFORMED, f"{name} is no number in JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise Undecodable(ProblemKind.MALFORMED, "a number is too large")
    return number


class _Twice(Exception):
    """Says that an object has one key twice."""


def _keys_once(found: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(found)
    if len(made) != len(found):
        raise _Twice
    return made


_WITH_KEYS_ONCE, _WITH_LAST_KEYS = (
    json.JSONDecoder(strict=False, object_pairs_hook=hook, parse_constant=_no_constant, parse_float=_finite).decode
    for hook in (_keys_once, dict)
)


def _has_halves(text: str) -> bool:
    """Says whether a text may hold half of a character that takes two UTF-16 units."""
    return "\\ud" in text or "\\uD" in text or not _encodable(text)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def without_halves(value: Any) -> Any:
    """Returns the same value; two halves of a character are joined, and a lone one becomes U+FFFD."""
    if isinstance(value, str):
        return value if _encodable(value) else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [without_halves(item) for item in value]
    if isinstance(value, dict):
        return {without_halves(key): without_halves(item) for key, item in value.items()}
    return value


def _with_escapes(text: str) -> str:
    """Returns the text with each backslash doubled that cannot be meant as an escape.

    Raises:
        Undecodable: A string holds one that may be either.
    """
    key = ""

    def string(match: re.Match[str]) -> str:
        nonlocal key
        found = match.group()
        if "\\" in found:
            found = _string_with_escapes(found, key, match.start())
        if text[match.end() : match.end() + 64].lstrip()[:1] == ":":
            key = found[1:-1]
        return found

    return _STRING.sub(string, text)


def _string_with_escapes(found: str, key: str, position: int) -> str:
    unknown = [c for c in _escaped(found) if c not in _KNOWN]
    if not unknown:
        return found
    open_meaning = any(c.isalnum() for c in unknown)
    if open_meaning and any(c in _BLANKS for c in _escaped(found)):
        raise Undecodable(ProblemKind.AMBIGUOUS_ESCAPE, key, position)
    return _ESCAPE.sub(lambda m: m[0] if m[1] is None or m[1] in _KNOWN else "'" if m[1] == "'" else "\\" + m[0], found)


def _escaped(string: str) -> Iterator[str]:
    return (m[1] for m in _ESCAPE.finditer(string) if m[1] is not None)


def _literal(text: str, limits: Limits) -> str | None:
    """Returns the JSON text of a Python literal; None if it is none, or has a meaning of its own in Python."""
    quote = _QUOTE.search(text)
    if "\\" in text and (quote is None or quote.group() == '"'):
        return None
    if _LITERAL.fullmatch(text) is None:
        return None
    return _json_of(lambda: ast.literal_eval(text), text, limits)


def _by_library(text: str, limits: Limits) -> str | None:
    loads = _library()
    return None if loads is None else _json_of(lambda: loads(text), text, limits)


@functools.cache
def _library() -> Callable[[str], Any] | None:
    try:
        import json_repair
    except ImportError:
        warn("broken JSON is not repaired", remedy="pip install 'promptmw[repair]'")
        return None
    return functools.partial(json_repair.loads, skip_json_loads=True)


def _json_of(read: Callable[[], Any], text: str, limits: Limits) -> str | None:
    """Returns what is read as JSON text; None if reading fails, or something of the text is lost."""
    try:
        value = read()
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (Exception, RecursionError, MemoryError):  # a library, over text that a model wrote
        return None
    kept = isinstance(value, dict) or (isinstance(value, list) and all(isinstance(item, dict) for item in value))
    return written if kept and _depth(value) <= limits.depth and _signs(written) == _signs(text) else None


def _depth(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


def _signs(text: str) -> str:
    """Returns what of a text repairing must neither lose nor add: all but white space and what JSON is made of."""
    return _MADE_OF.sub("", _ESCAPE.sub("", text).lower()).replace("none", "null")
