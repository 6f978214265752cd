"""Llama's formats: an answer that is a call as JSON, or a list of calls in Python's syntax."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from promptmw.toolmode.arguments import argument_json, json_text
from promptmw.toolmode.bodies.json import Stopped, Value, value
from promptmw.toolmode.bodies.literal import NotCalls, calls_of
from promptmw.toolmode.cursor import Literals, Reading, literal
from promptmw.toolmode.decoding import json_calls
from promptmw.toolmode.events import FinishReason, PastCall, ProblemKind
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.lenient import Undecodable, decoded
from promptmw.toolmode.readers import Block, Outcome, Reader
from promptmw.toolmode.settling import call_of, name_hint

_TAG = "<|python_tag|>"
_LISTS = {"<|python_start|>": "<|python_end|>", "<|tool_call_start|>": "<|tool_call_end|>"}
_KEYS = frozenset({"name", "parameters", "arguments", "type", "id"})
_OBJECT = re.compile(r'\{\s*+"(?:name|parameters|arguments|type|id)"\s*+:')
_LIST = re.compile(r"\[\s*+[A-Za-z_][\w.]{0,127}\(")
_BEGUN = re.compile(r'(?:\{\s*+(?:"\w{0,10}+"?\s*+)?|\[\s*+(?:[A-Za-z_][\w.]{0,127})?)\Z')
_LOOK = 256
_NO_TAGS = Literals(())
_QUOTES = "{[,:=("


def _bare(block: Block) -> Reading[Outcome]:
    """Reads an answer that may be nothing but calls; text if its first value is none."""
    kind = yield from _kind(block)
    if kind == "{":
        return (yield from _objects(block, must=False))
    return (yield from _list(block, "")) if kind == "[" else Outcome.TEXT


def _tagged(block: Block) -> Reading[Outcome]:
    """Reads calls behind a marker, where nothing else may stand."""
    c = block.cursor
    yield from c.skip_white()
    if (yield from c.empty()):
        block.cut_off("")
        return Outcome.OPEN
    kind = (yield from c.within(1)) if c.text[c.at] == "{" else (yield from _kind(block))
    if kind == "{":
        return (yield from _objects(block, must=True))
    if kind == "[":
        return (yield from _list(block, _LISTS.get(block.opener, "")))
    rest = yield from _rest(block)
    block.problem(ProblemKind.MALFORMED, "no call stands behind the marker", text=rest, at=0)
    return Outcome.OPEN


def _kind(block: Block) -> Reading[str]:
    """Says what begins here: an object that may be a call, a list that may hold calls, or neither."""
    c = block.cursor
    while True:
        rest = c.text[c.at : c.at + _LOOK]
        if _OBJECT.match(rest) or _LIST.match(rest):
            return rest[0]
        if (rest and not _BEGUN.match(rest)) or not (yield from c.more()):
            return rest[:1] if c.ended and _OBJECT.match(rest) else ""


def _rest(block: Block) -> Reading[str]:
    c = block.cursor
    recording = c.record(most=block.options.limits.block)
    c.at = len(c.text)
    while (yield from c.more()):
        c.at = len(c.text)
    c.at = len(c.text)
    return c.recorded(recording)


def _objects(block: Block, *, must: bool) -> Reading[Outcome]:
    """Reads objects, joined by semicolons.

    Args:
        block: Whose cursor stands at the first.
        must: Whether what is no call of a tool in the table is a problem; otherwise it is text.
    """
    c = block.cursor
    first = True
    while True:
        found = yield from value(c, _NO_TAGS, block.options.limits)
        if first and not must and not _is_call(block, found):
            return Outcome.TEXT
        if found.stopped is Stopped.END:
            block.cut_off(found.text, in_string=found.in_string)
            return Outcome.OPEN
        json_calls(block, found, complete=False, aliases=False)
        first = False
        block.commit()
        yield from c.skip_white()
        window = yield from c.within(8)
        if window[:1] not in (";", ",") or window[1:].lstrip()[:1] != "{":
            return Outcome.CLOSED
        c.at += window.index("{")


def _is_call(block: Block, found: Value) -> bool:
    """Says whether a whole object is a call of a tool in the table, or one that was cut would have been."""
    if found.stopped is Stopped.END:
        return block.cursor.reason is FinishReason.LENGTH and (name_hint(found.text) or "") in block.table
    try:
        decoded_value = decoded(found.text, complete=False, repair=False, limits=block.options.limits).value
    except Undecodable:
        return False
    fits = isinstance(decoded_value, Mapping) and decoded_value.keys() <= _KEYS
    return fits and isinstance(decoded_value.get("name"), str) and decoded_value["name"] in block.table


def _list(block: Block, close: str) -> Reading[Outcome]:
    """Reads a list of calls, and the marker that closes it."""
    c = block.cursor
    found = yield from value(c, _NO_TAGS, block.options.limits, quotes_behind=_QUOTES)
    if found.stopped is Stopped.END:
        block.cut_off(found.text, in_string=found.in_string)
        return Outcome.OPEN
    try:
        calls = calls_of(found.text)
    except NotCalls:
        if not block.opener:
            return Outcome.TEXT
        block.problem(ProblemKind.MALFORMED, "the list of calls cannot be read", text=found.text, at=0)
        calls = []
    block.put(
        call_of(name, arguments, block.table, text=None, notes=frozenset(), new_id=block.new_id)
        for name, arguments in calls
    )
    block.commit()
    yield from c.skip_white()
    closed = bool(close) and bool((yield from c.ahead(literal(close))))
    c.at += len(close) if closed else 0
    return Outcome.CLOSED


@functools.cache
def llama(_tag: str = "") -> TextFormat:
    """Returns the format: a call is asked for as JSON, and read in both ways; it has no closing marker."""
    return TextFormat(
        name="llama",
        form=f'{_TAG}{{"name": "TOOL_NAME", "arguments": {{"PARAMETER": "VALUE"}}}}',
        syntax="json",
        open=_TAG,
        close="",
        readers=(Reader((_TAG, *_LISTS), _tagged, tuple(_LISTS.values()), bare=_bare),),
        write=_written,
    )


def _written(call: PastCall) -> str:
    name, arguments = json_text(call.name, openers=(_TAG,)), argument_json(call.arguments, openers=(_TAG,))
    return f'{_TAG}{{"name": {name}, "arguments": {arguments}}}'
