"""What the tests of the parser share: a table of tools, ways to cut an answer into chunks, and events in short form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from promptmw import ToolSpec
from promptmw.toolmode import (
    ArgumentsDelta,
    CallEnd,
    CallError,
    CallParser,
    CallStart,
    Dropped,
    Ended,
    Event,
    FinishReason,
    Noted,
    ParserOptions,
    ReasoningDelta,
    TextDelta,
    TextFormat,
    ToolTable,
)
from promptmw.toolmode.formats import FORMATS

Short = tuple[Any, ...]
"""An event as plain data, without ids."""

STRING = {"type": "string"}
NUMBER = {"type": "number"}
UNIT = {"type": "string", "enum": ["c", "f"]}
LABEL = {"type": ["string", "null"]}
QUERIES = {"type": "array", "items": STRING}


def tool(name: str, required: Sequence[str] = (), /, **properties: Any) -> ToolSpec:
    """Returns a tool with these parameters."""
    schema = {"type": "object", "properties": properties} | ({"required": list(required)} if required else {})
    return ToolSpec(name, f"Runs {name}.", parameters=json.dumps(schema))


TOOLS = (
    tool("get_weather", ["city"], city=STRING, unit=UNIT, days={"type": "integer"}),
    tool("write_file", ["path", "content"], path=STRING, content=STRING),
    tool("echo", ["text"], text=STRING),
    tool("now"),
    tool("add", ["a", "b"], a=NUMBER, b=NUMBER),
    tool("alarm", ["hour"], hour={"type": "integer"}, volume=NUMBER, repeat={"type": "boolean"}, label=LABEL),
    tool("search", ["queries"], queries=QUERIES, filters={"type": "object"}),
)
TABLE = ToolTable.of(TOOLS)


def text_format(name: str) -> TextFormat:
    """Returns a format with its usual tag."""
    return FORMATS[name]("tool_call")


def opened(name: str = "hermes", *, table: ToolTable = TABLE, **options: Any) -> CallParser:
    """Returns a parser of a format; any number of blocks unless said otherwise."""
    return text_format(name).parser(table, ParserOptions(**{"max_blocks": None, **options}))


def driven(parser: CallParser, chunks: Iterable[str], reason: FinishReason | None = FinishReason.STOP) -> list[Event]:
    """Returns all events of an answer."""
    return [event for chunk in chunks for event in parser.feed(chunk)] + [*parser.finish(reason)]


def read(text: str, name: str = "hermes", *, reason: FinishReason | None = FinishReason.STOP, **options: Any) -> Any:
    """Returns the merged events of a text that comes whole, without its end."""
    return merged(driven(opened(name, **options), [text], reason))[:-1]


def short(event: Event) -> Short:
    """Returns an event as plain data; everything but ids."""
    match event:
        case TextDelta(text):
            return ("text", text)
        case ReasoningDelta(text):
            return ("reasoning", text)
        case CallStart(index, _, name):
            return ("start", index, name)
        case ArgumentsDelta(index, text):
            return ("delta", index, text)
        case CallEnd(_, call):
            return ("call", call.name, call.arguments, sorted(note.value for note in call.notes))
        case CallError(problem, None):
            return ("error", problem.kind.value, problem.name)
        case CallError(problem, index):
            return ("error", problem.kind.value, problem.name, index)
        case Dropped(reason, _):
            return ("drop", reason.value)
        case Noted(kind):
            return ("note", kind.value)
        case Ended(reason):
            return ("ended", reason)


def joined(events: Iterable[Event]) -> list[Short]:
    """Returns events in short form: adjacent text, adjacent reasoning and adjacent deltas of one call joined."""
    found: list[Short] = []
    for event in map(short, events):
        if found and event[0] in ("text", "reasoning", "delta") and event[:-1] == found[-1][:-1]:
            found[-1] = (*event[:-1], found[-1][-1] + event[-1])
        else:
            found.append(event)
    return found


def merged(events: Iterable[Event]) -> list[Short]:
    """Returns events as `joined`, with a call as one event."""
    return joined(e for e in events if not isinstance(e, CallStart | ArgumentsDelta))


def same(one: object, other: object) -> bool:
    """Compares data by their types too: 3 is neither "3" nor 3.0, and 1 is not true."""
    return repr(one) == repr(other)


def check_deltas(events: Sequence[Event]) -> None:
    """Checks the order of the events of each call, and that its deltas are its arguments."""
    starts = [event for event in events if isinstance(event, CallStart)]
    assert [event.index for event in starts] == list(range(len(starts)))
    for end in (event for event in events if isinstance(event, CallEnd)):
        start = starts[end.index]
        deltas = [event.text for event in events if isinstance(event, ArgumentsDelta) and event.index == end.index]
        assert (start.id, start.name) == (end.call.id, end.call.name)
        assert "".join(deltas) == end.call.arguments_text
        assert same(json.loads(end.call.arguments_text), end.call.arguments)
        assert all(deltas)


def in_two(text: str) -> Iterator[list[str]]:
    """Returns every way to cut a text into two chunks."""
    return ([text[:at], text[at:]] for at in range(1, len(text)))


def cut_at(text: str, places: Iterable[int]) -> list[str]:
    """Returns a text cut at these places; where two are the same there is an empty chunk."""
    ends = sorted(min(place, len(text)) for place in places)
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def pieces(text: str, size: int) -> list[str]:
    """Returns a text in chunks of one size."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def numbered() -> Callable[[], str]:
    """Returns a maker of ids that count."""
    numbers = iter(range(1_000_000))
    return lambda: f"call_{next(numbers):024x}"
