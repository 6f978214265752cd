"""Mistral's formats: control tokens, a name and JSON; before version 11 a list of calls."""

from __future__ import annotations

import functools
import re

from promptmw.toolmode.arguments import argument_json
from promptmw.toolmode.bodies.framed import Framed
from promptmw.toolmode.events import PastCall
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.readers import Reader

OPEN = "[TOOL_CALLS]"

_GRAMMAR = Framed(
    lead=OPEN,
    head=re.compile(r"(?P<name>[A-Za-z0-9_][\w.:/-]{0,127})\s*(?:\[CALL_ID\]\s*\w{0,64}\s*)?(?:\[ARGS\]\s*)?"),
)


@functools.cache
def mistral(_tag: str = "") -> TextFormat:
    """Returns the format; it has no closing marker, so that no sequence can stop it."""
    return TextFormat(
        name="mistral",
        form=f'{OPEN}TOOL_NAME[ARGS]{{"PARAMETER": "VALUE"}}',
        syntax="arguments",
        open=OPEN,
        close="",
        readers=(Reader((OPEN,), _GRAMMAR.read, thoughts=(("[THINK]", "[/THINK]"),)),),
        write=_written,
    )


def _written(call: PastCall) -> str:
    return f"{OPEN}{call.name}[ARGS]{argument_json(call.arguments, openers=(OPEN,))}"
