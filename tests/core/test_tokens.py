"""The estimate, and the memory of counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptmw import Estimate
from promptmw.tokens import Counted


@given(st.text(st.characters(exclude_categories=())))
def test_every_text_has_a_count(text: str) -> None:
    count = Estimate().count(text)
    assert count >= 1 if text else count == 0


@pytest.mark.parametrize(
    ("model", "name"),
    [("gpt-4o", "estimate-0"), ("openai/gpt-4", "estimate-1"), ("mistral-small", "estimate-2"), ("x", "estimate-any")],
)
def test_a_model_chooses_the_table(model: str, name: str) -> None:
    assert Estimate(model).name == name


@pytest.mark.parametrize(
    ("text", "cl100k"),
    [
        ("The quick brown fox jumps over the lazy dog. " * 20, 201),
        ("def add(a: int, b: int) -> int:\n    return a + b\n" * 20, 361),
    ],
)
def test_the_estimate_is_near_the_real_count(text: str, cl100k: int) -> None:
    assert Estimate("gpt-4").count(text) == pytest.approx(cl100k, rel=0.25)


class Counting:
    """Counts how often it is asked."""

    name = "counting"
    exact = True

    def __init__(self) -> None:
        self.asked = 0

    def count(self, text: str) -> int:
        self.asked += 1
        return len(text)


def test_a_count_is_remembered_by_text_unless_the_text_is_very_long() -> None:
    counting = Counting()
    counted = Counted(counting)
    assert [counted.count("abc"), counted.count("abc"), counting.asked] == [3, 3, 1]
    long = "x" * 200_001
    assert [counted.count(long), counted.count(long), counting.asked] == [200_001, 200_001, 3]
