"""Times what prompt-tool mode adds to a request whose answer holds no call.

    uv run python tests/bench/tool_overhead.py --json

The same turn with the same tools is assembled, laid over its messages and answered, natively and in prompt-tool mode,
alternating in one process; medians of CPU time in microseconds. `added_us` is the difference for a request with an
empty answer: the protocol of the turn, the preamble from memory, the parser and its end. `chunk_us` is what reading one
chunk of prose of 4 characters takes.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from promptmw import ChatFormat, Conversation, Pipeline, ToolMode, ToolSpec, Turn
from promptmw.toolmode import FinishReason
from promptmw.toolmode.attempts import for_prompt
from promptmw.toolmode.capability import ModelFacts

FORM = ChatFormat()
CITY = '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'
TOOLS = tuple(ToolSpec(f"tool_{n}", f"Does thing {n}", parameters=CITY) for n in range(12))
SAID = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"Message {n} of the garden."} for n in range(9)]
PROSE = ["The ", "soil", " is ", "warm", " eno", "ugh ", "now."] * 100


def request(pipeline: Pipeline, mode: ToolMode) -> tuple[Any, list[Any]]:
    """Returns the prompt of the turn and its messages."""
    turn = Turn(tools=TOOLS, tool_mode=mode, timezone="UTC", model="small")
    conversation = Conversation(SAID, FORM)
    prompt = pipeline.assemble(turn, conversation)
    return prompt, pipeline.lay_out(prompt, conversation).messages


def native(pipeline: Pipeline, chunks: Sequence[str]) -> None:
    """Assembles; the answer is passed on as it is."""
    request(pipeline, ToolMode.NATIVE)
    list(chunks)


def as_text(pipeline: Pipeline, chunks: Sequence[str]) -> None:
    """Assembles, and reads the answer for calls."""
    prompt, messages = request(pipeline, ToolMode.PROMPT)
    attempts = for_prompt(prompt, messages, form=FORM, facts=ModelFacts(key="small"), policy=pipeline.catalog.policy)
    assert attempts is not None
    while attempts.next() is not None:
        for chunk in chunks:
            attempts.feed(chunk)
        attempts.end(FinishReason.STOP)


def measure(rounds: int) -> dict[str, float]:
    """Returns the medians in microseconds."""
    pipeline = Pipeline("chat", clock=lambda: datetime(2026, 8, 24, 9, tzinfo=UTC))
    legs: dict[str, Callable[[], None]] = {
        "native_us": lambda: native(pipeline, ()),
        "prompt_us": lambda: as_text(pipeline, ()),
        "reading_us": lambda: as_text(pipeline, PROSE),
    }
    times: dict[str, list[float]] = {name: [] for name in legs}
    for i in range(rounds + 20):
        for name, leg in legs.items():
            start = time.process_time_ns()
            leg()
            if i >= 20:  # the first rounds fill the memory
                times[name].append((time.process_time_ns() - start) / 1000)
    medians = {name: statistics.median(found) for name, found in times.items()}
    added, reading = medians["prompt_us"] - medians["native_us"], medians["reading_us"] - medians["prompt_us"]
    figures = {**medians, "added_us": added, "chunk_us": reading / len(PROSE)}
    return {name: round(value, 2) for name, value in figures.items()}


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=500, help="rounds to time (default: 500)")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    given = parser.parse_args()
    figures = measure(given.rounds)
    if given.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:12} {value:9.2f}")


if __name__ == "__main__":
    main()
