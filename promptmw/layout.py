"""Lays a prompt over a conversation: new lists and new messages only where something changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from promptmw.contents import put_before, put_behind
from promptmw.fencing import restore
from promptmw.foreign import Foreign
from promptmw.kinds import Layer
from promptmw.messages import Conversation, MessageFormat
from promptmw.prompts import Prompt
from promptmw.recent import Recent


@dataclass(frozen=True, slots=True)
class Laid:
    """Is a request's text, placed.

    Attributes:
        system: The one leading system text; empty for none.
        messages: Everything behind it, in a list of its own. Unchanged messages are the caller's own objects.
        notes: What did not fit together in the history, without content.
        changed: Whether any of the messages is not the caller's own.
    """

    system: str
    messages: list[Any]
    notes: tuple[str, ...] = ()
    changed: bool = False

    def behind(self, system: Any | None) -> list[Any]:
        """Returns the messages with a system message in front, if there is one; the list itself, not a copy."""
        if system is not None:
            self.messages.insert(0, system)
        return self.messages


class Sent:
    """Remembers what was sent, so that a request that comes back assembled is not assembled twice.

    It holds hashes and offsets; of texts only the caller's own system text.

    Args:
        size: How many texts of each kind are remembered.
    """

    def __init__(self, size: int = 1024) -> None:
        self._systems: Recent[tuple[int, int], str] = Recent(size)
        self._users: Recent[tuple[int, int], _Place] = Recent(size)

    def caller_text(self, system: str) -> str:
        """Returns the caller's own part of a system text: all of it, unless it was made here."""
        own = self._systems.get(_key(system.strip("\n"))) if system else None
        return system if own is None else own

    def remember_system(self, system: str, caller_text: str) -> None:
        """Remembers a system text, and what of it is the caller's own."""
        if system:
            self._systems.put(_key(system.strip("\n")), caller_text)

    def remember_user(self, own: Any, shown: Any, laid: Any) -> None:
        """Remembers a user message's content, so that `own` finds the user's own in it.

        Args:
            own: The user's own content.
            shown: The same as it is sent, with markers escaped.
            laid: With blocks in it.
        """
        if isinstance(laid, str):
            start = laid.index(shown) if shown else 0
            self._users.put(_key(laid), _Place(start, start + len(shown or ""), escaped=shown is not own))
        elif isinstance(laid, Sequence):
            for part in laid:
                if any(part is p for p in own or ()):
                    continue
                text, escaped = _text(part), any(part is p for p in shown or ())
                self._users.put(_key(text), _Place(0, len(text) if escaped else 0, escaped=escaped))

    def own(self, content: Any) -> Any:
        """Returns the user's own content: itself, unless it was made here before."""
        if isinstance(content, str):
            found = self._users.get(_key(content))
            return found.own(content) if found else content
        if not isinstance(content, Sequence):
            return content
        kept = [own for part in content if (own := self._own_part(part)) is not None]
        same = len(kept) == len(content) and all(a is b for a, b in zip(kept, content, strict=True))
        return content if same else kept

    def _own_part(self, part: Any) -> Any:
        """Returns a part as the user wrote it; None for one of ours."""
        text = _text(part)
        found = self._users.get(_key(text)) if text else None
        own = found.own(text) if found else text
        if own is text:
            return part
        return ({**part, "text": own} if isinstance(part, dict) else own) if own else None


@dataclass(frozen=True, slots=True)
class _Place:
    """Says where in a text the user's own stands, and whether markers are escaped there."""

    start: int
    end: int
    escaped: bool

    def own(self, text: str) -> str:
        """Returns the user's own text."""
        shown = text[self.start : self.end]
        return restore(shown) if self.escaped else shown


def lay_out(prompt: Prompt, conversation: Conversation, sent: Sent, foreign: Foreign) -> Laid:
    """Returns the request's system text and messages.

    Args:
        prompt: What was assembled for this conversation.
        conversation: The caller's messages; untouched.
        sent: What this pipeline has sent before.
        foreign: Treats what others wrote.
    """
    keep, form = prompt.edit.keep_from, conversation.form
    messages = conversation.body(keep)
    front, behind = prompt.text(Layer.FIRST_USER), prompt.text(Layer.LAST_USER)
    first = conversation.first_user(keep) if front else None
    last = conversation.last_user if behind else None
    last = None if last is None or last < keep else last
    changed = foreign.users(messages, form, lambda m: _with_blocks(m, ("", ""), form, sent, foreign))
    changed = foreign.results(messages, form) or changed
    for at in {i for i in (first, last) if i is not None}:
        texts = (front if at == first else "", behind if at == last else "")
        messages[at - keep] = _with_blocks(messages[at - keep], texts, form, sent, foreign)
    if front and first is None:
        messages.insert(0, _of_blocks(front, conversation, sent))
    if behind and last is None:
        messages.append(_of_blocks(behind, conversation, sent))
    sent.remember_system(prompt.system, prompt.caller)
    return Laid(prompt.system, messages, changed=changed or bool(front or behind))


def _with_blocks(message: Any, texts: tuple[str, str], form: MessageFormat, sent: Sent, foreign: Foreign) -> Any:
    """Returns a copy of a user message with blocks in front of its text and behind it, and its own text escaped."""
    content = form.content(message)
    own = sent.own(content)
    laid = shown = foreign.content(own)
    if texts[1]:  # first, as it looks for the last text of the user's own
        laid = put_behind(laid, texts[1], text_type=form.text_type)
    if texts[0]:
        laid = put_before(laid, texts[0], text_type=form.text_type)
    if laid is content:
        return message
    sent.remember_user(own, shown, laid)
    return form.with_content(message, laid)


def _of_blocks(text: str, conversation: Conversation, sent: Sent) -> Any:
    """Returns a user message of blocks alone."""
    sent.remember_user("", "", text)
    return conversation.form.user(text)


def _text(part: Any) -> str:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else ""


def _key(text: str) -> tuple[int, int]:
    return hash(text), len(text)
