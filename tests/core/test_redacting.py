"""Log records: single lines, no secrets; and counters that fail."""

from __future__ import annotations

import logging

import pytest

from promptmw import Estimate, Pipeline, hookimpl
from promptmw.logs import warn
from promptmw.tokens import Counted

KEYS = (
    "sk-abcdefghijklmnop1234",
    "Bearer abcdefghijklmnop1234",
    "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
)


def logged(caplog: pytest.LogCaptureFixture, **fields: object) -> str:
    with caplog.at_level(logging.WARNING, "promptmw"):
        warn("something happened", **fields)
    return str({k: v for k, v in caplog.records[-1].__dict__.items() if k in fields})


def test_a_name_of_a_stranger_stays_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """Row 173."""
    logged(caplog, tool="x\n[error] forged\r\u2028\x1b[31m")
    formatted = logging.Formatter("%(levelname)s %(message)s %(tool)s").format(caplog.records[-1])
    assert len(formatted.splitlines()) == 1
    assert "x\\x0a[error] forged" in formatted


@pytest.mark.parametrize("key", KEYS)
def test_what_looks_like_a_key_is_masked(caplog: pytest.LogCaptureFixture, key: str) -> None:
    shown = logged(caplog, reason=f"refused with {key} in it")
    assert key not in shown
    assert "refused with [redacted] in it" in shown


@pytest.mark.parametrize("name", ["api_key", "Authorization", "prompt", "content", "memory", "fence_key"])
def test_fields_of_some_names_are_never_shown(caplog: pytest.LogCaptureFixture, name: str) -> None:
    assert "hunter2" not in logged(caplog, **{name: "hunter2"})


def test_a_text_full_of_control_tokens_is_counted() -> None:
    """Row 171."""
    assert Estimate().count("a <|endoftext|> \ud800 <|im_start|>") > 5


def test_a_megabyte_of_one_letter_is_counted() -> None:
    """Row 171."""
    assert 0 < Estimate().count("a" * 1_000_000) < 1_000_000


class Raising:
    """A counter that cannot take special tokens, as some vocabularies cannot."""

    name = "raising"
    exact = True

    def count(self, text: str) -> int:
        if "<|" in text:
            raise ValueError(text)
        return len(text)


def test_where_a_counter_fails_the_estimate_counts(caplog: pytest.LogCaptureFixture) -> None:
    counter = Counted(Raising())
    assert (counter.count("abc"), counter.failed) == (3, False)
    with caplog.at_level(logging.WARNING, "promptmw"):
        assert counter.count("canary <|endoftext|>") == Estimate().count("canary <|endoftext|>")
        counter.count("canary <|im_end|>")
    assert counter.failed
    assert len(caplog.records) == 1
    assert "canary" not in str(caplog.records[0].__dict__)


def test_a_prompt_is_made_with_a_counter_that_fails() -> None:
    class Counting:
        @hookimpl
        def promptmw_counters(self) -> dict[str, Raising]:
            return {"raising": Raising()}

    pipeline = Pipeline("chat", plugins=[Counting()], settings={"counter": "raising"})
    assert pipeline.assemble().tokens > 0
