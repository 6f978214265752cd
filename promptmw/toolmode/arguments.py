"""Writes the arguments of earlier calls as JSON that holds no marker of ours."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from promptmw.toolmode.lenient import Undecodable, decoded, without_halves
from promptmw.toolmode.marks import RESULT_TAGS
from promptmw.toolmode.options import DEFAULT_LIMITS

_TOKENS = ("<|", "<\uff5c")
"""What the control tokens of many models begin with."""


def argument_json(arguments: Mapping[str, Any] | str, *, openers: Iterable[str]) -> str:
    """Returns arguments as one line of JSON.

    Args:
        arguments: A mapping, or the text that a history keeps; text that is no JSON becomes a string.
        openers: Our opening tags, whose first character is escaped wherever it begins one.
    """
    value = _value(arguments) if isinstance(arguments, str) else dict(arguments)
    return json_text(value, openers=openers)


def json_text(value: Any, *, openers: Iterable[str]) -> str:
    """Returns the JSON of a value; a tag in its strings is spelled so that nothing can read it as one."""
    text = json.dumps(without_halves(value), ensure_ascii=False, default=str)
    text = text.replace("</", "<\\/")
    for opener in (*openers, *RESULT_TAGS, *_TOKENS):
        begun = opener.rstrip(">")
        text = text.replace(begun, f"\\u{ord(begun[0]):04x}{begun[1:]}")
    return text


def _value(text: str) -> Any:
    if not text.strip():
        return {}
    try:
        return decoded(text.strip(), complete=True, repair=True, limits=DEFAULT_LIMITS).value
    except Undecodable:
        return text
