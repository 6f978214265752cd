"""Random answers of models and random calls, for the properties of the parser."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from promptmw.toolmode import Arguments, Calls, FinishReason, PastCall
from promptmw.toolmode.formats import FORMATS

CALL = '<tool_call>\n{"name": "echo", "arguments": {"text": "hi"}}\n</tool_call>'
BITS = (
    "<tool_call>", "</tool_call>", "<tool_call", "</tool_", "{", "}", "[", "]", ",", ":", '"name"', ': "echo"',
    ', "arguments": ', '{"text": "', "\\n", "\\u00e9", "\\ud83d", "\\ude00", "\\'", "\\d", '\\"', '"', "'", ", ",
    '"days": "3"', '"label": null', '{"city": "Oslo"}', "\n", "  ", "\n\n", "\r\n", "```", "```json\n", "`", "~~~\n",
    "text ", "<think>", "</think>", "<thinking>", "<tool-output", "<tool-output>", "<tool_response>", "</tool-output>",
    "<function=echo>", "<parameter=text>\n", "</parameter>", "</function>", "\n</parameter>\n", "echo",
    "<arg_key>text</arg_key>", "<arg_value>", "</arg_value>", "<", ">", "é", "\u2028", "\ud83d", "😀", "\ufeff", "\0",
    "\u202e", CALL, f"```\n{CALL}\n```", f"\n{CALL}\n", '<tool_call>{"name":"now","arguments":{}}',
    "[TOOL_CALLS]", "echo[ARGS]", "<|python_tag|>", '{"name": "now", "parameters": {}}', "[now()", 'echo(text="x")]',
    "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>",
    '<｜DSML｜invoke name="now">',
    "<|tool_calls_section_begin|>", "<|tool_call_begin|>functions.now:0", "<|tool_call_argument_begin|>{}",
)  # fmt: skip

answers = st.lists(st.sampled_from(BITS) | st.text(max_size=4), max_size=16).map("".join)
reasons = st.sampled_from((FinishReason.STOP, FinishReason.LENGTH, FinishReason.CONTENT_FILTER, None))
formats = st.sampled_from(tuple(FORMATS))
marked_formats = st.sampled_from([name for name, make in FORMATS.items() if make("tool_call").close])
"""Formats with a tag in front of a call and behind it."""

options = st.fixed_dictionaries(
    {
        "max_blocks": st.sampled_from((None, 1)),
        "stop_sent": st.booleans(),
        "starts_in_reasoning": st.sampled_from((False, False, False, True)),
        "arguments": st.sampled_from(Arguments),
        "calls": st.sampled_from((Calls.ACCEPT, Calls.ACCEPT, Calls.ACCEPT, Calls.REFUSE)),
    }
)
"""Options of a parser, for `opened`."""

# Lone halves of characters are mended in arguments, so that they do not come back.
_letters = st.characters(exclude_categories=("Cs",))
values = st.lists(
    st.sampled_from(tuple(b for b in BITS if b.isprintable())) | st.text(_letters, max_size=6), max_size=6
)
texts = values.map("".join).filter(lambda text: "\ud83d" not in text)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
anything = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(_letters, max_size=5), inner, max_size=3),
    max_leaves=6,
)


def _call(name: str, required: dict[str, Any], optional: dict[str, Any] | None = None) -> st.SearchStrategy[PastCall]:
    arguments = st.fixed_dictionaries(required, optional=optional or {})
    return arguments.map(lambda found: PastCall("call_1", name, found))


calls = st.one_of(
    _call("now", {}),
    _call("echo", {"text": texts}),
    _call("write_file", {"path": texts, "content": texts}),
    _call("add", {"a": numbers, "b": numbers}),
    _call("get_weather", {"city": texts}, {"unit": st.sampled_from(("c", "f")), "days": st.integers()}),
    _call("alarm", {"hour": st.integers()}, {"repeat": st.booleans(), "label": st.none() | texts}),
    _call(
        "search", {"queries": st.lists(texts, max_size=3)}, {"filters": st.dictionaries(texts, anything, max_size=3)}
    ),
)
"""Valid calls of the tests' tools."""
