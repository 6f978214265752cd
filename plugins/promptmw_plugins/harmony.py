"""The format of gpt-oss: messages with headers, which name a channel or a tool. It is only understood."""

from __future__ import annotations

import re
from collections.abc import Iterable

from promptmw import hookimpl
from promptmw.toolmode.bodies.json import Stopped, value
from promptmw.toolmode.cursor import Literals, Reading, literal
from promptmw.toolmode.decoding import json_call
from promptmw.toolmode.events import FinishReason, ProblemKind
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.readers import Block, Outcome, Reader

_START, _CHANNEL, _MESSAGE = "<|start|>", "<|channel|>", "<|message|>"
_ENDS = ("<|end|>", "<|call|>", "<|return|>")
_MARKS = Literals((_START, _CHANNEL, _MESSAGE, *_ENDS))
_BODY_ENDS = Literals((_START, *_ENDS))
_HEADER = re.compile(
    r"(?:assistant)?\s*(?:to=(?P<role_to>\S+?))?\s*(?:<\|channel\|>)?\s*(?P<channel>[a-z]+)?"
    r"\s*(?:to=(?P<to>[^\s<]+))?\s*(?:(?:<\|constrain\|>)?\s*\w{1,16})?\s*"
)
_RECIPIENT = re.compile(r" ?to=\S")
_FUNCTIONS = "functions."
_LONGEST = 512


def _read(block: Block) -> Reading[Outcome]:
    """Reads a header, and the call behind it if it names a tool."""
    header = yield from _header(block)
    if header is None:
        return Outcome.OPEN
    match = _HEADER.fullmatch(header)
    if match is None or not block.cursor.text.startswith(_MESSAGE, block.cursor.at):
        return Outcome.GONE
    block.cursor.at += len(_MESSAGE)
    to = match["to"] or match["role_to"] or ""
    if to:
        return (yield from _call(block, to))
    return Outcome.THOUGHT if match["channel"] == "analysis" else Outcome.GONE


def _header(block: Block) -> Reading[str | None]:
    """Passes a header up to the marker behind it; None if the answer was cut inside of it."""
    c = block.cursor
    while True:
        skipped = c.at
        while True:
            match = _MARKS.pattern.search(c.text, skipped)
            if match is None or match.group() != _CHANNEL:
                break
            skipped = match.end()
        if match is not None and match.group() in _MARKS:
            header = c.text[c.at : match.start()]
            c.at = match.start()
            return header
        if len(c.text) - c.at > _LONGEST:
            return ""
        if not (yield from c.more()):
            return _cut(block)


def _cut(block: Block) -> str | None:
    """Takes what is left of an answer that ends inside of a header."""
    c = block.cursor
    rest, c.at = c.text[c.at :], len(c.text)
    if c.reason is not FinishReason.LENGTH or "to=" not in rest:
        return ""
    block.cut_off(rest, name=rest.partition(_FUNCTIONS)[2].partition("<")[0].strip() or None)
    return None


def _call(block: Block, to: str) -> Reading[Outcome]:
    c = block.cursor
    block.commit()
    yield from c.skip_white()
    name = to.removeprefix(_FUNCTIONS)
    if not to.startswith(_FUNCTIONS) or (yield from c.within(1)) != "{":
        kind = ProblemKind.MALFORMED if to.startswith(_FUNCTIONS) else ProblemKind.UNKNOWN_TOOL
        block.problem(kind, "the message is no call of a tool that is there", name=name)
        yield from _pass_body(block)
        return Outcome.CLOSED
    found = yield from value(c, _BODY_ENDS, block.options.limits, watch=block.watch(name))
    if found.stopped is Stopped.END:
        block.cut_off(found.text, name=name, in_string=found.in_string)
        return Outcome.OPEN
    json_call(block, name, found, complete=False)
    yield from c.skip_white()
    end = yield from c.ahead(literal(*_ENDS))
    c.at += len(end)
    return Outcome.CLOSED


def _pass_body(block: Block) -> Reading[None]:
    c = block.cursor
    while True:
        match = _BODY_ENDS.pattern.search(c.text, c.at)
        c.at = len(c.text) if match is None else match.start()
        if match is not None and match.group() in _BODY_ENDS:
            return
        if not (yield from c.more()):
            c.at = len(c.text)
            return


def _bare(block: Block) -> Reading[Outcome]:
    """Reads an answer that begins inside of a header, which the prompt has opened."""
    window = yield from block.cursor.within(5)
    if not _RECIPIENT.match(window):
        return Outcome.TEXT
    return (yield from _read(block))


HARMONY = TextFormat(
    name="harmony",
    form="",
    syntax="json",
    open="",
    close="",
    readers=(Reader((_START, _CHANNEL), _read, bare=_bare, thought_ends=("<|end|>", "<|return|>"), silent=_ENDS),),
    write=lambda call: "",
)


@hookimpl
def promptmw_protocols() -> Iterable[ToolProtocol]:
    """Offers the format."""
    return (HARMONY,)
