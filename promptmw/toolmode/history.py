"""Shows earlier calls and results as text, for models that know no others. A pure function of messages and format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from promptmw.errors import HistoryError
from promptmw.fencing import Policy, Text, Untrusted, block
from promptmw.messages import MessageFormat, put_before, text_of
from promptmw.recent import Recent
from promptmw.toolmode.events import PastCall, PastResult
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.results import result_block, result_body
from promptmw.toolmode.wording import NO_RESULT

_REMEMBERED = 16 * 1024
_WRITTEN: Recent[tuple[str, str], str] = Recent(2048)


@dataclass(frozen=True, slots=True)
class Rendered:
    """Is a history as text.

    Attributes:
        messages: A new list; messages in which nothing changes are the caller's own objects.
        notes: What did not fit together, without content.
    """

    messages: list[Any]
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Entry:
    """Is a message to be: its role, its content, and the caller's message while nothing has changed in it."""

    role: str
    content: Any
    original: Any = None
    changed: bool = True


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
    history = _History(messages, form, protocol, policy, result_tag)
    entries = history.merged()
    if strict and history.strangers:
        raise HistoryError(f"a result belongs to no call of the message before it: {sorted(history.strangers)[0]!r}")
    return Rendered([history.message(entry) for entry in entries], tuple(history.notes))


@dataclass
class _History:
    messages: Sequence[Any]
    form: MessageFormat
    protocol: ToolProtocol
    policy: Policy
    tag: str
    notes: list[str] = field(default_factory=list)
    strangers: set[str] = field(default_factory=set)

    def merged(self) -> list[_Entry]:
        """Returns the entries, those of one role that stand side by side joined."""
        found: list[_Entry] = []
        for entry in self._entries():
            if found and found[-1].role == entry.role and entry.role in ("user", "assistant"):
                before = found[-1]
                content = _joined(before.content, entry.content, text_type=self.form.text_type)
                found[-1] = _Entry(entry.role, content, before.original or entry.original)
            else:
                found.append(entry)
        return found

    def message(self, entry: _Entry) -> Any:
        """Returns the message of an entry."""
        if not entry.changed:
            return entry.original
        if entry.role == "assistant":
            return self.form.assistant(entry.content)
        return self.form.with_content(entry.original or self.form.user(""), entry.content)

    def _entries(self) -> Iterator[_Entry]:
        answered = -1
        for at, message in enumerate(self.messages):
            role = self.form.role(message)
            if role == "assistant":
                answered = at
                yield from self._assistant(at, message)
            else:
                results = self.form.results(message)
                if results and answered < 0:
                    self._strange(results)
                if role != "tool":
                    yield from self._other(role, message, bool(results))

    def _other(self, role: str, message: Any, has_results: bool) -> Iterator[_Entry]:
        """Yields what is left of a message without its results."""
        content = self.form.content(message)
        if not has_results:
            yield _Entry(role, content, message, changed=False)
            return
        rest = [part for part in content if _kind(part) != "tool_result"]
        if rest:
            only_text = all(_kind(part) in ("text", None) for part in rest)
            yield _Entry(role, text_of(rest) if only_text else rest, message)

    def _assistant(self, at: int, message: Any) -> Iterator[_Entry]:
        content = self.form.content(message)
        calls = self.form.calls(message)
        text = text_of(content)
        shown = self._prose(text)
        if not calls and content == shown:
            yield _Entry("assistant", shown, message, changed=False)
            return self._strange_behind(at)
        written = [self.protocol.render_call(call) for call in calls]
        lead = [shown.rstrip()] if shown.strip() else []
        yield _Entry("assistant", "\n".join((*lead, *written)) if calls else shown)
        if calls:
            yield self._results(at, calls)
        else:
            self._strange_behind(at)

    def _prose(self, text: str) -> str:
        """Returns an earlier text of the model, in which nothing can be read as a call or a result."""
        if not text.strip():
            return text
        return self._written(self.policy.id, text, lambda: block(Untrusted(text, source="earlier answer")))

    def _written(self, kind: str, text: str, make: Callable[[], Text]) -> str:
        """Returns what is made of a text, which is remembered."""
        written = _WRITTEN.get((kind, text))
        if written is None:
            written = self.policy.write(make()).text
            if len(text) <= _REMEMBERED:
                _WRITTEN.put((kind, text), written)
        return written

    def _results(self, at: int, calls: Sequence[PastCall]) -> _Entry:
        """Returns the user message that answers the calls of a message, in their order."""
        found = self._found(at)
        known = {call.id for call in calls}
        self._strange([result for id, result in found.items() if id not in known])
        blocks: list[str] = []
        parts: list[Any] = []
        for call in calls:
            result = found.get(call.id) or self._missing(call)
            blocks.append(self._block(call.name, _with_labels(result, len(parts)), result.error))
            parts += result.parts
        text = "\n".join(blocks)
        return _Entry("user", [{"type": self.form.text_type, "text": text}, *parts] if parts else text)

    def _missing(self, call: PastCall) -> PastResult:
        self.notes.append(f"no result for a call of {call.name[:64]!r}")
        return PastResult(call.id, NO_RESULT, error=True)

    def _block(self, name: str, text: str, error: bool) -> str:
        kind = f"{self.policy.id} {self.tag} {error} {name}"
        return self._written(kind, text, lambda: result_block(self.tag, name, result_body(text), error=error))

    def _found(self, at: int) -> dict[str, PastResult]:
        """Returns the results up to the next message of the assistant, by id; the last one of each."""
        found: dict[str, PastResult] = {}
        for message in self._behind(at):
            for result in self.form.results(message):
                if result.id in found:
                    self.notes.append("two results for one call: the later one counts")
                found[result.id] = result
        return found

    def _behind(self, at: int) -> Iterator[Any]:
        for place in range(at + 1, len(self.messages)):
            message = self.messages[place]
            if self.form.role(message) == "assistant":
                return
            yield message

    def _strange_behind(self, at: int) -> None:
        self._strange(list(self._found(at).values()))

    def _strange(self, results: Sequence[PastResult]) -> None:
        """Notes results that belong to no call."""
        self.strangers |= {result.id for result in results}
        self.notes += ["a result that belongs to no call was left out"] * len(results)


def _with_labels(result: PastResult, before: int) -> str:
    labels = [f"[{_label(part)} {before + i}]" for i, part in enumerate(result.parts, 1)]
    return "\n".join((*([result.text] if result.text else []), *labels))


def _label(part: Any) -> str:
    return "image" if "image" in str(_kind(part)) else "file"


def _kind(part: Any) -> Any:
    return part.get("type") if isinstance(part, dict) else getattr(part, "type", None)


def _joined(first: Any, second: Any, *, text_type: str) -> Any:
    """Returns two contents as one, with one blank line between."""
    if not second:
        return first
    if not first:
        return second
    if isinstance(first, str):
        return put_before(second, first.rstrip("\n"), text_type=text_type)
    rest = [{"type": text_type, "text": second}] if isinstance(second, str) else list(second)
    return [*first, *rest]
