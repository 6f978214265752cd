"""Reads random answers with our parser and with an npm package that reads the same calls, and shows where they differ.

    uv run python tests/bench/tool_peer.py --answers 500

Answers are prose, whole calls, and broken pieces of calls, in random chunks. A difference is a question, not a fault.
Where node or npm is missing it says so.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from promptmw import ToolSpec
from promptmw.toolmode import CallEnd, FinishReason, ParserOptions, TextDelta, ToolTable
from promptmw.toolmode.formats import FORMATS

sys.path.insert(0, str(Path(__file__).parent))

from npm_peer import NoPeer, Read, peer

STRING = {"type": "string"}
SCHEMAS = {"now": {}, "echo": {"text": STRING}, "write_file": {"path": STRING, "content": STRING}}
TOOLS = [{"name": n, "parameters": {"type": "object", "properties": p}} for n, p in SCHEMAS.items()]
TABLE = ToolTable.of(ToolSpec(str(t["name"]), parameters=json.dumps(t["parameters"])) for t in TOOLS)
WORDS = ("Hello.", "a < b", "if x > y:", "Zürich 😀", "</b>", "{x}", "1 <2", "the end", "<tool>", "[]", '"quoted"')
VALUES = ("x", "two\nlines", 'say "hi"', "C:\\new", "</tool_call>", "<tool_call>", "{a}", "é 😀", "", "</", "a </tool_")
BROKEN = ("<tool_call>", "</tool_call>", "<tool_ca", '<tool_call>{"name": "now"', "<tool_call>no JSON</tool_call>")

Answer = tuple[str, list[tuple[str, object]]]
"""Text without the white space at its edges, and calls."""


def answer(rng: random.Random, *, broken: bool) -> str:
    """Returns a random answer."""
    parts = [rng.choice((_words, _call, _piece if broken else _words))(rng) for _ in range(rng.randint(1, 6))]
    return "\n".join(parts)


def _words(rng: random.Random) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(1, 5)))


def _call(rng: random.Random) -> str:
    name = rng.choice(list(SCHEMAS))
    call = {"name": name, "arguments": {key: rng.choice(VALUES) for key in SCHEMAS[name]}}
    return f"<tool_call>\n{json.dumps(call, ensure_ascii=rng.random() < 0.5)}\n</tool_call>"


def _piece(rng: random.Random) -> str:
    return rng.choice(BROKEN)


def chunks(text: str, rng: random.Random) -> Iterator[str]:
    """Cuts a text at random places."""
    at = 0
    while at < len(text):
        size = rng.randint(1, 9)
        yield text[at : at + size]
        at += size


def ours(pieces: Sequence[str]) -> Answer:
    """Returns what our parser makes of an answer."""
    parser = FORMATS["hermes"]("tool_call").parser(TABLE, ParserOptions(max_blocks=None))
    events = [event for piece in pieces for event in parser.feed(piece)] + [*parser.finish(FinishReason.STOP)]
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    return text.strip(), [(event.call.name, event.call.arguments) for event in events if isinstance(event, CallEnd)]


def theirs(found: Read) -> Answer:
    """Returns what the package makes of it."""
    return found.text.strip(), [(name, json.loads(arguments)) for name, arguments in found.calls]


def main() -> int:
    """Prints how often both agree, and some of the answers where they do not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=500, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=5, help="differences of each kind")
    options = parser.parse_args()
    try:
        with peer() as package:
            for kind in ("whole", "broken"):
                rng = random.Random(options.seed)
                texts = [answer(rng, broken=kind == "broken") for _ in range(options.answers)]
                cut = [list(chunks(text, rng)) for text in texts]
                _compare(kind, cut, [theirs(found) for found in package.read(TOOLS, cut)], options.show)
    except NoPeer as error:
        print(f"not compared: {error}")
    return 0


def _compare(kind: str, cut: Sequence[Sequence[str]], other: Sequence[Answer], show: int) -> None:
    both = [("".join(pieces), ours(pieces), found) for pieces, found in zip(cut, other, strict=True)]
    calls = [row for row in both if row[1][1] != row[2][1]]
    texts = [row for row in both if row not in calls and row[1][0].split() != row[2][0].split()]
    print(f"{kind}: {len(both)} answers; calls differ in {len(calls)}, text alone in {len(texts)}")
    for text, mine, found in sorted([*calls, *texts], key=lambda row: len(row[0]))[:show]:
        print(f"  {text!r}\n    ours   {mine}\n    theirs {found}")


if __name__ == "__main__":
    sys.exit(main())
