"""Attempts: one request of the application, as many requests to the model as it takes."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptmw import ChatFormat, Conversation, Pipeline, ToolCallFailed, ToolMode, ToolSpec, Turn, Usage
from promptmw.toolmode import Choice, ChoiceKind, FinishReason, TextDelta
from promptmw.toolmode.attempts import Attempts, for_prompt
from promptmw.toolmode.capability import LEARNED, Fact, ModelFacts
from promptmw.toolmode.events import Call, CallEnd, CallStart, Ended, Event
from promptmw.toolmode.report import ToolReport

FORM = ChatFormat()
PIPELINE = Pipeline("chat", strict=True)
SCHEMA = '{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}'
TOOLS = (ToolSpec("get_weather", "Weather", parameters=SCHEMA), ToolSpec("now"))
GOOD = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
BROKEN = '<tool_call>\n{"name": "get_weather", "arguments": [}\n</tool_call>'
STOP, LENGTH = FinishReason.STOP, FinishReason.LENGTH
KEYS = itertools.count()


def called(call: Call) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments_text}}


class Ran:
    """What came of a script of answers."""

    def __init__(
        self,
        script: list[Any],
        *,
        size: int = 5,
        choice: Choice | None = None,
        pipeline: Pipeline = PIPELINE,
        **more: Any,
    ):
        facts = more.pop("facts", ModelFacts())
        turn = Turn(*([choice] if choice else []), tools=TOOLS, tool_mode=ToolMode.PROMPT, timezone="UTC")
        messages = [{"role": "user", "content": "Weather in Oslo?"}, *more.pop("behind", ())]
        conversation = Conversation(messages, FORM)
        prompt = pipeline.assemble(turn, conversation, can_run_tools=more.pop("in_loop", False))
        laid = pipeline.lay_out(prompt, conversation)
        before = copy.deepcopy(laid.messages)
        found = for_prompt(prompt, laid.messages, form=FORM, facts=facts, policy=pipeline.catalog.policy, **more)
        assert found is not None
        self.attempts: Attempts = found
        self.events: list[Event] = []
        self.asks: list[Any] = []
        self._run(script, size)
        assert laid.messages == before

    def _run(self, script: list[Any], size: int) -> None:
        answers = iter(script)
        while (ask := self.attempts.next()) is not None:
            self.asks.append(ask)
            answer = next(answers)
            text, reason = answer if isinstance(answer, tuple) else (answer, STOP)
            for stop in ask.stop:  # as a provider that keeps to it
                text = text.partition(stop)[0]
            for at in range(0, len(text), size):
                self.events += self.attempts.feed(text[at : at + size])
            self.events += self.attempts.end(reason, Usage(10, 2))

    @property
    def text(self) -> str:
        return "".join(e.text for e in self.events if isinstance(e, TextDelta))

    @property
    def calls(self) -> list[tuple[str, Any]]:
        return [(e.call.name, e.call.arguments) for e in self.events if isinstance(e, CallEnd)]

    @property
    def ends(self) -> list[Call]:
        return [e.call for e in self.events if isinstance(e, CallEnd)]

    @property
    def reason(self) -> FinishReason | None:
        (end,) = [e for e in self.events if isinstance(e, Ended)]
        return end.reason

    @property
    def report(self) -> ToolReport:
        return self.attempts.report


def asked(ran: Ran, at: int = -1) -> str:
    return str(ran.asks[at].messages[-1]["content"])


def test_a_good_call_needs_one_request() -> None:
    ran = Ran([f"Let me look.\n{GOOD}"])
    assert (ran.text, ran.calls) == ("Let me look.", [("get_weather", {"city": "Oslo"})])
    assert ran.reason is FinishReason.TOOL_CALLS
    assert ran.report.attempts[0].stop_held == "yes"


def test_a_lead_in_is_shown_once() -> None:
    """RT1"""
    ran = Ran([f"Let me look.\n{BROKEN}", f"Let me look.\n{GOOD}"])
    assert (ran.text, len(ran.calls), len(ran.asks)) == ("Let me look.", 1, 2)
    assert ran.report.usage == Usage(20, 4)


def test_the_text_of_the_first_attempt_is_the_answer_when_none_is_left() -> None:
    """RT2"""
    ran = Ran([f"Let me look.\n{BROKEN}"] * 3)
    assert (ran.text, ran.calls, ran.reason) == ("Let me look.", [], STOP)
    assert [row.outcome for row in ran.report.attempts] == ["ask again", "ask again", "failed"]


def test_without_text_it_is_asked_once_more_without_tools() -> None:
    """RT3"""
    ran = Ran([BROKEN] * 3 + ["It is fine."])
    assert (ran.text, len(ran.asks), ran.asks[-1].stop) == ("It is fine.", 4, ("<tool_call>",))
    with pytest.raises(ToolCallFailed, match=r"4 attempts .*hermes.*get_weather, now"):
        Ran([BROKEN] * 3 + [GOOD])


def test_an_answer_in_words_follows_what_was_shown() -> None:
    """RT4"""
    assert Ran([f"Let me look.\n{BROKEN}", "It is fine."]).text == "Let me look.\n\nIt is fine."


def test_a_bad_call_beside_a_good_one_costs_no_request() -> None:
    """RT5"""
    unknown = '<tool_call>\n{"name": "rm_rf", "arguments": {}}\n</tool_call>'
    pipeline = Pipeline("chat", settings={"tool_protocol": {"calls": "many"}})
    ran = Ran([f"{GOOD}\n{unknown}"], pipeline=pipeline)
    assert (len(ran.calls), len(ran.asks)) == (1, 1)
    ((problem, sentence),) = ran.attempts.problems()
    assert (problem.name, sentence) == ("rm_rf", 'There is no tool "rm_rf". The tools are: get_weather, now.')


def test_an_unknown_tool_is_told_the_closest() -> None:
    """RT6"""
    ran = Ran(['<tool_call>{"name": "get_wether", "arguments": {}}</tool_call>', GOOD])
    assert 'There is no tool "get_wether". Did you mean "get_weather"?' in asked(ran)
    assert len(ran.calls) == 1


def test_what_is_quoted_is_bounded_and_escaped() -> None:
    """RT7, RT8"""
    payload = "</tool-output><tool_call>" + "x" * 1_000_000
    ran = Ran([f'<tool_call>{{"name": "now", "arguments": ["{payload}"]}}'] * 2 + [GOOD], size=4096)
    echo, error = (m["content"] for m in ran.asks[-1].messages[-2:])
    assert len(echo) < 1200
    assert len(error) <= 1200
    assert echo.count("<tool_call>") == echo.count("</tool_call>") == 1
    assert "</tool-output>" not in echo


def test_a_call_that_the_output_limit_cut() -> None:
    """RT9"""
    cut = ('Ok.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Os', LENGTH)
    ran = Ran([cut])
    assert (ran.text, ran.reason, len(ran.asks)) == ("Ok.", LENGTH, 1)
    ran = Ran([cut, cut], in_loop=True)
    assert (ran.reason, len(ran.asks)) == (LENGTH, 2)
    assert "The call was cut off before its end." in asked(ran)


def test_one_of_several_choices_is_never_asked_again() -> None:
    """RT10"""
    ran = Ran([f"One.\n{BROKEN}"], once=True)
    assert (ran.text, ran.reason, len(ran.asks)) == ("One.", STOP, 1)


def test_retries_of_a_round_are_counted_together() -> None:
    """RT14"""
    behind: list[Any] = []
    for asks, script in [(3, [BROKEN, BROKEN, GOOD])] * 3 + [(1, [f"Text\n{BROKEN}"])]:
        ran = Ran(script, behind=behind)
        assert len(ran.asks) == asks
        behind += [
            said
            for call in ran.ends
            for said in (
                {"role": "assistant", "content": None, "tool_calls": [called(call)]},
                {"role": "tool", "tool_call_id": call.id, "content": "21 degrees"},
            )
        ]
    assert ran.text == "Text"
    assert len(Ran([BROKEN, BROKEN, GOOD], behind=[*behind, {"role": "user", "content": "And now?"}]).asks) == 3


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    "script",
    [
        [f"Let me look.\n{BROKEN}", f"Let me look.\n{GOOD}"],
        [f"Let me look.\n{BROKEN}"] * 3,
        [BROKEN] * 3 + ["Fine."],
        [f"Let me look.\n{BROKEN}", "It is fine."],
        ["Hello."],
        [GOOD],
    ],
)
def test_a_stream_gives_the_same_as_a_whole_answer(script: list[str], size: int) -> None:
    """RT12"""
    whole, streamed = Ran(script, size=1 << 20), Ran(script, size=size)
    assert (whole.text, whole.calls, whole.reason) == (streamed.text, streamed.calls, streamed.reason)


def test_stop_sequences() -> None:
    """ST1, ST2"""
    many = Pipeline("chat", settings={"tool_protocol": {"calls": "many"}})
    off = Pipeline("chat", settings={"tool_protocol": {"stop": False}})
    assert Ran([GOOD], stop=("END",)).asks[0].stop == ("END", "</tool_call>")
    assert Ran([GOOD], pipeline=many).asks[0].stop == ("<tool-output",)
    assert Ran(["no"], choice=Choice(ChoiceKind.NONE)).asks[0].stop == ("<tool_call>",)
    assert Ran([GOOD], stop=("a", "b", "c", "d")).asks[0].stop == ("a", "b", "c", "d")
    assert Ran([GOOD], pipeline=off).asks[0].stop == ()
    assert Ran([GOOD], facts=ModelFacts(stop=Fact.NO)).asks[0].stop == ()


def test_a_model_that_was_seen_to_think_gets_no_stop_sequence() -> None:
    """ST7"""
    facts = ModelFacts(key=f"thinker {next(KEYS)}")
    assert Ran([f"<think>well</think>{GOOD}"], facts=facts).asks[0].stop == ("</tool_call>",)
    assert Ran([GOOD], facts=facts).asks[0].stop == ()
    assert Ran([GOOD], facts=ModelFacts(reasoning_in_text=Fact.YES)).asks[0].stop == ()


def test_a_refused_stop_sequence_is_left_out_from_then_on() -> None:
    """ST3: what is not about the sequence, or comes when the answer has begun, is no refusal of it."""
    facts = ModelFacts(key=f"stopless {next(KEYS)}")
    attempts = Ran(["Hello."], facts=facts).attempts
    for status, text in ((500, "stop"), (400, "no such model"), (400, "Unsupported parameter: 'stop'")):
        assert not attempts.failed(status, text)
    LEARNED.refuse_stop(facts.key)
    assert Ran(["Hello."], facts=facts).asks[0].stop == ()


def test_an_argument_that_our_stop_sequence_cut_is_read_without_it() -> None:
    """ST5, ST6"""
    said = '<tool_call>{"name": "get_weather", "arguments": {"city": "a </tool_call> b"}}</tool_call>'
    ran = Ran([said, said])
    assert ran.calls == [("get_weather", {"city": "a </tool_call> b"})]
    assert [ask.stop for ask in ran.asks] == [("</tool_call>",), ()]
    assert ran.report.retries == 0
    cut = '<tool_call>{"name": "get_weather", "arguments": {"city": "a'
    ran = Ran([cut, cut, cut, GOOD])
    assert [row.cause for row in ran.report.attempts] == ["first", "without stop", "asked again", "asked again"]


def test_no_call_may_come_and_a_blank_answer_is_asked_for_again() -> None:
    """TC1, PA12"""
    ran = Ran([GOOD, "In words."], choice=Choice(ChoiceKind.NONE))
    assert (ran.text, ran.calls) == ("In words.", [])
    assert Ran(["Words. "], choice=Choice(ChoiceKind.NONE)).text == "Words. "


def test_a_required_call_is_waited_for_with_the_text_held_back() -> None:
    """TC2, TC3, TC4"""
    required = Choice(ChoiceKind.REQUIRED)
    ran = Ran(["Well.", f"So: {GOOD}"], choice=required)
    assert (ran.text, len(ran.calls)) == ("", 1)
    assert "A tool call is needed now." in asked(ran)
    ran = Ran(["Well."] * 3, choice=required)
    assert (ran.text, ran.report.choice_unmet, ran.reason) == ("Well.", True, STOP)
    ran = Ran([GOOD, '<tool_call>{"name": "now"}</tool_call>'], choice=Choice(ChoiceKind.REQUIRED, ("now",)))
    assert ran.calls == [("now", {})]
    assert 'The tool "get_weather" may not be called now.' in asked(ran)


def test_a_grammar_goes_with_answers_whose_kind_is_certain() -> None:
    pipeline = Pipeline("chat", settings={"tool_protocol": {"constrain": "llguidance"}})
    facts = ModelFacts(grammar=Fact.YES)
    ran = Ran([GOOD], pipeline=pipeline, facts=facts, choice=Choice(ChoiceKind.REQUIRED, ("get_weather",)))
    assert ran.asks[0].body["grammar"].startswith('%llguidance {}\nstart: "<tool_call>\\n" call "\\n</tool_call>"')
    assert '"maxLength": 4000' in ran.asks[0].body["grammar"]
    ran = Ran(["no"], pipeline=pipeline, facts=facts, choice=Choice(ChoiceKind.NONE))
    assert ran.asks[0].body["grammar"].endswith("TEXT: /[^<]+/\n")
    assert Ran([GOOD], pipeline=pipeline, facts=facts).asks[0].body == {}
    assert Ran([GOOD], pipeline=pipeline).report.notes == (
        "a grammar was asked for, and the deployment is not known to take one",
    )


def test_a_required_call_is_begun_for_the_model() -> None:
    pipeline = Pipeline("chat", settings={"tool_protocol": {"prefill": True}})
    named = Choice(ChoiceKind.REQUIRED, ("get_weather",))
    ran = Ran(['{"city": "Oslo"}}\n</tool_call>'], pipeline=pipeline, facts=ModelFacts(prefill=Fact.YES), choice=named)
    assert asked(ran) == '<tool_call>\n{"name": "get_weather", "arguments": '
    assert ran.calls == [("get_weather", {"city": "Oslo"})]


def test_without_tools_there_is_nothing_to_read() -> None:
    prompt = PIPELINE.assemble(Turn(tool_mode=ToolMode.PROMPT))
    assert for_prompt(prompt, [], form=FORM, facts=ModelFacts(), policy=PIPELINE.catalog.policy) is None


PIECES = [
    GOOD,
    BROKEN,
    "Text. ",
    "\n",
    "<tool_call>",
    "</tool_call>",
    "<tool-output>",
    "{",
    "<think>",
    "</think>",
    "```\n",
]


@given(
    script=st.lists(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), min_size=6, max_size=6),
    size=st.integers(1, 9),
)
def test_whatever_is_written_streams_equal_whole_answers(script: list[str], size: int) -> None:
    results = []
    for width in (size, 1 << 20):
        try:
            ran = Ran(script, size=width)
            results.append((ran.text, ran.calls, ran.reason))
            assert len([e for e in ran.events if isinstance(e, CallStart)]) == len(ran.calls)
        except ToolCallFailed:
            results.append(("failed", [], None))
    assert results[0] == results[1]
