"""Shows earlier calls and results as text, for models that know no others. A pure function of messages and format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from promptmw.contents import put_together, text_of
from promptmw.errors import HistoryError
from promptmw.fencing import Policy, Restorer, Text, Untrusted, block, restore, restore_arguments
from promptmw.messages import MessageFormat
from promptmw.remembered import remembered
from promptmw.toolmode.events import PastCall, PastResult
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.results import result_block, result_body
from promptmw.toolmode.wording import NO_RESULT

_JOINED = frozenset({"user", "assistant"})


@dataclass(frozen=True, slots=True)
class Rendered:
    """Is a history as text.

    Attributes:
        messages: A new list; messages in which nothing changes are the caller's own objects.
        notes: What did not fit together, without content.
    """

    messages: list[Any]
    notes: tuple[str, ...] = ()


def rendered(
    messages: Sequence[Any],
    form: MessageFormat,
    protocol: ToolProtocol,
    policy: Policy,
    *,
    result_tag: str,
    strict: bool = False,
) -> Rendered:
    """Returns messages without calls and results of their own kind.

    Args:
        messages: Of one request, behind the leading system messages; untouched.
        form: How to read and write them.
        protocol: How calls are written.
        policy: Writes what is not ours.
        result_tag: Encloses results.
        strict: Whether results that belong to no call are an error.

    Raises:
        HistoryError: As said under ``strict``.
    """
    history = _History(form, protocol, policy, result_tag)
    found = history.rendered(messages)
    if strict and history.strangers:
        raise HistoryError(f"a result belongs to no call of the message before it: {sorted(history.strangers)[0]!r}")
    return Rendered(found, tuple(history.notes))


class _Joining:
    """Makes a list of messages, of which those of one role that stand side by side become one."""

    def __init__(self, form: MessageFormat) -> None:
        self._form = form
        self._made: list[Any] = []
        self._role = ""
        self._neighbours: list[Any] = []
        self._base: Any = None

    def add(self, role: str, message: Any, *, own: bool = False) -> None:
        """Adds a message; ``own`` says that it is made here, so that it has nothing but its content."""
        if role != self._role or role not in _JOINED:
            self._close()
        self._role = role
        self._neighbours.append(message)
        self._base = message if self._base is None and not own else self._base

    def all(self) -> list[Any]:
        """Returns the messages."""
        self._close()
        return self._made

    def _close(self) -> None:
        if len(self._neighbours) > 1:
            self._made.append(self._joined())
        else:
            self._made += self._neighbours
        self._neighbours, self._base = [], None

    def _joined(self) -> Any:
        form = self._form
        content = put_together([form.content(m) for m in self._neighbours], text_type=form.text_type)
        if self._role == "assistant":
            return form.assistant(content)
        return form.with_content(self._neighbours[0] if self._base is None else self._base, content)


@dataclass
class _History:
    form: MessageFormat
    protocol: ToolProtocol
    policy: Policy
    tag: str
    notes: list[str] = field(default_factory=list)
    strangers: set[str] = field(default_factory=set)

    def rendered(self, messages: Sequence[Any]) -> list[Any]:
        """Returns the messages as text."""
        made = _Joining(self.form)
        for answer, behind in _answers(messages, self.form):
            calls = self._answer(answer, made) if answer is not None else ()
            found, others = self._apart(behind)
            if calls:
                made.add("user", self._results(calls, found), own=True)
            if found:
                known = {call.id for call in calls}
                self._strange([id for id in found if id not in known])
            for role, message in others:
                made.add(role, message)
        return made.all()

    def _answer(self, message: Any, made: _Joining) -> Sequence[PastCall]:
        """Adds a message of the assistant; returns its calls."""
        content, calls = self.form.content(message), [_restored(call) for call in self.form.calls(message)]
        text = text_of(content)
        shown = self._prose(text)
        if not calls and content == shown:
            made.add("assistant", message)
            return calls
        lead = [shown.rstrip()] if shown.strip() else []
        written = [*lead, *map(self.protocol.render_call, calls)] if calls else [shown]
        made.add("assistant", self.form.assistant("\n".join(written)), own=True)
        return calls

    def _apart(self, behind: Sequence[tuple[str, Any]]) -> tuple[dict[str, PastResult], list[tuple[str, Any]]]:
        """Returns the results in the messages behind an answer, by id and the last one of each, and what is left."""
        found: dict[str, PastResult] = {}
        others = []
        for role, message in behind:
            results = self.form.results(message)
            for result in results:
                if result.id in found:
                    self.notes.append("two results for one call: the later one counts")
                found[result.id] = result
            rest = None if role == "tool" else self._rest(message) if results else message
            if rest is not None:
                others.append((role, rest))
        return found, others

    def _rest(self, message: Any) -> Any | None:
        """Returns what is left of a message without its results; None where nothing is."""
        rest = [part for part in self.form.content(message) if _kind(part) != "tool_result"]
        only_text = all(_kind(part) in ("text", None) for part in rest)
        return self.form.with_content(message, text_of(rest) if only_text else rest) if rest else None

    def _prose(self, text: str) -> str:
        """Returns an earlier text of the model, in which nothing can be read as a call or a result.

        It is the same whether the application has kept the text as the model wrote it, or restored.
        """
        if not text or text.isspace():
            return text
        return self._written(self.policy.id, text, lambda: block(Untrusted(restore(text), source="earlier answer")))

    def _written(self, kind: str, text: str, make: Callable[[], Text]) -> str:
        """Returns what is made of a text, which is remembered."""
        return remembered(kind, text, lambda: self.policy.write(make()).text)

    def _results(self, calls: Sequence[PastCall], found: Mapping[str, PastResult]) -> Any:
        """Returns the user message that answers calls, in their order."""
        blocks: list[str] = []
        parts: list[Any] = []
        for call in calls:
            result = found.get(call.id) or self._missing(call)
            blocks.append(self._block(call.name, _with_labels(result, len(parts)), result.error))
            parts += result.parts
        text, form = "\n".join(blocks), self.form
        if not parts:
            return form.user(text)
        return form.with_content(form.user(""), [{"type": form.text_type, "text": text}, *parts])

    def _missing(self, call: PastCall) -> PastResult:
        self.notes.append(f"no result for a call of {call.name[:64]!r}")
        return PastResult(call.id, NO_RESULT, error=True)

    def _block(self, name: str, text: str, error: bool) -> str:
        kind = f"{self.policy.id} {self.tag} {error} {name}"
        return self._written(kind, text, lambda: result_block(self.tag, name, result_body(text), error=error))

    def _strange(self, ids: Sequence[str]) -> None:
        """Notes results that belong to no call."""
        self.strangers |= set(ids)
        self.notes += ["a result that belongs to no call was left out"] * len(ids)


def _answers(messages: Sequence[Any], form: MessageFormat) -> Iterator[tuple[Any | None, list[tuple[str, Any]]]]:
    """Yields each message of the assistant with those behind it and their roles; None in front of the first."""
    answer: Any | None = None
    behind: list[tuple[str, Any]] = []
    for message in messages:
        role = form.role(message)
        if role == "assistant":
            yield answer, behind
            answer, behind = message, []
        else:
            behind.append((role, message))
    yield answer, behind


def _restored(call: PastCall) -> PastCall:
    given = call.arguments
    made = Restorer.for_json().all(given) if isinstance(given, str) else restore_arguments(given)
    return call if made == given else replace(call, arguments=made)


def _with_labels(result: PastResult, before: int) -> str:
    labels = [f"[{_label(part)} {before + i}]" for i, part in enumerate(result.parts, 1)]
    return "\n".join((*([result.text] if result.text else []), *labels))


def _label(part: Any) -> str:
    return "image" if "image" in str(_kind(part)) else "file"


def _kind(part: Any) -> Any:
    return part.get("type") if isinstance(part, dict) else getattr(part, "type", None)
