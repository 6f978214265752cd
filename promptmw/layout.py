"""Lays a prompt over a conversation: new lists and new messages only where something changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from promptmw.contents import put_before, put_behind
from promptmw.kinds import Layer
from promptmw.messages import Conversation
from promptmw.prompts import Prompt
from promptmw.recent import Recent


@dataclass(frozen=True, slots=True)
class Laid:
    """Is a request's text, placed.

    Attributes:
        system: The one leading system text; empty for none.
        messages: Everything behind it, in a list of its own. Unchanged messages are the caller's own objects.
        notes: What did not fit together in the history, without content.
    """

    system: str
    messages: list[Any]
    notes: tuple[str, ...] = ()

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
        self._users: Recent[tuple[int, int], tuple[int, int]] = Recent(size)

    def caller_text(self, system: str) -> str:
        """Returns the caller's own part of a system text: all of it, unless it was made here."""
        own = self._systems.get(_key(system.strip("\n"))) if system else None
        return system if own is None else own

    def remember_system(self, system: str, caller_text: str) -> None:
        """Remembers a system text, and what of it is the caller's own."""
        if system:
            self._systems.put(_key(system.strip("\n")), caller_text)

    def remember_user(self, own: Any, laid: Any) -> None:
        """Remembers a user message's content with blocks in it, and where the user's own text stands."""
        if isinstance(laid, str):
            start = laid.index(own) if own else 0
            self._users.put(_key(laid), (start, start + len(own or "")))
        elif isinstance(laid, Sequence):
            for part in laid:
                if not any(part is p for p in own or ()):
                    self._users.put(_key(part["text"]), (0, 0))

    def own(self, content: Any) -> Any:
        """Returns the user's own content: itself, unless blocks were laid into it here before."""
        if isinstance(content, str):
            found = self._users.get(_key(content))
            return content[slice(*found)] if found else content
        if not isinstance(content, Sequence):
            return content
        kept = [p for p in content if not self._laid(p)]
        return content if len(kept) == len(content) else kept

    def _laid(self, part: Any) -> bool:
        text = part.get("text") if isinstance(part, dict) else None
        return isinstance(text, str) and self._users.get(_key(text)) == (0, 0)


def lay_out(prompt: Prompt, conversation: Conversation, sent: Sent) -> Laid:
    """Returns the request's system text and messages.

    Args:
        prompt: What was assembled for this conversation.
        conversation: The caller's messages; untouched.
        sent: What this pipeline has sent before.
    """
    keep = prompt.edit.keep_from
    messages = conversation.body(keep)
    front, behind = prompt.text(Layer.FIRST_USER), prompt.text(Layer.LAST_USER)
    first = conversation.first_user(keep) if front else None
    last = conversation.last_user if behind else None
    last = None if last is None or last < keep else last
    for at in {i for i in (first, last) if i is not None}:
        texts = (front if at == first else "", behind if at == last else "")
        messages[at - keep] = _with_blocks(messages[at - keep], texts, conversation, sent)
    if front and first is None:
        messages.insert(0, _of_blocks(front, conversation, sent))
    if behind and last is None:
        messages.append(_of_blocks(behind, conversation, sent))
    sent.remember_system(prompt.system, prompt.caller)
    return Laid(prompt.system, messages)


def _with_blocks(message: Any, texts: tuple[str, str], conversation: Conversation, sent: Sent) -> Any:
    """Returns a copy of a user message with blocks in front of its text and behind it."""
    form = conversation.form
    own = laid = sent.own(form.content(message))
    if texts[1]:  # first, as it looks for the last text of the user's own
        laid = put_behind(laid, texts[1], text_type=form.text_type)
    if texts[0]:
        laid = put_before(laid, texts[0], text_type=form.text_type)
    sent.remember_user(own, laid)
    return form.with_content(message, laid)


def _of_blocks(text: str, conversation: Conversation, sent: Sent) -> Any:
    """Returns a user message of blocks alone."""
    sent.remember_user("", text)
    return conversation.form.user(text)


def _key(text: str) -> tuple[int, int]:
    return hash(text), len(text)
