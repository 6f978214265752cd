"""What stands beside calls, and beside drafts and examples of calls, which are none."""

from __future__ import annotations

import pytest
from toolmode.reading import Short, driven, in_two, merged, opened, read

NOW = '{"name": "now", "arguments": {}}'
BLOCK = f"<tool_call>{NOW}</tool_call>"
CALL: Short = ("call", "now", {}, [])
OPEN: Short = ("call", "now", {}, ["missing_close"])


def same_in_all_chunks(text: str, wanted: list[Short], **options: bool) -> None:
    assert read(text, **options) == wanted
    for chunks in (list(text), *in_two(text)):
        assert merged(driven(opened(**options), chunks))[:-1] == wanted, chunks


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{BLOCK}\n```\nThe block ends with </tool_call>, always.",
        f"Like this:\n~~~\n{BLOCK}\n~~~\nand `</tool_call>` or </tool_call> ends it.",
        "It ends with </tool_call>.",
    ],
)
def test_a_closing_tag_behind_an_example_is_text(text: str) -> None:
    same_in_all_chunks(text, [("text", text)])


def test_a_closing_tag_behind_a_draft_is_text() -> None:
    text = "<think>Use\n<tool_call>\n not?</think>It ends with </tool_call>."
    same_in_all_chunks(text, [("reasoning", "Use\n<tool_call>\n not?"), ("text", "It ends with </tool_call>.")])


def test_examples_do_not_use_up_the_blocks_of_an_answer() -> None:
    text = "".join(f"```\n{BLOCK}\n```\nand\n" for _ in range(80)) + BLOCK
    assert read(text)[-1] == CALL
    assert read(f"```\n{BLOCK}\n```\nso:\n{BLOCK}", max_blocks=1)[-1] == CALL


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"{BLOCK}<think>hm</think>Bye.", [CALL, ("reasoning", "hm"), ("text", "Bye.")]),
        (f"{BLOCK} <think>hm</think>Bye.", [CALL, ("reasoning", "hm"), ("text", "Bye.")]),
        (f"<tool_call>{NOW}\n\n<think>hm</think>\nBye.", [OPEN, ("reasoning", "hm"), ("text", "Bye.")]),
        (f"{BLOCK}<tool_call>Calling now: {NOW}</tool_call>", [CALL, CALL]),
        (f"{BLOCK}<tool_call>not json</tool_call>", [CALL, ("error", "malformed", None)]),
        (f"{BLOCK}</tool_call>{BLOCK}", [CALL, CALL]),
        (f"{BLOCK}and <tool_call> is a tag", [CALL, ("text", "and <tool_call> is a tag")]),
    ],
)
def test_a_line_begins_behind_a_block(text: str, wanted: list[Short]) -> None:
    same_in_all_chunks(text, wanted)


@pytest.mark.parametrize("stop_sent", [False, True])
@pytest.mark.parametrize("draft", ['<tool_call>["x" ', '<tool_call>{"name": "x ', "<tool_call>", "<tool_call> or not"])
@pytest.mark.parametrize(
    ("behind", "wanted"), [("The answer is 4.", ("text", "The answer is 4.")), (f"\n{BLOCK}", CALL), ("", None)]
)
def test_a_broken_draft_in_a_closed_thought_is_a_thought(
    draft: str, behind: str, wanted: Short | None, stop_sent: bool
) -> None:
    """Also if the answer ends with it: the thought was closed, so nothing was cut off in it."""
    text = f"<think>Maybe {draft}</think>{behind}"
    found = [("reasoning", f"Maybe {draft}".strip()), *([wanted] if wanted else [])]
    same_in_all_chunks(text, found, stop_sent=stop_sent)


def test_a_draft_that_the_end_of_the_thought_ends_is_a_thought() -> None:
    """It has no closing tag of its own."""
    text = f"<think>Maybe <tool_call>\n{NOW}</think>"
    same_in_all_chunks(text, [("reasoning", f"Maybe <tool_call>\n{NOW}")])


@pytest.mark.parametrize("info", ["json", "x y", " py"])
def test_a_fence_that_opens_behind_a_call_closes_nothing(info: str) -> None:
    text = f"<tool_call>{NOW}\n```{info}\nx\n```"
    same_in_all_chunks(text, [OPEN, ("text", f"```{info}\nx\n```")])


@pytest.mark.parametrize("fence", ["```\n", "```", "``` \n", "~~~\n"])
def test_a_fence_that_closes_behind_a_value_is_no_text(fence: str) -> None:
    same_in_all_chunks(f"<tool_call>\n```json\n{NOW}\n{fence}</tool_call>", [CALL])
