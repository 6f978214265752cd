"""What the terminal shows while a model answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.status import Status
from rich.text import Text

from promptmw.answers import Usage
from promptmw.cli.legs import Step
from promptmw.cli.printing import console, errors, write


class Stage:
    """Shows answers piece by piece, and on a terminal that work goes on while there is none.

    Args:
        silent: Show no answers.
    """

    def __init__(self, *, silent: bool = False) -> None:
        self._silent = silent

    def waiting(self, text: str) -> AbstractContextManager[Status]:
        """Returns a context in which the terminal says that work goes on."""
        return errors().status(text)

    @contextmanager
    def showing(self, name: str) -> Iterator[Callable[[Step], None]]:
        """Gives a function that shows the pieces of a leg's answers.

        Args:
            name: Of the leg.
        """
        with self.waiting(f"{name}: the model reads the prompt") as status:
            title = ""

            def show(step: Step) -> None:
                nonlocal title
                status.stop()
                if not self._silent:
                    _show(name, step, heading=step.title != title)
                title = step.title
                if step.seconds is not None:
                    status.start()

            yield show

    def cached(self, usage: Usage) -> None:
        """Says how much of a prompt the prefix cache served."""
        if not self._silent and usage.cached_tokens is not None:
            words = f"{usage.cached_tokens:,} of {usage.input_tokens or 0:,} prompt tokens came from the prefix cache."
            console().print(Text(words, style="green"))


def ended(seconds: float, usage: Usage) -> str:
    """Returns what is to be said of a call that has ended."""
    counts = (
        (usage.input_tokens, "prompt tokens"),
        (usage.cached_tokens, "of them cached"),
        (usage.output_tokens, "in the answer"),
    )
    return ", ".join([f"{seconds:.1f} s", *(f"{count:,} {what}" for count, what in counts if count is not None)])


def _show(name: str, step: Step, *, heading: bool) -> None:
    if heading:
        console().print(Text(f"─── {name}: {step.title} ───", style="bold cyan"))
    write(step.text)
    if step.seconds is not None:
        write("\n")
        console().print(Text(ended(step.seconds, step.usage), style="dim"))
