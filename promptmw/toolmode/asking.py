"""What a request to the model is made of: the messages of asking again, a call begun for it, a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from promptmw.contents import put_behind
from promptmw.fencing import Policy, Text, Untrusted, block
from promptmw.messages import MessageFormat
from promptmw.toolmode.attempt import Attempt
from promptmw.toolmode.capability import Fact, ModelFacts
from promptmw.toolmode.choice import Choice, ChoiceKind
from promptmw.toolmode.options import Calls, ParserOptions
from promptmw.toolmode.results import result_block
from promptmw.toolmode.retries import ToolRound
from promptmw.toolmode.using import ProtocolInUse
from promptmw.toolmode.wording import CALL_REQUIRED, NO_ANSWER, NOT_A_CALL, Wording, last_round

if TYPE_CHECKING:
    from promptmw.toolmode.definitions import ToolTable

ECHO = 800
"""Characters of broken calls that a model is shown again, before anything in them is escaped."""

MOST = 1200
"""Characters of what a model is told about one attempt."""

_SHOWN = 4  # problems of one attempt
_NAME, _PARAMETER = "TOOL_NAME", "PARAMETER"
_TO_LAST_BLANK = re.compile(r".*\s", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Request:
    """Is a request of the application.

    Attributes:
        messages: As they go to the model, history rendered and blocks laid in. Never changed.
        form: How to read and write them.
        using: The protocol in use.
        choice: Of tools.
        facts: About the deployment.
        policy: Writes what is quoted to the model.
        round: That it is part of.
        stop: The caller's stop sequences.
    """

    messages: Sequence[Any]
    form: MessageFormat
    using: ProtocolInUse
    choice: Choice
    facts: ModelFacts
    policy: Policy
    round: ToolRound
    stop: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether no call may come."""
        return self.choice.kind is ChoiceKind.NONE or bool(self.choice.final)

    @property
    def required(self) -> bool:
        """Whether a call has to come."""
        return self.choice.kind is ChoiceKind.REQUIRED and not self.refused

    @property
    def table(self) -> ToolTable:
        """What may be called."""
        names = self.choice.names
        return self.using.table.only(names) if names else self.using.table

    def options(self, *, refused: bool, stop_sent: bool) -> ParserOptions:
        """Returns how an answer is read."""
        settings = self.using.settings
        return ParserOptions(
            calls=Calls.REFUSE if refused else Calls.ACCEPT,
            max_blocks=None if self.using.many else 1,
            stop_sent=stop_sent,
            starts_in_reasoning=self.facts.reasoning_opened,
            calls_in_reasoning=settings.in_reasoning,
            calls_in_fences=settings.in_fences,
            arguments=settings.arguments,
        )

    @property
    def constrained(self) -> bool:
        """Whether the engine holds answers of a certain kind to a grammar."""
        return self.using.settings.constrain == "llguidance" and self.facts.grammar is Fact.YES

    def grammar(self, *, refused: bool) -> str | None:
        """Returns the grammar of an answer whose kind is certain; None where there is none."""
        if not self.constrained or not (refused or self.required):
            return None
        return self.using.protocol.grammar(self.table, Choice(ChoiceKind.NONE) if refused else self.choice)

    @property
    def beginning(self) -> str:
        """The beginning of a required call, for the model to go on; blank where it is not begun for it."""
        wanted = self.required and self.using.settings.prefill and self.facts.prefill is Fact.YES
        return begun(self.using.protocol.form, self.choice.names) if wanted else ""


def begun(form: str, names: Sequence[str]) -> str:
    """Returns the beginning of a call up to where the model has to choose.

    Args:
        form: The shape of a call, with placeholders.
        names: The tools that may be called; the name is part of it when there is one only.
    """
    head, _, rest = form.partition(_NAME)
    if len(names) != 1:
        return head
    to_arguments = _TO_LAST_BLANK.match(rest.partition(_PARAMETER)[0])
    return head + names[0] + (to_arguments.group() if to_arguments else "")


def again(request: Request, attempt: Attempt) -> list[Any]:
    """Returns the messages of asking again: the attempt, and what was wrong with it."""
    echo, errors = _echo(request, attempt), _errors(request, attempt)
    if not echo:
        return noted(request, errors)
    return [*request.messages, request.form.assistant(echo), request.form.user(errors)]


def without_tools(request: Request) -> list[Any]:
    """Returns the messages of a last attempt in which no tool may be called."""
    return noted(request, last_round())


def noted(request: Request, text: str) -> list[Any]:
    """Returns the messages with a text behind the last one, if that is a user's, or as a new one."""
    form, messages = request.form, request.messages
    if not messages or form.role(messages[-1]) != "user":
        return [*messages, form.user(text)]
    content = put_behind(form.content(messages[-1]), text, text_type=form.text_type)
    return [*messages[:-1], form.with_content(messages[-1], content)]


def _echo(request: Request, attempt: Attempt) -> str:
    """Returns an attempt as it stands in the next request: no tag in it but those that we put round a broken call."""
    raws = [p.raw for p in attempt.problems[:_SHOWN] if p.raw.strip()]
    calls = [_broken(request.using, raw, ECHO // len(raws)) for raw in raws]
    text = block(Untrusted(attempt.text.strip()))
    return request.policy.write(Text.join("\n", (text, *calls))).text


def _broken(using: ProtocolInUse, raw: str, most: int) -> Text:
    open_, close = using.protocol.open, using.protocol.close
    inner = raw.strip().removeprefix(open_).removesuffix(close).strip()
    between = "\n" if close else ""
    return Text.of(f"{open_}{between}", block(Untrusted(_ends(inner, most))), f"{between}{close}")


def _ends(text: str, most: int) -> str:
    """Returns the head and the tail of a text."""
    half = max(1, (most - 1) // 2)
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def _errors(request: Request, attempt: Attempt) -> str:
    """Returns the blocks that say what was wrong, one for each problem, as many as there is room for."""
    found = [request.policy.write(b).text for b in _blocks(request, attempt)]
    kept, room = found[:1], MOST - len(found[0])
    for text in found[1:]:
        room -= len(text) + 1
        if room < 0:
            break
        kept.append(text)
    return "\n".join(kept)


def _blocks(request: Request, attempt: Attempt) -> Iterator[Text]:
    tag = request.using.settings.result_tag
    if not attempt.problems:
        yield result_block(tag, "", Text.of(_reminder(request, attempt)), error=True)
    wording = Wording(request.using.table, request.table.names, request.policy)
    for problem in attempt.problems[:_SHOWN]:
        yield result_block(tag, problem.name or "", wording.of(problem), error=True)


def _reminder(request: Request, attempt: Attempt) -> str:
    """Returns what an attempt is told that broke no call."""
    if request.refused:
        return last_round()
    if request.required:
        return CALL_REQUIRED
    return NOT_A_CALL if attempt.empty_block else NO_ANSWER
