"""Makes the golden files: whole prompts of the example turns, in each language and tool mode.

A changed golden file is a decision. After one:

    uv run python tests/golden/prompts.py
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from promptmw import Pipeline
from promptmw.turnfiles import turn_from_data

HERE = Path(__file__).parent
TURNS = HERE.parents[1] / "examples" / "turns"
NAMES = ("minimal", "typical", "full")
LOCALES = ("en", "zh", "zh-Hant", "ja", "fr")
MODES = ("native", "prompt")


def read(name: str) -> dict[str, Any]:
    """Returns an example turn as data."""
    return tomllib.loads((TURNS / f"{name}.toml").read_text(encoding="utf-8"))


def messages(pipeline: Pipeline, name: str, *, locale: str, mode: str) -> list[dict[str, Any]]:
    """Returns the messages of an example turn in a language and a tool mode."""
    data = read(name)
    history = data.pop("messages", [])
    turn = turn_from_data({**data, "locale": locale, "tool_mode": mode}, pipeline.catalog.inputs)
    return pipeline.messages(turn, history)


def written(found: list[dict[str, Any]]) -> str:
    """Returns messages as a golden file holds them: each behind a line with its role, the text as it is."""
    return "".join(f"=== {m['role']}\n{m['content']}\n" for m in found)


def files() -> Iterator[tuple[Path, str, str, str]]:
    """Yields file, turn, locale and mode of each golden file."""
    for name in NAMES:
        for locale in LOCALES:
            for mode in MODES:
                yield HERE / "prompts" / f"{name}.{locale}.{mode}.txt", name, locale, mode


def main() -> None:
    """Writes all golden files."""
    pipeline = Pipeline("chat", strict=True)
    (HERE / "prompts").mkdir(exist_ok=True)
    for file, name, locale, mode in files():
        file.write_bytes(written(messages(pipeline, name, locale=locale, mode=mode)).encode())


if __name__ == "__main__":
    main()
