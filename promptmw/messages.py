"""Messages of any framework, seen the same way."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from promptmw.contents import GAP, changed_texts, is_text_part, text_of
from promptmw.fencing import TextField, text_field
from promptmw.inputs import input_type
from promptmw.kinds import Trust
from promptmw.toolmode.events import PastCall, PastResult

Change = Callable[[str, str], str]
"""Returns the new text of a result, from the id of its call and its text; the same object to leave it."""


class MessageFormat(Protocol):
    """Tells the core how one framework writes its messages.

    Attributes:
        text_type: The ``type`` of a text part.
    """

    text_type: str

    def role(self, message: Any) -> str:
        """Returns ``system``, ``user``, ``assistant`` or ``tool``; ``developer`` counts as system."""
        ...

    def content(self, message: Any) -> Any:
        """Returns the content: a string, a list of parts, or None."""
        ...

    def with_content(self, message: Any, content: Any) -> Any:
        """Returns a copy of the message with other content; everything else stays."""
        ...

    def user(self, text: str) -> Any:
        """Returns a new user message."""
        ...

    def assistant(self, text: str) -> Any:
        """Returns a new message of the assistant."""
        ...

    def calls(self, message: Any) -> Sequence[PastCall]:
        """Returns the calls of tools in a message, in order."""
        ...

    def results(self, message: Any) -> Sequence[PastResult]:
        """Returns the results of tools in a message, in order."""
        ...

    def with_results(self, message: Any, change: Change) -> Any:
        """Returns a copy of the message with the texts of its results changed; itself where none is."""
        ...


class FailedResult(dict[str, Any]):
    """Is a tool's message in the chat-completions form that says that the tool failed: that form has no word for it."""


_ROLES = {"developer": "system", "function": "tool"}


class ChatFormat:
    """Is the chat-completions form: dicts with ``role`` and ``content``, or objects that read like them."""

    text_type = "text"

    def role(self, message: Any) -> str:
        """Returns the role; ``developer`` counts as system, ``function`` as tool."""
        role = str(_field(message, "role") or "")
        return _ROLES.get(role, role)

    def content(self, message: Any) -> Any:
        """Returns the content as it stands."""
        return _field(message, "content")

    def with_content(self, message: Any, content: Any) -> Any:
        """Returns a dict with the message's other keys."""
        fields = message if isinstance(message, Mapping) else message.model_dump(exclude_none=True)
        return {**fields, "content": content}

    def user(self, text: str) -> Any:
        """Returns a new user message."""
        return {"role": "user", "content": text}

    def assistant(self, text: str) -> Any:
        """Returns a new message of the assistant."""
        return {"role": "assistant", "content": text}

    def calls(self, message: Any) -> Sequence[PastCall]:
        """Returns the calls in ``tool_calls``, the legacy ``function_call``, or blocks of the content."""
        stated = _field(message, "tool_calls")
        if stated:
            return [_call(call) for call in stated]
        legacy = _field(message, "function_call")
        if legacy:
            name = str(_field(legacy, "name") or "")
            return [PastCall(f"function {name}", name, _field(legacy, "arguments") or "")]
        return block_calls(_field(message, "content"))

    def results(self, message: Any) -> Sequence[PastResult]:
        """Returns the result that a message of a tool is, or those in blocks of the content."""
        content = _field(message, "content")
        if self.role(message) != "tool":
            return block_results(content)
        id = _field(message, "tool_call_id") or f"function {_field(message, 'name') or ''}"
        return [past_result(str(id), content, error=isinstance(message, FailedResult))]

    def with_results(self, message: Any, change: Change) -> Any:
        """Returns a copy with other texts of the result that it is, or of those in blocks of the content."""
        content = _field(message, "content")
        if self.role(message) != "tool":
            made = changed_blocks(content, change)
        else:
            id = str(_field(message, "tool_call_id") or f"function {_field(message, 'name') or ''}")
            made = changed_texts(content, lambda text: change(id, text))
        return message if made is content else self.with_content(message, made)


@input_type("question", trust=Trust.USER)
@dataclass(frozen=True)
class Question:
    """Is the text of the last real user message. Stated by the core for collectors."""

    text: TextField = text_field(cap=32_000, trust=Trust.USER, lines=True)


class Conversation:
    """Is the message list of one request, read lazily and from its ends: its length costs nothing.

    Args:
        messages: The application's own objects; never changed.
        form: How to read them.
        system: The caller's system text, where it stands outside the messages.
    """

    def __init__(self, messages: Sequence[Any], form: MessageFormat, *, system: str = "") -> None:
        self.all = messages
        self.form = form
        self.lead = _leading_systems(messages, form)
        texts = [system, *(text_of(form.content(m)) for m in messages[: self.lead])]
        self.caller_system = GAP.join(t.strip("\n") for t in texts if t.strip())

    def body(self, start: int = 0) -> list[Any]:
        """Returns a new list of the messages behind the leading system messages, from ``start`` on."""
        found = self.all[self.lead + start :]
        return found if type(found) is list else list(found)

    @functools.cached_property
    def last_user(self) -> int | None:
        """Index of the last real user message, counted behind the leading system messages."""
        at = next((i for i in range(len(self.all) - 1, self.lead - 1, -1) if self.real_user(self.all[i])), None)
        return None if at is None else at - self.lead

    def text(self, at: int | None, own: Callable[[Any], Any]) -> str:
        """Returns the text of a message; empty for none.

        Args:
            at: Its index behind the leading system messages.
            own: Returns what of a content is the user's own, without blocks that were laid into it before.
        """
        return "" if at is None else text_of(own(self.form.content(self.all[self.lead + at])))

    def first_user(self, keep_from: int = 0) -> int | None:
        """Returns the index of the first real user message at or behind ``keep_from``, counted in the same way."""
        start = self.lead + keep_from
        at = next((i for i in range(start, len(self.all)) if self.real_user(self.all[i])), None)
        return None if at is None else at - self.lead

    def real_user(self, message: Any) -> bool:
        """Says whether it is a user's message and does not only carry results of tools."""
        if self.form.role(message) != "user":
            return False
        content = self.form.content(message)
        if not isinstance(content, Sequence) or isinstance(content, str) or not content:
            return True
        return not all(isinstance(p, Mapping) and p.get("type") == "tool_result" for p in content)


def _call(call: Any) -> PastCall:
    function = _field(call, "function") or {}
    return PastCall(
        str(_field(call, "id") or ""), str(_field(function, "name") or ""), _field(function, "arguments") or ""
    )


def block_calls(content: Any) -> list[PastCall]:
    """Returns the calls that stand as ``tool_use`` blocks in a content."""
    return [
        PastCall(str(_field(b, "id") or ""), str(_field(b, "name") or ""), _field(b, "input") or {})
        for b in _blocks(content, "tool_use")
    ]


def block_results(content: Any) -> list[PastResult]:
    """Returns the results that stand as ``tool_result`` blocks in a content."""
    return [
        past_result(str(_field(b, "tool_use_id") or ""), _field(b, "content"), error=bool(_field(b, "is_error")))
        for b in _blocks(content, "tool_result")
    ]


def changed_blocks(content: Any, change: Change) -> Any:
    """Returns a content in which the texts of ``tool_result`` blocks are changed; itself where none is."""
    if not _blocks(content, "tool_result"):
        return content
    blocks = [_changed_block(part, change) if _field(part, "type") == "tool_result" else part for part in content]
    return content if all(new is old for new, old in zip(blocks, content, strict=True)) else blocks


def _changed_block(block: Any, change: Change) -> Any:
    content, id = _field(block, "content"), str(_field(block, "tool_use_id") or "")
    made = changed_texts(content, lambda text: change(id, text))
    return block if made is content else {**block, "content": made}


def _blocks(content: Any, kind: str) -> list[Any]:
    if isinstance(content, str) or not isinstance(content, Sequence):
        return []
    return [part for part in content if _field(part, "type") == kind]


def past_result(id: str, content: Any, *, error: bool = False) -> PastResult:
    """Returns a result: its text parts joined by line breaks, other parts beside it, all else as JSON text.

    Args:
        id: Of the call.
        content: As the application gives it.
        error: Whether the tool failed.
    """
    if content is None or isinstance(content, str):
        return PastResult(id, content or "", error)
    if isinstance(content, list) and all(isinstance(part, str | Mapping) for part in content):
        others = tuple(part for part in content if isinstance(part, Mapping) and not is_text_part(part))
        if all("type" in part for part in others):
            return PastResult(id, text_of(content), error, others)
    import json  # here, so that importing a pipeline does not load it

    return PastResult(id, json.dumps(content, ensure_ascii=False, default=str), error)


def _field(message: Any, name: str) -> Any:
    """Returns a field of a dict, or of an object of some client library."""
    if type(message) is dict:
        return message.get(name)
    return message.get(name) if hasattr(message, "get") else getattr(message, name, None)


def _leading_systems(messages: Sequence[Any], form: MessageFormat) -> int:
    return next((i for i, m in enumerate(messages) if form.role(m) != "system"), len(messages))
