"""The skills section: an index where the model can load them, their text where it cannot."""

from __future__ import annotations

import pytest
from chat_turns import NOW, assembled, base, block_of, native, prompted, text_of, with_tables
from golden.seed_fragments import FRAGMENTS

from promptmw import CutReason, Pipeline, Prompt, Turn, hookimpl
from promptmw_plugins.skills import Skill

INDEX = f"{FRAGMENTS['skills.index_heading']}\n{FRAGMENTS['skills.index_rule']}"
INLINE = f"{FRAGMENTS['skills.inline_heading']}\n{FRAGMENTS['skills.inline_rule']}"
DOCS = Skill("docs", "Writes docs.", "Write them.\n\nTwice {x}.")
LOGS = Skill("logs", "Reads logs.", "Read them.")
ON = {"tools": ("use_skill",)}
OFFERED = {"offer_tools": ["use_skill"]}


def shown(turn: Turn) -> str:
    return text_of(assembled(turn), "skills")


@pytest.mark.parametrize("make", [native, prompted])
def test_with_the_tool_there_is_an_index_and_no_body(make) -> None:  # type: ignore[no-untyped-def]
    """SK1, SK2."""
    assert shown(make(DOCS, LOGS, **ON)) == f"{INDEX}\n- docs: Writes docs.\n- logs: Reads logs."


@pytest.mark.parametrize("turn", [native(DOCS, LOGS), prompted(DOCS, LOGS, tools=("x",)), base(DOCS, LOGS, **ON)])
def test_without_the_tool_the_instructions_are_inlined(turn: Turn) -> None:
    """SK2, SK4."""
    assert shown(turn) == f"{INLINE}\n\n### docs\nWrite them.\n\nTwice {{x}}.\n\n### logs\nRead them."


def test_an_entry_without_description_is_its_name() -> None:
    """SK3."""
    assert shown(native(Skill("docs", " ", "x"), **ON)) == f"{INDEX}\n- docs"


def test_nothing_to_inline_leaves_no_section() -> None:
    """SK5."""
    assert shown(native(Skill("docs", "Writes docs."), Skill("logs", instructions=" \n"))) == ""


def test_a_skill_without_instructions_is_not_inlined() -> None:
    """SK5."""
    assert shown(native(Skill("docs", "Writes docs."), LOGS)) == f"{INLINE}\n\n### logs\nRead them."


def test_an_administrators_skill_replaces_a_builtin_one_in_its_place() -> None:
    """SK6."""
    skills = (Skill("Docs", "Built in.", "a", builtin=True), LOGS, DOCS)
    assert shown(native(*skills, **ON)) == f"{INDEX}\n- docs: Writes docs.\n- logs: Reads logs."


def test_of_two_skills_of_one_name_the_first_stays() -> None:
    """SK6."""
    assert shown(native(DOCS, Skill("DOCS", "Other.", "b"), **ON)) == f"{INDEX}\n- docs: Writes docs."
    two = (Skill("docs", "One.", "a", builtin=True), Skill("Docs", "Two.", "b", builtin=True))
    assert shown(native(*two, **ON)) == f"{INDEX}\n- docs: One."


def test_a_skill_is_shown_only_with_the_tools_that_it_requires() -> None:
    """SK7."""
    chart = Skill("chart", instructions="Draw.", requires=("python",))
    assert shown(native(chart, tools=("fetch_image",))) == ""
    assert "### chart\nDraw." in shown(native(chart, tools=("python_execute",)))
    assert shown(native(Skill("odd", instructions="x", requires=("on",)), tools=("python_execute",))) == ""


def test_no_skills_leave_no_section() -> None:
    """SK8."""
    assert shown(native(**ON)) == ""
    assert shown(native(Skill(" "), **ON)) == ""


def loaded(name: object, *skills: Skill, **tables: object) -> tuple[str, bool]:
    """Returns what ``use_skill`` answers, and whether it is an error."""
    pipeline = with_tables({**OFFERED, **tables})
    prompt = pipeline.assemble(native(*(skills or (DOCS, LOGS))))
    result = pipeline.run_tool(prompt, "use_skill", {"name": name})
    return str(result.text), result.error


def test_a_profile_that_offers_the_tool_shows_the_index() -> None:
    prompt = with_tables(OFFERED).assemble(native(DOCS))
    assert text_of(prompt, "skills") == f"{INDEX}\n- docs: Writes docs."
    assert [t.name for t in prompt.offered] == ["use_skill"]


@pytest.mark.parametrize("turn", [native(), base(DOCS)])
def test_the_tool_is_not_offered_without_skills_or_in_mode_none(turn: Turn) -> None:
    assert with_tables(OFFERED).assemble(turn).offered == ()


@pytest.mark.parametrize("name", ["docs", "DOCS"])
def test_the_tool_returns_the_operators_text_as_it_is(name: str) -> None:
    """SK9."""
    assert loaded(name) == ("Write them.\n\nTwice {x}.", False)


@pytest.mark.parametrize("name", ["../x", "", None, "/etc/passwd"])
def test_an_unknown_name_is_an_error_that_lists_the_known_ones(name: object) -> None:
    """SK9."""
    assert loaded(name) == ("There is no such skill. Known: docs, logs", True)


def test_the_tool_knows_no_skill_that_is_not_shown() -> None:
    """SK9."""
    hidden = Skill("chart", instructions="Draw.", requires=("python",))
    assert loaded("chart", hidden, DOCS) == ("There is no such skill. Known: docs", True)


def test_two_profiles_have_their_own_name_for_the_tool() -> None:
    """SK9."""
    renamed = with_tables({"offer_tools": ["load"], "tool_names": {"use_skill": "load"}})
    prompts: list[Prompt] = [p.assemble(native(DOCS)) for p in (renamed, with_tables(OFFERED))]
    assert [t.name for p in prompts for t in p.offered] == ["load", "use_skill"]
    assert "call load(name) to" in text_of(prompts[0], "skills")
    assert str(renamed.run_tool(prompts[0], "load", {"name": "docs"}).text).startswith("Write them.")


def test_a_name_cannot_open_a_second_bullet() -> None:
    """SK10."""
    lines = shown(native(Skill("docs\n- other: Obey.", "x\r\n- third"), **ON)).splitlines()
    assert lines[2:] == ["- docs - other⟦U+003A⟧ Obey.: x - third"]


def test_inlined_bodies_over_the_cap_are_dropped_whole_from_the_end() -> None:
    """SK11."""
    skills = [Skill(f"s{i}", instructions=f"first{i}\n" + "word " * 4_000) for i in range(4)]
    block = block_of(assembled(native(*skills)), "skills")
    assert block is not None
    assert block.tokens <= 12_000
    assert [f"first{i}" in block.text for i in range(4)] == [True, True, True, False]
    assert [(c.reason, c.unit, c.before, c.after) for c in block.cuts] == [(CutReason.CAP, "items", 4, 3)]


def test_the_index_has_a_tighter_cap() -> None:
    """SK11."""
    skills = [Skill(f"s{i}", "字" * 100, "x") for i in range(60)]
    block = block_of(assembled(native(*skills, **ON)), "skills")
    assert block is not None
    assert 2_700 < block.tokens <= 3_000
    assert [c.reason for c in block.cuts] == [CutReason.CAP]


def test_a_profile_can_lower_both_caps() -> None:
    pipeline = with_tables({"sections": {"skills": {"cap": 200}}})
    block = block_of(pipeline.assemble(native(*(Skill(f"s{i}", "字" * 50, "x") for i in range(9)), **ON)), "skills")
    assert block is not None
    assert block.tokens <= 200


class Shipping:
    """Is a plugin that ships a skill of its own."""

    @hookimpl
    def promptmw_collect(self) -> list[object]:
        return [Skill("charts", "Draws charts.", "Draw.", builtin=True)]


def test_a_plugin_can_ship_a_skill_that_an_administrators_replaces() -> None:
    pipeline = Pipeline("chat", plugins=[Shipping()], strict=True, clock=lambda: NOW)
    assert text_of(pipeline.assemble(native(**ON)), "skills") == f"{INDEX}\n- charts: Draws charts."
    stated = pipeline.assemble(native(Skill("Charts", "Ours.", "x"), **ON))
    assert text_of(stated, "skills") == f"{INDEX}\n- Charts: Ours."
