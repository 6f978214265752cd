"""Values that fit a JSON schema, taken from a question where it offers some."""

import re
from collections.abc import Callable
from typing import Any

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?")
# A quotation mark inside a word is an apostrophe.
QUOTED = re.compile(r"(?<!\w)(['\"])(.+?)\1(?!\w)")
FORMATS = {
    "date": "2026-01-02",
    "date-time": "2026-01-02T03:04:05Z",
    "time": "03:04:05Z",
    "uuid": "00000000-0000-4000-8000-000000000001",
    "email": "someone@example.com",
    "uri": "https://example.com/",
}
DEEP = 6
"""Depth from which recursive schemas get null or an empty array."""


def fit(schema: dict[str, Any], question: str) -> Any:
    """Make a value for `schema`; numbers and quoted names of the question are used up in their order."""
    return _Fitting(schema, question).value(schema, "value", 0)


def quoted_names(question: str) -> list[str]:
    """List what stands in quotation marks."""
    return [match.group(2) for match in QUOTED.finditer(question)]


class _Fitting:
    """One walk through one schema."""

    def __init__(self, root: dict[str, Any], question: str) -> None:
        self.root = root
        self.question = question
        self.numbers = [float(n) if "." in n else int(n) for n in NUMBER.findall(question)]
        self.names = quoted_names(question)

    def value(self, schema: dict[str, Any], name: str, depth: int) -> Any:
        schema = self._plain(schema, depth)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._member(schema["enum"])
        return self._makers()[_kind(schema)](schema, name, depth)

    def _makers(self) -> dict[str, Callable[[dict[str, Any], str, int], Any]]:
        return {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": lambda schema, name, depth: int(self._number(schema)),
            "number": lambda schema, name, depth: self._number(schema),
            "boolean": lambda schema, name, depth: True,
            "null": lambda schema, name, depth: None,
        }

    def _plain(self, schema: dict[str, Any], depth: int) -> dict[str, Any]:
        """Follow references and pick one of several alternatives."""
        while True:
            if "$ref" in schema:
                schema = self._target(schema["$ref"])
            elif "allOf" in schema:
                schema = _merged([self._plain(part, depth) for part in schema["allOf"]], schema)
            elif choices := schema.get("anyOf") or schema.get("oneOf"):
                schema = _alternative(choices, depth)
            else:
                return schema

    def _target(self, reference: str) -> dict[str, Any]:
        found: Any = self.root
        for step in reference.removeprefix("#").strip("/").split("/") if reference != "#" else []:
            found = found[step.replace("~1", "/").replace("~0", "~")]
        return dict(found)

    def _member(self, members: list[Any]) -> Any:
        return next((m for m in members if isinstance(m, str) and m in self.question), members[0])

    def _object(self, schema: dict[str, Any], name: str, depth: int) -> dict[str, Any]:
        """Fill the required properties; what is optional stays out."""
        fields = schema.get("properties", {})
        return {key: self.value(fields.get(key, {}), key, depth + 1) for key in schema.get("required", [])}

    def _array(self, schema: dict[str, Any], name: str, depth: int) -> list[Any]:
        if "prefixItems" in schema:
            return [self.value(item, name, depth + 1) for item in schema["prefixItems"]]
        fewest = schema.get("minItems", 0)
        length = fewest if depth >= DEEP else max(fewest, 1)
        return [self.value(schema.get("items", {}), name, depth + 1) for _ in range(length)]

    def _string(self, schema: dict[str, Any], name: str, depth: int) -> str:
        if schema.get("format") in FORMATS:
            return FORMATS[schema["format"]]
        text = self.names.pop(0) if self.names else f"some {name}"
        return text.ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength")]

    def _number(self, schema: dict[str, Any]) -> float:
        number = self.numbers.pop(0) if self.numbers else 1
        low = schema.get("minimum", schema.get("exclusiveMinimum"))
        high = schema.get("maximum", schema.get("exclusiveMaximum"))
        return number if _inside(number, schema) else _between(low, high)


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kinds = [kind] if isinstance(kind, str) else kind
    return next((k for k in kinds if k != "null"), "null")


def _inside(number: float, schema: dict[str, Any]) -> bool:
    closed = schema.get("minimum", number) <= number <= schema.get("maximum", number)
    opened = schema.get("exclusiveMinimum", number - 1) < number < schema.get("exclusiveMaximum", number + 1)
    return bool(closed and opened)


def _between(low: float | None, high: float | None) -> float:
    if low is None or high is None:
        return low + 1 if low is not None else (high or 0) - 1
    return (low + high) / 2


def _alternative(choices: list[dict[str, Any]], depth: int) -> dict[str, Any]:
    """Pick the first one that is not null, but null where it gets deep."""
    nulls = [choice for choice in choices if choice.get("type") == "null"]
    others = [choice for choice in choices if choice.get("type") != "null"]
    return nulls[0] if nulls and (depth >= DEEP or not others) else others[0]


def _merged(parts: list[dict[str, Any]], schema: dict[str, Any]) -> dict[str, Any]:
    whole = {key: value for key, value in schema.items() if key != "allOf"}
    for part in parts:
        properties = {**whole.get("properties", {}), **part.get("properties", {})}
        required = [*whole.get("required", []), *part.get("required", [])]
        whole = {**whole, **part, **({"properties": properties, "required": required} if properties else {})}
    return whole
