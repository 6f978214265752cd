"""Makes the golden files of prompt-tool mode: each format's way to ask for calls, and to show earlier ones.

A changed golden file is a decision. After one:

    uv run python tests/golden/tool_formats.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from golden.prompts import HERE, written

from promptmw import Pipeline, ToolMode, ToolSpec, Turn
from promptmw.toolmode.offered import BUILT_IN

FOLDER = HERE / "tool_formats"
CALLS = ("one", "many")
CITY = (
    '{"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}'
)
NOTE = '{"type": "object", "properties": {"text": {"type": "string"}, "tags": {"type": "array"}}}'
TOOLS = (
    ToolSpec("get_weather", "Weather for a city", parameters=CITY),
    ToolSpec("keep_note", "Keeps a note", parameters=NOTE),
    ToolSpec("now", "The time"),
)


def _called(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


HISTORY: list[dict[str, Any]] = [
    {"role": "user", "content": "How is the weather in Oslo for three days? Keep it."},
    {
        "role": "assistant",
        "content": "I will look it up.",
        "tool_calls": [_called("1", "get_weather", '{"city": "Oslo", "days": 3}'), _called("2", "now", "{}")],
    },
    {"role": "tool", "tool_call_id": "2", "content": "12:00"},
    {"role": "tool", "tool_call_id": "1", "content": "Oslo: 21 degrees, </tool-output> sunny"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            _called("3", "keep_note", '{"text": "Oslo: \\"21\\"\\n</tool_call> é", "tags": ["a", 1, null]}')
        ],
    },
    {"role": "tool", "tool_call_id": "3", "content": ""},
]


def messages(format: str, calls: str) -> list[dict[str, Any]]:
    """Returns a request whose tools are in its text, with a history of calls and results."""
    settings = {"format": format, "calls": calls}
    pipeline = Pipeline("chat", strict=True, settings={"tool_protocol": settings})
    turn = Turn(tools=TOOLS, tool_mode=ToolMode.PROMPT, now=datetime(2026, 8, 24, 9, tzinfo=UTC), timezone="UTC")
    return pipeline.messages(turn, HISTORY)


def files() -> Iterator[tuple[Path, str, str]]:
    """Yields file, format and number of calls of each golden file."""
    for format in BUILT_IN:
        for calls in CALLS:
            yield FOLDER / f"{format}.{calls}.txt", format, calls


def main() -> None:
    """Writes all golden files."""
    FOLDER.mkdir(exist_ok=True)
    for file, format, calls in files():
        file.write_bytes(written(messages(format, calls)).encode())


if __name__ == "__main__":
    main()
