"""Tools and calls of the package bfcl-eval: about 2,500 pairs of a schema and arguments, with types of many worlds."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from toolmode.reading import driven, pieces, same, text_format

from promptmw import ToolSpec
from promptmw.toolmode import CallEnd, CallError, ParserOptions, PastCall, ToolDefinition, ToolTable
from promptmw.toolmode.formats import FORMATS

bfcl_eval = pytest.importorskip("bfcl_eval")

KINDS = ("simple_python", "multiple", "parallel", "parallel_multiple")
FILES = (*KINDS, "simple_java", "simple_javascript", *(f"live_{kind.removesuffix('_python')}" for kind in KINDS))
SIZES = (1, 3, 7, 40, 10_000)


@dataclass(frozen=True, slots=True)
class Pair:
    """Is a tool and a call of it that fits."""

    tool: ToolDefinition
    call: PastCall

    @property
    def table(self) -> ToolTable:
        return ToolTable([self.tool])


@functools.cache
def pairs() -> tuple[Pair, ...]:
    return tuple(pair for name in FILES for row, truth in rows(name) for pair in _pairs(row, truth))


def rows(name: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Gives each question of a file with what is right."""
    data = Path(bfcl_eval.__file__).parent / "data"
    both = (data / f"BFCL_v4_{name}.json", data / "possible_answer" / f"BFCL_v4_{name}.json")
    questions, answers = ([json.loads(line) for line in p.read_text(encoding="utf-8").splitlines()] for p in both)
    truths = {answer["id"]: answer for answer in answers}
    return ((question, truths[question["id"]]) for question in questions)


def _pairs(row: dict[str, Any], truth: dict[str, Any]) -> Iterator[Pair]:
    specs = {tool["name"]: spec(tool) for tool in row["function"]}
    for answer in truth["ground_truth"]:
        for name, options in answer.items():
            tool, call = definition(specs[name]), PastCall("call_1", name, arguments(options))
            if tool.fits(call.arguments):  # some of the right answers are only right for a lenient judge
                yield Pair(tool, call)


def spec(tool: dict[str, Any]) -> ToolSpec:
    return ToolSpec(tool["name"], parameters=json.dumps(tool["parameters"]))


@functools.cache
def definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(tool)


def arguments(options: dict[str, list[Any]]) -> dict[str, Any]:
    """Returns the first right value of each argument that may not be left out."""
    return {key: _first(values[0]) for key, values in options.items() if values and "" not in values}


def _first(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _first(v[0]) if isinstance(v, list) and v else v for k, v in value.items()}
    return [_first(item) for item in value] if isinstance(value, list) else value


def test_all_types_become_standard() -> None:
    known = {"string", "integer", "number", "boolean", "null", "object", "array"}
    kinds = Counter(kind for pair in pairs() for kind in types(pair.tool.schema))
    assert set(kinds) <= known
    assert {"string", "integer", "number", "object", "array"} <= set(kinds)
    changed = {note.rpartition("was read as ")[0].split()[-1] for pair in pairs() for note in pair.tool.notes}
    assert {"dict", "float", "tuple", "any"} <= changed


def types(schema: Any) -> Iterator[str]:
    """Gives all types that a schema states, where it is a schema."""
    if not isinstance(schema, dict):
        return
    stated = schema.get("type")
    yield from [stated] if isinstance(stated, str) else stated or []
    for part in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        yield from types(part)


def test_there_are_many_pairs_and_two_validators_agree_on_them() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    assert len(pairs()) > 2_000
    for pair in pairs():
        validator = jsonschema.Draft202012Validator(pair.tool.schema)
        assert validator.is_valid(pair.call.arguments)
        for wrong in ({}, {**pair.call.arguments, next(iter(pair.tool.schema["properties"]), "x"): [None]}):
            assert validator.is_valid(wrong) == (not pair.tool.violations(wrong)), pair.tool.name


@pytest.mark.parametrize("name", FORMATS)
def test_each_call_is_read_back(name: str) -> None:
    """PA4: in chunks of all sizes."""
    for number, pair in enumerate(readable(name)):
        text = text_format(name).render_call(pair.call)
        assert same(read(name, pair, text, SIZES[number % len(SIZES)]), [pair.call.arguments]), text


def readable(name: str) -> list[Pair]:
    """Returns the pairs that a format can say: between tags, what has no type is a string."""
    raw = text_format(name).syntax == "tagged"
    found = [pair for pair in pairs() if not raw or all(_typed(pair, k, v) for k, v in pair.call.arguments.items())]
    assert len(found) > len(pairs()) - 10
    return found


def _typed(pair: Pair, key: str, value: Any) -> bool:
    return isinstance(value, str) or "type" in (pair.tool.property(key) or {})


def read(name: str, pair: Pair, text: str, size: int) -> list[Any]:
    """Returns the arguments of the calls, and the problems, in a text."""
    events = driven(text_format(name).parser(pair.table, ParserOptions(max_blocks=None)), pieces(text, size))
    return [e.call.arguments if isinstance(e, CallEnd) else e for e in events if isinstance(e, CallEnd | CallError)]


@pytest.mark.parametrize("name", FORMATS)
def test_numbers_and_truths_come_back_from_strings(name: str) -> None:
    """PA4: where the schema takes no string."""
    changed = 0
    for pair in readable(name):
        written = {key: _as_string(pair, key, value) for key, value in pair.call.arguments.items()}
        text = text_format(name).render_call(PastCall("call_1", pair.call.name, written))
        [found] = read(name, pair, text, 10_000)
        assert found == pair.call.arguments, text
        changed += written != pair.call.arguments
    assert changed > 500


def _as_string(pair: Pair, key: str, value: Any) -> Any:
    schema = pair.tool.property(key)
    plain = schema is not None and schema.get("type") in ("integer", "number", "boolean")
    return json.dumps(value) if plain and isinstance(value, bool | int | float) else value
