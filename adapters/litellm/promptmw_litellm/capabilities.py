"""What is known about the model of a call: from the call itself, its deployment, this process, and LiteLLM's map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import litellm

from promptmw import ToolMode
from promptmw.toolmode.capability import LEARNED, Fact, ModelFacts, Statement, resolved, supports
from promptmw_litellm.deployment import Deployment


def facts_of(stated: ToolMode, fields: Mapping[str, Any], deployment: Deployment) -> ModelFacts:
    """Returns what is known. What this process does not need for a native call is not looked up.

    Args:
        stated: The tool mode that the application states; AUTO for nothing.
        fields: The request.
        deployment: What the operator says about where it goes.
    """
    model, provider = str(fields.get("model") or ""), str(fields.get("custom_llm_provider") or "")
    key = _key(model, provider, fields, deployment)
    tools = resolved(
        (
            _mode("stated", stated),
            _mode("model_info.promptmw", deployment.tool_mode),
            supports("model_info", "supports_function_calling", deployment.function_calling),
            LEARNED.tools(key),
            supports(
                "LiteLLM's map", "supports_function_calling", _mapped(model, provider, deployment, "function_calling")
            ),
        )
    )
    if tools.mode is not ToolMode.PROMPT:
        return ModelFacts(key=key, tools=tools)
    return ModelFacts(
        key=key,
        tools=tools,
        stop=_takes(model, provider, "stop") if deployment.stop is None else Fact.of(deployment.stop),
        max_stops=deployment.max_stops,
        prefill=Fact.of(deployment.prefill),
        grammar=Fact.of(deployment.grammar),
        schema=_takes_schema(model, provider, deployment),
        reasoning_in_text=Fact.YES if deployment.reasoning else Fact.UNKNOWN,
        reasoning_opened=deployment.reasoning == "opened",
    )


def _key(model: str, provider: str, fields: Mapping[str, Any], deployment: Deployment) -> str:
    if deployment.id:
        return f"litellm {deployment.id}"
    return f"litellm {provider} {model} {fields.get('api_base') or fields.get('base_url') or ''}".rstrip()


def _mode(source: str, mode: ToolMode) -> Statement:
    return Statement(source, f"tool_mode = {mode.value}", None if mode is ToolMode.AUTO else mode)


def _mapped(model: str, provider: str, deployment: Deployment, what: str) -> bool | None:
    """Returns what LiteLLM's map says of a model.

    The map is read itself: ``get_model_info`` asks some servers over the network and prints for unknown providers.
    A Router writes into it what one deployment says, for all that have the same model: of its deployments only what
    the map came with counts.
    """
    names = (f"{provider}/{model}" if provider else model, model, model.partition("/")[2])
    known: dict[str, dict[str, Any]] = litellm.model_cost
    found = next((known[name] for name in names if name in known), {})
    flag = f"supports_{what}"
    stated, written = found.get(flag), getattr(found, "registered_fields", ())
    return stated if isinstance(stated, bool) and not (deployment.id and flag in written) else None


def _takes_schema(model: str, provider: str, deployment: Deployment) -> Fact:
    stated = (deployment.response_format, deployment.response_schema)
    known = next((flag for flag in stated if flag is not None), _mapped(model, provider, deployment, "response_schema"))
    return _takes(model, provider, "response_format") if known is None else Fact.of(known)


def _takes(model: str, provider: str, parameter: str) -> Fact:
    """Returns NO where LiteLLM knows that a model's provider does not take a parameter."""
    head, slash, name = model.partition("/")
    asked = (
        {"model": model, "custom_llm_provider": provider} if provider else {"model": name, "custom_llm_provider": head}
    )
    try:
        known = litellm.get_supported_openai_params(**(asked if slash or provider else {"model": model}))
    except Exception:  # of a model whose provider LiteLLM does not know
        return Fact.UNKNOWN
    return Fact.NO if known and parameter not in known else Fact.UNKNOWN
