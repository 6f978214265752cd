"""When a loop of model and tools ends. Pure: it reads the calls and results of the messages themselves."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptmw.messages import Conversation, MessageFormat
from promptmw.toolmode.bounds import LoopPolicy
from promptmw.toolmode.events import PastCall, PastResult
from promptmw.toolmode.wording import ALL_FAILED, BUDGET_USED_UP, NOTHING_NEW, ROUNDS_USED_UP, TIME_USED_UP, over_budget


@dataclass(frozen=True, slots=True)
class Finish:
    """Says that a loop ends.

    Attributes:
        reason: Why, in a sentence of ours.
        rounds: How many rounds there were.
    """

    reason: str
    rounds: int


@dataclass(frozen=True, slots=True)
class _Round:
    """Is one answer with calls, each with its result as far as there is one."""

    calls: tuple[PastCall, ...]
    results: Mapping[str, PastResult]

    @property
    def signatures(self) -> frozenset[tuple[str, str, str, bool]]:
        return frozenset(_signature(call, self.results.get(call.id)) for call in self.calls)

    @property
    def failed(self) -> bool:
        found = [self.results.get(call.id) for call in self.calls]
        return all(result is not None and result.error for result in found)


def assess(messages: Sequence[Any], form: MessageFormat, policy: LoopPolicy, *, seconds: float = 0.0) -> Finish | None:
    """Returns why the next answer has to be the last; None while the loop goes on.

    Args:
        messages: The conversation, with the results of the last calls.
        form: How to read them.
        policy: The bounds.
        seconds: Since the first call of the round.
    """
    rounds = _rounds(messages, form)
    reason = _reason(rounds, policy, seconds)
    return Finish(reason, len(rounds)) if reason else None


def within_budget(
    messages: Sequence[Any], form: MessageFormat, policy: LoopPolicy, calls: Sequence[PastCall]
) -> list[bool]:
    """Says which of some calls may be run.

    Args:
        messages: The conversation in front of the answer that holds them.
        form: How to read it.
        policy: The bounds.
        calls: Of that answer, in order.
    """
    counts = Counter(call.name for found in _rounds(messages, form) for call in found.calls)
    allowed = []
    for call in calls:
        most = policy.max_calls_by_tool.get(call.name, policy.max_calls)
        fits = counts.total() < policy.max_calls and counts[call.name] < most
        allowed.append(fits)
        counts[call.name] += fits
    return allowed


def _reason(rounds: Sequence[_Round], policy: LoopPolicy, seconds: float) -> str:
    if not rounds:
        return ""
    if len(rounds) >= policy.max_rounds:
        return ROUNDS_USED_UP
    if _over_budget(rounds, policy):
        return BUDGET_USED_UP
    if _stale(rounds) >= policy.no_progress_rounds:
        return NOTHING_NEW
    if len(rounds) >= policy.error_rounds and all(found.failed for found in rounds[-policy.error_rounds :]):
        return ALL_FAILED
    late = policy.max_seconds is not None and seconds >= policy.max_seconds
    return TIME_USED_UP if late else ""


def _over_budget(rounds: Sequence[_Round], policy: LoopPolicy) -> bool:
    """Says whether there is no budget left, or a call was refused for it."""
    refused = {over_budget(call.name) for call in rounds[-1].calls}
    if any(result.error and result.text in refused for result in rounds[-1].results.values()):
        return True
    return sum(len(found.calls) for found in rounds) >= policy.max_calls


def _stale(rounds: Sequence[_Round]) -> int:
    """Returns how many of the last rounds in a row brought nothing that an earlier one had not brought."""
    seen: set[tuple[str, str, str, bool]] = set()
    count = 0
    for found in rounds:
        count = count + 1 if found.signatures <= seen else 0
        seen |= found.signatures
    return count


def _rounds(messages: Sequence[Any], form: MessageFormat) -> list[_Round]:
    """Returns the rounds since the last message of the user."""
    conversation = Conversation(messages, form)
    body = conversation.body()
    start = 0 if conversation.last_user is None else conversation.last_user
    found: list[tuple[tuple[PastCall, ...], dict[str, PastResult]]] = []
    for message in body[start:]:
        calls = tuple(form.calls(message))
        if calls:
            found.append((calls, {}))
        for result in form.results(message):
            if found:
                found[-1][1][result.id] = result
    return [_Round(calls, results) for calls, results in found]


def _signature(call: PastCall, result: PastResult | None) -> tuple[str, str, str, bool]:
    arguments = call.arguments
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    text = result.text if result else ""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return call.name, arguments, digest, bool(result and result.error)
