"""How Anthropic's messages and OpenAI's responses write a conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from promptmw.contents import changed_texts
from promptmw.messages import Change, block_calls, block_results, changed_blocks, past_result
from promptmw.toolmode.events import PastCall, PastResult

_SYSTEM_ROLES = {"developer": "system"}


def field(item: Any, name: str) -> Any:
    """Returns a field of a dict, or of an object that a framework made of one; None without it."""
    if isinstance(item, dict):  # nearly always, and a tenth of what asking for a Mapping costs
        return item.get(name)
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


class MessagesFormat:
    """Is Anthropic's form: text, images, calls and results are blocks, and results stand in user messages."""

    text_type = "text"

    def role(self, message: Any) -> str:
        """Returns the role as it stands."""
        return str(field(message, "role") or "")

    def content(self, message: Any) -> Any:
        """Returns the content as it stands."""
        return field(message, "content")

    def with_content(self, message: Any, content: Any) -> Any:
        """Returns a copy with other content, the results of tools in front as Anthropic demands."""
        if isinstance(content, list):
            content = sorted(content, key=lambda block: field(block, "type") != "tool_result")
        return {**_fields(message), "content": content}

    def user(self, text: str) -> Any:
        """Returns a new user message."""
        return {"role": "user", "content": text}

    def assistant(self, text: str) -> Any:
        """Returns a new message of the assistant."""
        return {"role": "assistant", "content": text}

    def calls(self, message: Any) -> Sequence[PastCall]:
        """Returns the calls in the blocks of a message."""
        return block_calls(field(message, "content"))

    def results(self, message: Any) -> Sequence[PastResult]:
        """Returns the results in the blocks of a message."""
        return block_results(field(message, "content"))

    def with_results(self, message: Any, change: Change) -> Any:
        """Returns a copy with other texts of the results in its blocks."""
        content = field(message, "content")
        made = changed_blocks(content, change)
        return message if made is content else self.with_content(message, made)


class ResponsesFormat:
    """Is the form of the Responses API: messages, calls and their outputs are items of one list."""

    text_type = "input_text"

    def role(self, item: Any) -> str:
        """Returns a message's role; outputs of calls are a tool's, and calls and reasoning the assistant's."""
        role = field(item, "role")
        if role:
            return _SYSTEM_ROLES.get(str(role), str(role))
        return "tool" if str(field(item, "type") or "").endswith("_output") else "assistant"

    def content(self, item: Any) -> Any:
        """Returns the content as it stands."""
        return field(item, "content")

    def with_content(self, item: Any, content: Any) -> Any:
        """Returns a copy with other content."""
        return {**_fields(item), "content": content}

    def user(self, text: str) -> Any:
        """Returns a new user message."""
        return {"role": "user", "content": text}

    def assistant(self, text: str) -> Any:
        """Returns a new message of the assistant."""
        return {"role": "assistant", "content": text}

    def calls(self, item: Any) -> Sequence[PastCall]:
        """Returns the call that an item is."""
        if field(item, "type") != "function_call":
            return ()
        arguments = field(item, "arguments") or ""
        return (PastCall(str(field(item, "call_id") or ""), str(field(item, "name") or ""), arguments),)

    def results(self, item: Any) -> Sequence[PastResult]:
        """Returns the result that an item is."""
        if field(item, "type") != "function_call_output":
            return ()
        return (past_result(str(field(item, "call_id") or ""), field(item, "output")),)

    def with_results(self, item: Any, change: Change) -> Any:
        """Returns a copy with another text of the result that the item is."""
        if field(item, "type") != "function_call_output":
            return item
        output, id = field(item, "output"), str(field(item, "call_id") or "")
        made = changed_texts(output, lambda text: change(id, text))
        return item if made is output else {**_fields(item), "output": made}


def texts_of(content: Any) -> str:
    """Returns the text of a ``system`` field: a string, or blocks joined by one blank line."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, Sequence) else ()
    return "\n\n".join(str(field(b, "text")).strip("\n") for b in blocks if field(b, "text"))


def _fields(message: Any) -> Mapping[str, Any]:
    return message if isinstance(message, Mapping) else dict(message.model_dump(exclude_none=True))
