"""The preamble: tells a model without function calling which tools there are, and how it calls them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from promptmw.fencing import Fence, Piece, Text, Untrusted, json_string
from promptmw.kinds import Trust

if TYPE_CHECKING:
    from promptmw.locales import Texts
    from promptmw.toolmode.definitions import ToolTable
    from promptmw.toolmode.using import ProtocolInUse

TOOLS = Fence("tools", trust=Trust.OPERATOR, local=True)
"""Encloses the definitions."""


def preamble(using: ProtocolInUse, texts: Texts) -> Text:
    """Returns the preamble of a turn.

    Args:
        using: The protocol in use.
        texts: The authored texts, keys ``protocol.*``.
    """
    result = _result(using.settings.result_tag)
    lines: list[Text | str] = [
        texts["protocol.heading"],
        texts["protocol.intro"],
        using.protocol.form,
        texts[f"protocol.syntax.{using.protocol.syntax}"],
        texts["protocol.many" if using.many else "protocol.one"],
        texts.fill("protocol.results" if using.many else "protocol.result", result=result),
        texts["protocol.error"],
        texts["protocol.plain"],
        texts["protocol.list"],
        TOOLS(definitions(using.table)),
    ]
    return Text.join("\n", lines)


def definitions(table: ToolTable) -> Text:
    """Returns one line of JSON for each tool. Every string of a definition goes through its slot."""
    return Text.join("\n", (Text.of(*_json(tool.shown, tool.source)) for tool in table))


def _result(tag: str) -> Text:
    """Returns the shape of a result, its tags marked as ours."""
    return Text.of(
        Text((Piece(f"<{tag}", tag=tag),)), ' name="TOOL_NAME">...', Text((Piece(f"</{tag}>", tag=tag),))
    )  # fmt: skip


def _json(value: Any, source: str) -> Iterator[Text | str]:
    """Yields the JSON of a value, with the separators that models know from their training."""
    if isinstance(value, str):
        yield json_string(Untrusted(value, source=source, trust=Trust.UNTRUSTED))
    elif isinstance(value, Mapping):
        yield from _listed("{", ((_key(key, source), item) for key, item in value.items()), "}", source)
    elif isinstance(value, list):
        yield from _listed("[", (("", item) for item in value), "]", source)
    else:
        yield json.dumps(value)


def _key(key: str, source: str) -> Text:
    return json_string(Untrusted(key, source=source, trust=Trust.UNTRUSTED)) + ": "


def _listed(open_: str, items: Iterator[tuple[Text | str, Any]], close: str, source: str) -> Iterator[Text | str]:
    yield open_
    for at, (lead, item) in enumerate(items):
        yield ", " if at else ""
        yield lead
        yield from _json(item, source)
    yield close
