"""Single answers beyond the rows: limits, options, hostile streams, and characters that are easily lost."""

from __future__ import annotations

import json
import re
import tracemalloc

import pytest
from toolmode.reading import TABLE, check_deltas, driven, joined, merged, opened, pieces, read, same, text_format

from promptmw.errors import ProtocolStateError
from promptmw.toolmode import (
    CallEnd,
    CallError,
    Calls,
    Dropped,
    FinishReason,
    Limits,
    ParserOptions,
    ProblemKind,
    TextDelta,
    Where,
    parse,
)
from promptmw.toolmode.formats.tool_call import hermes
from promptmw.toolmode.settling import new_id

NOW = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
ECHO = '<tool_call>\n{"name": "echo", "arguments": {"text": "x"}}\n</tool_call>'
CALLED = [("call", "now", {}, []), ("call", "echo", {"text": "x"}, [])]


def block(arguments: str, name: str = "echo") -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def test_a_large_block_is_given_up_and_the_next_call_taken() -> None:
    """PA9: what is too large is read on, but not kept."""
    limits = Limits(block=100_000)
    chunks = pieces(block(json.dumps({"text": "x" * 3_000_000})) + f"\n{NOW}", 10_000)
    tracemalloc.start()
    events = driven(opened(limits=limits), chunks)
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [event[:2] for event in merged(events)[:-1]] == [("error", "too_large"), ("call", "now")]
    assert used < 1_000_000


def test_blocks_beyond_the_limit_leave_nothing_in_the_text() -> None:
    """PA10: 64 are delivered, the others noted once."""
    found = read("\n".join([NOW] * 200))
    assert found == [CALLED[0]] * 64 + [("note", "limit")]


def test_calls_beyond_the_limit_are_noted() -> None:
    calls = json.dumps([{"name": "now", "arguments": {}}] * 5)
    found = read(f"<tool_call>{calls}</tool_call>{NOW}", limits=Limits(calls=3))
    assert found == [CALLED[0]] * 3 + [("note", "limit")]


@pytest.mark.parametrize("depth", [65, 5_000, 200_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_deep_arguments_are_too_large(depth: int, brackets: str) -> None:
    """PA11: whatever would exhaust a decoder is stopped before one sees it."""
    opening = brackets[0] if brackets == "[]" else '{"a":'
    text = block('{"filters": ' + opening * depth + "1" + brackets[1] * depth + "}", name="search")
    assert read(text) == [("error", "too_large", "search")]


def test_arguments_as_deep_as_allowed_are_taken() -> None:
    inner = "[" * 61 + "]" * 61  # the call, its arguments and the filters are three more
    found = read(block(f'{{"queries": [], "filters": {{"a": {inner}}}}}', name="search"))
    assert [event[:2] for event in found] == [("call", "search")]


def test_refused_calls_are_dropped() -> None:
    """PA12."""
    events = driven(opened(calls=Calls.REFUSE), [f"It is noon.\n{NOW}"])
    assert merged(events) == [("text", "It is noon."), ("drop", "call_not_allowed"), ("ended", FinishReason.STOP)]


def test_the_tag_is_a_setting() -> None:
    """PA13."""
    own = hermes("call_tool")
    options = ParserOptions(max_blocks=None)
    other = parse(own, NOW, TABLE, options, reason=FinishReason.STOP)
    assert merged(other)[:-1] == [("text", NOW)]
    ours = parse(own, NOW.replace("tool_call", "call_tool"), TABLE, options, reason=FinishReason.STOP)
    assert merged(ours) == [CALLED[0], ("ended", FinishReason.TOOL_CALLS)]


def test_nothing_is_read_behind_the_end() -> None:
    """PA14."""
    parser = opened()
    parser.finish(FinishReason.STOP)
    with pytest.raises(ProtocolStateError, match="feed"):
        parser.feed("more")
    with pytest.raises(ProtocolStateError, match="finish"):
        parser.finish(FinishReason.STOP)


@pytest.mark.parametrize("odd", ["\ufeff", "\0", "\u202e", "\u2028", "\x85", "\u200b", "😀"])
def test_odd_characters_are_passed_on(odd: str) -> None:
    """PA15: in the text, and in arguments."""
    assert read(f"{odd}a{odd}\n{block(json.dumps({'text': odd}))}") == [
        ("text", f"{odd}a{odd}"),
        ("call", "echo", {"text": odd}, []),
    ]
    assert read(f"{odd}a{odd}\n{block(json.dumps({'text': odd}, ensure_ascii=False))}")[1][2] == {"text": odd}


def test_half_of_a_character_is_passed_on_in_text_and_mended_in_arguments() -> None:
    """PA15: what is sent to a tool can always be encoded."""
    assert read("a\ud83db") == [("text", "a\ud83db")]
    assert read(block('{"text": "a\ud83d"}')) == [("call", "echo", {"text": "a\ufffd"}, ["repaired"])]


def test_a_thought_that_the_prompt_opened_and_nobody_closes_is_all_there_is() -> None:
    """PA16."""
    text = "I wonder.\nIs it <noon>?"
    events = driven(opened(starts_in_reasoning=True), pieces(text, 3))
    assert merged(events) == [("reasoning", text), ("ended", FinishReason.STOP)]


@pytest.mark.parametrize("where", Where)
def test_fences_and_thoughts_may_be_closed_to_calls(where: Where) -> None:
    fenced, thought = f"```\n{NOW}\n```", f"<think>So.\n{NOW}"
    last = where is Where.LAST
    assert read(fenced, calls_in_fences=where) == ([CALLED[0]] if last else [("text", fenced)])
    kept = [("reasoning", "So."), ("call", "now", {}, ["from_reasoning"])]
    assert read(thought, calls_in_reasoning=where) == (kept if last else [("reasoning", f"So.\n{NOW}")])


def test_reasoning_tags_are_a_setting() -> None:
    options = {"reasoning_tags": (("<seed:think>", "</seed:think>"),)}
    assert read("<seed:think>a</seed:think>b<think>c", **options) == [("reasoning", "a"), ("text", "b<think>c")]


@pytest.mark.parametrize("reason", [*FinishReason, None])
@pytest.mark.parametrize(("text", "calls"), [("Hello.", False), (NOW, True)])
def test_the_reason_that_the_application_gets(reason: FinishReason | None, text: str, calls: bool) -> None:
    """A call counts, but never hides that the answer was cut."""
    ended = merged(driven(opened(), [text], reason))[-1][1]
    if reason in (FinishReason.LENGTH, FinishReason.CONTENT_FILTER):
        assert ended is reason
    elif calls:
        assert ended is FinishReason.TOOL_CALLS
    else:
        assert ended is (FinishReason.STOP if reason is FinishReason.TOOL_CALLS else reason)


def test_done_says_that_the_rest_is_dropped() -> None:
    """So that a stream can be closed: text behind the only block, or an invented result."""
    parser = opened(max_blocks=1)
    parser.feed(NOW)
    assert not parser.done
    parser.feed("\n ")
    assert not parser.done
    parser.feed("And")
    assert parser.done
    events = [*parser.feed(" so on"), *parser.finish(FinishReason.STOP)]
    assert [event.chars for event in events if isinstance(event, Dropped)] == [len("And so on")]


def test_a_problem_says_what_and_where_and_quotes_little() -> None:
    long = "x" * 5_000
    text = f'<tool_call>\n{{"name": "echo", "arguments": {{"text": "{long}", oops oops: }}}}\n</tool_call>'
    [error] = [e for e in driven(opened(repair=False), [text]) if isinstance(e, CallError)]
    assert (error.problem.kind, error.problem.name, error.index) == (ProblemKind.MALFORMED, "echo", None)
    assert len(error.problem.excerpt) <= 80
    assert "oops" in error.problem.excerpt
    assert len(error.problem.raw) <= 800
    assert long[:100] not in error.problem.message


def test_violations_name_pointer_and_rule_but_no_value() -> None:
    [error] = [e for e in driven(opened(), [block('{"a": "secret word"}', name="add")]) if isinstance(e, CallError)]
    assert {(v.pointer, v.rule) for v in error.problem.violations} == {("/a", "type"), ("", "required")}
    assert not any("secret" in v.message for v in error.problem.violations)


def test_ids_are_ours_and_never_the_same() -> None:
    """TC10: what the model writes as an id is not used."""
    own = '<tool_call>{"id": "call_1", "name": "now", "arguments": {}}</tool_call>'
    ends = [e.call.id for e in driven(opened(), [own * 2]) if isinstance(e, CallEnd)]
    assert len(set(ends)) == 2
    assert "call_1" not in ends


HOSTILE = {
    "blanks": ("x" + " \n" * 20_000 + "x", 1),
    "signs": ("<tool_" * 20_000, 1),
    "openers": ("<tool_call>\n" * 3_000, None),
    "backticks": ("`" * 50_000, 1),
    "fences": ("```\n" * 10_000, 1),
    "fenced openers": ("```\n<tool_call>\n" * 3_000, None),
    "thoughts": ("<think>\n<tool_call>\n" * 3_000, None),
    "braces": ("<tool_call>\n" + "{" * 50_000, None),
    "backslashes": ('<tool_call>\n{"name": "echo", "arguments": {"text": "' + "\\\\" * 30_000, None),
    "parameters": ("<tool_call>\n<function=echo>\n" + "<parameter=text>\n" * 3_000, None),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_streams_end_and_give_the_same_in_small_chunks(kind: str) -> None:
    """PA8: how long they take is timed elsewhere."""
    text, deltas = HOSTILE[kind]
    whole = driven(opened(), [text])
    assert same(joined(driven(opened(), pieces(text, 7))), joined(whole))
    check_deltas(whole)
    if deltas is not None:
        assert merged(whole)[:-1] == [("text", text)]
    else:
        assert not any(isinstance(event, CallEnd) for event in whole)


@pytest.mark.parametrize("name", ["hermes", "qwen3-coder", "glm"])
def test_text_is_shown_while_it_comes(name: str) -> None:
    """Only what may still become markup waits: a begun tag, and white space in front of it."""
    parser = opened(name)
    fed = [("Hello", "Hello"), (" <", ""), ("b", " <b"), ("\n", ""), ("<tool", ""), ("s>", "\n<tools>"), ("`", "`")]
    for chunk, shown in fed:
        assert "".join(e.text for e in parser.feed(chunk) if isinstance(e, TextDelta)) == shown, chunk
    assert text_format(name).open == "<tool_call>"


def test_ids_have_one_form() -> None:
    """TC9."""
    ids = {new_id() for _ in range(100_000)}
    assert len(ids) == 100_000
    assert all(re.fullmatch("call_[0-9a-f]{24}", one) for one in ids)
