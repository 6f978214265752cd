"""Times the parser of tool calls on long streams, beside a loop that only cuts the same chunks and keeps them.

    uv run python tests/bench/tool_stream.py --json
    uv run python tests/bench/tool_stream.py --hostile

CPU time, the best of rounds in which both alternate. `prose_4` is the speed on plain text in chunks of 4 characters, in
MB/s (10^6 characters); `prose_4_plain` is the time over that of the loop. `linear` is the time for a character of 8 MB
over that of 1 MB, the worst of all streams. The npm package is timed where node and npm are, in real time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from promptmw import ToolSpec
from promptmw.toolmode import Arguments, CallEnd, FinishReason, Limits, ParserOptions, ToolTable
from promptmw.toolmode.formats import FORMATS

sys.path.insert(0, str(Path(__file__).parent))

from npm_peer import NoPeer, Peer, peer

STRING = {"type": "string"}
SCHEMAS = {
    "get_weather": {"city": STRING, "unit": STRING, "days": {"type": "integer"}},
    "write_file": {"path": STRING, "content": STRING},
}
TOOLS = [{"name": n, "parameters": {"type": "object", "properties": p}} for n, p in SCHEMAS.items()]
TABLE = ToolTable.of(
    ToolSpec(n, parameters=json.dumps({"type": "object", "properties": p})) for n, p in SCHEMAS.items()
)
UNLIMITED = Limits(blocks=1_000_000, calls=1_000_000)
STEPS = (4, 32)
MB = 1_000_000


def prose(size: int) -> str:
    """Plain text with comparison signs."""
    line = "The quick brown fox jumps over the lazy dog, and x < y but z > 3.\n"
    return (line * (size // len(line) + 1))[:size]


def argument(size: int) -> str:
    """One call with a long argument: code, with escapes in every line."""
    line = 'def f(x):\n    return "v" + str(x)\n'
    call = {"name": "write_file", "arguments": {"path": "a.py", "content": line * (size // (len(line) + 4))}}
    return f"Writing.\n<tool_call>\n{json.dumps(call)}\n</tool_call>"


def calls(size: int) -> str:
    """Many small calls with text between them."""
    parts: list[str] = []
    left = size
    for number in count():
        call = {"name": "get_weather", "arguments": {"city": f"Zürich {number}", "unit": "c", "days": number % 7}}
        body = json.dumps(call, ensure_ascii=False)
        parts.append(f"Some text before the call number {number}. <tool_call>\n{body}\n</tool_call>\n")
        left -= len(parts[-1])
        if left <= 0:
            break
    return "".join(parts)


@dataclass(frozen=True, slots=True)
class Stream:
    """Is a kind of text, and how it is read."""

    name: str
    text: Callable[[int], str]
    arguments: Arguments = Arguments.VALIDATED
    limits: Limits = UNLIMITED


STREAMS = (
    Stream("prose", prose),
    Stream("argument", argument),
    Stream("argument_eager", argument, Arguments.EAGER),
    Stream("calls", calls),
    Stream("calls_eager", calls, Arguments.EAGER),
)


def hostile(name: str, unit: str, start: str = "") -> Stream:
    """Returns a stream that is one piece again and again, read within the usual limits."""
    return Stream(name, lambda size: start + unit * (size // len(unit)), limits=Limits())


WRITE = '<tool_call>\n{"name": "write_file", "arguments": {"path": "'
WEATHER = '<tool_call>{"name": "get_weather", "arguments": {"city": "x"}}</tool_call>\n'
HOSTILE = (
    hostile("blanks", " \n", "x"),
    hostile("signs", "<tool_"),
    hostile("openers", "<tool_call>\n"),
    hostile("closers", "</tool_call>", WEATHER),
    hostile("backticks", "`"),
    hostile("fences", "```\n"),
    hostile("fenced_openers", "```\n<tool_call>\n"),
    hostile("examples", f"```\n{WEATHER}```\n"),
    hostile("braces", "{", "<tool_call>\n"),
    hostile("values", "{},", "<tool_call>\n"),
    hostile("backslashes", "\\\\", WRITE),
    hostile("tags_in_string", '</tool_call>\\"', WRITE),
    hostile("thoughts", "<think>\n<tool_call>\n"),
    hostile("drafts", WEATHER, "<think>"),
    hostile("broken_drafts", '<tool_call>{"a\n', "<think>"),
    hostile("parameters", "<parameter=a>\n", "<tool_call>\n<function=write_file>\n"),
)


def plain(text: str, step: int) -> int:
    """What every consumer of a stream does anyway."""
    kept: list[str] = []
    for at in range(0, len(text), step):
        kept.append(text[at : at + step])  # noqa: PERF401 - the loop is what is timed
    return len(kept)


def parsed(stream: Stream, text: str, step: int) -> int:
    """Reads a stream; returns the number of calls."""
    options = ParserOptions(max_blocks=None, arguments=stream.arguments, limits=stream.limits)
    parser = FORMATS["hermes"]("tool_call").parser(TABLE, options)
    feed, found = parser.feed, 0
    for at in range(0, len(text), step):
        for event in feed(text[at : at + step]):
            found += isinstance(event, CallEnd)
    return found + sum(isinstance(event, CallEnd) for event in parser.finish(FinishReason.STOP))


def seconds(stream: Stream, text: str, step: int, rounds: int) -> tuple[float, float]:
    """Returns the best times of the parser and of the plain loop, in turns."""
    ours = base = float("inf")
    for _ in range(rounds):
        ours = min(ours, _spent(lambda: parsed(stream, text, step)))
        base = min(base, _spent(lambda: plain(text, step)))
    return ours, base


def _spent(work: Callable[[], int]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def speeds(rounds: int) -> dict[str, float]:
    """Returns MB/s, and times over the plain loop, of each stream of 1 MB."""
    found: dict[str, float] = {}
    for stream in STREAMS:
        text = stream.text(MB)
        for step in STEPS:
            ours, base = seconds(stream, text, step, rounds)
            found[f"{stream.name}_{step}"] = round(len(text) / ours / MB, 2)
            found[f"{stream.name}_{step}_plain"] = round(ours / base, 1)
    return found


def growth(streams: Sequence[Stream], small: int, large: int, rounds: int) -> dict[str, float]:
    """Returns the time for a character of a large text over that of a small one, by stream; 1 is linear."""
    found: dict[str, float] = {}
    for stream in streams:
        by_size = {size: seconds(stream, stream.text(size), 32, rounds)[0] / size for size in (small, large)}
        found[stream.name] = round(by_size[large] / by_size[small], 2)
    return found


def peer_speeds(package: Peer) -> dict[str, float]:
    """Returns the MB/s of the npm package; a long argument is short here, as its time grows faster than the text."""
    found: dict[str, float] = {}
    for stream, size in ((STREAMS[0], MB), (STREAMS[3], MB), (STREAMS[1], 55_000)):
        for step in STEPS:
            text = stream.text(size)
            chunks = [text[at : at + step] for at in range(0, len(text), step)]
            spent = package.read(TOOLS, [chunks])[0].ms / 1000
            found[f"{stream.name}_{step}"] = round(len(text) / spent / MB, 3)
    return found


def measure(rounds: int, *, hostile: bool, with_peer: bool) -> dict[str, object]:
    """Returns all figures."""
    figures: dict[str, object] = dict(speeds(rounds))
    by_stream = growth(STREAMS, MB, 8 * MB, rounds)
    if hostile:
        by_stream |= growth(HOSTILE, MB, 8 * MB, rounds)
    figures |= {"linear": max(by_stream.values()), "linear_by_stream": by_stream}
    if with_peer:
        try:
            with peer() as package:
                figures["peer"] = peer_speeds(package)
        except NoPeer as error:
            figures["peer_skipped"] = str(error)
    return figures


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="of which the best counts")
    parser.add_argument("--hostile", action="store_true", help="streams made to be slow, too")
    parser.add_argument("--no-peer", action="store_true", help="without the npm package")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = measure(options.rounds, hostile=options.hostile, with_peer=not options.no_peer)
    if options.json:
        print(json.dumps(figures))
    else:
        print_table(figures)


def print_table(figures: dict[str, object]) -> None:
    """Prints the figures for people."""
    peer_figures = figures.get("peer", {})
    assert isinstance(peer_figures, dict)
    print(f"{'stream, chunk':22}{'MB/s':>8}{'x plain':>9}{'npm MB/s':>10}")
    for key in (f"{stream.name}_{step}" for stream in STREAMS for step in STEPS):
        print(f"{key:22}{figures[key]!s:>8}{figures[f'{key}_plain']!s:>9}{peer_figures.get(key, '')!s:>10}")
    print(f"time for a character, 8 MB over 1 MB: {figures['linear']} at most; {figures['linear_by_stream']}")
    if "peer_skipped" in figures:
        print(f"npm package not timed: {figures['peer_skipped']}")


if __name__ == "__main__":
    main()
