"""The tool save_memory: what the model keeps comes back in later rounds of the same session, and nowhere else."""

from __future__ import annotations

import itertools
import threading
from datetime import timedelta
from uuid import uuid4

import pytest
from chat_turns import NOW, native, text_of, with_tables

from promptmw import ChatFormat, Conversation, Pipeline, Prompt
from promptmw_plugins.memories import Memory
from promptmw_plugins.session_memory import Remembered, SessionMemory

OFFERED = {"offer_tools": ["save_memory"]}


@pytest.fixture
def session() -> str:
    return f"session-{uuid4()}"


def kept(pipeline: Pipeline, prompt: Prompt, text: object) -> tuple[str, bool]:
    result = pipeline.run_tool(prompt, "save_memory", {"text": text})
    return str(result.text), result.error


def memories(pipeline: Pipeline, *inputs: object, question: str, **core: object) -> list[str]:
    turn = native(*inputs, **core)
    conversation = Conversation([{"role": "user", "content": question}], ChatFormat())
    return text_of(pipeline.assemble(turn, conversation), "memories").splitlines()[1:-1]


def test_what_was_saved_stands_in_the_next_round_of_the_session(session: str) -> None:
    pipeline = with_tables(OFFERED)
    prompt = pipeline.assemble(native(session=session))
    assert kept(pipeline, prompt, " Likes tea \n") == ("saved", False)
    assert memories(pipeline, question="Next?", session=session) == ["[CURRENT] Likes tea"]
    assert memories(with_tables(OFFERED), question="Again?", session=session) == ["[CURRENT] Likes tea"]


def test_within_a_round_nothing_moves(session: str) -> None:
    pipeline = with_tables(OFFERED)
    conversation = Conversation([{"role": "user", "content": "Remember tea."}], ChatFormat())
    first = pipeline.assemble(native(session=session), conversation)
    kept(pipeline, first, "Likes tea")
    assert pipeline.assemble(native(session=session), conversation).system == first.system


def test_another_session_and_another_tenant_see_nothing(session: str) -> None:
    pipeline = with_tables(OFFERED)
    kept(pipeline, pipeline.assemble(native(session=session, tenant="a")), "Likes tea")
    assert memories(pipeline, question="Next?", session=session, tenant="b") == []
    assert memories(pipeline, question="Next?", session=f"{session}-2", tenant="a") == []
    assert memories(pipeline, question="Next?", session=session, tenant="a") == ["[CURRENT] Likes tea"]


def test_it_stands_behind_the_applications_own(session: str) -> None:
    pipeline = with_tables(OFFERED)
    kept(pipeline, pipeline.assemble(native(session=session)), "Likes tea")
    stated = Memory("Has a cat", created=NOW - timedelta(days=900))
    assert memories(pipeline, stated, question="Next?", session=session) == [
        "[CURRENT] Has a cat",
        "[CURRENT] Likes tea",
    ]


def test_saying_a_fact_again_keeps_it_once(session: str) -> None:
    pipeline = with_tables(OFFERED)
    prompt = pipeline.assemble(native(session=session))
    assert [kept(pipeline, prompt, t)[0] for t in ("Likes tea", "likes  TEA")] == ["saved", "already_saved"]


@pytest.mark.parametrize(
    ("text", "code"),
    [("", "too_short"), ("ab", "too_short"), (None, "too_short"), ("x" * 301, "too_long"), ("x" * 9_999, "too_long")],
)
def test_a_text_out_of_bounds_is_refused(session: str, text: object, code: str) -> None:
    pipeline = with_tables(OFFERED)
    assert kept(pipeline, pipeline.assemble(native(session=session)), text) == (f"refused: {code}", True)
    assert memories(pipeline, question="Next?", session=session) == []


def test_a_preview_stores_nothing(session: str) -> None:
    pipeline = with_tables(OFFERED)
    prompt = pipeline.assemble(native(session=session, preview=True))
    assert kept(pipeline, prompt, "Likes tea") == ("saved", False)
    assert memories(pipeline, question="Next?", session=session) == []


def test_the_tool_is_offered_only_with_a_session_and_where_the_profile_says_so(session: str) -> None:
    assert [t.name for t in with_tables(OFFERED).assemble(native(session=session)).offered] == ["save_memory"]
    assert with_tables(OFFERED).assemble(native()).offered == ()
    assert with_tables({}).assemble(native(session=session)).offered == ()


def test_the_tool_has_the_profiles_name(session: str) -> None:
    pipeline = with_tables({"offer_tools": ["keep"], "tool_names": {"save_memory": "keep"}})
    prompt = pipeline.assemble(native(session=session))
    assert prompt.tools.local == ("keep",)
    assert pipeline.run_tool(prompt, "keep", {"text": "Likes tea"}).text == "saved"


def test_the_store_drops_the_oldest_texts_and_the_sessions_used_longest_ago() -> None:
    minutes = (NOW + timedelta(minutes=i) for i in itertools.count())
    store = SessionMemory(sessions=2, texts=2, clock=lambda: next(minutes))
    for session, text in (("a", "1"), ("a", "2"), ("a", "3"), ("b", "1"), ("a", "2"), ("c", "1")):
        store.add("", session, text)
    assert [r.text for r in store.of("", "a")] == ["2", "3"]
    assert store.of("", "b") == ()
    assert store.of("", "c") == (Remembered("1", NOW + timedelta(minutes=4)),)


def test_many_threads_lose_nothing() -> None:
    store = SessionMemory(texts=1_000)
    threads = [
        threading.Thread(target=lambda i=i: [store.add("", "s", f"{i}-{j}") for j in range(50)]) for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.of("", "s")) == 400
