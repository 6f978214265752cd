"""What the client of a proxy may say about its turn, and what is taken out of its request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from promptmw import ConfigError, Pipeline, Trust
from promptmw.config import Config, located
from promptmw.errors import nearest
from promptmw.validation import build
from promptmw_litellm.request import Api
from promptmw_litellm.turns import KEY

PATH = ("proxy", "client")
ALWAYS = ("locale", "timezone", "session")
"""Core fields of a turn that any client may state."""
PROFILE = "profile"

_INVENTED = ("litellm_system_prompt", "ensure_alternating_roles", "user_continue_message", "assistant_continue_message")
_STORED_PROMPTS = ("prompt_id", "prompt_variables", "prompt_version", "prompt_label", "prompt")
_CACHE_MARKS = ("cache_control_injection_points", "enable_prompt_caching")
_OPERATORS = ("model_info", "litellm_params")
_OF_OTHER_APIS = {
    Api.CHAT: ("system", "instructions", "input"),
    Api.MESSAGES: ("instructions", "input"),
    Api.RESPONSES: ("system", "messages"),
}
"""Prompt fields that an API does not have: LiteLLM passes them on, and a bridge may put them where the prompt goes."""

_BODY = (
    "messages", "system", "instructions", "input", "prompt", "tools", "tool_choice", "functions", "function_call",
    "extra_body",
)  # fmt: skip
"""What replaces the prompt or adds tools when it stands in ``extra_body``."""


@dataclass(frozen=True, slots=True)
class ClientRules:
    """Says what clients may do; the table ``proxy.client`` of the operator's file.

    Attributes:
        allow: Names of inputs that they may state, beside locale, timezone and session; None for those that their
            plugins open to clients.
        profiles: Names of profiles that they, their team and their key may choose.
        strict: Answer with an error where something is not allowed, instead of leaving it out.
        trust_key_metadata: Whether team and key metadata may state anything, as the operator may.
        allow_prompt_id: Whether they may name stored prompts.
        allow_cache_marks: Whether they may ask for cache marks that are set behind all hooks.
    """

    allow: tuple[str, ...] | None = None
    profiles: tuple[str, ...] = ()
    strict: bool = False
    trust_key_metadata: bool = False
    allow_prompt_id: bool = False
    allow_cache_marks: bool = False

    def permits(self, name: str, value: Any) -> bool:
        """Says whether a client may state this field or input; of profiles, whether it may choose this one."""
        if name == PROFILE:
            return value in self.profiles
        return name in ALWAYS or name in (self.allow or ())


def client_rules(config: Config, pipeline: Pipeline) -> ClientRules:
    """Returns the rules that a config file states.

    Args:
        config: As read.
        pipeline: Knows the inputs and the profiles.

    Raises:
        ConfigError: A key is unknown, or a client would be allowed what is the operator's; with file and line.
    """
    try:
        return _checked(config, pipeline)
    except ConfigError as error:
        raise _placed(error, config) from None


def strip(data: dict[str, Any], api: Api, rules: ClientRules) -> list[str]:
    """Takes out of a request what acts behind all hooks, or only an operator may say; returns what was there.

    Args:
        data: The request as the proxy holds it; changed in place.
        api: Its form.
        rules: What may stay.
    """
    names = [*_INVENTED, *_OPERATORS, *_OF_OTHER_APIS[api]]
    names += () if rules.allow_prompt_id else _STORED_PROMPTS
    names += () if rules.allow_cache_marks else _CACHE_MARKS
    found = [name for name in names if data.pop(name, None) is not None]
    if "extra_body" not in data:
        return found
    extra = data.pop("extra_body")
    if not isinstance(extra, Mapping):
        return [*found, "extra_body"]
    refused = {*_BODY, *names}
    found += [f"extra_body.{name}" for name in extra if name in refused]
    kept = {name: value for name, value in extra.items() if name not in refused}
    if kept:
        data["extra_body"] = kept
    return found


def _checked(config: Config, pipeline: Pipeline) -> ClientRules:
    proxy = config.tables.get("proxy", {})
    for key in proxy:
        if key != "client":
            raise ConfigError(f"proxy has no key {key!r}.{nearest(key, ('client',))}", path=("proxy", key))
    rules = build(ClientRules, proxy.get("client", {}), path=PATH, error=ConfigError)
    if rules.allow is None:
        rules = replace(rules, allow=tuple(n for n, i in pipeline.catalog.inputs.items() if i.client))
    for name in rules.allow or ():
        for reason in _reasons(name, pipeline):
            raise ConfigError(f"proxy.client.allow: {reason}", path=(*PATH, "allow"))
    for name in rules.profiles:
        try:
            pipeline.for_profile(name)
        except ConfigError as error:
            why = str(error).removeprefix(f"{config.source}: ")
            raise ConfigError(f"proxy.client.profiles: {why}", path=(*PATH, "profiles")) from None
    return rules


def _reasons(name: str, pipeline: Pipeline) -> Iterator[str]:
    """Yields why a client may not be allowed this."""
    inputs = pipeline.catalog.inputs
    if name in ALWAYS:
        return
    if name not in inputs:
        open_to_clients = [n for n, i in inputs.items() if i.trust >= Trust.USER]
        yield f"{name!r} is no input that a client can state.{nearest(name, (*ALWAYS, *open_to_clients))}"
    elif inputs[name].trust < Trust.USER:
        yield f"{name!r} is an input of {inputs[name].trust.name} trust; only operators state those"


def _placed(error: ConfigError, config: Config) -> ConfigError:
    """Returns the error with file and line, where there is a file."""
    if not config.source:
        return error
    file = Path(config.source)
    prefix = ("tool", KEY) if file.name == "pyproject.toml" else ()
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    return located(ConfigError(str(error), path=(*prefix, *error.path)), str(file), text)
