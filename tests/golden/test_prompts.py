"""Whole prompts, byte for byte, and the seed's own words in the English ones."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from golden import prompts, tool_formats
from golden.seed_fragments import FRAGMENTS

from promptmw import Pipeline

CASES = [pytest.param(*case, id=case[0].stem) for case in prompts.files()]
IN_EVERY_PROMPT = ("identity.text", "date.text", "trust.heading", "trust.body")
IN_FULL = (
    *(k for k in FRAGMENTS if k.split(".")[0] in ("sandbox", "memories", "documents", "excerpt", "rag", "summary")),
    *("persona.heading", "persona.tone", "persona.nickname", "persona.trait.concise", "persona.trait.friendly"),
    *("project.heading_named", "skills.inline_heading", "skills.inline_rule", "tools.heading", "tools.cite"),
    *("tools.repeat", "selected_skills.intro", "selected_skills.description"),
)
LINES_OF_PROMPT_MODE = tuple(f"tools.{r}" for r in ("web_search", "fetch_image", "python", "image", "save_memory"))


@functools.cache
def pipeline() -> Pipeline:
    return Pipeline("chat", strict=True)


def golden(name: str, mode: str) -> str:
    return (prompts.HERE / "prompts" / f"{name}.en.{mode}.txt").read_text(encoding="utf-8")


def pattern(key: str) -> re.Pattern[str]:
    """Returns what finds a fragment of the seed on lines of its own, with something in each of its slots."""
    words = r"[^\n]+?".join(map(re.escape, FRAGMENTS[key].split("%s")))
    return re.compile(words)


@pytest.mark.parametrize(("file", "name", "locale", "mode"), CASES)
def test_the_prompt_is_the_golden_file_byte_for_byte(file: Path, name: str, locale: str, mode: str) -> None:
    """SH1, SH2."""
    found = prompts.written(prompts.messages(pipeline(), name, locale=locale, mode=mode))
    assert found.encode() == file.read_bytes()


@pytest.mark.parametrize(
    ("file", "format", "calls"), [pytest.param(*case, id=case[0].stem) for case in tool_formats.files()]
)
def test_each_format_is_asked_for_and_shown_as_in_its_golden_file(file: Path, format: str, calls: str) -> None:
    """DE9."""
    assert prompts.written(tool_formats.messages(format, calls)).encode() == file.read_bytes()


def test_no_golden_file_is_left_over() -> None:
    assert {f for f, *_ in prompts.files()} == set((prompts.HERE / "prompts").glob("*.txt"))
    assert {f for f, *_ in tool_formats.files()} == set(tool_formats.FOLDER.glob("*.txt"))


@pytest.mark.parametrize("name", prompts.NAMES)
@pytest.mark.parametrize("mode", prompts.MODES)
@pytest.mark.parametrize("key", IN_EVERY_PROMPT)
def test_every_english_prompt_holds_the_seed_s_words(name: str, mode: str, key: str) -> None:
    assert pattern(key).search(golden(name, mode))


@pytest.mark.parametrize("mode", prompts.MODES)
@pytest.mark.parametrize("key", IN_FULL)
def test_the_full_english_prompt_holds_the_seed_s_words(mode: str, key: str) -> None:
    assert pattern(key).search(golden("full", mode))


def test_a_prompt_without_an_operator_s_prompt_holds_the_seed_s_style() -> None:
    assert f"\n\n{FRAGMENTS['style.default']}\n\n" in golden("minimal", "native")


@pytest.mark.parametrize("key", LINES_OF_PROMPT_MODE)
def test_the_lines_of_single_tools_stand_in_prompt_mode_only(key: str) -> None:
    """TG12."""
    assert f"\n{FRAGMENTS[key]}\n" in golden("full", "prompt")
    assert FRAGMENTS[key] not in golden("full", "native")
