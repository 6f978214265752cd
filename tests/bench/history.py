"""Times assembling over histories of 10 and of 10,000 messages, in native mode, turn by turn.

    uv run python tests/bench/history.py --json

Both lengths alternate in one process; the figures are the medians of CPU time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from promptmw import ChatFormat, Conversation, Pipeline, Turn
from promptmw.turnfiles import turn_from_data

TURNS = Path(__file__).parents[2] / "examples" / "turns"
LENGTHS = (10, 10_000)


def history(length: int) -> list[dict[str, Any]]:
    """Returns that many messages, the last one the user's."""
    roles = ("user", "assistant")
    old = [{"role": roles[i % 2], "content": f"Message {i} about the garden."} for i in range(length - 1)]
    return [*old, {"role": "user", "content": "When do we plant the beans?"}]


def measure(rounds: int) -> dict[str, float]:
    """Returns the medians in microseconds, and their ratio."""
    pipeline = Pipeline("chat", clock=lambda: datetime(2026, 8, 24, 9, tzinfo=UTC))
    turn = _turn(pipeline)
    messages = {length: history(length) for length in LENGTHS}
    times: dict[int, list[float]] = {length: [] for length in LENGTHS}
    for i in range(rounds + 20):
        for length in LENGTHS if i % 2 else reversed(LENGTHS):
            spent = _once(pipeline, turn, messages[length])
            if i >= 20:  # the first rounds fill the memory
                times[length].append(spent)
    medians = {length: statistics.median(times[length]) for length in LENGTHS}
    figures = {f"native_{length}_us": round(medians[length], 1) for length in LENGTHS}
    return {**figures, "ratio": round(medians[LENGTHS[1]] / medians[LENGTHS[0]], 3)}


def _turn(pipeline: Pipeline) -> Turn:
    import tomllib

    data = tomllib.loads((TURNS / "full.toml").read_text(encoding="utf-8"))
    data.pop("messages", None)
    return turn_from_data({**data, "tool_mode": "native"}, pipeline.catalog.inputs)


def _once(pipeline: Pipeline, turn: Turn, messages: Sequence[Any]) -> float:
    """Returns the CPU microseconds of one assembly laid over the messages."""
    start = time.process_time_ns()
    conversation = Conversation(messages, ChatFormat())
    pipeline.lay_out(pipeline.assemble(turn, conversation), conversation)
    return (time.process_time_ns() - start) / 1000


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=400, help="assemblies of each length")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    figures = measure(options.rounds)
    if options.json:
        print(json.dumps(figures))
        return
    for length in LENGTHS:
        print(f"{length:>6} messages: {figures[f'native_{length}_us']:>8} µs")
    print(f"ratio: {figures['ratio']}")


if __name__ == "__main__":
    main()
