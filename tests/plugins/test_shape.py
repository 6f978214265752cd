"""The shape of the whole: order, separators, nothing left of what is absent."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest
from chat_turns import ALL_TOOLS, NOW, assembled, base, block_of, chat, native, text_of
from golden.seed_fragments import FRAGMENTS
from hypothesis import given, settings
from hypothesis import strategies as st

from promptmw import Layer, Pipeline, Section, SectionError, Stability, hookimpl, moved
from promptmw_plugins.documents import Document
from promptmw_plugins.excerpt import Excerpt
from promptmw_plugins.identity import Identity
from promptmw_plugins.material import Snippet, ToolOutput, WebResult
from promptmw_plugins.memories import Memory
from promptmw_plugins.persona import Persona
from promptmw_plugins.project import Project
from promptmw_plugins.sandbox import SandboxFile
from promptmw_plugins.selected_skills import SelectedSkill
from promptmw_plugins.sheets import Sheet
from promptmw_plugins.skills import Skill
from promptmw_plugins.style import OperatorPrompt
from promptmw_plugins.summary import Summary

ORDER = (
    "identity", "style", "date", "persona", "trust", "tools", "sandbox", "skills", "project", "memories", "documents",
    "excerpt",
)  # fmt: skip
CACHE_ORDER = (
    "identity", "style", "trust", "tools", "skills", "project", "documents", "persona", "memories", "sandbox",
    "excerpt", "date",
)  # fmt: skip

EVERYTHING = (
    Persona(traits=("concise",), nickname="Ada", custom="No tables."),
    SandboxFile("report.csv", kind="sheet"),
    Skill("Docs", description="Writes docs.", instructions="Write them."),
    Project("Beans", instructions="Be brief."),
    Memory("Likes tea"),
    Document("seeds.pdf"),
    Excerpt("a passage", source="a message"),
)
USER_LAYER = (
    Summary("We spoke of beans."),
    SelectedSkill("Haiku", "Answer in haiku."),
    Snippet("Sow in October.", title="Handbook"),
    WebResult("It rained.", query="rain"),
    ToolOutput("calc", "4"),
    Sheet("a.csv", rows=(("a",), ("1",)), total_rows=1, total_columns=1),
)
BLANK = (" ", "\n", "\u3000", " \n\u3000")


def blanks(space: str) -> tuple[object, ...]:
    return (
        Persona(traits=(space, ""), nickname=space, custom=space),
        SandboxFile(space),
        Skill(space, instructions="x"),
        Project("Beans", instructions=space),
        Memory(space),
        Document(space),
        Excerpt(space, source="a message"),
        OperatorPrompt(space),
        Summary(space),
        SelectedSkill("Haiku", space),
        Snippet(space, title="Handbook"),
        WebResult(space, query="rain"),
        ToolOutput("calc", space),
        Sheet(space, rows=(("a",),)),
    )


def test_the_minimal_prompt_is_four_paragraphs_and_one_line_break() -> None:
    """SH1."""
    identity, date = FRAGMENTS["identity.text"] % ("Nova", "Nova"), FRAGMENTS["date.text"] % "Monday, 2026-08-24"
    trust = f"{FRAGMENTS['trust.heading']}\n{FRAGMENTS['trust.body']}"
    assert assembled(base()).system == "\n\n".join((identity, FRAGMENTS["style.default"], date, trust)) + "\n"


@settings(max_examples=100, deadline=None)
@given(st.sets(st.sampled_from(EVERYTHING)), st.sampled_from(["documented", "cache"]))
def test_every_subset_of_inputs_keeps_the_order(inputs: set[object], layout: str) -> None:
    """SH3."""
    prompt = assembled(native(*inputs, tools=ALL_TOOLS), layout=layout)
    order = ORDER if layout == "documented" else CACHE_ORDER
    found = [b.section for b in prompt.blocks]
    assert found == [name for name in order if name in found]


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from(EVERYTHING), min_size=1))
def test_a_missing_input_leaves_all_other_blocks_as_they_were(inputs: set[object]) -> None:
    """SH3."""
    pipeline = chat()
    whole = {b.section: b.text for b in pipeline.assemble(native(*EVERYTHING, tools=ALL_TOOLS)).blocks}
    some = pipeline.assemble(native(*inputs, tools=ALL_TOOLS))
    assert all(whole[b.section] == b.text for b in some.blocks if b.section != "trust")


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from((*EVERYTHING, *USER_LAYER)), unique=True), st.sampled_from(["native", "prompt", "none"])
)
def test_one_blank_line_between_sections_and_one_line_break_at_the_end(inputs: list[object], mode: str) -> None:
    """SH4."""
    prompt = assembled(base(*inputs, tools=ALL_TOOLS, tool_mode=mode))
    assert prompt.system.endswith("\n")
    assert not prompt.system.endswith("\n\n")
    assert "\n\n\n" not in prompt.system
    assert all(b.text == b.text.strip("\n") for b in prompt.blocks)


@pytest.mark.parametrize("space", BLANK)
@pytest.mark.parametrize("index", range(14))
def test_a_blank_input_leaves_nothing(space: str, index: int) -> None:
    """SH5."""
    prompt = assembled(base(blanks(space)[index]))
    assert prompt.system == assembled(base()).system
    assert not prompt.text(Layer.FIRST_USER)
    assert not prompt.text(Layer.LAST_USER)


@pytest.mark.parametrize("value", ["{label}", "%s", "{{x}}", "${HOME}", "{% raw %}", "$1", r"\1", "{0!r}", "{date}"])
def test_values_come_out_as_they_went_in(value: str) -> None:
    """SH6."""
    prompt = assembled(base(Identity(label=value), Project(value, instructions=value), Memory(value), Document(value)))
    assert text_of(prompt, "identity").count(value) == 2
    assert text_of(prompt, "project").count(value) == 2
    assert text_of(prompt, "memories").count(f"[CURRENT] {value}\n") == 1
    assert text_of(prompt, "documents").endswith(f"- {value}")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.sampled_from((*EVERYTHING, *USER_LAYER)), unique=True))
def test_assembling_twice_gives_the_same_bytes_and_touches_nothing(inputs: list[object]) -> None:
    """SH7."""
    before = [hash(i) for i in inputs]
    turn = native(*inputs, tools=ALL_TOOLS)
    fresh = Pipeline("chat", clock=lambda: NOW)
    assert [b.text for b in fresh.assemble(turn).blocks] == [b.text for b in assembled(turn).blocks]
    assert [hash(i) for i in inputs] == before


def test_both_layouts_hold_the_same_blocks() -> None:
    """SH8."""
    turn = native(*EVERYTHING, *USER_LAYER, tools=ALL_TOOLS)
    cache = Pipeline("chat", settings={"layout": "cache", "trust": {"extra": "used"}}, clock=lambda: NOW).assemble(turn)
    documented = assembled(turn)
    assert {b.text for b in cache.blocks} == {b.text for b in documented.blocks}
    assert tuple(b.section for b in cache.system_blocks) == CACHE_ORDER
    assert tuple(b.section for b in documented.system_blocks) == ORDER


@pytest.mark.parametrize(
    ("change", "tier"),
    [
        (lambda t: t.replace(now=NOW + timedelta(days=1)), Stability.SESSION),
        (lambda t: t.adding(Memory("Has a cat")), Stability.PROJECT),
        (lambda t: t.adding(Document("plan.pdf")), Stability.STATIC),
    ],
)
def test_in_layout_cache_a_change_leaves_the_tiers_above_it(change, tier) -> None:  # type: ignore[no-untyped-def]
    """SH9."""
    turn = native(*EVERYTHING, tools=ALL_TOOLS)
    before, after = (assembled(t, layout="cache") for t in (turn, change(turn)))
    stable = [b for b in before.system_blocks if b.stability <= tier]
    assert after.system.startswith("\n\n".join(b.text for b in stable))


class Failing:
    """Replaces one section by one that raises."""

    def __init__(self, name: str, *, required: bool) -> None:
        self.section = Section(name=name, render=self.fail, order=1, required=required)

    def fail(self, facts: object) -> str:
        raise ValueError("secret detail")

    @hookimpl
    def promptmw_sections(self) -> tuple[Section, ...]:
        return (self.section,)


@pytest.mark.parametrize("name", [name for name in ORDER if name not in ("identity", "style", "date", "trust")])
def test_a_section_that_raises_loses_only_itself(name: str) -> None:
    """SH10."""
    settings = {"disable": (f"promptmw-plugins:{name}",)}
    broken = Pipeline("chat", plugins=[Failing(name, required=False)], settings=settings, clock=lambda: NOW)
    turn = native(*EVERYTHING, tools=ALL_TOOLS)
    prompt = broken.assemble(turn)
    assert [(p.subject, p.distribution) for p in prompt.problems] == [(name, "application")]
    assert "secret" not in str(prompt.problems)
    others = {b.section: b.text for b in assembled(turn).blocks if b.section not in (name, "trust")}
    assert {b.section: b.text for b in prompt.blocks if b.section != "trust"} == others


@pytest.mark.parametrize("name", ["identity", "style", "date", "trust"])
def test_a_required_section_that_raises_fails_the_call(name: str) -> None:
    """SH10."""
    settings = {"disable": (f"promptmw-plugins:{name}",)}
    broken = Pipeline("chat", plugins=[Failing(name, required=True)], settings=settings, clock=lambda: NOW)
    with pytest.raises(SectionError, match=f"required section '{name}' of application failed: ValueError"):
        broken.assemble(base())


def test_ten_turns_that_differ_only_in_the_question_share_the_system_text() -> None:
    """CA1."""
    pipeline = chat()
    turn = native(*EVERYTHING, tools=ALL_TOOLS)
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    sent = [pipeline.messages(turn, [*history, {"role": "user", "content": f"Question {i}"}]) for i in range(10)]
    assert len({str(m[:-1]) for m in sent}) == 1
    assert len({str(m[-1]) for m in sent}) == 10


def test_what_moved_the_prefix_is_named() -> None:
    """CA2."""
    pipeline = chat()
    turn = native(*EVERYTHING, tools=ALL_TOOLS)
    before = pipeline.assemble(turn)
    seen_again = (dataclasses.replace(i, changed=NOW) if isinstance(i, Memory) else i for i in EVERYTHING)
    again = native(*seen_again, tools=ALL_TOOLS)
    assert moved(before, pipeline.assemble(again)) is None
    added = moved(before, pipeline.assemble(turn.adding(Document("plan.pdf"))))
    assert added is not None
    assert (added.section, added.inputs) == ("documents", ("documents",))
    later = moved(before, pipeline.assemble(turn.replace(now=NOW + timedelta(days=1))))
    assert later is not None
    assert (later.section, later.inputs) == ("date", ("today",))


def test_a_section_whose_inputs_stay_is_rendered_once() -> None:
    """CA3."""
    pipeline = Pipeline("chat", clock=lambda: NOW)
    turn = native(*EVERYTHING, *USER_LAYER, tools=ALL_TOOLS)
    pipeline.assemble(turn)
    rendered = pipeline._weaver.renderer.rendered
    for hour in range(10):
        pipeline.assemble(turn.replace(now=NOW + timedelta(hours=hour)))
    assert pipeline._weaver.renderer.rendered == rendered


def test_the_excerpt_is_the_last_system_section() -> None:
    """EX1."""
    prompt = assembled(base(*EVERYTHING))
    assert prompt.system_blocks[-1] is block_of(prompt, "excerpt")
