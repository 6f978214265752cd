"""The one leading system message."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import SystemMessage

from promptmw import Prompt

SystemFormat = Literal["auto", "string", "blocks"]


def system_message(prompt: Prompt, form: SystemFormat) -> SystemMessage | None:
    """Returns the message that carries the system text; None when there is no text.

    Args:
        prompt: As assembled.
        form: ``blocks`` makes one text block of each section, for providers that mark blocks; else a plain string.
    """
    if not prompt.system:
        return None
    if form != "blocks":
        return SystemMessage(prompt.system)
    texts = [b.text for b in prompt.system_blocks]
    parts: list[str | dict[str, Any]] = [{"type": "text", "text": f"{t}\n\n"} for t in texts[:-1]]
    return SystemMessage([*parts, {"type": "text", "text": f"{texts[-1]}\n"}])
