"""Legs of the demo: each is one adapter's way to the model, offered by the entry-point group ``promptmw.demo``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol

from promptmw.answers import Usage
from promptmw.assembly import Pipeline
from promptmw.turn import Turn

GROUP = "promptmw.demo"


class Engine(Protocol):
    """Is what a leg needs to know of the local model, which speaks the chat-completions API.

    Attributes:
        base_url: The address, with ``/v1``.
        model: The model's name.
        api_key: Anything; clients insist on one.
    """

    base_url: str
    model: str
    api_key: str


@dataclass(frozen=True, slots=True)
class Step:
    """Is a piece of a model call's answer, as it comes.

    Attributes:
        title: Names the call; pieces of one title belong together.
        text: The piece.
        seconds: How long the call took; stated by its last piece only.
        usage: As reported; stated by its last piece only.
    """

    title: str
    text: str = ""
    seconds: float | None = None
    usage: Usage = field(default_factory=Usage)


Leg = Callable[[Pipeline, Turn, list[dict[str, Any]], Engine], Iterator[Step]]


@dataclass(frozen=True, slots=True)
class Call:
    """Is a model call that has ended.

    Attributes:
        title: Its name.
        text: The answer.
        seconds: How long it took.
        usage: As reported.
    """

    title: str
    text: str
    seconds: float
    usage: Usage


def installed() -> list[EntryPoint]:
    """Returns the legs that are installed, by name."""
    return sorted(entry_points(group=GROUP), key=lambda p: (p.name, p.value))


def calls(steps: Iterable[Step], show: Callable[[Step], None]) -> Iterator[Call]:
    """Yields each call when it has ended; shows each piece as it comes."""
    pieces: list[str] = []
    for step in steps:
        show(step)
        pieces.append(step.text)
        if step.seconds is not None:
            yield Call(step.title, "".join(pieces), step.seconds, step.usage)
            pieces.clear()
