"""Two readers that know nothing of each other find the same in random answers."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolmode.reading import Short, driven, merged, opened, tool
from toolmode.slow_reader import Slow

from promptmw.toolmode import FinishReason, ToolTable

TABLE = ToolTable.of([tool("now"), tool("echo", ["text"], text={"type": "string"})])
NOW = '{"name": "now", "arguments": {}}'
BITS = (
    "<tool_call>", "</tool_call>", "<tool_call>\n", "\n</tool_call>", "\n<tool_call>\n", "<tool_", "</tool", "<", ">",
    NOW, '{"name": "echo", "arguments": {"text": "', '"}}', '{"name": "echo", "arguments": {"text": "hi"}}',
    '{"name": "rm"}', '{"city": "Oslo"}', '{"name": "now", "arguments": "', "{", "}", "[", "]", "[]", '"', '\\"', ",",
    ", ", "; ", f"[{NOW}, {NOW}]", f"[{NOW}, {{}}]", "\n", "\n\n", " ", "\n```\n", "\n```json\n", "\n~~~\n", "`",
    "Hello there. ", "words", "\nNew line. ", "x" * 70, "<think>", "</think>", "\n<think>", "\n<tool-output>",
    "<tool_response>", f"\n<tool_call>\n{NOW}\n</tool_call>", f"\n```\n<tool_call>{NOW}</tool_call>\n```\n",
)  # fmt: skip
answers = st.lists(st.sampled_from(BITS), max_size=12).map("".join)


def product(text: str, reason: str, *, stop_sent: bool, in_thought: bool, most: int | None) -> list[Short]:
    parser = opened(table=TABLE, stop_sent=stop_sent, starts_in_reasoning=in_thought, max_blocks=most, repair=False)
    events = merged(driven(parser, [text], FinishReason(reason)))[:-1]
    return [event[:2] if event[0] == "error" else event for event in events]


@settings(max_examples=1500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    answers,
    st.sampled_from(("stop", "stop", "length")),
    st.booleans(),
    st.sampled_from((False, False, False, True)),
    st.sampled_from((None, None, 1)),
)
def test_both_find_the_same(text: str, reason: str, stop_sent: bool, in_thought: bool, most: int | None) -> None:
    """Names of problems aside, which are guesses."""
    found = product(text, reason, stop_sent=stop_sent, in_thought=in_thought, most=most)
    assert found == Slow(text, reason, stop_sent, in_thought, most).read()
