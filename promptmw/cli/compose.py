"""``promptmw compose``: the messages that a turn becomes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from promptmw.cli.options import (
    Choices,
    ConfigOption,
    FormatOption,
    JsonOption,
    LayoutOption,
    LocaleOption,
    ModeOption,
    ProfileOption,
    TurnFile,
)
from promptmw.cli.printing import console, note, write, write_json
from promptmw.cli.turns import Desk
from promptmw.layout import Laid
from promptmw.prompts import Problem, Prompt


def compose(
    turn: TurnFile,
    locale: LocaleOption = None,
    profile: ProfileOption = None,
    layout: LayoutOption = None,
    mode: ModeOption = None,
    config: ConfigOption = None,
    form: FormatOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print the messages that a turn becomes.

    Example: promptmw compose examples/turns/typical.toml --locale ja
    """
    choices = Choices(locale=locale, profile=profile, layout=layout, mode=mode, config=config, format=form)
    stated = Desk(choices).open(turn)
    prompt = stated.prompt()
    messages = all_messages(stated.laid(prompt))
    if as_json:
        write_json({"messages": messages, "tools": tools(prompt), "problems": problems(prompt)})
        return
    for message in messages:
        console().print(f"─── {message['role']} ───", style="bold cyan")
        write("".join(shown(message)))
    for problem in prompt.problems:
        note(problem)


def all_messages(laid: Laid) -> list[dict[str, Any]]:
    """Returns chat-completions messages, the system text first."""
    return laid.behind({"role": "system", "content": laid.system} if laid.system else None)


def shown(message: Mapping[str, Any]) -> Iterator[str]:
    """Yields the pieces of a message for people, each ended by a line break: text as it is, all else by its type."""
    content = message.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
    for part in parts:
        text = part["text"] if part["type"] == "text" else f"[{part['type']}]"
        yield text if text.endswith("\n") else f"{text}\n"
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        yield f"[call {function.get('name', '')} {function.get('arguments', '')}]\n"


def tools(prompt: Prompt) -> dict[str, Any]:
    """Returns what the model may call, as plain data; ``offered`` are plugins' tools, in the API's form."""
    settled = prompt.tools
    offered = [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": dict(t.parameters)},
        }
        for t in prompt.offered
    ]
    return {"mode": settled.mode.value, "local": settled.local, "hosted": settled.hosted, "offered": offered}


def problems(prompt: Prompt) -> list[dict[str, str]]:
    """Returns what the turn went on without, as plain data."""
    return [_plain(problem) for problem in prompt.problems]


def _plain(problem: Problem) -> dict[str, str]:
    return {**asdict(problem), "kind": problem.kind.value}
