"""How LangChain writes messages."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from promptmw.messages import GAP, text_of

_ROLES = {
    "human": "user",
    "HumanMessageChunk": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "system": "system",
    "SystemMessageChunk": "system",
    "tool": "tool",
    "ToolMessageChunk": "tool",
    "function": "tool",
    "FunctionMessageChunk": "tool",
    "developer": "system",
}


class LangChainFormat:
    """Reads LangChain's message objects, and copies one where its content changes."""

    text_type = "text"

    def role(self, message: BaseMessage) -> str:
        """Returns the role; a `ChatMessage` carries it itself."""
        role = _ROLES.get(message.type)
        if role is None:
            stated = str(getattr(message, "role", message.type))
            role = _ROLES.get(stated, stated)
        return role

    def content(self, message: BaseMessage) -> Any:
        """Returns the content as it stands; of a system message its text, blocks apart by one blank line."""
        content = message.content
        if isinstance(content, list) and self.role(message) == "system":
            texts = (text_of([part]).strip("\n") for part in content)
            return GAP.join(t for t in texts if t.strip())
        return content

    def with_content(self, message: BaseMessage, content: Any) -> BaseMessage:
        """Returns a copy with id, name, metadata and tool calls of the message."""
        return message.model_copy(update={"content": content})

    def user(self, text: str) -> BaseMessage:
        """Returns a new user message."""
        return HumanMessage(text)


FORM = LangChainFormat()
