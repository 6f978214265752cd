"""The three formats that share ``<tool_call>``: JSON, functions with raw parameters, and pairs of keys and values."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from promptmw.toolmode.arguments import argument_json, json_text
from promptmw.toolmode.definitions import NAME
from promptmw.toolmode.events import PastCall
from promptmw.toolmode.formats.family import Family
from promptmw.toolmode.formats.text_format import TextFormat
from promptmw.toolmode.marks import RESULT_TAGS


@functools.cache
def hermes(tag: str = "tool_call") -> TextFormat:
    """Returns the format of Hermes: one JSON object between two tags.

    Args:
        tag: The name of the tags.
    """
    family = Family(f"<{tag}>", f"</{tag}>")
    return TextFormat(
        name="hermes",
        form=f'<{tag}>\n{{"name": "TOOL_NAME", "arguments": {{"PARAMETER": "VALUE"}}}}\n</{tag}>',
        syntax="json",
        open=family.open,
        close=family.close,
        readers=(family.reader,),
        write=functools.partial(_json_call, family),
    )


@functools.cache
def qwen3_coder(tag: str = "tool_call") -> TextFormat:
    """Returns the format of Qwen3-Coder: a function with raw parameters between two tags.

    Args:
        tag: The name of the tags, with a prefix for models that have one.
    """
    family = Family(f"<{tag}>", f"</{tag}>")
    inner = "<function=TOOL_NAME>\n<parameter=PARAMETER>\nVALUE\n</parameter>\n</function>"
    return TextFormat(
        name="qwen3-coder",
        form=f"<{tag}>\n{inner}\n</{tag}>",
        syntax="tagged",
        open=family.open,
        close=family.close,
        readers=(family.reader,),
        write=functools.partial(_function_call, family),
    )


@functools.cache
def glm(tag: str = "tool_call") -> TextFormat:
    """Returns the format of GLM: a name and pairs of keys and raw values between two tags.

    Args:
        tag: The name of the tags.
    """
    family = Family(f"<{tag}>", f"</{tag}>")
    pair = "<arg_key>PARAMETER</arg_key>\n<arg_value>VALUE</arg_value>"
    return TextFormat(
        name="glm",
        form=f"<{tag}>TOOL_NAME\n{pair}\n</{tag}>",
        syntax="tagged",
        open=family.open,
        close=family.close,
        readers=(family.reader,),
        write=functools.partial(_pair_call, family),
    )


def _json_call(family: Family, call: PastCall) -> str:
    openers = (family.open,)
    name, arguments = json_text(call.name, openers=openers), argument_json(call.arguments, openers=openers)
    return f'{family.open}\n{{"name": {name}, "arguments": {arguments}}}\n{family.close}'


def _function_call(family: Family, call: PastCall) -> str:
    values = _raw_values(call, ("<|", "</parameter", "<parameter=", "</function", family.open[:-1], family.close[:-1]))
    if values is None:
        return _json_call(family, call)
    inner = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
    return f"{family.open}\n<function={call.name}>\n{inner}</function>\n{family.close}"


def _pair_call(family: Family, call: PastCall) -> str:
    values = _raw_values(call, ("<|", "<arg_", "</arg_", family.open[:-1], family.close[:-1]))
    if values is None:
        return _json_call(family, call)
    inner = "".join(f"<arg_key>{k}</arg_key>\n<arg_value>{v}</arg_value>\n" for k, v in values.items())
    return f"{family.open}{call.name}\n{inner}{family.close}"


def _raw_values(call: PastCall, reserved: tuple[str, ...]) -> dict[str, str] | None:
    """Returns values as they stand between tags; None where the call could not be read back."""
    arguments = call.arguments
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            return None
    if not isinstance(arguments, Mapping) or not NAME.fullmatch(call.name):
        return None
    if "null" in arguments.values():  # between tags that word is a null
        return None
    values = {key: _raw(value) for key, value in arguments.items()}
    clean = all(
        _plain_key(key) and not any(mark in value for mark in (*reserved, *RESULT_TAGS))
        for key, value in values.items()
    )
    return values if clean else None


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _plain_key(key: str) -> bool:
    return bool(key) and key == key.strip() and not any(c in key for c in "<>\n\r")
