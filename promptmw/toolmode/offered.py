"""Formats of tool calls that plugins offer, and what each of them must keep to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from promptmw.errors import ConfigError, PluginError, nearest
from promptmw.loading import Plugins
from promptmw.toolmode.events import CallEnd, FinishReason, PastCall
from promptmw.toolmode.options import ParserOptions
from promptmw.toolmode.protocol import ToolProtocol
from promptmw.toolmode.using import ToolSettings
from promptmw.turn import ToolSpec

BUILT_IN = ("hermes", "qwen3-coder", "seed", "glm", "llama", "mistral", "deepseek", "kimi")
"""Names of the core's formats; known here so that a pipeline does not load them before a turn needs one."""

_MEMBERS = ("name", "form", "syntax", "open", "close", "render_call", "parser", "grammar")
_SAMPLES: tuple[PastCall, ...] = (
    PastCall("call_1", "now", {}),
    PastCall("call_2", "add", {"a": 1, "b": -2.5}),
    PastCall("call_3", "echo", {"text": 'a "quoted" word, \\ and\na second line <b>'}),
)
_TOOLS = (
    ToolSpec("now", parameters='{"type": "object", "properties": {}}'),
    ToolSpec("add", parameters='{"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}'),
    ToolSpec("echo", parameters='{"type": "object", "properties": {"text": {"type": "string"}}}'),
)


def offered_protocols(plugins: Plugins) -> dict[str, ToolProtocol]:
    """Returns the formats of all plugins, by name; a plugin whose format does not keep to the rules is skipped.

    Raises:
        PluginError: Two formats have one name; or, when strict, one does not keep to the rules.
    """
    found: dict[str, ToolProtocol] = {}
    owners = dict.fromkeys(BUILT_IN, "the core")
    for info, protocols in plugins.checked("promptmw_protocols", _checked):
        for protocol in protocols:
            if protocol.name in owners:
                both = f"{owners[protocol.name]} and {info.owner}"
                raise PluginError(f"tool format {protocol.name!r} comes from both {both}: rename one")
            owners[protocol.name] = info.owner
            found[protocol.name] = protocol
    return found


def checked_settings(settings: ToolSettings, offered: Mapping[str, ToolProtocol]) -> ToolSettings:
    """Returns the settings if all formats that they name exist.

    Raises:
        ConfigError: One does not.
    """
    known = (*BUILT_IN, *offered)
    for name in (settings.format, *(row.format for row in settings.formats)):
        if name != "auto" and name not in known:
            hint = nearest(name, ("auto", *known))
            raise ConfigError(f"tool_protocol: there is no format {name!r}.{hint}", path=("tool_protocol", "format"))
    return settings


def _checked(value: Any) -> tuple[ToolProtocol, ...]:
    protocols = tuple(value or ())
    for protocol in protocols:
        lacking = [name for name in _MEMBERS if not hasattr(protocol, name)]
        if lacking:
            raise PluginError(f"tool format {type(protocol).__name__} lacks {', '.join(lacking)}")
        for call in _SAMPLES if protocol.form else ():
            _check_sample(protocol, call)
    return protocols


def _check_sample(protocol: ToolProtocol, call: PastCall) -> None:
    text = protocol.render_call(call)
    if text != protocol.render_call(call):
        raise PluginError(f"tool format {protocol.name!r} writes one call in two ways")
    for size in (1, 7, len(text)):
        if not _reads_back(protocol, call, list(_pieces(text, size))):
            raise PluginError(
                f"tool format {protocol.name!r} does not read back its own call of {call.name!r} in pieces of {size}"
            )


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), size))


def _reads_back(protocol: ToolProtocol, call: PastCall, pieces: list[str]) -> bool:
    from promptmw.toolmode.definitions import ToolTable  # here: most pipelines are made without a stranger's format

    parser = protocol.parser(ToolTable.of(_TOOLS), ParserOptions(max_blocks=None))
    events = [event for piece in pieces for event in parser.feed(piece)]
    events += parser.finish(FinishReason.STOP)
    calls = [event.call for event in events if isinstance(event, CallEnd)]
    return [(c.name, c.arguments) for c in calls] == [(call.name, call.arguments)]
