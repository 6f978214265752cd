"""Attempts: one request of the application to a model that writes its calls as text. No I/O; adapters drive it.

::

    attempts = for_prompt(prompt, messages, form=form, facts=facts, policy=policy, stop=stop)
    while (ask := attempts.next()) is not None:
        for chunk in upstream(ask):
            yield from attempts.feed(chunk)
            if attempts.enough:
                break  # and close the stream
        yield from attempts.end(finish_reason, usage)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from promptmw.answers import Usage
from promptmw.errors import ToolCallFailed, ToolLoopExhausted
from promptmw.toolmode.asking import Request, again, without_tools
from promptmw.toolmode.attempt import Attempt, Show
from promptmw.toolmode.capability import LEARNED, ModelFacts
from promptmw.toolmode.choice import Choice
from promptmw.toolmode.events import CallProblem, Ended, Event, FinishReason
from promptmw.toolmode.recording import Cause, Record
from promptmw.toolmode.report import ToolReport
from promptmw.toolmode.retries import RETRIES, ToolRound
from promptmw.toolmode.stops import THINKERS, says_no_stop, wanted, with_own
from promptmw.toolmode.using import ProtocolInUse
from promptmw.toolmode.verdicts import Chances, Verdict, verdict
from promptmw.toolmode.wording import Wording

if TYPE_CHECKING:
    from promptmw.fencing import Policy
    from promptmw.messages import MessageFormat
    from promptmw.prompts import Prompt


@dataclass(frozen=True, kw_only=True)
class Ask:
    """Is one request to the model.

    Attributes:
        messages: A new list.
        stop: All stop sequences, the caller's first.
        body: Further fields of the request's body, as ``grammar``.
    """

    messages: list[Any]
    stop: tuple[str, ...] = ()
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _Sent:
    """Is what of ours went with a request."""

    stop: str = ""
    grammar: str | None = None
    begun: str = ""


def for_prompt(
    prompt: Prompt,
    messages: Sequence[Any],
    *,
    form: MessageFormat,
    facts: ModelFacts,
    policy: Policy,
    stop: Sequence[str] = (),
    once: bool = False,
) -> Attempts | None:
    """Returns the attempts at the answer to a prompt; None where no tool is on, so that nothing has to be read.

    Args:
        prompt: As assembled.
        messages: As they go to the model, with the prompt laid over them.
        form: How to read and write them.
        facts: About the deployment.
        policy: Of the pipeline.
        stop: The caller's own stop sequences.
        once: As for `Attempts`.
    """
    using = prompt.turn.get(ProtocolInUse)
    if using is None:
        return None
    choice, round = prompt.turn.get(Choice) or Choice(), prompt.turn.get(ToolRound) or ToolRound()
    request = Request(
        messages=messages, form=form, using=using, choice=choice, facts=facts, policy=policy, stop=tuple(stop),
        round=round,
    )  # fmt: skip
    return Attempts(request, once=once)


class Attempts:
    """Brings one answer about: asks, reads, and asks again where a call cannot be used.

    In a loop of ours a call that the output limit cut off is asked for again, once.

    Args:
        request: What the application asks for.
        once: Whether there is one request only, whatever comes of it; for one of several choices.

    Attributes:
        retries: How many of the requests count against the budgets of retries.
    """

    def __init__(self, request: Request, *, once: bool = False) -> None:
        settings = request.using.settings
        self.retries = 0
        self._request = request
        left = max(0, min(settings.retries, settings.retries_in_round - RETRIES.used(request.round.first)))
        self._most = 0 if once or request.choice.final else left
        self._once = once
        self._cut_call = request.round.in_loop
        self._may_repeat = not once
        self._own_stop = True
        self._refused = request.refused
        self._record = Record(request)
        self._cause = Cause.FIRST
        self._messages: list[Any] | None = list(request.messages)
        self._sent = _Sent()
        self._attempt: Attempt | None = None
        self._ended: list[Attempt] = []

    def next(self) -> Ask | None:
        """Returns the next request to the model; None when the answer is complete."""
        if self._messages is None:
            return None
        request, refused = self._request, self._refused
        own = wanted(request.using, request.facts, refused=refused) if self._own_stop else ""
        stop = with_own(request.stop, own, request.facts)
        own = own if own in stop else ""
        begun = request.beginning if self._cause is Cause.FIRST else ""
        self._sent = _Sent(stop=own, grammar=request.grammar(refused=refused), begun=begun)
        options = request.options(refused=refused, stop_sent=bool(own))
        parser = request.using.protocol.parser(request.table, options, request.using.accept)
        self._attempt = Attempt(parser, self._show(), begun=begun)
        lead = [request.form.assistant(begun)] if begun else []
        body = {"grammar": self._sent.grammar} if self._sent.grammar else {}
        return Ask(messages=[*self._messages, *lead], stop=stop, body=body)

    def feed(self, text: str) -> list[Event]:
        """Returns what more text of the answer shows."""
        return self._current.feed(text)

    @property
    def enough(self) -> bool:
        """Whether what follows in this answer is of no use, so that the stream can be closed before `end`."""
        return self._current.done

    def failed(self, status: int | None, text: str) -> bool:
        """Says whether the same request goes again without our stop sequence, since the provider refused that.

        Args:
            status: Of the provider's error.
            text: Of the provider's error.
        """
        if not self._sent.stop or self._current.written or not says_no_stop(status, text):
            return False
        LEARNED.refuse_stop(self._request.facts.key)
        self._record.refused(self._cause, self._sent.stop)
        self._own_stop, self._cause = False, Cause.STOP_REFUSED
        return True

    def end(self, reason: FinishReason | None, usage: Usage | None = None) -> list[Event]:
        """Returns what the end of an attempt shows; `Ended` is the last of it when the answer is complete.

        Args:
            reason: As the provider gave it; None for a stream that broke off or was closed.
            usage: As reported.

        Raises:
            ToolCallFailed: There is neither a call nor a text to show, and nothing left to try.
            ToolLoopExhausted in the last round of a loop.
        """
        attempt, closed = self._current, self.enough and reason is None
        events = attempt.end(FinishReason.STOP if closed else reason)
        if attempt.thought:
            THINKERS.note(self._request.facts.key)
        outcome = verdict(attempt, self._chances, required=self._request.required, refused=self._refused)
        self._record.add(
            self._cause, outcome.value, attempt, stop=self._sent.stop, grammar=self._sent.grammar is not None,
            prefilled=bool(self._sent.begun), closed=closed, usage=usage,
        )  # fmt: skip
        self._ended.append(attempt)
        return [*events, *self._led_to(outcome, attempt)]

    @property
    def report(self) -> ToolReport:
        """What happened so far."""
        unmet = self._request.required and not any(a.calls for a in self._ended)
        return self._record.report(retries=self.retries, choice_unmet=unmet)

    def problems(self) -> list[tuple[CallProblem, str]]:
        """Returns the calls that are not delivered beside good ones, each with what is wrong with it in words."""
        last = self._ended[-1] if self._ended else None
        if last is None or not last.started:
            return []
        request = self._request
        wording = Wording(request.using.table, request.table.names, request.policy)
        return [(e.problem, request.policy.write(wording.of(e.problem)).text) for e in last.errors()]

    @property
    def _current(self) -> Attempt:
        assert self._attempt is not None  # next() comes first
        return self._attempt

    @property
    def _chances(self) -> Chances:
        return Chances(
            retries=self._most - self.retries,
            without_stop=self._may_repeat and bool(self._sent.stop),
            cut_call=self._cut_call,
        )

    def _show(self) -> Show:
        """Says when the text of the next attempt is shown: of a later one never beside a call."""
        if self._ended:
            return Show.AT_END
        return Show.WITH_CALL if self._request.required else Show.LIVE

    def _led_to(self, outcome: Verdict, attempt: Attempt) -> list[Event]:
        match outcome:
            case Verdict.ANSWER:
                return self._answer(attempt, attempt.reason)
            case Verdict.WITHOUT_STOP:
                self._may_repeat = self._own_stop = False
                self._cause = Cause.WITHOUT_STOP
            case Verdict.ASK_AGAIN:
                self.retries += 1
                self._cut_call = False
                self._cause = Cause.ASKED_AGAIN
                self._messages = again(self._request, attempt)
            case Verdict.FAILED:
                return self._failed(attempt)
        return []

    def _failed(self, attempt: Attempt) -> list[Event]:
        """Ends with the text of the first attempt that has one; without any it asks once more, without tools."""
        spoken = next((a for a in self._ended if not a.silent), None)
        if spoken is not None or self._once:
            return self._answer(spoken or attempt, FinishReason.STOP)
        if self._cause is Cause.WITHOUT_TOOLS:
            using, final = self._request.using, self._request.choice.final
            if final:
                raise ToolLoopExhausted(
                    f"the last round of the tool loop gave no text, twice. It was the last: {final}"
                )
            raise ToolCallFailed(
                f"the model gave neither a usable call nor a text in {len(self._ended)} attempts "
                f"(tool format {using.protocol.name}, tools {', '.join(using.table.names[:8])}): "
                "use a larger model, or a format that it was trained on ([tool_protocol] format)"
            )
        self._cause, self._refused = Cause.WITHOUT_TOOLS, True
        self._messages = without_tools(self._request)
        return []

    def _answer(self, attempt: Attempt, reason: FinishReason | None) -> list[Event]:
        """Ends with an attempt; what was held of its text comes out."""
        self._messages = None
        RETRIES.add(self._request.round.first or next((c.id for c in attempt.calls), ""), self.retries)
        shown = any(a.passed for a in self._ended)
        held = [] if attempt.started else attempt.release(behind=shown and not attempt.passed)
        return [*held, Ended(reason)]
