"""What the model behind the native server says, whatever API asks."""

import json
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .fitting import fit
from .loopback import Refusal

SENTENCE = "Hello, here is what the test server says to you."
"""The answer where no tool is called and no schema is given. Has "you" in it, for tests that stop there."""

TEXT_PIECE = 6
ARGUMENTS_PIECE = 4


class Finish(Enum):
    """Why an answer ended."""

    STOP = "stop"
    STOP_TEXT = "stop text"
    LENGTH = "length"
    CALL = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A function on offer."""

    name: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message: `role` is system, user, assistant or tool; `calls` are the names of called tools."""

    role: str
    text: str
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A request, freed from the API that it came by. `limit` counts words."""

    model: str
    said: tuple[Said, ...]
    tools: tuple[Tool, ...]
    forced: bool
    schema: dict[str, Any] | None
    stop: tuple[str, ...]
    limit: int | None
    number: int

    @property
    def question(self) -> str:
        """The text of the last message of the user."""
        return next((s.text for s in reversed(self.said) if s.role == "user"), "")

    @property
    def since_question(self) -> tuple[Said, ...]:
        """Calls and results after the last message of the user."""
        users = [i for i, s in enumerate(self.said) if s.role == "user"]
        after = self.said[users[-1] + 1 :] if users else self.said
        return tuple(s for s in after if s.role in {"assistant", "tool"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call of a tool; `arguments` is JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Text or a call, and why it ended there."""

    text: str = ""
    call: Call | None = None
    finish: Finish = Finish.STOP
    stop_text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Counted in words: `cached` is the part of `prompt` that the system text makes up."""

    prompt: int
    cached: int
    completion: int

    @property
    def total(self) -> int:
        """Prompt and completion."""
        return self.prompt + self.completion


def chosen(tools: list[Tool], *, mode: str, name: str | None) -> tuple[tuple[Tool, ...], bool]:
    """Narrow tools to the ones that may be called; the flag says that one must be.

    Args:
        tools: what the request offers.
        mode: `none`, `auto`, or anything else for "must".
        name: the one tool that must be called.
    """
    if mode == "none":
        return (), False
    wanted = tuple(tool for tool in tools if name in {None, tool.name})
    if name is not None and not wanted:
        raise Refusal(f"no tool is called {name!r}", param="tool_choice")
    return wanted, mode != "auto"


def answer(ask: Ask, *, choice: int = 0) -> Answer:
    """Call a tool, or write fitting JSON, or say the sentence."""
    tool = _next_tool(ask)
    if tool is not None:
        arguments = json.dumps(fit(tool.schema, ask.question), ensure_ascii=False)
        call = Call(id=f"call_{ask.number}_{choice}", name=tool.name, arguments=arguments)
        return Answer(call=call, finish=Finish.CALL)
    if ask.schema is not None:
        return cut(json.dumps(fit(ask.schema, ask.question), ensure_ascii=False), ask)
    return cut(SENTENCE, ask)


def _next_tool(ask: Ask) -> Tool | None:
    """Find the tool to call: after the user's message, or when forced, the first that was not called since."""
    if ask.since_question and not ask.forced:
        return None
    called = {name for said in ask.since_question for name in said.calls}
    return next((tool for tool in ask.tools if tool.name not in called), None)


def cut(text: str, ask: Ask) -> Answer:
    """End a text at the first stop text, or at the limit."""
    found = [(text.index(stop), stop) for stop in ask.stop if stop in text]
    place, stop_text = min(found, default=(len(text), None))
    words = text[:place].split(" ")
    if ask.limit is not None and len(words) > ask.limit:
        return Answer(text=" ".join(words[: ask.limit]), finish=Finish.LENGTH)
    return Answer(text=text[:place], finish=Finish.STOP_TEXT if stop_text else Finish.STOP, stop_text=stop_text)


def usage(ask: Ask, *answers: Answer) -> Usage:
    """Count words, with all choices summed."""
    offered = sum(_words(tool.name, json.dumps(tool.schema)) for tool in ask.tools)
    return Usage(
        prompt=max(1, offered + _words(*(said.text for said in ask.said))),
        cached=_words(*(said.text for said in ask.said if said.role == "system")),
        completion=max(1, sum(_words(a.text, a.call.arguments if a.call else "") for a in answers)),
    )


def _words(*texts: str) -> int:
    return sum(len(text.split()) for text in texts)


def pieces(text: str, size: int) -> list[str]:
    """Cut a text for streaming."""
    return [text[i : i + size] for i in range(0, len(text), size)]


def joined_text(content: Any) -> str:
    """Read the text of a content field: a string, or parts of which some have a text."""
    if isinstance(content, list):
        return "\n".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content or ""
