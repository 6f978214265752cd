"""One round, one set of bytes; and nobody gets what was collected for another."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from chat_turns import NOW

from promptmw import ChatFormat, Conversation, Pipeline, Question, Turn, hookimpl
from promptmw_plugins.rag import Snippet

USER = {"role": "user", "content": "When do I sow beans?"}
CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}]}
RESULT = {"role": "tool", "tool_call_id": "1", "content": "In October."}


class Clock:
    """Goes on by itself, as far as it is told."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> Any:
        return self.now


class Search:
    """Finds something else each time."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []

    @hookimpl
    def promptmw_collect(self, turn: Turn) -> tuple[Snippet, ...]:
        self.turns.append(turn)
        return (Snippet(f"Found {len(self.turns)}."),)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def search() -> Search:
    return Search()


@pytest.fixture
def pipeline(clock: Clock, search: Search) -> Pipeline:
    return Pipeline("chat", plugins=[search], clock=clock)


def sent(pipeline: Pipeline, turn: Turn, *messages: Any) -> list[Any]:
    return pipeline.messages(turn, messages)


def test_later_calls_of_a_round_send_the_same_bytes(pipeline: Pipeline, clock: Clock, search: Search) -> None:
    """UL7."""
    first = sent(pipeline, Turn(session="s"), USER)
    clock.now += timedelta(minutes=1)
    assert sent(pipeline, Turn(session="s"), USER, CALL, RESULT) == [*first, CALL, RESULT]
    assert len(search.turns) == 1


def test_a_round_keeps_its_day_over_midnight(pipeline: Pipeline, clock: Clock) -> None:
    clock.now = NOW.replace(hour=23, minute=59)
    first = sent(pipeline, Turn(session="s", timezone="UTC"), USER)
    clock.now += timedelta(minutes=2)
    assert sent(pipeline, Turn(session="s", timezone="UTC"), USER, CALL, RESULT)[0] == first[0]


def test_the_next_round_collects_anew(pipeline: Pipeline, search: Search) -> None:
    sent(pipeline, Turn(session="s"), USER)
    sent(pipeline, Turn(session="s"), USER, {"role": "assistant", "content": "In October."}, USER)
    assert len(search.turns) == 2


def test_a_round_does_not_last_for_ever(pipeline: Pipeline, clock: Clock, search: Search) -> None:
    sent(pipeline, Turn(session="s"), USER)
    clock.now += timedelta(hours=1)
    sent(pipeline, Turn(session="s"), USER)
    assert len(search.turns) == 2


@pytest.mark.parametrize(
    "other", [Turn(session="t"), Turn(session="s", tenant="u"), Turn(), Turn(locale="fr")], ids=repr
)
def test_another_s_round_is_another_round(pipeline: Pipeline, search: Search, other: Turn) -> None:
    sent(pipeline, Turn(session="s"), USER)
    sent(pipeline, other, USER)
    assert len(search.turns) == 2


def test_without_a_session_what_is_stated_tells_rounds_apart(pipeline: Pipeline, search: Search) -> None:
    sent(pipeline, Turn(Snippet("a")), USER)
    sent(pipeline, Turn(Snippet("b")), USER)
    assert len(search.turns) == 2


def test_collectors_get_the_question(pipeline: Pipeline, search: Search) -> None:
    sent(pipeline, Turn(), USER)
    question = search.turns[0].get(Question)
    assert question is not None
    assert question.text.reveal() == USER["content"]


async def test_sync_and_async_calls_give_the_same_bytes(pipeline: Pipeline) -> None:
    conversation = Conversation([USER], ChatFormat())
    awaited = await pipeline.aassemble(Turn(session="s"), conversation)
    assert [b.text for b in awaited.blocks] == [
        b.text for b in pipeline.assemble(Turn(session="s"), conversation).blocks
    ]


def test_a_request_that_comes_back_assembled_belongs_to_its_round(pipeline: Pipeline, search: Search) -> None:
    first = sent(pipeline, Turn(session="s"), USER)
    assert sent(pipeline, Turn(session="s"), *first) == first
    assert len(search.turns) == 1


@pytest.mark.parametrize("change", [{"model": "other"}, {"tools": ("f",)}, {"tool_mode": "prompt"}], ids=str)
def test_a_retry_with_another_model_belongs_to_its_round(pipeline: Pipeline, search: Search, change: Any) -> None:
    for turn in (Turn(Snippet("a")), Turn(Snippet("a"), **change)):
        sent(pipeline, turn, USER)
    assert len(search.turns) == 1


def test_without_a_user_message_nothing_is_kept(pipeline: Pipeline, search: Search) -> None:
    sent(pipeline, Turn(session="s"))
    sent(pipeline, Turn(session="s"))
    assert len(search.turns) == 2


def test_what_was_collected_for_one_is_never_in_another_s_prompt(clock: Clock) -> None:
    class Private:
        @hookimpl
        def promptmw_collect(self, turn: Turn) -> tuple[Snippet, ...]:
            return (Snippet(f"of {turn.tenant}/{turn.session}."),)

    pipeline = Pipeline("chat", plugins=[Private()], clock=clock)
    everybody = [(tenant, session) for tenant in ("a", "b", "") for session in ("1", "2", "")]
    for tenant, session in everybody * 2:
        text = str(sent(pipeline, Turn(tenant=tenant, session=session), USER))
        others = {f"of {t}/{s}." for t, s in everybody} - {f"of {tenant}/{session}."}
        assert f"of {tenant}/{session}." in text
        assert not any(other in text for other in others)
