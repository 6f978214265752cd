"""How LangChain writes messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, FunctionMessage, HumanMessage, ToolMessage

from promptmw.contents import GAP, changed_texts, text_of
from promptmw.messages import Change, block_calls, block_results, changed_blocks, past_result
from promptmw.toolmode.events import PastCall, PastResult

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

    def assistant(self, text: str) -> BaseMessage:
        """Returns a new message of the model."""
        return AIMessage(text)

    def calls(self, message: BaseMessage) -> Sequence[PastCall]:
        """Returns the calls of a message, as LangChain parsed them, or in blocks of its content."""
        if isinstance(message, AIMessage) and message.tool_calls:
            return [PastCall(call["id"] or "", call["name"], call["args"]) for call in message.tool_calls]
        return block_calls(message.content)

    def results(self, message: BaseMessage) -> Sequence[PastResult]:
        """Returns the result that a message of a tool is, or those in blocks of the content."""
        if isinstance(message, ToolMessage):
            return [past_result(message.tool_call_id, message.content, error=message.status == "error")]
        if isinstance(message, FunctionMessage):
            return [past_result(f"function {message.name}", message.content)]
        return block_results(message.content)

    def with_results(self, message: BaseMessage, change: Change) -> BaseMessage:
        """Returns a copy with other texts of the result that it is, or of those in blocks of the content."""
        if isinstance(message, ToolMessage | FunctionMessage):
            id = message.tool_call_id if isinstance(message, ToolMessage) else f"function {message.name}"
            made = changed_texts(message.content, lambda text: change(id, text))
        else:
            made = changed_blocks(message.content, change)
        return message if made is message.content else self.with_content(message, made)


FORM = LangChainFormat()
