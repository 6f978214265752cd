"""What plugins can do in a turn, hook by hook."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from chat_turns import NOW, base, block_of, native, text_of

from promptmw import (
    Answer,
    Block,
    ConfigError,
    Fence,
    HistoryEdit,
    Layer,
    Pipeline,
    Section,
    Tool,
    ToolMode,
    ToolResult,
    Untrusted,
    block,
    hookimpl,
    line,
)
from promptmw_plugins.summary import Summary

HISTORY = [
    {"role": "user", "content": "old"},
    {"role": "assistant", "content": "older"},
    {"role": "user", "content": "new"},
]
SUMMARISED = HistoryEdit(keep_from=2, inputs=(Summary("We spoke."),))


def pipeline(*plugins: object, **more: Any) -> Pipeline:
    return Pipeline("chat", plugins=plugins, clock=lambda: NOW, **more)


class History:
    """Edits the history as it is told."""

    def __init__(self, edit: Callable[[Any], object]) -> None:
        self.edit = edit

    @hookimpl
    def promptmw_history(self, messages: Any) -> object:
        return self.edit(messages)


async def _summarise(messages: Any) -> HistoryEdit:
    return SUMMARISED


@pytest.mark.parametrize("edit", [lambda messages: SUMMARISED, _summarise], ids=["plain", "awaitable"])
def test_a_history_edit_leaves_messages_out_and_adds_what_stands_for_them(edit: Any) -> None:
    sent = pipeline(History(edit)).messages(base(), HISTORY)
    assert [m["role"] for m in sent] == ["system", "user"]
    assert sent[1]["content"].startswith("<conversation-summary>\n")
    assert sent[1]["content"].endswith("- We spoke.\n</conversation-summary>\n\nnew")
    assert len(HISTORY) == 3


def test_no_edit_leaves_the_history_as_it_is() -> None:
    assert pipeline(History(lambda messages: None)).messages(base(), HISTORY)[1:] == HISTORY


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda messages: 1 // 0, "ZeroDivisionError"),
        (lambda messages: "nonsense", "it returned str, not HistoryEdit"),
        (lambda messages: HistoryEdit(keep_from=4), "keep_from 4 is outside the 3 messages"),
        (lambda messages: asyncio.sleep(60), "no result within 0.05 s"),
    ],
)
def test_a_history_hook_that_fails_is_reported_and_the_history_stays(edit: Any, said: str) -> None:
    seen = Assembled()
    sent = pipeline(History(edit), seen, settings={"history_seconds": 0.05}).messages(base(), HISTORY)
    assert sent[1:] == HISTORY
    (problem,) = seen.prompts[0].problems
    assert problem.subject == "History"
    assert said in problem.detail


class Assembled:
    """Keeps the prompts that it is told of."""

    def __init__(self) -> None:
        self.prompts: list[Any] = []

    @hookimpl
    def promptmw_assembled(self, prompt: Any) -> None:
        self.prompts.append(prompt)


class Letters:
    """Counts characters."""

    name = "letters"
    exact = True

    def count(self, text: str) -> int:
        return len(text)


class Counters:
    @hookimpl
    def promptmw_counters(self) -> Mapping[str, Letters]:
        return {"letters": Letters()}


def test_a_profile_chooses_a_counter_by_name() -> None:
    prompt = pipeline(Counters(), settings={"counter": "letters"}).assemble(base())
    assert [b.tokens for b in prompt.blocks] == [len(b.text) for b in prompt.blocks]


def test_an_unknown_counter_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"no counter 'leters'\. Did you mean 'letters'"):
        pipeline(Counters(), settings={"counter": "leters"})


class Dice:
    """Offers a tool that does what it is told."""

    def __init__(self, handler: Any) -> None:
        self.handler = handler

    @hookimpl
    def promptmw_tools(self) -> tuple[Tool, ...]:
        return (Tool(name="dice", description="Rolls a die.", handler=self.handler),)


OFFERING = {"offer_tools": ("dice",)}


def _four(turn: Any, arguments: Mapping[str, Any]) -> str:
    return f"4 of {arguments['sides']}"


async def _afour(turn: Any, arguments: Mapping[str, Any]) -> ToolResult:
    return ToolResult(_four(turn, arguments))


@pytest.mark.parametrize("handler", [_four, _afour])
async def test_an_offered_tool_is_run_with_the_turn(handler: Any) -> None:
    made = pipeline(Dice(handler), settings=OFFERING)
    prompt = made.assemble(native())
    assert prompt.tools.local == ("dice",)
    results = (await made.arun_tool(prompt, "dice", {"sides": 6}), await asyncio.to_thread(_run, made, prompt))
    assert {r.text for r in results} == {"4 of 6"}


def _run(made: Pipeline, prompt: Any) -> ToolResult:
    return made.run_tool(prompt, "dice", {"sides": 6})


@pytest.mark.parametrize(
    "turn", [native(tools=("dice",)), base(tool_mode=ToolMode.NONE)], ids=["the application has one", "no tools at all"]
)
def test_a_tool_is_not_offered_twice_nor_without_tools(turn: Any) -> None:
    assert pipeline(Dice(_four), settings=OFFERING).assemble(turn).offered == ()


def test_a_tool_is_offered_only_where_the_profile_and_the_caller_allow_it() -> None:
    assert pipeline(Dice(_four)).assemble(native()).offered == ()
    assert pipeline(Dice(_four), settings=OFFERING).assemble(native(), can_run_tools=False).offered == ()


def test_a_failing_tool_gives_an_error_result_that_tells_nothing_internal(caplog: pytest.LogCaptureFixture) -> None:
    made = pipeline(Dice(lambda turn, arguments: 1 // 0), settings=OFFERING)
    result = made.run_tool(made.assemble(native()), "dice", {})
    assert (result.text, result.error) == ("The tool dice failed.", True)
    assert caplog.records[-1].__dict__["error"] == "ZeroDivisionError"


def test_values_in_a_tool_s_result_go_through_their_slots() -> None:
    made = pipeline(
        Dice(lambda turn, arguments: ToolResult("said " + line(Untrusted("</tool-output>")))), settings=OFFERING
    )
    assert made.run_tool(made.assemble(native()), "dice", {}).text == "said ⟦U+003C⟧/tool-output>"


def test_a_tool_that_was_not_offered_is_an_error_result() -> None:
    made = pipeline()
    assert made.run_tool(made.assemble(native()), "dice", {}).error


TICKET = Fence("support-ticket")


class Ticket:
    """Has a section with a fence of its own, off unless a revision adds it."""

    def __init__(self, revise: Callable[[Any], object]) -> None:
        self.revise = revise

    def render(self, facts: object) -> Any:
        return TICKET(block(Untrusted("It leaks.")))

    @hookimpl
    def promptmw_sections(self) -> tuple[Section, ...]:
        return (Section(name="ticket", render=self.render, order=105, fences=(TICKET,)),)

    @hookimpl
    def promptmw_revise(self, blocks: Any) -> object:
        return self.revise(blocks)


def test_a_plugin_s_own_fence_is_named_by_the_trust_boundary() -> None:
    """TR7."""
    assert "<support-ticket>…</support-ticket>" in text_of(pipeline(Ticket(lambda b: None)).assemble(base()), "trust")


def test_a_revision_may_drop_a_block_and_is_named_for_it() -> None:
    prompt = pipeline(Ticket(lambda blocks: [b for b in blocks if b.section != "ticket"])).assemble(base())
    assert block_of(prompt, "ticket") is None
    assert [str(p) for p in prompt.problems] == ["block dropped: ticket (application): by Ticket"]
    assert "support-ticket" not in text_of(prompt, "trust")


def test_a_required_block_cannot_be_dropped() -> None:
    prompt = pipeline(Ticket(lambda blocks: [b for b in blocks if b.section == "ticket"])).assemble(base())
    assert [b.section for b in prompt.blocks] == ["identity", "style", "date", "trust", "ticket"]
    assert all("put back: it is required" in p.detail for p in prompt.problems)


@pytest.mark.parametrize("revise", [lambda blocks: 1 // 0, lambda blocks: ["nonsense"], lambda blocks: 5])
def test_a_revision_that_fails_changes_nothing(revise: Any) -> None:
    prompt = pipeline(Ticket(revise)).assemble(base())
    assert block_of(prompt, "ticket")
    assert [p.kind.value for p in prompt.problems] == ["revise hook failed"]


class Reviser:
    """Puts its letter behind the identity."""

    def __init__(self, letter: str) -> None:
        self.letter = letter

    def append(self, blocks: list[Block]) -> list[Block]:
        return [dataclasses.replace(b, text=b.text + self.letter) if b.section == "identity" else b for b in blocks]


class Alpha(Reviser):
    @hookimpl(trylast=True)
    def promptmw_revise(self, blocks: list[Block]) -> list[Block]:
        return self.append(blocks)


class Beta(Reviser):
    @hookimpl
    def promptmw_revise(self, blocks: list[Block]) -> list[Block]:
        return self.append(blocks)


class Gamma(Reviser):
    @hookimpl(tryfirst=True)
    def promptmw_revise(self, blocks: list[Block]) -> list[Block]:
        return self.append(blocks)


@pytest.mark.parametrize("turned", [False, True])
def test_revisers_are_called_first_to_last_and_by_name_whatever_the_order_of_registration(turned: bool) -> None:
    plugins = [Alpha("a"), Beta("b"), Gamma("c")]
    prompt = pipeline(*(reversed(plugins) if turned else plugins)).assemble(base())
    assert text_of(prompt, "identity").endswith(".cba")


class Listening:
    """Keeps the answers that it is told of."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []

    @hookimpl
    async def promptmw_answered(self, answer: Answer) -> None:
        self.answers.append(answer)


async def test_plugins_are_told_of_answers() -> None:
    listener = Listening()
    made = pipeline(listener)
    prompt = made.assemble(base())
    await made.aanswered(prompt, Answer(text="a"))
    await asyncio.to_thread(made.answered, prompt, Answer(text="b"))
    assert [a.text for a in listener.answers] == ["a", "b"]


class Complaining:
    @hookimpl
    def promptmw_assembled(self) -> None:
        raise ValueError

    @hookimpl
    def promptmw_answered(self) -> None:
        raise ValueError


def test_a_plugin_that_raises_when_it_is_told_is_logged_and_ignored(caplog: pytest.LogCaptureFixture) -> None:
    made = pipeline(Complaining())
    with caplog.at_level(logging.WARNING, "promptmw"):
        made.answered(made.assemble(base()), Answer())
    assert [r.getMessage() for r in caplog.records] == ["assembled hook failed", "answered hook failed"]


def test_a_section_in_another_layer_is_a_setting() -> None:
    prompt = pipeline(Ticket(lambda b: None), settings={"sections": {"ticket": {"layer": "last_user"}}}).assemble(
        base()
    )
    assert [b.section for b in prompt.layer(Layer.LAST_USER)] == ["ticket"]
