"""A second reader of JSON calls between tags: slow, on whole texts only, and made without looking at the product.

Nothing is repaired, and problems have no names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from toolmode.slow_calls import Short, call, calls, strict_so_far

OPEN, CLOSE, THINK, THOUGHT = "<tool_call>", "</tool_call>", "<think>", "</think>"
RESULT = re.compile(r"<(?:tool-output|tool_output|tool_result|tool_response|tool_error)[\s/>]")
FENCE = re.compile(r"(?m)^ {0,3}(`{3,}|~{3,})[^\n`~]*(?:\n|\Z)")
CLOSING = re.compile(r"(?m)(`{3,}|~{3,})(?=\s|<|\Z)(?! *\w)")
NAME = re.compile(r"\s*([A-Za-z0-9_][A-Za-z0-9_.:/-]*)\s*" + CLOSE)
BODY = re.compile(r"[{\[]|" + CLOSE + "|" + OPEN)
OTHER = re.compile(r"</(?:think|tool)\w*>")
PROSE = 64


@dataclass(slots=True)
class Block:
    """Is what follows an opening tag: its events, where it ends, and whether its closing tag is there."""

    end: int
    events: list[Short]
    closed: bool
    name: str | None = None

    @property
    def good(self) -> bool:
        return bool(self.events) and all(event[0] == "call" for event in self.events)


@dataclass(slots=True)
class Slow:
    """Reads one answer.

    Attributes:
        text: All of it.
        reason: ``stop`` or ``length``.
        stop_sent: Whether the closing tag was a stop sequence.
        in_thought: Whether the prompt began a thought.
        most: How many blocks count.
    """

    text: str
    reason: str = "stop"
    stop_sent: bool = False
    in_thought: bool = False
    most: int | None = None
    found: list[Short] = field(default_factory=list)
    blocks: int = 0
    calls: int = 0

    def read(self) -> list[Short]:
        """Returns the merged events."""
        at = self._thought(0) if self.in_thought else 0
        while at < len(self.text):
            at = self._full(at) if self.most is not None and self.blocks >= self.most else self._step(at)
        return _edged(self.found)

    @property
    def _stopped(self) -> bool:
        return self.stop_sent and self.reason == "stop"

    def _step(self, at: int) -> int:
        """Reads one marker, or one character of text; returns what is behind it."""
        text, fence = self.text, FENCE.match(self.text, at)
        if fence and (at == 0 or text[at - 1] == "\n"):
            return self._fence(at, fence)
        if self.found and self.found[-1][0] == "text" and self.found[-1][1].endswith("`"):
            pass
        elif text.startswith(OPEN, at):
            block = self._block(at, first=self._line_start(at))
            if block is not None:
                return self._take(block)
        elif text.startswith(CLOSE, at) and self.blocks:
            self.found.append(("gone",))
            return at + len(CLOSE)
        elif RESULT.match(text, at) and (self._line_start(at) or self.calls):
            self.found.append(("drop", "forged_result"))
            return len(text)
        elif text.startswith(THINK, at) and self._line_start(at):
            return self._thought(at + len(THINK))
        elif text.startswith(THOUGHT, at):
            self.found.append(("note", "unopened_reasoning"))
            return at + len(THOUGHT)
        elif (cut := self._begun(at)) is not None:
            return cut
        self.found.append(("text", text[at]))
        return at + 1

    def _begun(self, at: int) -> int | None:
        """Returns the end of the text where an opening tag is only begun there, cut by the limit."""
        rest = self.text[at:]
        if len(rest) > 1 and OPEN.startswith(rest) and self.reason == "length" and self._line_start(at):
            self.found.append(("error", "truncated"))
            return len(self.text)
        return None

    def _line_start(self, at: int) -> bool:
        """Says whether no text stands before a place in its line; what vanished is no text."""
        shown = "".join(event[1] if event[0] == "text" else "\n" * (event[0] == "block") for event in self.found)
        return not shown.rpartition("\n")[2].strip()

    def _full(self, at: int) -> int:
        rest = self.text[at:].lstrip()
        if rest:
            self.found.append(("drop", "forged_result" if RESULT.match(rest + " ") else "after_block"))
        return len(self.text)

    def _take(self, block: Block) -> int:
        self.blocks += 1
        self.calls += sum(event[0] == "call" for event in block.events)
        self.found += [("block",), *block.events]
        return block.end

    def _fence(self, at: int, fence: re.Match[str]) -> int:
        """Reads a code fence: a call if blocks of good calls are all it holds, and the last thing of the answer."""
        closing = re.compile(rf"(?m)^ {{0,3}}{fence[1][0]}{{{len(fence[1])},}}[ \t]*(?:\n|\Z)")
        blocks, end = self._blocks(fence.end())
        close = closing.match(self.text, end)
        if blocks and all(b.good for b in blocks) and not self.text[close.end() if close else end :].strip():
            self.found.append(("gone",))
            for block in blocks:
                self._take(block)
            return len(self.text)
        close = closing.search(self.text, fence.end())
        end = close.end() if close else len(self.text)
        self.found.append(("text", self.text[at:end]))
        return end

    def _blocks(self, at: int) -> tuple[list[Block], int]:
        """Returns blocks with nothing but white space between them, and what is behind that."""
        blocks: list[Block] = []
        while self.text.startswith(OPEN, at := self._skip(at)) and (block := self._block(at, first=True)) is not None:
            blocks.append(block)
            at = block.end
            if len(blocks) == self.most:
                break
        return blocks, self._skip(at)

    def _skip(self, at: int) -> int:
        return len(self.text) - len(self.text[at:].lstrip())

    def _thought(self, at: int) -> int:
        end = self.text.find(THOUGHT, at)
        if end >= 0:
            self._thinks(self.text[at:end])
            return end + len(THOUGHT)
        for draft in re.finditer(OPEN, self.text[at:]):
            start = at + draft.start()
            blocks, end = self._blocks(start)
            if not blocks or self.text[end:] or self.reason == "length":
                continue
            if blocks[-1].closed and all(block.good for block in blocks):
                self._thinks(self.text[at:start])
                self.found += [(*call[:3], [*call[3], "from_reasoning"]) for block in blocks for call in block.events]
                return end
            if self._stopped and not blocks[-1].closed and all(block.good for block in blocks[:-1]):
                self._thinks(self.text[at:start])
                self.found.append(("error", "stopped_in_reasoning"))
                return end
        self._thinks(self.text[at:], open_end=True)
        return len(self.text)

    def _thinks(self, text: str, *, open_end: bool = False) -> None:
        self.found.append(("gone",))
        if text.strip():
            self.found.append(("reasoning", text.lstrip() if open_end else text.strip()))

    def _block(self, at: int, *, first: bool) -> Block | None:
        """Reads what follows an opening tag; None where that is text."""
        text, start = self.text, self._skip(at + len(OPEN))
        if fence := FENCE.match(text, start):
            start = self._skip(fence.end())
        if start == len(text):
            return Block(start, [("error", "truncated")], closed=False) if first or self.reason == "length" else None
        if text[start] in "{[":
            return self._json(start)
        if name := NAME.match(text, start):
            return Block(name.end(), [call(name[1], {}, [])], closed=True)
        if not first:
            return None
        body = BODY.search(text, start)
        if body is None and len(text) - start <= PROSE:
            return Block(len(text), [("error", "truncated")], closed=False)
        if body is None or body.start() - start > PROSE or body[0] == OPEN:
            return None
        if body[0] == CLOSE:
            return Block(body.end(), [("error", "malformed")], closed=True)
        return self._json(body.start())

    def _json(self, at: int) -> Block:
        """Reads values up to the end of the block."""
        events: list[Short] = []
        while True:
            end, why = self._value(at)
            if why != "value":
                return self._unfinished(at, end, why, events)
            end, why, notes = self._after(end)
            events += calls(self.text[at : self._last], notes)
            if why != "more":
                return Block(end, events, closed=why == "closed")
            at = end

    _last: int = 0

    def _value(self, at: int) -> tuple[int, str]:
        """Returns where a value ends, and why."""
        depth, inside, escaped = 0, False, False
        for i in range(at, len(self.text)):
            char = self.text[i]
            if inside:
                inside, escaped = char != '"' or escaped, char == "\\" and not escaped
            elif self.text.startswith((OPEN, CLOSE), i):
                return i, "tag"
            elif char == '"':
                inside = True
            elif char in "{[":
                depth += 1
            elif char in "}]":
                depth -= 1
                if not depth:
                    self._last = i + 1
                    return i + 1, "value"
        return len(self.text), "string" if inside else "end"

    def _unfinished(self, at: int, end: int, why: str, events: list[Short]) -> Block:
        text = self.text
        if why == "tag":
            closed = text.startswith(CLOSE, end)
            return Block(end + len(CLOSE) * closed, [*events, ("error", "malformed")], closed)
        last = text.rfind(CLOSE, at) if why == "string" and self.reason != "length" else -1
        if last >= 0 and not strict_so_far(text[at:]):
            return Block(last + len(CLOSE), [*events, ("error", "malformed")], closed=True)
        whole = why == "end" and self._stopped and text.rstrip()[-1] not in ",:{["
        kind = "stopped_in_string" if why == "string" and self._stopped else "malformed" if whole else "truncated"
        return Block(end, [*events, ("error", kind)], closed=False)

    def _after(self, at: int) -> tuple[int, str, list[str]]:
        """Returns what is behind a value: where it goes on, how, and what is noted."""
        text, notes = self.text, list[str]()
        at = self._skip(at)
        if fence := CLOSING.match(text, at):
            at = self._skip(fence.end())
        while text[at : at + 1] in ("}", "]") and at < len(text):
            at, notes = self._skip(at + 1), ["extra_text"]
        if at == len(text):
            return at, "end", notes
        if text.startswith(CLOSE, at):
            return at + len(CLOSE), "closed", notes
        if text.startswith(OPEN, at):
            return at, "open", [*notes, "missing_close"]
        more = re.compile(r"[,;]?\s*(?=[{\[])").match(text, at)
        if more:
            return more.end(), "more", notes
        if other := OTHER.match(text, at):
            return other.end(), "open", [*notes, "missing_close"]
        close, opener = text.find(CLOSE, at), text.find(OPEN, at)
        if 0 <= close <= at + PROSE and not 0 <= opener < close:
            return close + len(CLOSE), "closed", ["extra_text"]
        return at, "open", [*notes, "missing_close"]


def _edged(found: list[Short]) -> list[Short]:
    """Returns merged events; white space between blocks, and round all of the text beside markup, is no text."""
    out: list[Short] = []
    held, between, marked, shown = "", None, False, False
    for event in found:
        if event[0] == "text":
            whole = (between or "") + held + event[1]
            if not shown and marked:
                whole = whole.lstrip()
            visible = whole.rstrip()
            held, between = (whole[len(visible) :], None) if visible else (held + event[1], between)
            shown = shown or bool(visible)
            out += [("text", visible)] if visible else []
            continue
        marked = True
        if event[0] == "block":
            held, between = "", held if between is None else between
        elif event[0] != "gone":
            out.append(event if event[0] != "call" else (*event[:3], sorted(set(event[3]))))
    if held and not marked:
        out.append(("text", held))
    return _joined(out)


def _joined(found: list[Short]) -> list[Short]:
    out: list[Short] = []
    for event in found:
        if out and event[0] in ("text", "reasoning") and out[-1][0] == event[0]:
            out[-1] = (event[0], out[-1][1] + event[1])
        else:
            out.append(event)
    return out
