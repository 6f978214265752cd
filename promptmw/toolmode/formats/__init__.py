"""The formats that come with the core, by name; each takes the tag of the profile."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from promptmw.toolmode.formats.deepseek import deepseek
from promptmw.toolmode.formats.kimi import kimi
from promptmw.toolmode.formats.llama import llama
from promptmw.toolmode.formats.mistral import mistral
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.formats.tool_call import glm, hermes, qwen3_coder

FORMATS: Mapping[str, Callable[[str], TextFormat]] = {
    "hermes": hermes,
    "qwen3-coder": qwen3_coder,
    "seed": lambda tag: qwen3_coder(f"seed:{tag}"),
    "glm": glm,
    "llama": llama,
    "mistral": mistral,
    "deepseek": deepseek,
    "kimi": kimi,
}
