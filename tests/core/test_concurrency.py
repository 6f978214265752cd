"""One pipeline, many threads; and a memory that does not grow."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from chat_turns import NOW, native

from promptmw import Pipeline
from promptmw.recent import Recent
from promptmw_plugins.memories import Memory
from promptmw_plugins.project import Project


def test_threads_that_share_a_pipeline_get_their_own_prompts() -> None:
    pipeline = Pipeline("chat", clock=lambda: NOW)
    alone = Pipeline("chat", clock=lambda: NOW)
    turns = [native(Memory(f"fact {i % 7}"), Project(f"p{i % 5}", instructions="x"), session=str(i)) for i in range(60)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda t: pipeline.assemble(t).system, turns * 4))
    assert found == [alone.assemble(t).system for t in turns] * 4


def test_what_was_used_longest_ago_is_forgotten_first() -> None:
    recent: Recent[int, int] = Recent(10)
    for i in range(1_000):
        recent.put(i, i)
        assert recent.get(0) == 0, "what is used all the time stays"
        assert len(recent) <= 10
    assert recent.get(500) is None


def test_what_weighs_more_takes_more_room() -> None:
    recent: Recent[int, str] = Recent(1_000, weigh=len)
    for i in range(100):
        recent.put(i, "x" * 100)
        assert len(recent) <= 10
    assert recent.get(99) == "x" * 100


def test_remembered_blocks_are_bounded() -> None:
    pipeline = Pipeline("chat", clock=lambda: NOW)
    for i in range(5_000):
        pipeline.assemble(native(Memory(f"fact {i}")))
    assert len(pipeline._weaver.renderer._blocks) <= 4096
