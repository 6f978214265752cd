"""Whole prompts, byte for byte, and the seed's own words in the English ones."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from golden import prompts
from golden.seed_fragments import FRAGMENTS

from promptmw import Pipeline

CASES = [pytest.param(*case, id=case[0].stem) for case in prompts.files()]
ALL_TOOLS_OFF_IN_NATIVE = ("tools.web_search", "tools.fetch_image", "tools.python", "tools.image", "tools.save_memory")


@functools.cache
def pipeline() -> Pipeline:
    return Pipeline("chat", strict=True)


@pytest.mark.parametrize(("file", "name", "locale", "mode"), CASES)
def test_the_prompt_is_the_golden_file_byte_for_byte(file: Path, name: str, locale: str, mode: str) -> None:
    """SH1, SH2."""
    found = prompts.written(prompts.messages(pipeline(), name, locale=locale, mode=mode))
    assert found.encode() == file.read_bytes()


def test_no_golden_file_is_left_over() -> None:
    assert {f for f, *_ in prompts.files()} == set((prompts.HERE / "prompts").glob("*.txt"))
