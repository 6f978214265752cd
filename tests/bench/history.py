"""Times assembling over histories of 10 and of 10,000 messages, turn by turn.

    uv run python tests/bench/history.py --json

Both lengths alternate in one process; the figures are the medians of CPU time. In native mode the length should cost
nothing. In prompt-tool mode each message is looked at, since calls and results in it become text:
`prompt_message_us` is what one costs.
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
MODES = ("native", "prompt")


def history(length: int) -> list[dict[str, Any]]:
    """Returns that many messages, the last one the user's."""
    roles = ("user", "assistant")
    old = [{"role": roles[i % 2], "content": f"Message {i} about the garden."} for i in range(length - 1)]
    return [*old, {"role": "user", "content": "When do we plant the beans?"}]


def measure(rounds: int) -> dict[str, float]:
    """Returns the medians in microseconds, and what follows from them."""
    pipeline = Pipeline("chat", clock=lambda: datetime(2026, 8, 24, 9, tzinfo=UTC))
    turns = {mode: _turn(pipeline, mode) for mode in MODES}
    messages = {length: history(length) for length in LENGTHS}
    legs = [(mode, length) for mode in MODES for length in LENGTHS]
    times: dict[tuple[str, int], list[float]] = {leg: [] for leg in legs}
    for i in range(rounds + 20):
        for mode, length in legs if i % 2 else reversed(legs):
            spent = _once(pipeline, turns[mode], messages[length])
            if i >= 20:  # the first rounds fill the memory
                times[mode, length].append(spent)
    medians = {leg: statistics.median(times[leg]) for leg in legs}
    figures = {f"{mode}_{length}_us": round(medians[mode, length], 1) for mode, length in legs}
    few, many = LENGTHS
    ratio = medians["native", many] / medians["native", few]
    message = (medians["prompt", many] - medians["prompt", few]) / (many - few)
    return {**figures, "ratio": round(ratio, 3), "prompt_message_us": round(message, 2)}


def _turn(pipeline: Pipeline, mode: str) -> Turn:
    import tomllib

    data = tomllib.loads((TURNS / "full.toml").read_text(encoding="utf-8"))
    data.pop("messages", None)
    return turn_from_data({**data, "tool_mode": mode}, pipeline.catalog.inputs)


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
    for name, value in figures.items():
        print(f"{name:18} {value:>10}")


if __name__ == "__main__":
    main()
