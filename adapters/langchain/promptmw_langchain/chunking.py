"""Whole answers as chunks."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult


def as_chunk(result: ChatResult) -> ChatGenerationChunk:
    """Returns a whole answer as one chunk, for models that cannot stream."""
    return generation_chunk(result.generations[0])


def generation_chunk(generation: ChatGeneration) -> ChatGenerationChunk:
    """Returns one of several answers as one chunk."""
    message: Any = generation.message
    taken = {name: getattr(message, name) for name in _KEPT if getattr(message, name, None)}
    calls = [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]
    parts = [
        tool_call_chunk(name=c["name"], args=_as_text(c["args"]), id=c.get("id"), index=i) for i, c in enumerate(calls)
    ]
    chunk = AIMessageChunk(content=message.content, **taken, tool_call_chunks=parts, chunk_position="last")
    return ChatGenerationChunk(message=chunk, generation_info=generation.generation_info)


_KEPT = ("additional_kwargs", "response_metadata", "usage_metadata", "id", "name")


def _as_text(arguments: Any) -> str | None:
    return arguments if arguments is None or isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
