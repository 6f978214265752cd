"""Which format a model gets, and which formats plugins may bring."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import pytest
from own_plugins import alone, plugin, reasons
from toolmode.reading import TABLE, driven, merged, text_format

from promptmw import PluginError, hookimpl
from promptmw.errors import ConfigError
from promptmw.toolmode import FinishReason, ParserOptions, PastCall, TextFormat, ToolProtocol
from promptmw.toolmode.formats import FORMATS
from promptmw.toolmode.offered import BUILT_IN
from promptmw.toolmode.registry import named, resolved
from promptmw.toolmode.using import FormatRow, ToolSettings

ROWS = [
    ("qwen3-coder", "Qwen3-Coder-30B-A3B Qwen/Qwen3Coder qwen3.5-32b qwen-3.6 step-3.5-flash MiMo-7B nemotron-3-nano"),
    ("seed", "ByteDance-Seed/Seed-OSS-36B-Instruct seedoss"),
    ("glm", "zai-org/GLM-4.5 glm-4.7-air glm5 GLM-5.1"),
    ("hermes", "chatglm-4.6 glm-4 chatglm3-6b Qwen3-32B qwen2.5-7b granite-4 smollm2 gpt-4 claude unknown"),
    ("hermes", "llama-3.1-8b meta/Llama-4-Scout lfm2-1b OLMo-3 mistral-large mixtral devstral codestral magistral"),
    ("hermes", "deepseek-v3 kimi-k2 moonshot-v1 gpt-oss-20b google/gemma-4"),
]
ACCEPTED = [
    ("llama", "llama-3.1-8b Llama-4-Scout lfm-2 olmo3"),
    ("mistral", "mistral-large mixtral-8x7b ministral devstral magistral codestral"),
    ("deepseek", "deepseek-v3.2"),
    ("kimi", "kimi-k2 moonshot"),
]


@pytest.mark.parametrize(("wanted", "model"), [(f, m) for f, models in ROWS for m in models.split()])
def test_a_model_gets_a_format_by_its_name(wanted: str, model: str) -> None:
    """In any spelling, with a path in front or without."""
    asked = "qwen3-coder" if wanted == "seed" else wanted
    for name in (model, f"openrouter/vendor/{model}", model.upper()):
        found = resolved(name, ToolSettings())
        assert found.protocol.name == asked, found.why
        assert found.protocol.open == ("<seed:tool_call>" if wanted == "seed" else "<tool_call>")
        assert found.why.startswith("auto: ")


@pytest.mark.parametrize(("accepted", "model"), [(f, m) for f, models in ACCEPTED for m in models.split()])
def test_a_model_is_understood_in_the_format_of_its_training(accepted: str, model: str) -> None:
    if accepted in FORMATS:
        assert [protocol.name for protocol in resolved(model, ToolSettings()).accept] == [accepted]


def test_what_is_not_installed_is_not_accepted() -> None:
    offered = {"harmony": dataclasses.replace(text_format("hermes"), name="harmony", form="")}
    assert resolved("gpt-oss-20b", ToolSettings()).accept == ()
    assert resolved("gpt-oss-20b", ToolSettings(), offered).accept == (offered["harmony"],)


def test_the_rows_of_a_profile_go_first() -> None:
    rows = (FormatRow("^my-", "glm", ("qwen3-coder",)), FormatRow("qwen", "hermes"))
    settings = ToolSettings(formats=rows)
    found = resolved("my-qwen3-coder", settings)
    assert (found.protocol.name, [p.name for p in found.accept]) == ("glm", ["qwen3-coder"])
    assert "^my-" in found.why
    assert resolved("qwen3-coder", settings).protocol.name == "hermes"


def test_a_format_can_be_set_by_name() -> None:
    found = resolved("llama-3", ToolSettings(format="glm"))
    assert (found.protocol.name, found.accept, found.why) == ("glm", (), "set to 'glm'")


def test_an_unknown_format_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(ConfigError, match=r"no format 'hermez'.*'hermes'"):
        named("hermez", ToolSettings())
    with pytest.raises(ConfigError, match="no format 'glmm'"):
        resolved("m", ToolSettings(format="glmm"))


def test_a_format_that_is_only_understood_cannot_be_asked_for() -> None:
    offered = {"harmony": dataclasses.replace(text_format("hermes"), name="harmony", form="")}
    with pytest.raises(ConfigError, match="only understood"):
        resolved("m", ToolSettings(format="harmony"), offered)


def test_a_row_needs_a_pattern() -> None:
    with pytest.raises(ConfigError, match="no pattern"):
        FormatRow("(", "hermes")


@pytest.mark.parametrize("tag", ["", "ab", "Tool", "tool-call", "1tool", "a" * 33, "tool call", "tool>"])
def test_a_tag_is_a_plain_word(tag: str) -> None:
    with pytest.raises(ConfigError, match="tag"):
        ToolSettings(tag=tag)


def test_the_tag_of_the_profile_is_used() -> None:
    protocol = resolved("m", ToolSettings(tag="call_tool")).protocol
    assert (protocol.open, protocol.close) == ("<call_tool>", "</call_tool>")
    assert protocol.render_call(PastCall("1", "now", {})).startswith("<call_tool>\n")
    assert "<call_tool>" in protocol.form


def test_the_core_s_own_names_are_those_of_its_formats() -> None:
    assert set(FORMATS) <= set(BUILT_IN)


def square(**changes: Any) -> TextFormat:
    """Returns a stranger's format: the readers of ours with tags of its own."""
    own = named("hermes", ToolSettings(tag="square"))
    assert isinstance(own, TextFormat)
    return dataclasses.replace(own, name="square", **changes)


def offering(*protocols: object, name: str = "strange") -> object:
    return plugin(name, protocols=lambda: protocols)


class Strange:
    """Is a plugin with a format."""

    @hookimpl
    def promptmw_protocols(self) -> Iterable[ToolProtocol]:
        return (square(),)


def test_a_plugin_brings_a_format() -> None:
    """It can be chosen, and read with."""
    pipeline = alone(Strange(), strict=True)
    found = resolved("m", ToolSettings(format="square"), pipeline.catalog.protocols).protocol
    text = found.render_call(PastCall("1", "echo", {"text": "</square>"}))
    parser = found.parser(TABLE, ParserOptions())
    assert merged(driven(parser, list(text))) == [
        ("call", "echo", {"text": "</square>"}, []),
        ("ended", FinishReason.TOOL_CALLS),
    ]


class Own:
    """Is a format that is made of nothing of ours but the parser of another."""

    name = "own"
    form = "CALL"
    syntax = "json"
    open = "<square>"
    close = "</square>"

    def render_call(self, call: PastCall) -> str:
        return square().render_call(call)

    def parser(self, table: Any, options: ParserOptions, accept: Iterable[ToolProtocol] = ()) -> Any:
        return square().parser(table, options)

    def grammar(self, table: Any, choice: Any) -> str | None:
        return None


def test_a_format_may_be_a_class_of_one_s_own() -> None:
    assert set(alone(offering(Own()), strict=True).catalog.protocols) == {"own"}


def test_a_format_that_only_reads_need_not_write() -> None:
    def refuse(call: PastCall) -> str:
        raise AssertionError("asked to write")

    assert set(alone(offering(square(form="", write=refuse)), strict=True).catalog.protocols) == {"square"}


numbers = iter(range(10_000))


def unsteady(call: PastCall) -> str:
    return square().render_call(PastCall(call.id, call.name, {**dict(call.arguments), "n": next(numbers)}))


def lossy(call: PastCall) -> str:
    return square().render_call(PastCall(call.id, call.name, {}))


def broken(call: PastCall) -> str:
    raise ValueError("broken")


BAD = [
    (square(write=unsteady), "in two ways"),
    (square(write=lossy), "does not read back its own call of 'add' in pieces of 1"),
    (square(readers=()), "does not read back"),
    (square(write=broken), "broken"),
    (object(), "lacks name, form"),
    (42, "lacks name"),
]


@pytest.mark.parametrize(("protocol", "said"), BAD, ids=[said for _, said in BAD])
def test_a_format_that_does_not_keep_to_the_rules_is_skipped_with_its_plugin(protocol: object, said: str) -> None:
    """And reported; an error when strict."""
    pipeline = alone(offering(protocol))
    assert not pipeline.catalog.protocols
    assert said in reasons(pipeline)["strange"]
    with pytest.raises((PluginError, ValueError), match=said.split(" ")[0]):
        alone(offering(protocol), strict=True)


@pytest.mark.parametrize("name", ["hermes", "llama", "square"])
def test_two_formats_of_one_name_are_an_error(name: str) -> None:
    again = dataclasses.replace(square(), name=name)
    with pytest.raises(PluginError, match=f"tool format '{name}' comes from both"):
        alone(offering(square()), offering(again, name="other"))
