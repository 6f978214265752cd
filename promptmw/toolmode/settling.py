"""From decoded values to calls: which tool, which arguments, and whether they fit. The last step of every format."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from promptmw.fencing import ESCAPED, restore
from promptmw.toolmode.coerce import coerced
from promptmw.toolmode.events import Call, CallProblem, Note, ProblemKind
from promptmw.toolmode.lenient import Undecodable, decoded
from promptmw.toolmode.options import DEFAULT_LIMITS

if TYPE_CHECKING:
    from promptmw.toolmode.definitions import ToolDefinition, ToolTable

NAMES = ("name", "tool", "tool_name", "function")
ARGUMENTS = ("arguments", "parameters", "args", "input", "tool_input", "params")

_HINT = re.compile(r"""["']?(?:name|tool|tool_name|function)["']?\s{0,8}[:=]\s{0,8}["']([^"'\n]{1,128})["']""")
_HINTED = 4096
_ECHO = 800
_NONE: frozenset[Note] = frozenset()
_UNFINISHED = (ESCAPED, ".0", "e+")
"""What JSON text holds if a valid value must still be restored, or is a whole number written as a float."""

_encoded = json.JSONEncoder(ensure_ascii=False).encode


def new_id() -> str:
    """Returns a new id of a call."""
    return f"call_{secrets.token_hex(12)}"


def name_hint(text: str) -> str | None:
    """Returns the name of the tool that a broken call most likely means; None if nothing says it."""
    match = _HINT.search(text, 0, _HINTED)
    return match[1].strip() if match else None


def calls_in(
    value: Any,
    text: str,
    table: ToolTable,
    *,
    notes: frozenset[Note],
    new_id: Callable[[], str],
    checked: bool = True,
    aliases: bool = True,
) -> list[Call | CallProblem]:
    """Returns the calls of a value that names its tools: an object, or a list in which each element must be a call.

    Args:
        value: As decoded.
        text: As written.
        table: What may be called.
        notes: What was unusual so far.
        new_id: Makes ids.
        checked: As for `call_of`.
        aliases: Whether other names of its keys are unusual.
    """
    found = [_named(item) for item in (value if isinstance(value, list) else [value])]
    named = [item for item in found if item is not None]
    if len(named) < len(found):
        return [CallProblem(ProblemKind.NOT_A_CALL, None, "there is no name of a tool in it", raw=echo(text))]
    own = text if len(named) == 1 else None
    return [
        call_of(
            name,
            arguments,
            table,
            notes=notes | (more if aliases else more - {Note.ALIAS}),
            new_id=new_id,
            checked=checked,
            text=own,
        )
        for name, arguments, more in named
    ]


def echo(text: str) -> str:
    """Returns the head and the tail of a call as written."""
    return text if len(text) <= _ECHO else f"{text[: _ECHO // 2]}…{text[-_ECHO // 2 + 1 :]}"


def _named(item: Any) -> tuple[str, Any, frozenset[Note]] | None:
    """Returns the name, the arguments and what is unusual about an object; None for what is no call."""
    if not isinstance(item, Mapping):
        return None
    notes: frozenset[Note] = _NONE
    if isinstance(inner := item.get("function"), Mapping) and not isinstance(item.get("name"), str):
        item, notes = inner, frozenset((Note.UNWRAPPED,))
    name = next((key for key in NAMES if isinstance(item.get(key), str)), None)
    if name is None:
        return None
    arguments = next((key for key in ARGUMENTS if key in item), "arguments")
    if (name, arguments) != ("name", "arguments"):
        notes |= {Note.ALIAS}
    return item[name], item.get(arguments, {}), notes


def call_of(
    name: str,
    arguments: Any,
    table: ToolTable,
    *,
    text: str | None,
    notes: frozenset[Note],
    new_id: Callable[[], str],
    checked: bool = True,
) -> Call | CallProblem:
    """Returns a call, or why it is none.

    Args:
        name: The tool's, as written.
        arguments: As decoded.
        table: What may be called.
        text: The call as written; None to write it anew where somebody is to see it.
        notes: What was unusual so far.
        new_id: Makes the id.
        checked: Whether arguments that do not fit the schema keep it from being one; otherwise they are noted.
    """
    trimmed = name.strip()
    problem = _Problem(trimmed, arguments, text)
    tool = table.get(trimmed)
    if tool is None:
        return problem(ProblemKind.UNKNOWN_TOOL, "there is no such tool")
    if trimmed != name:
        notes |= {Note.TRIMMED_NAME}
    if not isinstance(arguments, dict):
        arguments, note = _object(arguments)
        notes |= {note}
        if arguments is None:
            return problem(ProblemKind.MALFORMED, "the arguments are no object")
    return _fitting(tool, arguments, problem if checked else None, notes, new_id)


def _fitting(
    tool: ToolDefinition,
    arguments: dict[str, Any],
    problem: _Problem | None,
    notes: frozenset[Note],
    new_id: Callable[[], str],
) -> Call | CallProblem:
    written = _encoded(arguments)
    if tool.fits(arguments) and not any(sign in written for sign in _UNFINISHED):
        return Call(new_id(), tool.name, arguments, written, notes)
    found = coerced(_restored(arguments), tool.schema)
    violations = tool.violations(found.value)
    if violations and problem is not None:
        return problem(ProblemKind.INVALID_ARGUMENTS, "the arguments do not fit the schema", violations)
    unusual = {Note.COERCED: found.changes, Note.WRAPPED: found.wrapped, Note.INVALID_ARGUMENTS: violations}
    notes |= {note for note, places in unusual.items() if places}
    return Call(new_id(), tool.name, found.value, _encoded(found.value), notes, (*found.changes, *found.wrapped))


class _Problem:
    """Makes the problem of one call."""

    __slots__ = ("_arguments", "_name", "_text")

    def __init__(self, name: str, arguments: Any, text: str | None) -> None:
        self._name = name
        self._arguments = arguments
        self._text = text

    def __call__(self, kind: ProblemKind, message: str, violations: tuple[Any, ...] = ()) -> CallProblem:
        raw = self._text
        if raw is None:
            raw = _encoded({"name": self._name, "arguments": self._arguments})
        return CallProblem(kind, self._name, message, violations=violations, raw=echo(raw))


def _object(arguments: Any) -> tuple[dict[str, Any] | None, Note]:
    """Returns the object that stands for arguments that are none, and what is unusual about it."""
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return {}, Note.EMPTY_ARGUMENTS
    if isinstance(arguments, str):
        try:
            value = decoded(arguments, complete=False, repair=False, limits=DEFAULT_LIMITS).value
        except Undecodable:
            value = None
        return (value if isinstance(value, dict) else None), Note.DECODED_TWICE
    return None, Note.DECODED_TWICE


def _restored(value: Any) -> Any:
    """Returns the same with the characters in it that were escaped in the definition of the tool."""
    if isinstance(value, str):
        return restore(value)
    if isinstance(value, dict):
        return {restore(key): _restored(item) for key, item in value.items()}
    return [_restored(item) for item in value] if isinstance(value, list) else value
