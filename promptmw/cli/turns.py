"""Turn files made into turns, with the pipeline that they ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from promptmw.assembly import Pipeline
from promptmw.cli.chat_messages import messages_of
from promptmw.cli.opening import read_text, source_name
from promptmw.cli.options import Choices
from promptmw.cli.parsing import Document, Format, format_of, parsed
from promptmw.config import Config, load_config
from promptmw.errors import InputError, PromptmwError
from promptmw.kinds import Layout
from promptmw.layout import Laid
from promptmw.messages import ChatFormat, Conversation
from promptmw.prompts import Prompt
from promptmw.turn import Turn
from promptmw.turnfiles import turn_from_data

T = TypeVar("T")
_CHAT = ChatFormat()


@dataclass(frozen=True)
class Stated:
    """Is a turn file with the pipeline for it.

    Attributes:
        turn: As the file and the command line state it; it only looks.
        messages: Chat-completions messages.
        pipeline: Of the turn's profile.
    """

    turn: Turn
    messages: list[dict[str, Any]]
    pipeline: Pipeline

    def prompt(self) -> Prompt:
        """Returns the turn's prompt."""
        return self.pipeline.assemble(self.turn, self._conversation())

    def laid(self, prompt: Prompt) -> Laid:
        """Returns the prompt laid over the messages."""
        return self.pipeline.lay_out(prompt, self._conversation())

    def _conversation(self) -> Conversation:
        return Conversation(self.messages, _CHAT)


class Desk:
    """Opens turn files over one set of plugins.

    Args:
        choices: What the command line states.

    Raises:
        ConfigError: The config cannot be used.
        PluginError: Two distributions offer the same name.
    """

    def __init__(self, choices: Choices) -> None:
        self.choices = choices
        self.config = load_config(choices.config) if choices.config else Config()
        self.pipeline = Pipeline.from_config(self.config)

    def open(self, file: str) -> Stated:
        """Returns a turn file's turn.

        Raises:
            InputError: The file cannot be read, or what it says is not valid; with file and line.
            ConfigError: The profile of the command line does not exist.
        """
        return self.of_document(read(file, self.choices.format))

    def of_document(self, document: Document) -> Stated:
        """Returns the turn of a document. Otherwise as `open`."""
        messages = messages_of(document)
        data = {name: value for name, value in document.data.items() if name != "messages"}
        turn = _located(document, lambda: turn_from_data(data, self.pipeline.catalog.inputs))
        turn = turn.replace(**self.choices.fields()).replace(preview=True)
        pipeline = self._pipeline(turn, document)
        return Stated(turn.replace(profile=""), messages, pipeline)

    def _pipeline(self, turn: Turn, document: Document) -> Pipeline:
        name = turn.profile or self.pipeline.profile.name
        if self.choices.profile:
            found = self.pipeline.for_profile(name)
        else:
            found = _located(document, lambda: self.pipeline.for_profile(name))
        return self._with_layout(found, self.choices.layout) if self.choices.layout else found

    def _with_layout(self, pipeline: Pipeline, layout: Layout) -> Pipeline:
        profile = pipeline.profile.extended({"layout": layout.value}, name=pipeline.profile.name)
        return Pipeline(profile, disable=self.config.disable_plugins)


def read(file: str, form: Format | None = None) -> Document:
    """Returns what a file, or standard input for ``-``, says.

    Args:
        file: Its name.
        form: How it is written; by default what its name or its first line says.

    Raises:
        InputError: It cannot be read or parsed.
    """
    text = read_text(file)
    return parsed(text, source=source_name(file), form=form or format_of(file, text))


def _located(document: Document, make: Callable[[], T]) -> T:
    """Returns what ``make`` returns; an error with a path into the document gets its file and line."""
    try:
        return make()
    except InputError as error:
        raise document.error(error, error.path) from None
    except PromptmwError as error:
        if error.path and error.path[0] in document.data:
            raise document.error(error, error.path) from None
        raise
