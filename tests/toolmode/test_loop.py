"""When a loop of model and tools ends."""

from __future__ import annotations

from typing import Any

import pytest

from promptmw import ChatFormat, ConfigError, Pipeline
from promptmw.toolmode.bounds import LoopPolicy
from promptmw.toolmode.events import PastCall
from promptmw.toolmode.loop import Finish, assess, within_budget
from promptmw.toolmode.wording import over_budget

FORM = ChatFormat()
QUESTION: dict[str, Any] = {"role": "user", "content": "Go on."}
Call = tuple[str, str, str]


def conversation(*rounds: list[Call]) -> list[dict[str, Any]]:
    """Returns a conversation; each call is a tool, its arguments and its result."""
    messages = [QUESTION]
    for at, calls in enumerate(rounds):
        made = [
            {"id": f"{at}.{i}", "function": {"name": name, "arguments": arguments}}
            for i, (name, arguments, _) in enumerate(calls)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": made})
        messages += [
            {"role": "tool", "tool_call_id": f"{at}.{i}", "content": text} for i, (_, _, text) in enumerate(calls)
        ]
    return messages


def ended(*rounds: list[Call], **policy: Any) -> Finish | None:
    return assess(conversation(*rounds), FORM, LoopPolicy(**policy))


SAME: list[Call] = [("look", "{}", "nothing")]


def test_without_calls_nothing_ends() -> None:
    assert assess([QUESTION], FORM, LoopPolicy()) is None
    assert assess([], FORM, LoopPolicy()) is None


def test_the_same_again_and_again_ends_after_two_stale_rounds() -> None:
    """LP1"""
    assert ended(SAME, SAME) is None
    assert ended(SAME, SAME, SAME) == Finish("The last calls brought nothing new.", 3)


def test_polling_goes_on_as_long_as_something_is_new() -> None:
    """LP2"""
    rounds = [[("look", "{}", f"{i} percent")] for i in range(9)]
    assert ended(*rounds) is None
    assert ended(*rounds, [("look", "{}", "done")]) == Finish("The number of tool rounds is used up.", 10)


def test_two_calls_in_turns_are_stale_from_the_third_on() -> None:
    """LP3"""
    other: list[Call] = [("read", "{}", "a page")]
    assert ended(SAME, other, SAME) is None
    assert ended(SAME, other, SAME, other) == Finish("The last calls brought nothing new.", 4)


def test_the_same_call_with_another_result_is_progress() -> None:
    changed: list[Call] = [("look", "{}", "something")]
    assert ended(SAME, SAME, changed, SAME) is None


def test_arguments_count_as_values_whatever_their_order() -> None:
    messages = conversation([("look", "", "x")], [("look", "", "x")], [("look", "", "x")])
    for at, arguments in ((1, {"a": 1, "b": 2}), (3, {"b": 2, "a": 1}), (5, {"a": 1, "b": 2})):
        messages[at]["tool_calls"][0]["function"]["arguments"] = arguments
    assert assess(messages, FORM, LoopPolicy()) == Finish("The last calls brought nothing new.", 3)


def test_the_eleventh_round_is_the_last() -> None:
    """LP5"""
    rounds = [[("look", f'{{"page": {i}}}', f"page {i}")] for i in range(10)]
    assert ended(*rounds[:9]) is None
    assert ended(*rounds) == Finish("The number of tool rounds is used up.", 10)


def test_calls_beyond_a_tools_budget_are_not_run_and_end_the_loop() -> None:
    """LP6"""
    policy = LoopPolicy(max_calls_by_tool={"look": 3})
    before = conversation([("look", '{"page": 0}', "page 0")])
    calls = [PastCall(str(i), "look", {}) for i in range(4)]
    assert within_budget(before, FORM, policy, calls) == [True, True, False, False]
    assert within_budget(before, FORM, policy, [PastCall("1", "read", {})]) == [True]
    after = conversation([("look", "{}", "a")], [("look", "{}", over_budget("look"))])
    assert assess(after, FORM, policy) is None  # a result without status error is the tool's own
    results = [{"type": "tool_result", "tool_use_id": "1.0", "content": over_budget("look"), "is_error": True}]
    after[-1] = {"role": "user", "content": results}
    assert assess(after, FORM, policy) == Finish("The tool budget is used up.", 2)


def test_the_budget_of_all_tools_together() -> None:
    rounds = [[("look", f'{{"page": {i}}}', f"{i}") for i in range(at, at + 4)] for at in (0, 4)]
    assert ended(*rounds, max_calls=9) is None
    assert ended(*rounds, max_calls=8) == Finish("The tool budget is used up.", 2)


def failing(at: int) -> list[dict[str, Any]]:
    call = {"type": "tool_use", "id": str(at), "name": "look", "input": {"page": at}}
    result = {"type": "tool_result", "tool_use_id": str(at), "content": f"no {at}", "is_error": True}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def test_three_rounds_in_which_all_failed_end_it() -> None:
    """LP7"""
    messages = [QUESTION, *failing(0), *failing(1)]
    assert assess(messages, FORM, LoopPolicy()) is None
    assert assess([*messages, *failing(2)], FORM, LoopPolicy()) == Finish("The last calls all failed.", 3)


def test_only_what_follows_the_users_last_message_counts() -> None:
    """LP12: the verdict is in the messages alone, whoever reads them, and when."""
    messages = [*conversation(SAME, SAME, SAME), QUESTION, *conversation(SAME)[1:]]
    assert assess(messages, FORM, LoopPolicy()) is None


def test_time_ends_it() -> None:
    policy = LoopPolicy(max_seconds=10)
    messages = conversation(SAME)
    assert assess(messages, FORM, policy, seconds=9.9) is None
    assert assess(messages, FORM, policy, seconds=10) == Finish("The time for tools is used up.", 1)


def test_a_profile_states_the_bounds() -> None:
    bounds = Pipeline(
        "chat", settings={"tool_loop": {"max_rounds": 3, "timeout_by_tool": {"look": 5}}}
    ).catalog.tool_loop
    assert (bounds.max_rounds, bounds.seconds("look"), bounds.seconds("read")) == (3, 5, 100)


@pytest.mark.parametrize("name", ["max_rounds", "max_calls", "concurrency", "tool_timeout"])
def test_bounds_of_nothing_are_errors(name: str) -> None:
    with pytest.raises(ConfigError, match=f"tool_loop.{name}: takes more than 0"):
        LoopPolicy(**{name: 0})
