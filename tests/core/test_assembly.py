"""Assembling a turn out of nothing but plugins of the tests' own."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import pytest
from own_plugins import alone, offering, plugin, section

from promptmw import (
    Block,
    Body,
    ConfigError,
    CutReason,
    CutRule,
    Facts,
    Fence,
    FencesInUse,
    Item,
    Layer,
    Pipeline,
    Prompt,
    SectionError,
    Stability,
    Text,
    Turn,
    Untrusted,
    block,
    hookimpl,
    input_type,
    line,
    listing,
)
from promptmw.kinds import Layout


@input_type("weather")
@dataclass(frozen=True)
class Weather:
    text: str = ""


@input_type("mood")
@dataclass(frozen=True)
class Mood:
    text: str = ""


@input_type("loose")
@dataclass(frozen=True)
class Loose:
    words: list[str] = field(default_factory=list)


def weather(facts: Facts) -> str | None:
    found = facts.get(Weather)
    return f"It is {found.text}." if found else None


WEATHER = section("weather", weather, reads=(Weather,), order=1)
MOOD = section("mood", lambda facts: f"Mood: {[m.text for m in facts.all(Mood)]}", reads=(Mood,), order=2)


def sections(prompt: Prompt) -> list[str]:
    return [b.section for b in prompt.blocks]


@pytest.mark.parametrize("layout", list(Layout))
def test_the_order_of_registration_never_is_the_order_of_a_prompt(layout: Layout) -> None:
    """AG3."""
    plugins = [
        offering("a", section("late", order=9), section("early", order=1, stability=Stability.TURN)),
        offering("b", section("twin.b", order=5), section("twin.a", order=5)),
        offering("c", section("static", order=7, stability=Stability.STATIC)),
        offering("d", section("behind", layer=Layer.LAST_USER, order=0), section("front", layer=Layer.FIRST_USER)),
    ]
    settings = {"layout": layout.value, "enable": ["*", "*.*"]}
    found = {tuple(sections(alone(*p, settings=settings).assemble())) for p in permutations(plugins)}
    system = ["early", "twin.a", "twin.b", "static", "late"]
    if layout is Layout.CACHE:
        system = ["static", "early", "twin.a", "twin.b", "late"]
    assert found == {(*system, "front", "behind")}


def test_sections_stand_with_one_blank_line_between_and_one_line_break_at_the_end() -> None:
    prompt = alone(offering("own", section("a", "\n\na\n"), section("b", "b\r\n"), section("c"))).assemble()
    assert prompt.system == "a\n\nb\n\nc\n"


@pytest.mark.parametrize("nothing", [lambda f: None, lambda f: "", lambda f: " \n", lambda f: Text()])
def test_a_section_that_says_nothing_leaves_nothing_behind(nothing: Callable[[Facts], object]) -> None:
    prompt = alone(offering("own", section("a", "a"), section("b", nothing), section("c", "c"))).assemble()
    assert (prompt.system, prompt.problems) == ("a\n\nc\n", ())


def test_no_section_at_all_is_an_empty_prompt() -> None:
    prompt = alone().assemble()
    assert (prompt.system, prompt.blocks, prompt.tokens, prompt.boundary, prompt.breakpoints) == ("", (), 0, 0, ())


@pytest.mark.parametrize(
    ("render", "said"),
    [
        (lambda f: f.get(Mood), "section 'odd' reads Mood without declaring it: add it to reads=(…)"),
        (lambda f: 5, "section 'odd' returned int: return Text, str, Body or None"),
        (lambda f: ["a"], "section 'odd' returned list: return Text"),
        (lambda f: Untrusted("x"), "section 'odd' returned Untrusted: return Text, str, Body or None; values that are"),
        (lambda f: f.texts["odd.heading"], "no text 'odd.heading' in 'en', and none in English either"),
        (lambda f: "a" + Untrusted("x"), "is not a string: put it through a slot"),
    ],
    ids=["undeclared", "number", "list", "untrusted", "no text", "no slot"],
)
def test_a_section_that_is_wrong_is_reported_with_the_remedy(render: Callable[[Facts], object], said: str) -> None:
    prompt = alone(offering("own", section("odd", render), section("other"))).assemble()
    assert prompt.system == "other\n"
    (problem,) = prompt.problems
    assert (problem.kind.value, problem.subject, problem.distribution) == ("section failed", "odd", "application")
    assert said in problem.detail
    with pytest.raises(SectionError, match="required section 'odd' of application failed"):
        alone(offering("own", section("odd", render, required=True))).assemble()


def test_an_input_that_cannot_be_hashed_loses_only_the_section_that_reads_it() -> None:
    made = alone(offering("own", section("odd", reads=(Loose,)), WEATHER))
    prompt = made.assemble(Turn(Loose(["a"]), Weather("wet")))
    assert prompt.system == "It is wet.\n"
    assert [p.detail for p in prompt.problems] == [
        "section 'odd' reads an input that cannot be hashed: unhashable type: 'list'"
    ]


def _rendered(made: Pipeline) -> int:
    return made._weaver.renderer.rendered


def test_a_section_is_rendered_once_for_what_it_reads() -> None:
    """CA3."""
    made = alone(offering("own", WEATHER, MOOD))
    prompts = [made.assemble(Turn(Weather("wet"), Mood("fine"), session=str(i))) for i in range(10)]
    assert _rendered(made) == 2
    assert all(p.blocks[i] is prompts[0].blocks[i] for p in prompts for i in (0, 1))


def test_only_sections_that_read_what_has_changed_are_rendered_again() -> None:
    made = alone(offering("own", WEATHER, MOOD))
    first = made.assemble(Turn(Weather("wet"), Mood("fine")))
    second = made.assemble(Turn(Weather("dry"), Mood("fine")))
    assert _rendered(made) == 3
    assert second.system == "It is dry.\n\nMood: ['fine']\n"
    assert second.blocks[1] is first.blocks[1]
    assert made.assemble(Turn(Weather("wet"), Mood("fine"))).blocks == first.blocks
    assert _rendered(made) == 3


def test_a_block_in_another_language_is_another_block() -> None:
    texts = {"en": {"greeting.text": "hello"}, "de": {"greeting.text": "guten Tag"}}
    greeting = section("greeting", lambda facts: facts.texts["greeting.text"])
    made = alone(offering("own", greeting, locales=lambda: tuple(texts), texts=lambda locale: texts[locale]))
    assert [made.assemble(Turn(locale=tag)).system for tag in ("de", "en", "de")] == [
        "guten Tag\n", "hello\n", "guten Tag\n"
    ]  # fmt: skip


def test_assembling_twice_gives_the_same_bytes_and_leaves_the_turn_as_it_was() -> None:
    made = alone(offering("own", WEATHER, MOOD))
    turn = Turn(Weather("wet"), Mood("fine"))
    copy = Turn(Weather("wet"), Mood("fine"))
    assert made.assemble(turn).system == made.assemble(turn).system
    assert turn == copy


TICKET, LETTER = Fence("support-ticket"), Fence("customer-letter")


def _names(facts: Facts) -> str:
    fences = facts.get(FencesInUse)
    assert fences is not None
    return f"In use: {', '.join(f'<{tag}>' for tag in fences.tags)} of {len(fences.registered)}"


NAMING = section("naming", _names, reads=(FencesInUse,), order=1)


def ticket(facts: Facts) -> Text | None:
    found = facts.get(Weather)
    return TICKET(block(Untrusted(found.text))) if found else None


TICKETS = section("ticket", ticket, reads=(Weather,), order=2, fences=(TICKET,))
LETTERS = section("letter", lambda facts: None, order=3, fences=(LETTER,))


def test_a_section_that_names_fences_knows_those_of_the_sections_behind_it() -> None:
    made = alone(offering("own", NAMING, TICKETS, LETTERS))
    assert made.assemble().system == "In use:  of 2\n"
    assert made.assemble(Turn(Weather("wet"))).system.startswith("In use: <support-ticket> of 2\n\n<support-ticket>\n")


def letter(blocks: Sequence[Block]) -> list[Block]:
    """Adds a block with a fence, as another plugin's section would have rendered it."""
    text = "<customer-letter>\nDear all\n</customer-letter>"
    added = dataclasses.replace(blocks[0], section="letter", text=text, tags=("customer-letter",), order=3)
    return [*blocks, added]


def test_a_fence_that_a_revision_adds_is_named_too() -> None:
    """TR8."""
    prompt = alone(offering("own", NAMING, LETTERS, revise=lambda blocks: letter(blocks))).assemble()
    assert prompt.system == "In use: <customer-letter> of 1\n\n<customer-letter>\nDear all\n</customer-letter>\n"
    assert prompt.problems == ()


def test_a_fence_that_a_revision_takes_away_is_not_named_any_more() -> None:
    made = alone(offering("own", NAMING, TICKETS, revise=lambda blocks: [b for b in blocks if b.section == "naming"]))
    assert made.assemble(Turn(Weather("wet"))).system == "In use:  of 1\n"


def test_a_revision_that_leaves_a_fence_unnamed_is_reported_and_raised_when_strict() -> None:
    """TR12."""

    def silence(blocks: Sequence[Block]) -> list[Block]:
        return [dataclasses.replace(b, text="All is ours.") if b.section == "naming" else b for b in blocks]

    plugins = offering("own", NAMING, TICKETS, revise=silence)
    prompt = alone(plugins).assemble(Turn(Weather("wet")))
    assert [str(p) for p in prompt.problems] == [
        "fence not named: naming (application): <support-ticket> is not named any more"
    ]
    with pytest.raises(SectionError, match="section 'naming', replaced by a plugin's promptmw_revise"):
        alone(plugins, strict=True).assemble(Turn(Weather("wet")))


A, B, C = (section(name, order=i, required=name == "a") for i, name in enumerate("abc"))


def revising(revise: Callable[[Sequence[Block]], Any]) -> Prompt:
    return alone(offering("own", A, B, C, revise=lambda blocks: revise(blocks))).assemble()


@pytest.mark.parametrize(
    ("revise", "system", "said"),
    [
        (lambda blocks: blocks[:1], "a\n", ["block dropped: b (application): by own",
                                            "block dropped: c (application): by own"]),
        (lambda blocks: blocks[1:], "a\n\nb\n\nc\n",
         ["block dropped: a (application): by own, put back: it is required"]),
        (lambda blocks: blocks[::-1], "a\n\nb\n\nc\n", []),
        (lambda blocks: (b for b in blocks if b.section != "b"), "a\n\nc\n",
         ["block dropped: b (application): by own"]),
        (lambda blocks: [dataclasses.replace(b, text="") if b.section == "b" else b for b in blocks], "a\n\nc\n",
         ["block dropped: b (application): by own"]),
        (lambda blocks: [*blocks, *blocks], "a\n\nb\n\nc\n", ["revise hook failed: own (application): ValueError"]),
        (lambda blocks: "abc", "a\n\nb\n\nc\n", ["revise hook failed: own (application): TypeError"]),
        (lambda blocks: 1 // 0, "a\n\nb\n\nc\n", ["revise hook failed: own (application): ZeroDivisionError"]),
    ],
    ids=["drops", "drops a required one", "turns round", "generates", "blanks", "doubles", "nonsense", "raises"],
)  # fmt: skip
def test_a_revision_is_taken_as_far_as_it_may_be(revise: Any, system: str, said: list[str]) -> None:
    prompt = revising(revise)
    assert (prompt.system, [str(p) for p in prompt.problems]) == (system, said)


def test_a_block_that_no_section_offers_stands_by_its_own_order_behind_the_others() -> None:
    prompt = revising(lambda blocks: [dataclasses.replace(blocks[0], section="new", text="new", order=-5), *blocks])
    assert sections(prompt) == ["a", "b", "c", "new"]


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_hooks_are_called_first_ones_first_then_by_name(order: Iterable[str]) -> None:
    called: list[str] = []
    marks = {"a": hookimpl(trylast=True), "b": hookimpl(), "c": hookimpl(tryfirst=True)}
    alone(*(plugin(n, assembled=marks[n](lambda n=n: called.append(n))) for n in order)).assemble()
    assert called == ["c", "b", "a"]


def test_a_turn_chooses_its_profile() -> None:
    from promptmw import Profile

    made = alone(offering("own", A, B, C, profiles=lambda: [Profile(name="brief", enable=("b",))]))
    assert made.profiles == ("brief", "chat")
    prompt = made.assemble(Turn(profile="brief"))
    assert (prompt.system, prompt.profile, prompt.turn.profile) == ("b\n", "brief", "")
    assert made.assemble(Turn(profile="chat")).system == "a\n\nb\n\nc\n"
    assert made.for_profile("brief") is made.for_profile("brief")
    with pytest.raises(ConfigError, match=r"profile 'breif' does not exist\. Did you mean 'brief'\?"):
        made.assemble(Turn(profile="breif"))


@pytest.mark.parametrize("preview", [True, False])
def test_plugins_see_whether_a_turn_only_looks(preview: bool) -> None:
    seen: list[bool] = []
    made = alone(plugin("own", collect=lambda turn: seen.append(turn.preview), assembled=lambda turn: seen.append(
        turn.preview)))  # fmt: skip
    made.assemble(Turn(preview=preview))
    assert seen == [preview, preview]


async def test_awaited_and_plain_calls_give_the_same_bytes() -> None:
    async def later(turn: Turn) -> list[object]:
        return [Mood("fine")]

    made = [alone(offering("own", WEATHER, MOOD, collect=later)) for _ in range(2)]
    awaited = await made[0].aassemble(Turn(Weather("wet")))
    plain = await asyncio.to_thread(made[1].assemble, Turn(Weather("wet")))
    assert awaited.system == plain.system == "It is wet.\n\nMood: ['fine']\n"


def test_threads_get_the_bytes_that_one_thread_gets() -> None:
    def collect(turn: Turn) -> list[object]:
        return [Mood(f"mood of {turn.session}")]

    made = alone(offering("own", WEATHER, MOOD, collect=collect))
    turns = [Turn(Weather(f"w{i % 9}"), session=f"s{i % 50}") for i in range(400)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda t: made.assemble(t).system, turns))
    assert found == [f"It is w{i % 9}.\n\nMood: ['mood of s{i % 50}']\n" for i in range(400)]


class Letters:
    """Counts characters, so that caps in these tests are exact."""

    name = "letters"
    exact = True

    def count(self, text: str) -> int:
        return len(text)


def capped(cap: int, cut: CutRule, body: Any) -> Block | None:
    one = section("list", lambda facts: body, cap=cap, cut=cut, fences=(TICKET,))
    prompt = alone(offering("own", one, counters=lambda: {"letters": Letters()}), counter="letters").assemble()
    assert prompt.problems == ()
    return prompt.blocks[0] if prompt.blocks else None


ITEMS = listing("head", [Item("one", "1"), Item("two", "2"), Item("three", "3")], more="more")


@pytest.mark.parametrize(
    ("cap", "cut", "text", "dropped"),
    [
        (18, CutRule.DROP_LAST, "head\none\ntwo\nthree", None),
        (17, CutRule.DROP_LAST, "head\none\ntwo\nmore", ("3",)),
        (16, CutRule.DROP_LAST, "head\none\nmore", ("2", "3")),
        (17, CutRule.DROP_FIRST, "head\nthree\nmore", ("1", "2")),
        (12, CutRule.DROP_LAST, None, None),
        (17, CutRule.DROP, None, None),
        (0, CutRule.DROP_FIRST, None, None),
    ],
)
def test_a_cap_drops_whole_items(cap: int, cut: CutRule, text: str | None, dropped: tuple[str, ...] | None) -> None:
    found = capped(cap, cut, ITEMS)
    assert (found and found.text) == text
    if found and dropped:
        (made,) = found.cuts
        assert (made.reason, made.unit, made.before, made.after) == (CutReason.CAP, "items", 3, 3 - len(dropped))
        assert made.items == dropped


def test_a_body_s_own_cap_counts_where_it_is_the_tighter_one() -> None:
    found = capped(99, CutRule.DROP_LAST, dataclasses.replace(ITEMS, cap=17))
    assert found
    assert found.text == "head\none\ntwo\nmore"


def test_a_cap_may_cut_a_value_at_a_line_end_and_never_a_line_of_ours() -> None:
    rows = [f"row {i}" for i in range(10)]
    text = "Ours:\n" + TICKET(block(Untrusted("\n".join(rows))))
    whole = "Ours:\n<support-ticket>\n{}\n</support-ticket>"
    room = len(whole.replace("{}", "\n".join(rows))) - 1
    found = capped(room, CutRule.CLIP_END, Body(items=(Item(text),), build=lambda items, cut: items[0].text))
    assert found
    assert found.text == whole.replace("{}", "\n".join([*rows[:7], "…(truncated)"]))
    assert found.cuts[-1].reason is CutReason.CAP


def test_a_cap_that_leaves_no_room_for_the_values_leaves_nothing() -> None:
    assert capped(5, CutRule.CLIP_END, "Ours: " + line(Untrusted("x" * 50))) is None


def test_a_prompt_says_where_its_cached_prefix_may_end() -> None:
    tiers = [section(s.name.lower(), stability=s) for s in Stability]
    prompt = alone(offering("own", *tiers), layout="cache").assemble()
    assert [b.stability for b in prompt.blocks] == list(Stability)
    assert prompt.boundary == list(Stability).index(Stability.DAY)
    assert prompt.breakpoints == (1, 2, 3, 4)
