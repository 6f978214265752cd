"""The wrappers' own loop: the model calls, we run the tools, until it answers in words."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from promptmw import ChatFormat, InputError
from promptmw.logs import warn
from promptmw.messages import FailedResult
from promptmw.steps import Job, Steps
from promptmw.toolmode.bounds import LoopPolicy
from promptmw.toolmode.choice import Choice, ChoiceKind
from promptmw.toolmode.events import PastCall, PastResult
from promptmw.toolmode.loop import Finish, assess, within_budget
from promptmw.toolmode.running import run_calls
from promptmw_litellm.drafts import Draft, Prepared
from promptmw_litellm.formats import field
from promptmw_litellm.restored import restored, restoring

Tools = Mapping[str, Callable[..., Any]]
"""Functions by the names of their tools; each takes the arguments by name, and may have to be awaited."""

Made = tuple[Prepared | None, Any]
Making = Callable[[Draft | None, Mapping[str, Any]], Any]
"""Assembles a draft and makes its call; returns both, and may have to be awaited."""

_FORM = ChatFormat()
_UNLIMITED = 1e9  # seconds; the provider's own time limit counts


@dataclass(frozen=True, slots=True)
class Loop:
    """Is a loop over one call.

    Attributes:
        drafted: Drafts the call; a choice that is given goes before its own.
        making: Makes it.
        tools: The application's functions.
        run_offered: Runs a plugin's tool that a prompt offers.
    """

    drafted: Callable[[Mapping[str, Any], Choice | None], Draft | None]
    making: Making
    tools: Tools
    run_offered: Callable[..., Any]

    def steps(self, fields: Mapping[str, Any]) -> Steps[Any]:
        """Returns the last answer: one in words, or one with a call of a tool that is not ours to run.

        Raises:
            InputError: The call streams.
            ToolLoopExhausted: There is no answer in words.
        """
        if fields.get("stream"):
            raise InputError("run_tools: a loop does not stream; leave stream out, or run the tools yourself")
        messages, started = list(fields["messages"]), time.monotonic()
        while True:
            given = {**fields, "messages": list(messages)}
            found = self.drafted(given, None)
            policy = found.pipeline.catalog.tool_loop if found else LoopPolicy()
            finish = assess(messages, _FORM, policy, seconds=time.monotonic() - started)
            if finish is not None:
                found, given = self._last(given, finish)
            prepared, response = yield from self._made(found, given)
            message = response.choices[0].message
            calls = list(_FORM.calls(message))
            if prepared is None:
                return response
            if finish is not None or not self._runs(calls, prepared):
                return restored(response, prepared)
            allowed = within_budget(messages, _FORM, policy, calls)
            shares, runner = partial(_shares, prepared), partial(self._runner, prepared)
            results = yield from run_calls(calls, runner, policy, allowed=allowed, shares=shares)
            messages += [_plain(message), *map(_as_message, results)]

    def _last(self, given: dict[str, Any], finish: Finish) -> tuple[Draft | None, dict[str, Any]]:
        """Returns the call of a last round, in which no tool may be called."""
        warn("a loop of tools ends", reason=finish.reason, rounds=finish.rounds)
        last = {**given, "tool_choice": "none"} if given.get("tools") else given
        return self.drafted(last, Choice(ChoiceKind.NONE, final=finish.reason)), last

    def _made(self, found: Draft | None, given: Mapping[str, Any]) -> Steps[Made]:
        (done,) = yield [Job(partial(self.making, found, given), _UNLIMITED)]
        if done.error is not None:
            raise done.error
        made: Made = done.value
        return made

    def _runs(self, calls: list[PastCall], prepared: Prepared) -> bool:
        """Says whether all calls are ours to run; without any there is nothing to run."""
        ours = {*self.tools, *(tool.name for tool in prepared.prompt.offered)}
        return bool(calls) and all(call.name in ours for call in calls)

    def _runner(self, prepared: Prepared, call: PastCall) -> Callable[[], Any]:
        arguments = json.loads(call.arguments or "{}") if isinstance(call.arguments, str) else dict(call.arguments)
        arguments = restoring(prepared).value(arguments)
        if call.name in self.tools:
            return partial(self.tools[call.name], **arguments)
        return partial(self.run_offered, prepared.pipeline, prepared.prompt, call.name, arguments)


def _shares(prepared: Prepared, call: PastCall) -> bool:
    stated, offered = prepared.prompt.turn.tools, prepared.prompt.offered
    names = {*(t.name for t in stated if t.read_only), *(t.name for t in offered if t.read_only)}
    return call.name in names


def _plain(message: Any) -> dict[str, Any]:
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
        for c in _FORM.calls(message)
    ]
    return {"role": "assistant", "content": field(message, "content"), "tool_calls": calls}


def _as_message(result: PastResult) -> dict[str, Any]:
    made = FailedResult if result.error else dict
    return made(role="tool", tool_call_id=result.id, content=result.text)
