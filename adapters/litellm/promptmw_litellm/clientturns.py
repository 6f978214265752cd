"""The turn of a proxy's client: what the client, its key and its team state, each as far as it may."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptmw import InputError, Pipeline, Turn
from promptmw.turnfiles import turn_from_data
from promptmw_litellm.client import ALWAYS, PROFILE, ClientRules
from promptmw_litellm.turns import KEY, METADATA

MOST_BYTES = 64 * 1024
HEADER = "x-promptmw-"


@dataclass(slots=True)
class ClientTurn:
    """Is the turn of one request, and what of it was not used.

    Attributes:
        stated: Fields and inputs that count.
        ignored: Names of what does not, each with the reason.
    """

    stated: dict[str, Any] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)

    def turn(self, pipeline: Pipeline, *, tenant: str) -> Turn:
        """Returns the turn; its session is a name among those of its tenant."""
        return turn_from_data(self.stated, pipeline.catalog.inputs).replace(tenant=tenant)


def client_turn(data: dict[str, Any], key: Any, *, rules: ClientRules, pipeline: Pipeline) -> ClientTurn:
    """Returns what counts of what a client, its key and its team state.

    Args:
        data: The request as the proxy holds it; our part of its metadata is taken out.
        key: The proxy's ``UserAPIKeyAuth``: the only source of identity.
        rules: The operator's.
        pipeline: Knows the inputs.
    """
    found = ClientTurn()
    for name, value in {**_headers(data), **_body(data, found)}.items():
        _take(found, name, value, rules=rules, pipeline=pipeline)
    for owner, table in (("key", getattr(key, "metadata", None)), ("team", getattr(key, "team_metadata", None))):
        _take_of_operator(found, owner, table, rules=rules, pipeline=pipeline)
    return found


def tenant_of(key: Any) -> str:
    """Returns whose data a request may see: its user's, else its key's. The two cannot be taken for one another."""
    user = getattr(key, "user_id", None)
    return f"user:{user}" if user else f"key:{getattr(key, 'api_key', None) or ''}"


def _take(found: ClientTurn, name: str, value: Any, *, rules: ClientRules, pipeline: Pipeline) -> None:
    """Takes over one statement of a client, or notes why not."""
    reason = "" if rules.permits(name, value) else "not allowed"
    if not reason and not _is_valid({name: value}, pipeline):
        reason = "not valid"
    if reason:
        found.ignored.append(f"{KEY}.{name[:64]} ({reason})")
    else:
        found.stated[name] = value


def _take_of_operator(found: ClientTurn, owner: str, table: Any, *, rules: ClientRules, pipeline: Pipeline) -> None:
    """Takes over what team or key metadata state; they go before the client."""
    stated = table.get(KEY) if isinstance(table, Mapping) else None
    if stated is None:
        return
    if not isinstance(stated, Mapping):
        found.ignored.append(f"{owner} metadata {KEY} (not a table)")
        return
    for name, value in stated.items():
        listed = name == PROFILE and rules.permits(name, value)
        if (listed or rules.trust_key_metadata) and _is_valid({name: value}, pipeline):
            found.stated[name] = value
        else:
            found.ignored.append(f"{owner} metadata {KEY}.{str(name)[:64]} (not allowed)")


def _is_valid(data: Mapping[str, Any], pipeline: Pipeline) -> bool:
    try:
        turn_from_data(data, pipeline.catalog.inputs)
    except InputError:
        return False
    return True


def _body(data: dict[str, Any], found: ClientTurn) -> dict[str, Any]:
    """Takes our part out of the request's metadata, and returns what it states."""
    tables = [t for name in METADATA if isinstance(t := data.get(name), dict) and KEY in t]
    given = [t.pop(KEY) for t in tables]
    stated: dict[str, Any] = {}
    for table in reversed(given):
        if isinstance(table, Mapping) and len(json.dumps(table, default=str)) <= MOST_BYTES:
            stated |= {str(k): v for k, v in table.items()}
        else:
            why = f"larger than {MOST_BYTES} bytes" if isinstance(table, Mapping) else "not a table"
            found.ignored.append(f"metadata.{KEY} ({why})")
    return stated


def _headers(data: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what the request's headers state; the proxy keeps them where no client can write."""
    return dict(_named_headers(data.get("proxy_server_request")))


def _named_headers(request: Any) -> Iterator[tuple[str, str]]:
    headers = request.get("headers") if isinstance(request, Mapping) else None
    for name, value in (headers or {}).items():
        stated = str(name).lower().removeprefix(HEADER)
        if stated != str(name).lower() and stated in (*ALWAYS, PROFILE):
            yield stated, str(value)
