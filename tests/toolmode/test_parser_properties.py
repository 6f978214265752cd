"""What the parser keeps to, whatever a model writes and however it comes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolmode import strategies
from toolmode.reading import (
    Short,
    check_deltas,
    cut_at,
    driven,
    in_two,
    joined,
    merged,
    opened,
    pieces,
    same,
    text_format,
)

from promptmw.toolmode import Arguments, CallEnd, Ended, Event, FinishReason, PastCall, TextDelta
from promptmw.toolmode.formats import FORMATS

often = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
cuts = st.lists(st.integers(0, 400), max_size=10)
MARKERS = "".join(f"{made.open} {made.close}\n" for made in map(text_format, FORMATS))
every_format = pytest.mark.parametrize("name", FORMATS)


@often
@given(strategies.answers, strategies.formats, strategies.options, strategies.reasons, cuts)
def test_the_events_do_not_depend_on_the_chunks(
    text: str, name: str, options: dict[str, Any], reason: FinishReason | None, places: list[int]
) -> None:
    """PA1: nothing raises; merged events are the same for each split; deltas are the arguments; the end comes once."""
    whole = driven(opened(name, **options), [text], reason)
    check_deltas(whole)
    assert [isinstance(event, Ended) for event in whole].index(True) == len(whole) - 1
    for chunks in (list(text), cut_at(text, places), pieces(text, 3)):
        split = driven(opened(name, **options), chunks, reason)
        check_deltas(split)
        assert same(joined(split), joined(whole)), chunks


@often
@given(strategies.answers, strategies.formats, strategies.options, st.integers(0, 400))
def test_what_is_out_is_never_taken_back(text: str, name: str, options: dict[str, Any], place: int) -> None:
    """PA1: what a part of an answer gave begins what all of it gives."""
    parser = opened(name, **options)
    early = list(parser.feed(text[:place]))
    late = [*parser.feed(text[place:]), *parser.finish(FinishReason.STOP)]
    assert begins(joined(early), joined([*early, *late]))
    assert same(joined([*early, *late]), joined(driven(opened(name, **options), [text])))


def begins(part: list[Short], whole: list[Short]) -> bool:
    """Says whether events begin others; the last one may be longer there."""
    if not part:
        return True
    *before, last = part
    there = whole[len(before)]
    return same(before, whole[: len(before)]) and there[:-1] == last[:-1] and (
        there[-1] == last[-1] or (isinstance(last[-1], str) and there[-1].startswith(last[-1]))
    )  # fmt: skip


plain = st.text(st.characters(exclude_characters="<`~[{", exclude_categories=("Cs",)), max_size=60)


@often
@given(plain, strategies.formats, cuts)
def test_text_without_markup_is_passed_on(text: str, name: str, places: list[int]) -> None:
    """PA2: byte for byte, and at once: each chunk gives one piece, or what its last blanks are held back from."""
    parser, shown, fed = opened(name), "", ""
    for chunk in cut_at(text, places):
        fed += chunk
        events = parser.feed(chunk)
        shown += "".join(event.text for event in events if isinstance(event, TextDelta))
        if chunk and not chunk[-1].isspace():
            assert (len(events), shown) == (1, fed)
    assert merged(parser.finish(FinishReason.STOP))[-1] == ("ended", FinishReason.STOP)
    assert merged(driven(opened(name), cut_at(text, places)))[:-1] == ([("text", text)] if text else [])


@every_format
@often
@given(data=st.data())
def test_a_call_that_is_written_is_read_back(data: st.DataObject, name: str) -> None:
    """PA3: the same call from each split, early or validated."""
    call = data.draw(strategies.calls)
    text = text_format(name).render_call(call)
    places = data.draw(cuts)
    for arguments in Arguments:
        for chunks in ([text], list(text), cut_at(text, places)):
            events = driven(opened(name, arguments=arguments), chunks)
            check_deltas(events)
            assert same(delivered(events), [(call.name, call.arguments)]), text


def delivered(events: list[Event]) -> list[tuple[str, dict[str, Any]]]:
    return [(event.call.name, event.call.arguments) for event in events if isinstance(event, CallEnd)]


@every_format
@pytest.mark.parametrize(
    "call",
    [
        PastCall("1", "now", {}),
        PastCall("1", "echo", {"text": "</tool_call>\n<tool_call>"}),
        PastCall("1", "echo", {"text": "\n\n a \n"}),
        PastCall("1", "echo", {"text": MARKERS}),
        PastCall("1", "write_file", {"path": "null", "content": "</parameter>\n</function>"}),
        PastCall("1", "alarm", {"hour": 7, "label": None, "repeat": False}),
        PastCall("1", "search", {"queries": ["a", '"b"'], "filters": {"x": [1, {"y": None}]}}),
    ],
    ids=lambda call: call.name,
)
def test_a_call_is_read_back_from_any_two_chunks(name: str, call: PastCall) -> None:
    text = text_format(name).render_call(call)
    for chunks in ([text], *in_two(text)):
        assert same(delivered(driven(opened(name), chunks)), [(call.name, call.arguments)]), chunks


@often
@given(st.lists(strategies.calls, min_size=1, max_size=4), st.sampled_from(("hermes", "qwen3-coder", "glm")))
def test_calls_of_all_formats_with_one_tag_are_understood_by_each(calls: list[PastCall], name: str) -> None:
    written = [text_format(form).render_call(call) for call in calls for form in ("hermes", "qwen3-coder", "glm")]
    events = driven(opened(name), pieces("\n".join(written), 5))
    assert same(delivered(events), [(call.name, call.arguments) for call in calls for _ in range(3)])


@often
@given(st.lists(plain, min_size=1, max_size=4), strategies.marked_formats, cuts)
def test_what_stands_round_calls_is_the_text(texts: list[str], name: str, places: list[int]) -> None:
    """White space between two calls is no text, nor is it at the edges."""
    call = text_format(name).render_call(PastCall("1", "echo", {"text": "</tool_call>"}))
    events = driven(opened(name), cut_at(f"Ok.\n{call}".join(["", *texts, ""]), places))
    shown = "".join(event.text for event in events if isinstance(event, TextDelta))
    assert shown.strip() == "Ok.\n".join(["", *texts, ""]).strip()
    assert len(delivered(events)) == len(texts) + 1
