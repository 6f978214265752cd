"""Kimi's formats: K2 has sections of calls with JSON, K3 elements with typed values."""

from __future__ import annotations

import functools
import html
import re

from promptmw.toolmode.arguments import argument_json
from promptmw.toolmode.bodies.framed import Framed
from promptmw.toolmode.bodies.sections import tagged_calls
from promptmw.toolmode.bodies.tagged import Tagged
from promptmw.toolmode.bodies.typed import by_kind
from promptmw.toolmode.cursor import Reading
from promptmw.toolmode.events import PastCall
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.readers import Block, Head, Outcome, Reader

_SECTION, _CLOSE = "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"
_LEAD, _ARGUMENTS, _END = "<|tool_call_begin|>", "<|tool_call_argument_begin|>", "<|tool_call_end|>"

_K2 = Framed(
    lead=_LEAD,
    head=re.compile(
        rf"\s*(?:functions\.)?(?P<name>[A-Za-z0-9_][\w./-]{{0,127}}?)(?::\d{{1,9}})?\s*{re.escape(_ARGUMENTS)}\s*"
    ),
    call_end=_END,
    section=_SECTION,
    close=_CLOSE,
)

_TOOLS = ("<|open|>tools<|sep|>", "<|close|>tools<|sep|>")
_K3 = Tagged(
    call=Head('<|open|>call tool="', "<|sep|>", re.compile(r'(?P<name>[^"<]*)"[^<]*')),
    parameter=Head(
        '<|open|>argument key="', "<|sep|>", re.compile(r'(?P<name>[^"<]*)"(?:\s+type="(?P<type>\w+)")?[^<]*')
    ),
    value_end="<|close|>argument<|sep|>",
    call_end="<|close|>call<|sep|>",
    stated=by_kind,
    unescaped=html.unescape,
)


def _elements(block: Block) -> Reading[Outcome]:
    yield from block.cursor.skip_white()
    if (yield from block.cursor.empty()):
        block.cut_off("")
        return Outcome.OPEN
    return (yield from tagged_calls(block, _K3, *_TOOLS))


_READERS = (
    Reader((_SECTION, _LEAD), _K2.read, (_CLOSE, _END)),
    Reader(
        (_TOOLS[0],),
        _elements,
        (_TOOLS[1],),
        thoughts=(("<|open|>think<|sep|>", "<|close|>think<|sep|>"),),
        thought_ends=("<|open|>response<|sep|>",),
        silent=tuple(f"<|{way}|>{name}<|sep|>" for way in ("open", "close") for name in ("response", "message")),
    ),
)


@functools.cache
def kimi(_tag: str = "") -> TextFormat:
    """Returns the format: calls are asked for as K2 writes them, and read as both do."""
    return TextFormat(
        name="kimi",
        form=f'{_SECTION}{_LEAD}functions.TOOL_NAME:0{_ARGUMENTS}{{"PARAMETER": "VALUE"}}{_END}{_CLOSE}',
        syntax="arguments",
        open=_SECTION,
        close=_CLOSE,
        readers=_READERS,
        write=_written,
    )


def _written(call: PastCall) -> str:
    arguments = argument_json(call.arguments, openers=(_SECTION,))
    return f"{_SECTION}{_LEAD}functions.{call.name}:0{_ARGUMENTS}{arguments}{_END}{_CLOSE}"
