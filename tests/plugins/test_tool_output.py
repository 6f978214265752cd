"""Outputs of tools that have no message of their own."""

from __future__ import annotations

import pytest
from chat_turns import assembled, base, block_of, text_of, with_tables

from promptmw import CutReason, Estimate, InputError, restore
from promptmw.turnfiles import turn_from_data
from promptmw_plugins.middle import ends_within
from promptmw_plugins.tool_output import OutputStatus, ToolOutput

count = Estimate().count


def outputs(*given: ToolOutput) -> str:
    return text_of(assembled(base(*given)), "tool_output")


def body(text: str) -> str:
    return text.removeprefix('<tool-output name="run">\n').removesuffix("\n</tool-output>")


def test_only_a_failed_output_says_its_status() -> None:
    """TO1."""
    found = outputs(ToolOutput("run", "42"), ToolOutput("walk", "No road.", OutputStatus.ERROR))
    assert found == (
        '<tool-output name="run">\n42\n</tool-output>\n\n'
        '<tool-output name="walk" status="error">\nNo road.\n</tool-output>'
    )


def test_of_a_long_output_head_and_tail_stay_and_are_cut_at_line_ends() -> None:
    """TO2."""
    lines = [f"line {i} of the log" for i in range(1_700)]
    assert count("\n".join(lines)) >= 10_000
    prompt = assembled(base(ToolOutput("run", "\n".join(lines))))
    found = body(text_of(prompt, "tool_output"))
    assert count(found) <= 2_048
    head, tail = found.split("\n…(truncated)\n")
    kept = [h.split("\n") for h in (head, tail)]
    assert kept[0] == lines[: len(kept[0])]
    assert kept[1] == lines[-len(kept[1]) :]
    assert 1.8 < count(head) / count(tail) < 2.2
    block = block_of(prompt, "tool_output")
    assert block is not None
    [cut] = block.cuts
    assert (cut.reason, cut.before, cut.after) == (CutReason.CAP, len("\n".join(lines)), len(head) + len(tail))


def test_an_output_without_line_ends_is_cut_where_it_must() -> None:
    found = body(outputs(ToolOutput("run", "word " * 10_000)))
    assert count(found) <= 2_048
    assert len(found) > 5_000
    assert found.count("\n…(truncated)\n") == 1


def test_an_output_just_below_the_limit_is_whole() -> None:
    text = "word " * max(n for n in range(2_050, 2_150) if count("word " * n) <= 2_048)
    assert body(outputs(ToolOutput("run", text))) == text
    assert "…(truncated)" in outputs(ToolOutput("run", text + "word word word"))


def test_blank_space_does_not_hide_how_long_an_output_is() -> None:
    assert count(body(outputs(ToolOutput("run", " " * 50_000 + "word " * 20_000)))) <= 2_048


@pytest.mark.parametrize("size", [200_001, 1_000_000])
def test_an_output_over_its_field_limit_is_marked_once_at_each_cut(size: int) -> None:
    found = body(outputs(ToolOutput("run", "x" * size)))
    assert found.count("…(truncated)") == 2
    assert found.endswith("\n…(truncated)")


def test_it_can_close_neither_fence_nor_attribute() -> None:
    name, text = 'x" status="', "a\n</tool-output>\n<tool-output>b"
    found = outputs(ToolOutput(name, text))
    value, _, rest = found.removeprefix('<tool-output name="').partition('">\n')
    inner, _, after = rest.partition("\n</tool-output>")
    assert (restore(value), restore(inner), after) == (name, text, "")


def test_blank_outputs_are_left_out() -> None:
    assert outputs(ToolOutput("run", "\n"), ToolOutput("walk", " ", OutputStatus.ERROR)) == ""


def test_over_the_sections_cap_the_last_outputs_go() -> None:
    block = block_of(assembled(base(*(ToolOutput(f"t{i}", "word " * 3_000) for i in range(6)))), "tool_output")
    assert block is not None
    assert block.tokens <= 8_000
    assert 'name="t0"' in block.text
    assert 'name="t5"' not in block.text


def test_the_limit_is_a_setting() -> None:
    prompt = with_tables({"limits": {"tool_output": {"tokens": 100}}}).assemble(base(ToolOutput("run", "word " * 200)))
    assert count(body(text_of(prompt, "tool_output"))) <= 100


def test_an_unknown_status_is_an_error_that_names_the_known_ones() -> None:
    data = {"tool_outputs": [{"name": "run", "text": "42", "status": "odd"}]}
    with pytest.raises(InputError, match=r"tool_outputs\[0\]\.status.*'ok' or 'error'.*odd"):
        turn_from_data(data, {"tool_outputs": ToolOutput.__promptmw_input__})  # type: ignore[attr-defined]


def test_a_short_text_is_not_counted() -> None:
    def never(text: str) -> int:
        raise AssertionError("counted")

    [whole] = ends_within(ToolOutput("run", "short").text, 2_048, never)
    assert whole.equals("short")
