"""Arguments that come out while the model writes them: what is out is final."""

from __future__ import annotations

import json
import random
import re
from itertools import groupby

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolmode import strategies
from toolmode.reading import check_deltas, driven, joined, merged, opened, pieces, same, text_format

from promptmw.toolmode import Arguments, ArgumentsDelta, CallEnd, CallStart, Event, FinishReason, PastCall

NOW = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
ESCAPE = re.compile(r'\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])')
FORMATS = ("hermes", "qwen3-coder", "glm")


def eager(chunks: list[str], name: str = "hermes", reason: FinishReason | None = FinishReason.STOP) -> list[Event]:
    events = driven(opened(name, arguments=Arguments.EAGER), chunks, reason)
    check_deltas(events)
    return events


def deltas(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, ArgumentsDelta)]


def lines(size: int) -> str:
    """Returns code with what has to be escaped in it, and characters of two units."""
    rng = random.Random(size)
    signs = ['print("hi")', "\\d+\\.", "\t# 😀 é", "</tag>", "if a < b:", "", "'", "\\"]
    return "\n".join(rng.choice(signs) for _ in range(size // 6))


@pytest.mark.parametrize("name", FORMATS)
def test_a_long_argument_streams(name: str) -> None:
    """PA5: the deltas are the arguments, none ends inside of an escape, and they come while the model writes."""
    content = lines(200_000)
    text = text_format(name).render_call(PastCall("1", "write_file", {"path": "a.py", "content": content}))
    parser = opened(name, arguments=Arguments.EAGER)
    out: list[int] = []
    events: list[Event] = []
    for chunk in pieces(text, 7):
        new = list(parser.feed(chunk))
        events += new
        out.append(sum(map(len, deltas(new))))
    events += parser.finish(FinishReason.STOP)
    check_deltas(events)
    [end] = [event for event in events if isinstance(event, CallEnd)]
    assert end.call.arguments == {"path": "a.py", "content": content}
    assert out.index(next(filter(None, out))) < 15
    assert max(len(list(run)) for silent, run in groupby(out[15:], key=lambda size: not size) if silent) < 5
    assert_whole(deltas(events))


def assert_whole(found: list[str]) -> None:
    """Asserts that no delta ends within an escape, or between the halves of a character."""
    for delta in found:
        assert "\\" not in ESCAPE.sub("", delta), delta
        assert not re.search("[\ud800-\udfff]", delta), delta
        delta.encode()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 400])
def test_escapes_of_the_model_are_not_torn(size: int) -> None:
    written = '\\ud83d\\ude00 caf\\u00e9 \\"a\\" \\\\ \\/ \\n'
    text = f'<tool_call>{{"name": "echo", "arguments": {{"text": "{written}"}}}}</tool_call>'
    events = eager(pieces(text, size))
    assert_whole(deltas(events))
    assert merged(events)[:-1] == [("call", "echo", {"text": '😀 café "a" \\ / \n'}, [])]


def test_the_start_comes_with_the_name_and_the_text_with_its_characters() -> None:
    parser = opened(arguments=Arguments.EAGER)
    parser.feed('<tool_call>\n{"name": "echo", "arguments": {"text": "')
    assert "".join(deltas(list(parser.feed("Hello, ")))) == "Hello, "
    assert "".join(deltas(list(parser.feed("world")))) == "world"
    rest = [*parser.feed('"}}</tool_call>'), *parser.finish(FinishReason.STOP)]
    assert [event.call.arguments for event in rest if isinstance(event, CallEnd)] == [{"text": "Hello, world"}]


def test_a_value_that_is_coerced_goes_out_as_coerced() -> None:
    """PA6."""
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo", "days": "3"}}</tool_call>'
    events = eager(list(text))
    assert json.loads("".join(deltas(events))) == {"city": "Oslo", "days": 3}
    assert merged(events)[0] == ("call", "get_weather", {"city": "Oslo", "days": 3}, ["coerced"])


def test_arguments_in_front_of_the_name_wait_for_it() -> None:
    text = '<tool_call>{"arguments": {"text": "x"}, "name": "echo"}</tool_call>'
    assert merged(eager(list(text)))[0] == ("call", "echo", {"text": "x"}, [])


def test_what_breaks_behind_a_delta_ends_in_an_error() -> None:
    """PA7: one start, an error with its index, and no second try."""
    text = '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "print("hi")"}}</tool_call>\n' + NOW
    events = eager(list(text))
    assert [event.index for event in events if isinstance(event, CallStart)] == [0, 1]
    assert merged(events)[:-1] == [("error", "malformed", "write_file", 0), ("call", "now", {}, [])]


def test_what_breaks_in_front_of_the_first_delta_is_repaired() -> None:
    text = "<tool_call>{'name': 'add', 'arguments': {'a': 1, 'b': 2}}</tool_call>"
    assert merged(eager(list(text)))[0] == ("call", "add", {"a": 1, "b": 2}, ["repaired"])


def test_a_cut_behind_a_delta_ends_in_an_error_with_its_index() -> None:
    text = '<tool_call>{"name": "echo", "arguments": {"text": "half of th'
    events = eager(list(text), reason=FinishReason.LENGTH)
    assert merged(events) == [("error", "truncated", "echo", 0), ("ended", FinishReason.LENGTH)]


def test_arguments_that_do_not_fit_are_delivered_and_noted() -> None:
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo", "unit": "k"}}</tool_call>'
    assert merged(eager(list(text)))[0] == ("call", "get_weather", {"city": "Oslo", "unit": "k"}, ["invalid_arguments"])


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{NOW}\n```",
        '<tool_call>[{"name": "now", "arguments": {}}, {"name": "echo", "arguments": {"text": "x"}}]</tool_call>',
        f"<think>I should look.\n{NOW}",
        f"```\n{NOW}\n```\nThat is all.",
        '<tool_call>[{"name": "echo", "arguments": {"text": "x"}}, {"foo": 1}]</tool_call>',
    ],
    ids=["fenced", "array", "recovered", "example", "array with no call"],
)
def test_candidates_and_arrays_wait_until_they_are_decided(text: str) -> None:
    """PA17: then it is as if validated."""
    validated = driven(opened(), [text])
    assert same(joined(eager(list(text))), joined(validated))


@pytest.mark.parametrize("text", ["a\nb", "\n a", "a\n", "\n", "", "a\n\n", " ", "\r\n a \r\n"])
@pytest.mark.parametrize("name", FORMATS)
def test_line_breaks_of_raw_values_are_kept(name: str, text: str) -> None:
    """The line break that belongs to the markup waits for what follows."""
    written = text_format(name).render_call(PastCall("1", "echo", {"text": text}))
    for size in (1, 2, 5, 100):
        assert merged(eager(pieces(written, size), name))[0] == ("call", "echo", {"text": text}, [])


@pytest.mark.parametrize("name", FORMATS)
@given(call=strategies.calls, size=st.integers(1, 30))
@settings(max_examples=150, deadline=None)
def test_early_and_validated_calls_are_equal(name: str, call: PastCall, size: int) -> None:
    text = text_format(name).render_call(call)
    early, late = eager(pieces(text, size), name), driven(opened(name), [text])
    assert same(merged(early), merged(late))
    assert_whole(deltas(early))
