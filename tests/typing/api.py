"""What a type checker knows of the public names. Checked by mypy, never run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, assert_type

from promptmw import (
    Answer,
    Block,
    Body,
    Facts,
    Fence,
    HistoryEdit,
    Layer,
    Pipeline,
    Problem,
    Profile,
    Prompt,
    RowsField,
    Section,
    Stability,
    Text,
    TextField,
    TextsField,
    Tool,
    ToolMode,
    ToolResult,
    ToolSpec,
    Trust,
    Turn,
    Untrusted,
    block,
    hookimpl,
    input_type,
    line,
    moved,
    rows_field,
    text_field,
    texts_field,
)
from promptmw_plugins.memories import Memory
from promptmw_plugins.persona import Persona


@input_type("weather", many=True, trust=Trust.USER)
@dataclass(frozen=True)
class Weather:
    """Has a field of each kind."""

    text: TextField = text_field(cap=100)
    words: TextsField = texts_field(cap=10)
    rows: RowsField = rows_field(cap=10)
    degrees: int = 0


# The constructor takes strings, the attribute gives text that is not ours (117).
assert_type(Memory("x").text, Untrusted)
assert_type(Weather("x").text, Untrusted)
assert_type(Weather(Untrusted("x"), words=("a", Untrusted("b")), rows=(("c",),)).words, tuple[Untrusted, ...])
assert_type(Weather("x").rows, tuple[tuple[Untrusted, ...], ...])
Weather(5)  # type: ignore[arg-type]
Weather()  # must be stated, which only the call itself finds out
"text: " + Weather("x").text  # type: ignore[operator]
"".join([Weather("x").text])  # type: ignore[list-item]
len(Weather("x").text)  # type: ignore[arg-type]
assert "x" in Weather("x").text  # type: ignore[operator]

# A turn knows its core fields, and gives inputs back as what they are.
turn = Turn(
    Memory("x"), Persona(nickname="A"), locale=None, now=datetime.now(UTC), tools=("a", ToolSpec("b")), tool_mode="none"
)
assert_type(turn.get(Persona), Persona | None)
assert_type(turn.all(Memory), tuple[Memory, ...])
assert_type(turn.replace(tool_mode=ToolMode.NATIVE), Turn)
assert_type(turn.adding(Memory("y")), Turn)
assert_type(turn.tools, tuple[ToolSpec, ...])
Turn(local="en")  # type: ignore[call-arg]
Turn(preview="yes")  # type: ignore[arg-type]
turn.replace(model=5)  # type: ignore[arg-type]
turn.locale = "fr"  # type: ignore[misc]


# A section is rendered by a function of its facts, which gives text, a body or nothing.
def render(facts: Facts) -> Text | str | Body | None:
    """Says the weather."""
    found = facts.get(Weather)
    assert_type(found, Weather | None)
    assert_type(facts.all(Weather), tuple[Weather, ...])
    assert_type(facts.texts["weather.heading"], str)
    return Fence("weather-report")(block(found.text)) if found else None


def wrong(facts: Facts) -> int:
    """Returns what no section may."""
    return 5


section = Section(name="weather", render=render, reads=(Weather,), layer=Layer.SYSTEM, stability=Stability.DAY)
Section(name="weather", render=wrong)  # type: ignore[arg-type]
Section(name="weather", render=render, layer="system")  # type: ignore[arg-type]
Section("weather", render)  # type: ignore[call-arg]
assert_type("It is " + line(Untrusted("wet")) + ".", Text)
line("plain")  # type: ignore[arg-type]


# Hooks keep their own types.
@hookimpl
def promptmw_sections(profile: Profile) -> tuple[Section, ...]:
    """Offers the section."""
    return (section,)


assert_type(promptmw_sections(Profile(name="x")), tuple[Section, ...])
Profile(name="x", tool_order="age")  # type: ignore[arg-type]


@hookimpl(tryfirst=True)
def promptmw_revise(blocks: Sequence[Block]) -> Sequence[Block]:
    """Changes nothing."""
    return blocks


@hookimpl
async def promptmw_history(turn: Turn, messages: Sequence[Any]) -> HistoryEdit | None:
    """Edits nothing."""
    return None


async def handler(turn: Turn, arguments: Any) -> ToolResult:
    """Answers."""
    return ToolResult("x")


Tool(name="dice", description="", handler=handler)
Tool(name="dice", description="", handler=lambda turn, arguments: "4")

# A pipeline gives a prompt either way.
pipeline = Pipeline("chat")
prompt = pipeline.assemble(turn)
assert_type(prompt, Prompt)
assert_type(prompt.system, str)
assert_type(prompt.blocks, tuple[Block, ...])
assert_type(prompt.problems, tuple[Problem, ...])
moved_section = moved(prompt, prompt)
assert_type(moved_section.inputs if moved_section else (), tuple[str, ...])
assert_type(pipeline.messages(turn, [{"role": "user", "content": "x"}]), list[Any])
pipeline.answered(prompt, Answer(text="x"))


async def awaited() -> None:
    """Awaits the same."""
    assert_type(await pipeline.aassemble(turn), Prompt)
    assert_type(await pipeline.arun_tool(prompt, "dice", {}), ToolResult)
