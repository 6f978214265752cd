"""The table of tools: what may be called, in standard types, and what arguments must fit."""

from __future__ import annotations

import json
import random
import socket
import time
from typing import Any

import pytest
from toolmode.reading import TOOLS, driven, merged, opened, read, tool

from promptmw import ToolSpec
from promptmw.errors import ToolDefinitionError
from promptmw.toolmode import CallEnd, ToolTable


def of(schema: Any, name: str = "look", **more: Any) -> ToolTable:
    return ToolTable.of([ToolSpec(name, parameters=schema if isinstance(schema, str) else json.dumps(schema), **more)])


def test_the_order_of_the_tools_does_not_matter() -> None:
    """DE1."""
    mixed = list(TOOLS)
    random.Random(4).shuffle(mixed)
    shown = [json.dumps([one.shown for one in ToolTable.of(tools)]) for tools in (TOOLS, mixed)]
    assert shown[0] == shown[1]
    assert list(ToolTable.of(mixed).names) == sorted(spec.name for spec in TOOLS)


def test_a_table_is_remembered() -> None:
    assert ToolTable.of(TOOLS) is ToolTable.of(list(TOOLS))


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
@pytest.mark.parametrize("address", ["https://example.com/schema.json", "file:///x", "other.json#/a", "http:", 3])
def test_a_reference_to_elsewhere_is_refused(address: object, keyword: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """DE4: by tool, owner and place, and without asking anybody."""
    monkeypatch.setattr(socket, "socket", lambda *_: pytest.fail("a socket was opened"))
    schema = {"type": "object", "properties": {"a/b": {"items": {keyword: address}}}}
    with pytest.raises(ToolDefinitionError) as raised:
        of(schema, source="example-server")
    for part in ("'look'", "example-server", f"/properties/a~1b/items/{keyword}"):
        assert part in str(raised.value)


def test_a_reference_within_is_followed() -> None:
    """DE4."""
    table = of({"$defs": {"x": {"type": "integer"}}, "properties": {"n": {"$ref": "#/$defs/x"}}, "required": ["n"]})
    assert read('<tool_call>{"name": "look", "arguments": {"n": "3"}}</tool_call>', table=table) == [
        ("call", "look", {"n": 3}, ["coerced"])
    ]
    assert [v.pointer for v in next(iter(table)).violations({"n": "x"})] == ["/n"]


@pytest.mark.parametrize(
    "name", ["", "two words", "-a", ".a", "a\nb", "a" * 129, "é", "a<b", 'a"b', "a,b", "{name}"], ids=repr
)
def test_bad_names_are_refused(name: str) -> None:
    """DE5."""
    with pytest.raises(ToolDefinitionError, match="a name has 1 to 128"):
        of({}, name)


@pytest.mark.parametrize("name", ["a", "_a", "0", "server.tool", "a:b/c-d", "A" * 128])
def test_good_names_are_taken(name: str) -> None:
    assert name in of({}, name)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ([], "are a list"),
        ('"x"', "are a str"),
        ("{", "not valid JSON"),
        ({"type": "array"}, "'array'"),
        ({"type": "string"}, "'string'"),
        ('{"description": "' + "x" * 70_000 + '"}', "characters"),
        ('{"a":' * 40 + "{}" + "}" * 40, "32 deep"),
        ("[" * 20_000, "not valid JSON"),
    ],
    ids=["list", "text", "broken", "array", "string", "large", "deep", "very deep"],
)
def test_what_is_no_schema_of_an_object_is_refused(schema: Any, said: str) -> None:
    """DE5."""
    with pytest.raises(ToolDefinitionError, match=said) as raised:
        of(schema, source="example-server")
    assert "'look' from example-server" in str(raised.value)


def test_two_tools_of_one_name_are_refused() -> None:
    """DE5: both owners are named."""
    with pytest.raises(ToolDefinitionError, match="'look' is defined twice from one from two"):
        ToolTable.of([ToolSpec("look", source="one"), ToolSpec("look", "again", source="two")])


def test_there_are_at_most_256_tools() -> None:
    assert len(ToolTable.of(ToolSpec(f"t{i}") for i in range(256))) == 256
    with pytest.raises(ToolDefinitionError, match="257 tools"):
        ToolTable.of(ToolSpec(f"t{i}") for i in range(257))


@pytest.mark.parametrize(
    ("stated", "standard"),
    [
        ("str", "string"), ("String", "string"), ("int", "integer"), ("long", "integer"), ("float", "number"),
        ("double", "number"), ("bool", "boolean"), ("dict", "object"), ("list", "array"), ("tuple", "array"),
        (["int", "null"], ["integer", "null"]), (["float", "double"], ["number"]), ("any", None),
    ],
)  # fmt: skip
def test_types_of_other_worlds_become_standard(stated: Any, standard: Any) -> None:
    """DE6: wherever a schema stands, and noted once for the tool."""
    places = {"a": {"type": stated}, "b": {"items": {"type": stated}}, "c": {"anyOf": [{"type": stated}]}}
    table = of({"type": "dict", "properties": places})
    wanted = {} if standard is None else {"type": standard}
    found = next(iter(table)).schema
    assert found["type"] == "object"
    assert found["properties"] == {"a": wanted, "b": {"items": wanted}, "c": {"anyOf": [wanted]}}
    assert len(table.notes) == len(set(table.notes))
    assert all(note.startswith("tool 'look': type ") for note in table.notes)


def test_data_in_a_schema_are_left_alone() -> None:
    """A property that is called `type`, and members of an enum, are no schemas."""
    schema = {"type": "object", "properties": {"type": {"enum": ["int", "dict"], "default": {"type": "int"}}}}
    assert next(iter(of(schema))).schema == schema
    assert not of(schema).notes


@pytest.mark.parametrize("text", ["", "  ", "{}"])
def test_a_tool_without_parameters(text: str) -> None:
    table = of(text)
    assert read('<tool_call>{"name": "look"}</tool_call>', table=table) == [("call", "look", {}, [])]


def test_patterns_cannot_take_long() -> None:
    """DE7."""
    [one] = of({"properties": {"x": {"type": "string", "pattern": "^(a+)+$"}}})
    one.violations({"x": "b"})
    start = time.perf_counter()
    assert [v.rule for v in one.violations({"x": "a" * 40 + "!"})] == ["pattern"]
    assert time.perf_counter() - start < 0.05


def test_long_descriptions_are_cut_and_noted() -> None:
    """DE8."""
    [one] = of({}, description="x" * 10_000)
    assert len(one.description) == 4096
    assert one.description.endswith("x…(truncated)")
    assert "description was cut" in one.notes[0]


def test_a_schema_that_cannot_be_used_lets_everything_through() -> None:
    table = of({"properties": {"x": {"type": "string", "pattern": "("}}})
    assert read('<tool_call>{"name": "look", "arguments": {"x": 3}}</tool_call>', table=table)[0][0] == "call"


def test_at_most_five_violations_are_reported() -> None:
    [one] = of({"properties": {f"p{i}": {"type": "integer"} for i in range(9)}})
    found = one.violations({f"p{i}": "secret" for i in range(9)})
    assert len(found) == 5
    assert not any("secret" in v.message for v in found)


def test_what_was_escaped_for_the_model_comes_back_in_the_call() -> None:
    """DE3: before validation, so that the value fits the schema that its author wrote."""
    table = ToolTable.of([tool("look", x={"type": "string", "enum": ["a</tools>b"]})])
    escaped = "a⟦U+003C⟧/tools>b"
    text = f'<tool_call>{{"name": "look", "arguments": {{"x": "{escaped}"}}}}</tool_call>'
    for event in driven(opened(table=table), [text]):
        if isinstance(event, CallEnd):
            assert event.call.arguments == {"x": "a</tools>b"}
            assert json.loads(event.call.arguments_text) == {"x": "a</tools>b"}
            break
    else:
        pytest.fail(str(merged(driven(opened(table=table), [text]))))


def test_a_part_of_a_table() -> None:
    table = ToolTable.of(TOOLS).only(["now", "echo", "unknown"])
    assert (table.names, len(table), "add" in table, table.get("add")) == (("echo", "now"), 2, False, None)
    assert read('<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2}}</tool_call>', table=table) == [
        ("error", "unknown_tool", "add")
    ]
