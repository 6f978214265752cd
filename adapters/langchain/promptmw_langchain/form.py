"""How LangChain writes messages."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

_ROLES = {"human": "user", "ai": "assistant", "function": "tool", "developer": "system"}


class LangChainFormat:
    """Reads LangChain's message objects, and copies one where its content changes."""

    text_type = "text"

    def role(self, message: BaseMessage) -> str:
        """Returns the role; a `ChatMessage` carries it itself."""
        kind = getattr(message, "role", message.type).removesuffix("MessageChunk").lower()
        return _ROLES.get(kind, kind)

    def content(self, message: BaseMessage) -> Any:
        """Returns the content as it stands."""
        return message.content

    def with_content(self, message: BaseMessage, content: Any) -> BaseMessage:
        """Returns a copy with id, name, metadata and tool calls of the message."""
        return message.model_copy(update={"content": content})

    def user(self, text: str) -> BaseMessage:
        """Returns a new user message."""
        return HumanMessage(text)
