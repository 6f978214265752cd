"""Where the text goes: the fields of chat completions, of Anthropic's messages, and of responses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from promptmw import ChatFormat, Conversation, MessageFormat
from promptmw.layout import Laid
from promptmw_litellm.formats import MessagesFormat, ResponsesFormat, texts_of


class Api(Enum):
    """Names the forms of a request."""

    CHAT = "chat"
    """Chat completions: one list of messages."""
    MESSAGES = "messages"
    """Anthropic's messages: a ``system`` field beside them."""
    RESPONSES = "responses"
    """OpenAI's responses: ``input`` and ``instructions``."""


class Place(Protocol):
    """Reads a conversation out of the fields of one API, and writes it back."""

    def conversation(self, fields: Mapping[str, Any]) -> Conversation | None:
        """Returns the conversation, or None where the request has none, as with positional arguments."""
        ...

    def written(self, fields: Mapping[str, Any], laid: Laid) -> dict[str, Any]:
        """Returns the fields with a system text and messages; the given ones stay as they are."""
        ...


class _Chat:
    """Writes the system text as the first message."""

    form: MessageFormat = ChatFormat()

    def conversation(self, fields: Mapping[str, Any]) -> Conversation | None:
        messages = _listed(fields.get("messages"))
        return None if messages is None else Conversation(messages, self.form)

    def written(self, fields: Mapping[str, Any], laid: Laid) -> dict[str, Any]:
        system = {"role": "system", "content": laid.system} if laid.system else None
        return {**fields, "messages": laid.behind(system)}


class _Messages:
    """Writes the system text into ``system``."""

    form: MessageFormat = MessagesFormat()

    def conversation(self, fields: Mapping[str, Any]) -> Conversation | None:
        messages = _listed(fields.get("messages"))
        system = texts_of(fields.get("system"))
        return None if messages is None else Conversation(messages, self.form, system=system)

    def written(self, fields: Mapping[str, Any], laid: Laid) -> dict[str, Any]:
        return {**_with(fields, "system", laid.system), "messages": laid.messages}


class _Responses:
    """Writes the system text into ``instructions``; an input of one string stays one."""

    form: MessageFormat = ResponsesFormat()

    def conversation(self, fields: Mapping[str, Any]) -> Conversation | None:
        given = fields.get("input")
        items = [self.form.user(given)] if isinstance(given, str) else _listed(given)
        system = texts_of(fields.get("instructions"))
        return None if items is None else Conversation(items, self.form, system=system)

    def written(self, fields: Mapping[str, Any], laid: Laid) -> dict[str, Any]:
        plain = isinstance(fields.get("input"), str) and len(laid.messages) == 1
        given = laid.messages[0]["content"] if plain else laid.messages
        return {**_with(fields, "instructions", laid.system), "input": given}


PLACES: Mapping[Api, Place] = {Api.CHAT: _Chat(), Api.MESSAGES: _Messages(), Api.RESPONSES: _Responses()}

_BY_CALL_TYPE = {
    "acompletion": Api.CHAT,
    "anthropic_messages": Api.MESSAGES,
    "aresponses": Api.RESPONSES,
    "responses": Api.RESPONSES,
}


def api_of(call_type: Any) -> Api | None:
    """Returns the API of one of LiteLLM's call types, or None for calls that have no prompt of ours."""
    return _BY_CALL_TYPE.get(str(getattr(call_type, "value", call_type)))


def _with(fields: Mapping[str, Any], name: str, system: str) -> dict[str, Any]:
    """Returns the fields with a system text; without one the field is gone, as an empty one is refused."""
    rest = {k: v for k, v in fields.items() if k != name}
    return {**rest, name: system} if system else rest


def _listed(messages: Any) -> Sequence[Any] | None:
    return messages if isinstance(messages, Sequence) and not isinstance(messages, str) else None
