"""Finds markers: our tags, foreign harness tags, and control tokens of chat templates, in any spelling."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

from promptmw.fencing.folding import fold

FOREIGN = (
    "system", "system-reminder", "system-message", "assistant", "developer", "tool_call", "tool_calls", "tool_use",
    "tool_code", "tool_response", "tool_result", "tool_results", "tool_error", "tool_output", "tool_outputs",
    "function_call", "function_calls", "function_result", "function_results", "invoke", "think", "thinking",
    "start_of_turn", "end_of_turn",
)  # fmt: skip
"""Tags that other harnesses and models give a meaning to."""

_F = r"[\s\x00-\x1f\x7f_-]"
_S = r"[\s\x00-\x1f\x7f_/\\!?-]"
_LT = r"(?:<|&lt;?|&#0*+60;?|&#x0*+3c;?|\\x3c|\\u003c|\\u\{0*+3c\}|\\0?74|%3c|=3c)"
_SLASHES = rf"(?:{_S}|&sol;|&\#0*+47;?|&\#x0*+2f;?|%2f|=2f|\\x2f|\\u002f)*+"
_TOKENS = (
    r"<\|(?! )(?=[^\r\n]{0,64}[a-z0-9])[a-z0-9_./:@ \t\x00-]{1,64}\|>",
    r"<\|?(?:im_start|im_end|im_sep|endoftext|eot_id|eom_id|turn|start|end|message|channel|call|return)\|",
    r"</?(?:s|bos|eos|unk|pad|mask)>",
    r"<</?sys>",
)
_SQUARE = re.compile(
    r"\[[ \t]*+/?[ \t]*+(?:INST|SYSTEM_PROMPT|TOOL_CALLS|AVAILABLE_TOOLS|TOOL_RESULTS|TOOL_CONTENT|MODEL_SETTINGS)"
    r"[ \t]*+\]"
)
_EXACT = re.compile(r"</?(?:s|bos|eos|unk|pad|mask)>")
_LEADS = re.compile(r"[<&\\%=]")
_OPEN = re.compile(_LT)
_AHEAD = re.compile(rf"^{_SLASHES}")


class Markers:
    """Finds the places in a text where a marker begins.

    Args:
        tags: The tags of all loaded fences. Nothing is required behind such a name for it to count.
        local: Tags that are reserved in this place only; a letter behind the name makes it another word.
    """

    def __init__(self, tags: Iterable[str], *, local: Iterable[str] = ()) -> None:
        self._names = tuple(sorted({_plain(t) for t in (*tags, *FOREIGN, *local)}))
        ours = "|".join(_name(t) for t in sorted(tags, key=len, reverse=True)) or r"(?!)"
        others = "|".join(_name(t) for t in sorted((*FOREIGN, *local), key=len, reverse=True))
        spaced = rf"(?:[a-z]{{1,12}}:)?(?:{others})(?![a-z0-9_.:@-])"
        named = rf"{_LT}{_SLASHES}(?:{ours}|{spaced})"
        self._pattern = re.compile(f"(?={named}|{'|'.join(_TOKENS[:2])}|{_TOKENS[3]}|<(?:function|parameter)=)")

    def find(self, text: str) -> set[int]:
        """Returns the offsets at which a marker begins."""
        folded = fold(text)
        found: set[int] = set()
        if _LEADS.search(folded):
            found |= {at for m in self._pattern.finditer(folded) for at in (m.start(),) if not _quoted(folded, at)}
            found |= {m.start() for m in _EXACT.finditer(text)}
        return found | {m.start() for m in _SQUARE.finditer(text)} if "[" in text else found

    def dangling(self, text: str) -> set[int]:
        """Returns the offset at the end of ``text`` from which a marker is begun but not decided."""
        folded = fold(text)
        opened = deque(_OPEN.finditer(folded), maxlen=1)  # no name goes on behind another opening bracket
        return {m.start() for m in opened if self._begun(folded[m.end() :]) and not _quoted(folded, m.start())}

    def _begun(self, rest: str) -> bool:
        rest = _AHEAD.sub("", rest, count=1)
        letters = _plain(rest)
        return re.fullmatch(rf"(?:{_F}|[a-z0-9|])*+", rest) is not None and any(
            n.startswith(letters) for n in self._names
        )


def _name(tag: str) -> str:
    """Returns a pattern for the letters of a tag with fillers allowed between any two."""
    alike = {"l": "[l1i|]", "1": "[l1i|]", "i": "[l1i|]", "o": "[o0]", "0": "[o0]"}
    return rf"{_F}*+".join(alike.get(c, c) for c in re.sub(r"[^a-z0-9]", "", tag.lower()))


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9|]", "", text).replace("1", "l").replace("i", "l").replace("|", "l").replace("0", "o")


def _quoted(text: str, at: int) -> bool:
    """Says whether an escape sequence at ``at`` is itself escaped by a backslash before it."""
    start = at
    while text[at] == "\\" and start and text[start - 1] == "\\":  # counted backwards: no copy of what is before
        start -= 1
    return (at - start) % 2 == 1
