"""Talk to any model of LiteLLM through the pipeline.

The command ``promptmw chat``. LiteLLM itself is imported when the first question is asked.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer
from rich.text import Text

from promptmw import Pipeline, Turn, Usage
from promptmw.cli.inspecting import print_report
from promptmw.cli.options import Choices, ConfigOption, LocaleOption, ProfileOption
from promptmw.cli.parsing import Document, Format
from promptmw.cli.printing import complain, console, errors, write
from promptmw.cli.turns import Desk, Stated, read

HELP = """/inspect  the table of the last prompt
/turn     the stated facts
/help     this list
/quit     leave; so does Ctrl-D
"""

LOCAL_TOKENS = 400
"""Of an answer of the local model, which does not always find an end."""

ModelOption = Annotated[str | None, typer.Option("--model", help="As LiteLLM names it; by default the local model.")]
TurnOption = Annotated[str | None, typer.Option("--turn", metavar="FILE", help="A turn file: facts, and a history.")]


def register(app: typer.Typer) -> None:
    """Adds ``chat`` to the command line."""
    app.command()(chat)


def chat(
    model: ModelOption = None,
    turn: TurnOption = None,
    locale: LocaleOption = None,
    profile: ProfileOption = None,
    config: ConfigOption = None,
) -> None:
    """Talk to a model through the pipeline; /help lists what else can be typed.

    Example: promptmw chat --model ollama_chat/llama3.2 --turn examples/turns/typical.toml --locale fr
    """
    choices = Choices(locale=locale, profile=profile, config=config)
    document = read(turn) if turn else Document("the turn", "", Format.TOML, {})
    stated = Desk(choices).of_document(document)
    facts = {name: value for name, value in document.data.items() if name != "messages"}
    with contextlib.ExitStack() as stack:
        model_fields = {"model": model} if model else _local(stack)
        talk = Talk(stated.pipeline, stated.turn.replace(preview=False), model_fields)
        failed = Session(talk, {**facts, **choices.fields()}).run(stated.messages)
    raise typer.Exit(1 if failed else 0)


@dataclass
class Talk:
    """Is a conversation with one model.

    Attributes:
        pipeline: Makes its prompts.
        turn: The facts of each turn.
        model_fields: The model and where it answers, as LiteLLM's keywords.
        history: Questions and answers so far, as the application sees them.
        sent: The messages of the last call.
        usage: Of the last call, as reported.
    """

    pipeline: Pipeline
    turn: Turn
    model_fields: dict[str, Any]
    history: list[dict[str, Any]] = field(default_factory=list)
    sent: list[dict[str, Any]] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    def ask(self, question: str) -> Iterator[str]:
        """Yields the answer in pieces; a question that fails leaves the history as it was."""
        self.sent = [*self.history, {"role": "user", "content": question}]
        self.usage = Usage()
        pieces = []
        for chunk in self._call():
            self.usage = _usage(chunk) or self.usage
            text = chunk.choices[0].delta.content if chunk.choices else None
            if text:
                pieces.append(text)
                yield text
        self.history = [*self.sent, {"role": "assistant", "content": "".join(pieces)}]

    def _call(self) -> Iterator[Any]:
        import litellm

        from promptmw_litellm.wrappers import completion

        litellm.suppress_debug_info = True  # else it prints advice between the answers
        asked: Iterator[Any] = completion(
            messages=self.sent,
            stream=True,
            stream_options={"include_usage": True},
            drop_params=True,
            turn=self.turn,
            pipeline=self.pipeline,
            **self.model_fields,
        )
        return asked


@dataclass
class Session:
    """Reads what is typed or piped in, and answers it.

    Attributes:
        talk: Gets the questions.
        facts: What was stated, as plain data.
        failed: Questions without an answer.
    """

    talk: Talk
    facts: dict[str, Any]
    failed: int = 0

    def run(self, messages: list[dict[str, Any]]) -> int:
        """Returns how many questions failed, at the end of the input.

        Args:
            messages: The history so far; a question at its end is asked first.
        """
        self.talk.history = messages
        if messages and messages[-1]["role"] == "user" and isinstance(messages[-1]["content"], str):
            self.talk.history = messages[:-1]
            self._answer(messages[-1]["content"])
        for line in _lines():
            command = re.fullmatch(r"/([a-z-]+)", line)
            if command and command[1] in ("quit", "exit"):
                break
            if command:
                self._obey(command[1])
            elif line:
                self._answer(line)
        return self.failed

    def _answer(self, question: str) -> None:
        try:
            with errors().status("the model reads the prompt") as status:
                for piece in self.talk.ask(question):
                    status.stop()
                    write(piece)
        except Exception as error:  # of the provider, the network or LiteLLM; the talk may go on
            complain(f"no answer: {type(error).__name__}: {error}")
            self.failed += 1
            return
        write("\n")
        usage = self.talk.usage
        if usage.cached_tokens is not None:
            words = f"{usage.cached_tokens:,} of {usage.input_tokens or 0:,} prompt tokens from the prefix cache"
            errors().print(Text(words, style="dim"))

    def _obey(self, command: str) -> None:
        match command:
            case "inspect" if self.talk.sent:
                stated = Stated(self.talk.turn.replace(preview=True), self.talk.sent, self.talk.pipeline)
                print_report(stated, stated.prompt())
            case "inspect":
                complain("nothing was sent yet")
            case "turn":
                write(json.dumps(self.facts, ensure_ascii=False, indent=2, default=str) + "\n")
            case "help":
                write(HELP)
            case _:
                complain(f"there is no command /{command}; /help lists them")


def _local(stack: contextlib.ExitStack) -> dict[str, Any]:
    """Returns the fields of the embedded local model, which runs as long as the stack is open."""
    from promptmw.local import LocalEngine

    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # it needs no network; read while importing
    with errors().status("starting the local model"):
        engine = stack.enter_context(LocalEngine())
    where = {"model": f"openai/{engine.model}", "api_base": engine.base_url, "api_key": engine.api_key}
    return {**where, "max_tokens": LOCAL_TOKENS}


def _lines() -> Iterator[str]:
    """Yields what is typed, or piped in, without blank space around it."""
    if not sys.stdin.isatty():
        for raw in sys.stdin.buffer:
            yield raw.decode("utf-8", "replace").strip()
        return
    with contextlib.suppress(EOFError):
        while True:
            yield input("› ").encode("utf-8", "replace").decode().strip()
    console().print()


def _usage(chunk: Any) -> Usage | None:
    from promptmw_litellm.answers import usage_of

    return usage_of(chunk.usage) if getattr(chunk, "usage", None) else None
