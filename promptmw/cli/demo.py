"""``promptmw demo``: a turn, assembled and sent to the embedded local model by every adapter that is installed."""

from __future__ import annotations

from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from importlib.metadata import EntryPoint
from importlib.resources import files
from typing import Any, cast

import typer

from promptmw.cli.inspecting import print_report, report
from promptmw.cli.legs import Call, Engine, Leg, calls, installed
from promptmw.cli.options import Choices, JsonOption
from promptmw.cli.parsing import Format, parsed
from promptmw.cli.printing import complain, note, write_json
from promptmw.cli.stage import Stage
from promptmw.cli.turns import Desk, Stated
from promptmw.errors import PluginError

TURN = "demo_turn.toml"
NEXT_QUESTION = "And how much water do they need after that?"


@dataclass(slots=True)
class Told:
    """Is what a leg did.

    Attributes:
        leg: Its name.
        calls: Those that ended.
        error: Why it gave up; blank if it did not.
    """

    leg: str
    calls: list[Call] = field(default_factory=list)
    error: str = ""

    @property
    def answered(self) -> bool:
        """Says whether each of its calls gave an answer."""
        return not self.error and bool(self.calls) and all(c.text.strip() for c in self.calls)


def demo(as_json: JsonOption = False) -> None:
    """Assemble a turn and send it to the embedded local model through each installed adapter; needs no network.

    Example: uv run --group local promptmw demo
    """
    from promptmw.local import LocalEngine

    stated, points = demo_turn(), installed()
    if not points:
        raise PluginError("no installed package has a leg of the demo: pip install promptmw-langchain promptmw-litellm")
    prompt = stated.prompt()
    stage = Stage(silent=as_json)
    if not as_json:
        print_report(stated, prompt)
        note("The local model is a very small one: look at what it was sent, not at the wit of its answers.")
    with ExitStack() as stack:
        with stage.waiting("starting the local model"):
            engine = stack.enter_context(LocalEngine())
        told = [_told(point, stated, engine, stage) for point in points]
        again = _next_turn(dict(zip(points, told, strict=True)), stated, engine, stage)
    if as_json:
        legs = [asdict(t) for t in told]
        write_json({"model": engine.model, **report(stated, prompt), "legs": legs, "next_turn": asdict(again)})
    _end([*told, again])


def demo_turn() -> Stated:
    """Returns the turn of the demo, with the pipeline as installed."""
    text = files("promptmw.cli").joinpath(TURN).read_text(encoding="utf-8")
    return Desk(Choices()).of_document(parsed(text, source=TURN, form=Format.TOML))


def _told(point: EntryPoint, stated: Stated, engine: Engine, stage: Stage) -> Told:
    """Returns what a leg did with the turn; one that fails does not keep the others from running."""
    told = Told(point.name)
    try:
        with stage.showing(point.name) as show:
            told.calls.extend(calls(_steps(point, stated, engine, stated.messages), show))
    except Exception as error:  # of an adapter, its framework, or the network stack below
        told.error = f"{type(error).__name__}: {error}"
        complain(f"{point.name}: {told.error}")
    return told


def _next_turn(told: dict[EntryPoint, Told], stated: Stated, engine: Engine, stage: Stage) -> Told:
    """Returns the first call of the next turn: the same facts, another question."""
    again = Told("next turn")
    point = next((p for p, t in told.items() if t.answered), None)
    if point is None:
        again.error = "no leg gave an answer"
        return again
    answer = {"role": "assistant", "content": told[point].calls[0].text}
    messages = [*stated.messages, answer, {"role": "user", "content": NEXT_QUESTION}]
    with closing(_steps(point, stated, engine, messages)) as steps, stage.showing("next turn") as show:
        again.calls.append(next(calls(steps, show)))
    stage.cached(again.calls[0].usage)
    return again


def _steps(point: EntryPoint, stated: Stated, engine: Engine, messages: list[dict[str, Any]]) -> Any:
    leg = cast(Leg, point.load())
    return leg(stated.pipeline, stated.turn.replace(preview=False), messages, engine)


def _end(told: list[Told]) -> None:
    silent = [t.leg for t in told if not t.answered]
    if silent:
        complain(f"no answer from: {', '.join(silent)}")
        raise typer.Exit(1)
