"""DeepSeek's formats: V3 and V3.1 frame JSON with control tokens; from V3.2 on calls are elements with raw values."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from promptmw.toolmode.arguments import argument_json
from promptmw.toolmode.bodies.framed import Framed
from promptmw.toolmode.bodies.sections import tagged_calls
from promptmw.toolmode.bodies.tagged import Tagged
from promptmw.toolmode.bodies.typed import by_flag
from promptmw.toolmode.cursor import Reading
from promptmw.toolmode.events import PastCall
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.readers import Block, Head, Outcome, Reader


def _token(words: str) -> str:
    """Returns a control token, with the characters that DeepSeek uses for bars and blanks."""
    return f"<\uff5c{words.replace(' ', chr(0x2581))}\uff5c>"


_OPEN, _CLOSE = _token("tool calls begin"), _token("tool calls end")
_LEAD, _SEP, _END = _token("tool call begin"), _token("tool sep"), _token("tool call end")

_V3 = Framed(
    lead=_LEAD,
    head=re.compile(
        rf"\s*(?:function\s*{_SEP}\s*)?(?P<name>[A-Za-z0-9_][\w.:/-]{{0,127}})\s*(?:{_SEP})?\s*(?:```\w{{0,16}}\s*)?"
    ),
    call_end=_END,
    section=_OPEN,
    close=_CLOSE,
)


def _elements(block_name: str, space: str = "") -> Reader:
    """Returns the reader of one dialect of the elements.

    Args:
        block_name: Of the element that encloses the calls.
        space: Stands in front of each element's name.
    """
    opening, closing = f"<\uff5cDSML\uff5c{space}", f"</\uff5cDSML\uff5c{space}"
    grammar = Tagged(
        call=Head(f'{opening}invoke name="', ">", re.compile(r'(?P<name>[^"<]*)"\s*(?P<closed>/)?\s*')),
        parameter=Head(
            f'{opening}parameter name="', ">", re.compile(r'(?P<name>[^"<]*)"(?:\s+string="(?P<type>true|false)")?\s*')
        ),
        value_end=f"{closing}parameter>",
        call_end=f"{closing}invoke>",
        stated=by_flag,
    )
    opens, closes = f"{opening}{block_name}>", f"{closing}{block_name}>"
    return Reader((opens,), _section(grammar, opens, closes), (closes,))


def _section(grammar: Tagged, opens: str, closes: str) -> Callable[[Block], Reading[Outcome]]:
    def read(block: Block) -> Reading[Outcome]:
        yield from block.cursor.skip_white()
        if (yield from block.cursor.empty()):
            block.cut_off("")
            return Outcome.OPEN
        return (yield from tagged_calls(block, grammar, opens, closes))

    return read


_READERS = (
    Reader((_OPEN, _LEAD), _V3.read, (_CLOSE, _END)),
    _elements("function_calls"),
    _elements("tool_calls"),
    _elements("calls", " "),
)


@functools.cache
def deepseek(_tag: str = "") -> TextFormat:
    """Returns the format: calls are asked for as V3.1 writes them, and read as all do."""
    return TextFormat(
        name="deepseek",
        form=f'{_OPEN}{_LEAD}TOOL_NAME{_SEP}{{"PARAMETER": "VALUE"}}{_END}{_CLOSE}',
        syntax="arguments",
        open=_OPEN,
        close=_CLOSE,
        readers=_READERS,
        write=_written,
    )


def _written(call: PastCall) -> str:
    return f"{_OPEN}{_LEAD}{call.name}{_SEP}{argument_json(call.arguments, openers=(_OPEN,))}{_END}{_CLOSE}"
