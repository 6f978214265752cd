"""One number space for snippets, web results and outputs of tools."""

from __future__ import annotations

import re

import pytest
from chat_turns import assembled, base, block_of, text_of
from hypothesis import given, settings
from hypothesis import strategies as st

from promptmw import Numbers, Prompt, Source, Turn, allocate, renumber
from promptmw_plugins.material import CitedSources
from promptmw_plugins.rag import Snippet
from promptmw_plugins.tool_output import ToolOutput
from promptmw_plugins.web_search import WebResult

TOOL_TEXT = "see [1], [2], [3], a[1](u)"


def numbers(prompt: Prompt) -> list[int]:
    """Returns the numbers at line starts of the blocks, in the order in which they are printed."""
    printed = text_of(prompt, "rag") + "\n" + text_of(prompt, "web_search")
    return [int(n) for n in re.findall(r"^\[(\d+)\]", printed, re.M)]


def output(prompt: Prompt) -> list[str]:
    return [line for line in text_of(prompt, "tool_output").split("\n") if not line.startswith("<")]


def test_snippets_and_web_results_share_numbers_without_gap_or_repeat() -> None:
    """CI1."""
    found = assembled(base(*(Snippet(f"s{i}") for i in range(3)), WebResult("w1"), WebResult("w2")))
    assert numbers(found) == [1, 2, 3, 4, 5]


def test_a_snippet_and_a_web_result_of_one_source_have_one_number() -> None:
    """CI2."""
    found = assembled(
        base(
            Snippet("a", source="https://x.example/A"),
            Snippet("b", source="https://x.example/a"),
            WebResult("c", url=" https://x.example/A ", title="Page"),
        )
    )
    assert numbers(found) == [1, 2, 1]
    first = found.citations[0]
    assert (first.title.reveal(), first.url.reveal()) == ("Page", " https://x.example/A ")


def test_a_stated_number_is_kept_and_others_go_on_behind_the_highest() -> None:
    """CI3."""
    assert numbers(assembled(base(Snippet("a", citation=4), Snippet("b")))) == [4, 5]


def test_of_two_sources_with_one_stated_number_the_second_gets_a_new_one_and_is_reported() -> None:
    """CI4."""
    found = assembled(base(Snippet("a", citation=2), WebResult("secret", citation=2)))
    assert numbers(found) == [2, 3]
    rag, web = block_of(found, "rag"), block_of(found, "web_search")
    assert rag is not None
    assert web is not None
    assert rag.notes == ()
    assert web.notes == ("a source got 3: its stated number belongs to another one",)


@pytest.mark.parametrize("citation", [0, -1])
def test_zero_and_less_count_as_no_number(citation: int) -> None:
    """CI5."""
    assert numbers(assembled(base(Snippet("a", citation=citation), Snippet("b")))) == [1, 2]


def test_markers_of_a_tool_output_are_mapped_once_and_links_and_other_brackets_stay() -> None:
    """CI6."""
    found = assembled(base(*(Snippet(f"s{i}") for i in range(3)), ToolOutput("run", TOOL_TEXT, sources=("k1", "k2"))))
    assert output(found) == ["see [4], [5], [3], a[1](u)"]
    assert [(c.number, c.key) for c in found.citations[3:]] == [(4, "k1"), (5, "k2")]


def test_numbers_go_on_from_one_tool_output_to_the_next_without_a_knowledge_base_too() -> None:
    """CI7."""
    found = assembled(
        base(
            ToolOutput("a", "[1] [2]", sources=("k1", "k2")),
            ToolOutput("b", "[1] [2] [3]", sources=("k3", "k1", "k4")),
        )
    )
    assert output(found) == ["[1] [2]", "", "[3] [1] [4]"]


def test_an_adapter_goes_on_with_the_numbers_of_a_prompt() -> None:
    """CI7."""
    prompt = assembled(base(Snippet("a", source="s")))
    given_out = Numbers({c.key: c.number for c in prompt.citations})
    first, after = renumber("[1] and [2]", ("k1", "s"), given_out)
    second, _ = renumber("[1] and [2]", ("k2", "k1"), after)
    assert (first, second) == ("[2] and [1]", "[3] and [2]")


def test_a_tool_output_without_sources_is_not_touched() -> None:
    """CI8."""
    assert output(assembled(base(Snippet("a"), ToolOutput("run", TOOL_TEXT)))) == [TOOL_TEXT]


@pytest.mark.parametrize("text", ["[0]", "[01]", "[3]", "[١]", "[ 1 ]", "[1](", "[a]", "[[1]", "[9999999]"])
def test_only_plain_markers_up_to_the_number_of_sources_are_mapped(text: str) -> None:
    """CI6."""
    expected = "[[7]" if text == "[[1]" else text
    assert renumber(text, ("k1", "k2"), Numbers({"k1": 7}))[0] == expected


def test_a_source_cut_by_the_budget_keeps_its_number_and_is_not_listed() -> None:
    """CI9."""
    digits = "1 " * 950
    found = assembled(base(*(Snippet(digits, source=f"s{i}") for i in range(8)), WebResult("w", url="u")))
    shown = numbers(found)
    assert shown[-1] == 9
    assert shown[:-1] == list(range(1, len(shown)))
    assert len(shown) < 9
    assert [c.number for c in found.citations] == shown


def test_a_snippet_beyond_the_count_keeps_its_number_too() -> None:
    """CI9."""
    assert numbers(assembled(base(*(Snippet(f"s{i}") for i in range(10)), WebResult("w")))) == [*range(1, 9), 11]


def test_numbers_passed_back_hold_in_any_order() -> None:
    """CI10."""
    sources = [Snippet("a", title="A"), Snippet("b", source="s"), Snippet("c"), WebResult("d", url="https://x.example")]
    first = assembled(base(*sources))
    cited = CitedSources().adding(first.citations)
    again = assembled(base(*reversed(sources), Snippet("new"), cited))
    assert {c.key: c.number for c in first.citations}.items() <= {c.key: c.number for c in again.citations}.items()
    assert max(c.number for c in again.citations) == 5
    assert cited.adding(again.citations).adding(first.citations).numbers[:4] == cited.numbers


def test_numbers_of_sources_that_are_not_shown_any_more_are_not_given_to_others() -> None:
    """CI10."""
    cited = CitedSources((("gone", 1), ("s", 2)))
    assert numbers(assembled(base(Snippet("new"), Snippet("old", source="s"), cited))) == [3, 2]


KEYS = st.sampled_from(["k1", "k2", "k3", "k4"])
WANTED = st.none() | st.integers(-1, 4)
SOURCES = st.lists(st.builds(Source, KEYS, WANTED), max_size=8)
USED = st.lists(st.tuples(KEYS, st.integers(-1, 4)), max_size=5)


@given(SOURCES, USED)
@settings(max_examples=200, deadline=None, database=None)
def test_each_number_stands_for_one_source_and_allocation_is_the_same_when_repeated(
    sources: list[Source], used: list[tuple[str, int]]
) -> None:
    """CI11."""
    found = allocate(sources, used)
    assert len(set(found.by_key.values())) == len(found.by_key)
    assert all(number > 0 for number in found.by_key.values())
    assert {s.key for s in sources} <= found.by_key.keys()
    assert found == allocate(sources, used)
    assert allocate(sources, found.by_key.items()).by_key == found.by_key
    more = found.more(["k9", "k1"])
    assert found.by_key.items() <= more.by_key.items()
    assert len(set(more.by_key.values())) == len(more.by_key)


TEXTS = st.sampled_from(["a", "b", "[1] c"])
MATERIAL = st.one_of(
    st.builds(Snippet, TEXTS, source=st.sampled_from(["", "s1", "s2"]), citation=WANTED),
    st.builds(WebResult, TEXTS, url=st.sampled_from(["", "s1", "u2"]), query=st.sampled_from(["", "q"])),
    st.builds(
        ToolOutput, st.just("run"), TEXTS, sources=st.lists(st.sampled_from(["s1", "t2"]), max_size=2).map(tuple)
    ),
)


@given(st.lists(MATERIAL, max_size=8))
@settings(max_examples=200, deadline=None, database=None)
def test_no_number_of_a_prompt_stands_for_two_sources(material: list[object]) -> None:
    """CI11."""
    prompt = assembled(base(*material))
    assert len({c.key for c in prompt.citations}) == len({c.number for c in prompt.citations}) == len(prompt.citations)
    assert set(numbers(prompt)) <= {c.number for c in prompt.citations}


def test_the_same_turn_has_the_same_numbers_in_a_new_pipeline() -> None:
    turn: Turn = base(Snippet("a"), WebResult("b"), Snippet("c", citation=1))
    assert numbers(assembled(turn)) == numbers(assembled(turn, layout="cache"))
