"""The JSON that models write: what is read, what is mended, and what is asked for again."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolmode import strategies
from toolmode.reading import same

from promptmw.toolmode import Limits, Note, ProblemKind
from promptmw.toolmode.lenient import Undecodable, decoded

LIMITS = Limits()


def lenient(text: str, *, complete: bool = True, repair: bool = True) -> tuple[Any, set[Note]]:
    found = decoded(text, complete=complete, repair=repair, limits=LIMITS)
    return found.value, set(found.notes)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "l1\nl2\tx"}', {"a": "l1\nl2\tx"}),
        ('{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ('{"a": "\x00"}', {"a": "\x00"}),
        ('{"a": -0.0, "b": 1e5}', {"a": -0.0, "b": 100000.0}),
        ("[]", []),
    ],
)
def test_what_json_allows_and_raw_control_characters(text: str, value: Any) -> None:
    """The first step; nothing is noted."""
    found, notes = lenient(text, complete=False, repair=False)
    assert same(found, value)
    assert not notes


def test_the_last_of_two_equal_keys_wins() -> None:
    assert lenient('{"a": 1, "a": 2, "b": {"c": 1, "c": 3}}') == ({"a": 2, "b": {"c": 3}}, {Note.DUPLICATE_KEY})


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000])
def test_what_is_no_number_in_json_is_malformed(number: str) -> None:
    with pytest.raises(Undecodable) as raised:
        lenient(f'{{"a": {number}}}')
    assert raised.value.kind is ProblemKind.MALFORMED
    assert number not in raised.value.message or number == "NaN" or "Infinity" in number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "it\'s"}', "it's"),
        (r'{"a": "\d+\.\w"}', r"\d+\.\w"),
        (r'{"a": "C:\Program Files\x"}', r"C:\Program Files\x"),
        (r'{"a": "\$HOME and\n more"}', "\\$HOME and\n more"),
        (r'{"a": "\\d"}', r"\d"),
    ],
)
def test_a_backslash_that_means_nothing_is_one(text: str, value: str) -> None:
    """The second step, also where nothing else may be repaired: it does not need the end."""
    found, notes = lenient(text, complete=False)
    assert found == {"a": value}
    assert notes == (set() if text == r'{"a": "\\d"}' else {Note.REPAIRED})


@pytest.mark.parametrize("text", [r'{"path": "C:\Users\new"}', r'{"path": "\d\n"}', r'{"x": 1, "path": "\q\b"}'])
def test_a_backslash_that_may_be_either_is_asked_about(text: str) -> None:
    with pytest.raises(Undecodable) as raised:
        lenient(text)
    assert (raised.value.kind, raised.value.message) == (ProblemKind.AMBIGUOUS_ESCAPE, "path")


BROKEN = [
    ("{'a': 1, 'b': 'x'}", {"a": 1, "b": "x"}),
    ('{"a": True, "b": None, "c": False}', {"a": True, "b": None, "c": False}),
    ('{"a": 1, "b": [1, 2,],}', {"a": 1, "b": [1, 2]}),
    ('{a: "x", b: 2}', {"a": "x", "b": 2}),
    ('{"a": {"b": 1}', {"a": {"b": 1}}),
    ('{"a": "print("hi")"}', {"a": 'print("hi")'}),
    ("""{'a': "it's"}""", {"a": "it's"}),
    ('[{"a": 1}, {"a": 2}', [{"a": 1}, {"a": 2}]),
    ("{'a': (1, 2)}", {"a": [1, 2]}),
]


@pytest.mark.parametrize(("text", "value"), BROKEN)
def test_what_is_complete_is_repaired(text: str, value: Any) -> None:
    """The third and fourth step."""
    assert lenient(text) == (value, {Note.REPAIRED})


@pytest.mark.parametrize(("text", "value"), BROKEN)
def test_what_is_not_complete_is_not_repaired(text: str, value: Any) -> None:
    for more in ({"complete": False}, {"repair": False}):
        with pytest.raises(Undecodable) as raised:
            lenient(text, **more)
        assert raised.value.kind is ProblemKind.MALFORMED


UNCERTAIN = [
    '{"a": 1 // the first\n}', '{"a": 1, "b": 007}', '{"a": .5}', '{"a": 1 - 2}', '{"a": 12 34}', "{'a': '\\x41'}",
    '{"a": 1e}', '{"a": 1, "b", "c"}', "just words", "", '{"a": ' + "[" * 5_000 + "]" * 5_000 + ",}",
]  # fmt: skip


@pytest.mark.parametrize("text", UNCERTAIN)
def test_what_is_not_certain_is_malformed(text: str) -> None:
    """Nothing is guessed, and nothing is run."""
    with pytest.raises(Undecodable) as raised:
        lenient(text)
    assert raised.value.kind in (ProblemKind.MALFORMED, ProblemKind.TOO_LARGE)


def test_nothing_large_is_repaired() -> None:
    text = "{'a': '" + "x" * LIMITS.repair + "'}"
    with pytest.raises(Undecodable):
        lenient(text)
    assert lenient(text[:100] + "'}")[1] == {Note.REPAIRED}


def test_halves_of_characters_are_mended() -> None:
    assert lenient('{"a": "\\ud83d", "\\ude00": 1}') == ({"a": "\ufffd", "\ufffd": 1}, {Note.REPAIRED})
    assert lenient('{"a": "\ud83d\ude00"}')[0] == {"a": "😀"}


def test_without_the_library_one_step_less_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    from promptmw.toolmode import lenient as module

    monkeypatch.setitem(sys.modules, "json_repair", None)
    module._library.cache_clear()
    try:
        assert lenient("{'a': 1}") == ({"a": 1}, {Note.REPAIRED})
        with pytest.raises(Undecodable):
            lenient('{"a": 1, "b": 2,}x')
    finally:
        module._library.cache_clear()


@given(st.text(alphabet="{}[]\"':,ab01\n tTrueNone.-eE", max_size=40))
@settings(max_examples=500, deadline=None)
def test_nothing_but_a_value_or_a_problem_comes_out(text: str) -> None:
    """Valid JSON, and all letters and digits of what was written."""
    with contextlib.suppress(Undecodable):
        value, _ = lenient("{" + text)
        assert same(json.loads(json.dumps(value)), value)
        assert signs(re.sub(r"\\.", "", json.dumps(value))) == signs(text)


def signs(text: str) -> str:
    """Returns what repairing must not lose."""
    return re.sub("[^a-z0-9]", "", text.lower()).replace("none", "null")


@given(st.dictionaries(st.text(max_size=4), strategies.anything, max_size=4), st.booleans())
@settings(max_examples=300, deadline=None)
def test_json_is_read_as_it_is(value: dict[str, Any], ascii_only: bool) -> None:
    found, notes = lenient(json.dumps(value, ensure_ascii=ascii_only))
    assert same(found, value) or notes
