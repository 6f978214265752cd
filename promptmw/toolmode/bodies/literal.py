"""Reads a list of calls in Python's syntax: keyword arguments, literals, and JSON's words for them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

_WORDS = {"true": True, "false": False, "null": None}
_LONGEST = 1 << 20
_DEEPEST = 64
_BAD_ESCAPE = re.compile(r"""\\[^\n\\'"abfnrtvxuUN0-7]""")


class NotCalls(ValueError):
    """Says that a text is no list of calls."""


def calls_of(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Returns the names and the arguments of a list of calls.

    Args:
        text: From its first bracket to its last.

    Raises:
        NotCalls: It is none; nothing of it is run.
    """
    if len(text) > _LONGEST or _BAD_ESCAPE.search(text):
        raise NotCalls
    try:
        listed = ast.parse(text.strip(), mode="eval").body
        if not isinstance(listed, ast.List):
            raise NotCalls
        return [_call(node) for node in listed.elts]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotCalls from None


def _call(node: ast.expr) -> tuple[str, dict[str, Any]]:
    if not isinstance(node, ast.Call) or node.args:
        raise NotCalls
    if any(keyword.arg is None for keyword in node.keywords):
        raise NotCalls
    return _name(node.func), {str(k.arg): _value(k.value, 0) for k in node.keywords}


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_name(node.value)}.{node.attr}"
    if isinstance(node, ast.Name):
        return node.id
    raise NotCalls


def _value(node: ast.expr, depth: int) -> Any:
    read = _READ.get(type(node))
    if read is None or depth > _DEEPEST:
        raise NotCalls
    return read(node, depth + 1)


def _constant(node: Any, _depth: int) -> Any:
    if node.value is not None and not isinstance(node.value, str | bool | int | float):
        raise NotCalls
    return node.value


def _negative(node: Any, depth: int) -> Any:
    value = _value(node.operand, depth)
    if not isinstance(node.op, ast.USub) or isinstance(value, bool) or not isinstance(value, int | float):
        raise NotCalls
    return -value


def _word(node: Any, _depth: int) -> Any:
    if node.id not in _WORDS:
        raise NotCalls
    return _WORDS[node.id]


def _mapping(node: Any, depth: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = None if key is None else _value(key, depth)
        if not isinstance(name, str):
            raise NotCalls
        found[name] = _value(value, depth)
    return found


_READ: Mapping[type, Callable[[Any, int], Any]] = {
    ast.Constant: _constant,
    ast.UnaryOp: _negative,
    ast.Name: _word,
    ast.List: lambda node, depth: [_value(item, depth) for item in node.elts],
    ast.Tuple: lambda node, depth: [_value(item, depth) for item in node.elts],
    ast.Dict: _mapping,
}
