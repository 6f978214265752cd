"""Structured answers in prompt-tool mode: ``response_format`` as a tool that takes the answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from litellm.llms.base_llm.base_utils import type_to_response_format_param

from promptmw import ToolSpec
from promptmw.toolmode.capability import Fact
from promptmw.toolmode.final_answer import DESCRIPTION, free_name

FIELD = "response_format"


def answer_tool(fields: Mapping[str, Any], tools: Sequence[ToolSpec], takes: Fact) -> ToolSpec | None:
    """Returns the tool that takes the answer; None where there is no need for one.

    Beside tools in the prompt there always is: a provider that holds its model to a schema lets it write no call.

    Args:
        fields: Of the request.
        tools: That it offers.
        takes: Whether the provider takes a schema.
    """
    if takes is not Fact.NO and all(tool.hosted for tool in tools):
        return None
    stated = fields.get(FIELD)
    stated = type_to_response_format_param(stated) if isinstance(stated, type) else stated
    body = stated.get("json_schema") if isinstance(stated, Mapping) else None
    schema = body.get("schema") if isinstance(body, Mapping) else None
    if body is None or not isinstance(schema, Mapping):
        return None
    described = f"{DESCRIPTION} {body.get('description') or ''}".strip()
    return ToolSpec(
        free_name({t.name for t in tools}), described, parameters=json.dumps(schema, ensure_ascii=False, default=str)
    )
