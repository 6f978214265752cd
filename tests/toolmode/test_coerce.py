"""Arguments in the types of their schema: what is certain is changed, all else is left to validation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolmode import strategies
from toolmode.reading import same

from promptmw.toolmode.coerce import coerced, typed

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
BOOLEAN = {"type": "boolean"}
OBJECT = {"type": "object"}
ARRAY = {"type": "array"}
STRINGS = {"type": "array", "items": STRING}
NULLABLE = {"type": ["integer", "null"]}
EITHER = {"anyOf": [INTEGER, {"type": "null"}]}
ROOT = {"$defs": {"hour": INTEGER, "hours": {"type": "array", "items": {"$ref": "#/$defs/hour"}}}}

CHANGED = [
    ("3", INTEGER, 3),
    ("-3", INTEGER, -3),
    ("3.0", INTEGER, 3),
    ("3e2", INTEGER, 300),
    ("0.5", NUMBER, 0.5),
    ("7", NUMBER, 7),
    ("true", BOOLEAN, True),
    ("False", BOOLEAN, False),
    ("TRUE", BOOLEAN, True),
    ("null", NULLABLE, None),
    ("None", NULLABLE, None),
    ("3", NULLABLE, 3),
    ("3", EITHER, 3),
    ("null", EITHER, None),
    ("4", {"enum": [3, 4]}, 4),
    ("4", {"const": 4}, 4),
    ("4", {"allOf": [NUMBER, {"minimum": 1}]}, 4),
    ('{"a": 1}', OBJECT, {"a": 1}),
    ("{'a': 1}", OBJECT, {"a": 1}),
    ('["a", "b"]', STRINGS, ["a", "b"]),
    (3, STRING, "3"),
    (0.5, STRING, "0.5"),
    (True, STRING, "true"),
    (3, {"type": ["string", "null"]}, "3"),
    (7.0, INTEGER, 7),
    (7.0, NULLABLE, 7),
]
KEPT = [
    ("007", INTEGER),
    ("1_000", INTEGER),
    ("2026-01-15", INTEGER),
    ("3.5", INTEGER),
    (" 3", INTEGER),
    ("0x1F", INTEGER),
    ("1e999", NUMBER),
    ("9" * 5000, INTEGER),
    ("yes", BOOLEAN),
    ("1", BOOLEAN),
    ("null", INTEGER),
    ("null", {"type": ["string", "null"]}),
    ("02134", STRING),
    ("3", {}),
    ("3", {"type": ["string", "integer"]}),
    ("3", {"anyOf": [STRING, INTEGER]}),
    ("3", {"anyOf": [INTEGER, {}]}),
    ('["a"]', OBJECT),
    ('{"a": 1}', ARRAY),
    ("{broken", OBJECT),
    ("[" * 1000 + "]" * 1000, ARRAY),
    ({"a": 1}, STRING),
    ([1], STRING),
    (None, STRING),
    (7.5, INTEGER),
    (7.0, NUMBER),
    (7, NUMBER),
    (True, INTEGER),
    (1, BOOLEAN),
    (3, {"type": ["string", "integer"]}),
    ("c", {"enum": ["C", "F"]}),
    ("x", {"type": "array", "items": INTEGER}),
    ("x", {"type": ["array", "object"], "items": STRING}),
    ("3", {"$ref": "#/nowhere"}),
]


@pytest.mark.parametrize(("value", "schema", "wanted"), CHANGED)
def test_what_is_certain_is_changed(value: Any, schema: dict[str, Any], wanted: Any) -> None:
    inside = coerced({"x": value}, {"type": "object", "properties": {"x": schema}})
    assert same(inside.value, {"x": wanted})
    assert inside.changes == ["/x"]
    assert not inside.wrapped


@pytest.mark.parametrize(("value", "schema"), KEPT)
def test_all_else_is_left_to_validation(value: Any, schema: dict[str, Any]) -> None:
    inside = coerced({"x": value}, {"type": "object", "properties": {"x": schema}})
    assert same(inside.value, {"x": value})
    assert not inside.changes
    assert not inside.wrapped


def test_one_string_becomes_a_list_of_it() -> None:
    found = coerced({"x": "oslo"}, {"properties": {"x": STRINGS}})
    assert (found.value, found.wrapped, found.changes) == ({"x": ["oslo"]}, ["/x"], [])


def test_nested_values_and_references() -> None:
    schema = {
        **ROOT,
        "properties": {
            "a/b": {"type": "object", "properties": {"~": INTEGER}, "additionalProperties": BOOLEAN},
            "hours": {"$ref": "#/$defs/hours"},
            "pair": {"type": "array", "prefixItems": [INTEGER, BOOLEAN]},
        },
    }
    found = coerced({"a/b": {"~": "1", "z": "true"}, "hours": ["1", 2], "pair": ["3", "false", "4"]}, schema)
    assert same(found.value, {"a/b": {"~": 1, "z": True}, "hours": [1, 2], "pair": [3, False, "4"]})
    assert found.changes == ["/a~1b/~0", "/a~1b/z", "/hours/0", "/pair/0", "/pair/1"]


def test_references_in_a_circle_end() -> None:
    circle = {
        "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
        "properties": {"x": {"$ref": "#/$defs/a"}},
    }
    assert coerced({"x": "1"}, circle).value == {"x": "1"}
    deep: dict[str, Any] = {"type": "object", "properties": {"a": {"$ref": "#"}, "n": INTEGER}}
    assert coerced({"a": {"a": {"n": "1"}}}, deep).value == {"a": {"a": {"n": 1}}}


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("02134", STRING, "02134"),
        ("true", STRING, "true"),
        ('{"a": 1}', STRING, '{"a": 1}'),
        (" x\n", STRING, " x\n"),
        ("null", {"type": ["string", "null"]}, None),
        ("Null", {"type": ["string", "null"]}, "Null"),
        ("null", STRING, "null"),
        ("3", None, "3"),
        ("3", {}, "3"),
        (" 3 \n", INTEGER, 3),
        ("True", BOOLEAN, True),
        ("None", NULLABLE, None),
        ("[1, 2]", ARRAY, [1, 2]),
        ("{'a': True}", OBJECT, {"a": True}),
        ("three", INTEGER, "three"),
    ],
)
def test_raw_text_between_tags_is_typed_by_the_schema(text: str, schema: dict[str, Any] | None, value: Any) -> None:
    assert same(typed(text, schema), value)


schemas = st.recursive(
    st.sampled_from(
        (STRING, INTEGER, NUMBER, BOOLEAN, OBJECT, STRINGS, NULLABLE, EITHER, {}, {"enum": [1, "a", None]})
    ),
    lambda inner: (
        st.fixed_dictionaries({"items": inner, "type": st.just("array")})
        | st.fixed_dictionaries({"properties": st.dictionaries(st.text(max_size=3), inner, max_size=3)})
        | st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)})
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=3), strategies.anything, max_size=3), schemas)
@settings(max_examples=300, deadline=None)
def test_coercion_ends_and_is_done_once(value: dict[str, Any], schema: dict[str, Any]) -> None:
    once = coerced(value, {"properties": dict.fromkeys(value, schema)})
    again = coerced(once.value, {"properties": dict.fromkeys(value, schema)})
    assert same(again.value, once.value) or once.changes
    assert set(once.value) == set(value)
