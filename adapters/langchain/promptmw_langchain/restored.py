"""Takes escapes out of answers: of their texts, and of the arguments of their calls. Models' own objects stay."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from promptmw.fencing import ESCAPED
from promptmw.restoring import Restoring
from promptmw_langchain.answers import as_json

FINAL = "promptmw_restored"
"""Marks in a message's ``response_metadata`` that an escape in its arguments stands for itself."""

_ARGUMENTS = ("partial_json", "arguments", "args")
"""Under which blocks of a content have arguments as text of JSON."""


def restored(result: ChatResult, found: Restoring) -> ChatResult:
    """Returns whole answers, restored."""
    if not found.on:
        return result
    return result.model_copy(update={"generations": [_generation(g, found) for g in result.generations]})


class RestoredStream:
    """Restores the chunks of one answer.

    Args:
        found: Restores.
    """

    def __init__(self, found: Restoring) -> None:
        self._found = found

    def of(self, chunk: ChatGenerationChunk) -> ChatGenerationChunk:
        """Returns a chunk, restored; what was held back of texts comes out in the one that says it is the last."""
        message: Any = chunk.message
        if not self._found.on:
            return chunk
        content = self._content(message.content)
        if getattr(message, "chunk_position", None) == "last":
            content = _with_rest(content, self._found)
        given = list(getattr(message, "tool_call_chunks", ()))
        calls = [self._call(call, at) for at, call in enumerate(given)]
        escaped = any(ESCAPED in (call["args"] or "") for call in calls)
        if content is message.content and calls == given and not escaped:
            return chunk
        parsed: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}  # made anew from the chunks of calls
        made = type(message)(**{**dict(message), **parsed, "content": content, "tool_call_chunks": calls})
        _mark(made, self._found, escaped)
        return ChatGenerationChunk(message=made, generation_info=chunk.generation_info)

    def rest(self) -> Iterator[ChatGenerationChunk]:
        """Yields what was held back of a stream in which no chunk said that it is the last."""
        content = _with_rest("", self._found)
        if content:
            yield ChatGenerationChunk(message=AIMessageChunk(content=content))

    def _content(self, content: Any) -> Any:
        if isinstance(content, str):
            return self._found.text("", content) if content else content
        blocks = [self._block(block, at) for at, block in enumerate(content)]
        return content if all(new is old for new, old in zip(blocks, content, strict=True)) else blocks

    def _block(self, block: Any, at: int) -> Any:
        if isinstance(block, str):
            return self._found.text("", block)
        place = block.get("index", at)
        if block.get("type") == "text":
            return _changed(block, "text", self._found.text(place, block.get("text") or ""))
        for name in _ARGUMENTS:
            if isinstance(block.get(name), str):
                return _changed(block, name, self._found.arguments(("block", place), block[name]))
        return block

    def _call(self, call: Any, at: int) -> Any:
        index = call["index"]
        if not call["args"]:
            return call
        args = self._found.arguments(at if index is None else index, call["args"])
        return call if args is call["args"] else tool_call_chunk(**{**_fields(call), "args": args})


def _generation(generation: ChatGeneration, found: Restoring) -> ChatGeneration:
    message: Any = generation.message
    content = _whole_content(message.content, found)
    calls = [{**call, "args": found.value(call["args"])} for call in message.tool_calls]
    escaped = any(ESCAPED in as_json(call["args"]) for call in calls)
    if content == message.content and calls == message.tool_calls and not escaped:
        return generation
    made = message.model_copy(update={"content": content, "tool_calls": calls})
    _mark(made, found, escaped)
    return ChatGeneration(message=made, generation_info=generation.generation_info)


def _whole_content(content: Any, found: Restoring) -> Any:
    if isinstance(content, str):
        return found.whole_text(content)
    return [_whole_block(block, found) for block in content]


def _whole_block(block: Any, found: Restoring) -> Any:
    if isinstance(block, str):
        return found.whole_text(block)
    if block.get("type") == "text":
        return {**block, "text": found.whole_text(block.get("text") or "")}
    made = {name: found.whole_arguments(block[name]) for name in _ARGUMENTS if isinstance(block.get(name), str)}
    made |= {name: found.value(block[name]) for name in ("input", "args") if isinstance(block.get(name), dict)}
    return {**block, **made}


def _with_rest(content: Any, found: Restoring) -> Any:
    for place, held in found.rest():
        if place == "" and isinstance(content, str):
            content += held
        else:
            block = {"type": "text", "text": held, **({} if place == "" else {"index": place})}
            content = [*([content] if isinstance(content, str) and content else content), block]
    return content


def _mark(message: Any, found: Restoring, escaped: bool) -> None:
    if escaped and found.final:
        message.response_metadata = {**message.response_metadata, FINAL: True}


def _fields(call: Any) -> dict[str, Any]:
    return {name: call[name] for name in ("name", "args", "id", "index")}


def _changed(block: dict[str, Any], name: str, value: str) -> dict[str, Any]:
    return block if value is block.get(name) else {**block, name: value}
