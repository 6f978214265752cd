"""The format of Gemma 4: a name and an object whose keys are bare and whose strings have marks of their own.

It is only understood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from promptmw import hookimpl
from promptmw.toolmode.bodies.json import Stopped, Value
from promptmw.toolmode.cursor import Reading, literal
from promptmw.toolmode.decoding import json_call
from promptmw.toolmode.events import FinishReason, ProblemKind
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.readers import Block, Outcome, Reader

_OPEN, _CLOSE, _QUOTE = "<|tool_call>", "<tool_call|>", '<|"|>'
_HEAD = re.compile(r"\s*call:(?P<name>[A-Za-z0-9_][\w.:/-]{0,127})\s*")
_OUTSIDE = re.compile(r"[{}\[\]<]")
_KEY = re.compile(r"([{,]\s*)([^{}\[\],:\"]+?)(\s*):")
_LONGEST = 256


def _read(block: Block) -> Reading[Outcome]:
    c = block.cursor
    yield from c.skip_white()
    head = yield from _head(block)
    if head is None:
        return Outcome.OPEN
    match = _HEAD.fullmatch(head)
    if match is None or c.text[c.at : c.at + 1] != "{":
        if not block.line_start and c.ended and not head.strip():
            return Outcome.TEXT
        return (yield from _broken(block, head))
    block.commit()
    found = yield from _object(block)
    if found.stopped is Stopped.END or found.too_large or found.too_deep:
        _unfinished(block, match["name"], found)
        return Outcome.OPEN
    json_call(block, match["name"], Value(_as_json(found.text), Stopped.CLOSED), complete=False)
    yield from c.skip_white()
    closed = yield from c.ahead(literal(_CLOSE))
    c.at += len(closed)
    return Outcome.CLOSED


def _head(block: Block) -> Reading[str | None]:
    """Passes what stands in front of the arguments; None if the answer was cut there."""
    c = block.cursor
    while True:
        ends = [at for at in (c.text.find("{", c.at), c.text.find(_CLOSE, c.at)) if at >= 0]
        if ends or len(c.text) - c.at > _LONGEST:
            end = min(ends, default=c.at)
            head, c.at = c.text[c.at : end], end
            return head
        if not (yield from c.more()):
            rest = c.text[c.at :]
            if c.reason is FinishReason.LENGTH or block.line_start:
                block.cut_off(rest)
                c.at = len(c.text)
                return None
            return rest


def _broken(block: Block, head: str) -> Reading[Outcome]:
    c = block.cursor
    while (at := c.text.find(_CLOSE, c.at)) < 0:
        c.at = max(c.at, len(c.text) - len(_CLOSE) + 1)
        if not (yield from c.more()):
            at = len(c.text)
            break
    c.at = min(len(c.text), at + len(_CLOSE))
    block.problem(ProblemKind.MALFORMED, "no call stands in the block", text=head, at=0)
    return Outcome.CLOSED


def _unfinished(block: Block, name: str, found: Value) -> None:
    if found.too_large or found.too_deep:
        block.problem(ProblemKind.TOO_LARGE, "the call is too large or nested too deeply", name=name)
    else:
        block.cut_off(found.text, name=name, in_string=found.in_string)


def _object(block: Block) -> Reading[Value]:
    """Passes the object that begins at the cursor."""
    c = block.cursor
    recording = c.record(most=block.options.limits.block)
    depth, deepest, quoted = 0, 0, False
    stopped = Stopped.END
    quote = literal(_QUOTE)
    while True:
        match = quote.pattern.search(c.text, c.at) if quoted else _OUTSIDE.search(c.text, c.at)
        c.at = len(c.text) if match is None else match.start()
        if match is None:
            if not (yield from c.more()):
                break
            continue
        if match.group()[0] == "<":
            if (yield from c.ahead(quote)):
                quoted = not quoted
                c.at += len(_QUOTE)
            else:
                c.at += 1
            continue
        c.at += 1
        depth += 1 if match.group() in "{[" else -1
        deepest = max(deepest, depth)
        if depth == 0:
            stopped = Stopped.CLOSED
            break
    too_deep, text = deepest > block.options.limits.depth, c.recorded(recording)
    return Value(text[:_LONGEST] if recording.too_large else text, stopped, quoted, too_deep, recording.too_large)


def _as_json(text: str) -> str:
    """Returns the object as JSON: strings in its own marks, keys in quotation marks."""
    parts = text.split(_QUOTE)
    for at, part in enumerate(parts):
        parts[at] = json.dumps(part, ensure_ascii=False) if at % 2 else _KEY.sub(r'\1"\2"\3:', part)
    return "".join(parts)


GEMMA = TextFormat(
    name="gemma",
    form="",
    syntax="json",
    open="",
    close="",
    readers=(Reader((_OPEN,), _read, (_CLOSE,), thoughts=(("<|channel>thought", "<channel|>"),)),),
    write=lambda call: "",
)


@hookimpl
def promptmw_protocols() -> Iterable[ToolProtocol]:
    """Offers the format."""
    return (GEMMA,)
