"""How a model that knows nothing but text sees tools: in its prompt, as it was told to write and read them."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from .answering import Answer, Ask, Said, Tool, answer, cut

TOOLS = re.compile(r"<tools>\n(.*?)\n</tools>", re.DOTALL)
RESULT = re.compile(r"<tool-output[^>]*>\n.*?\n?</tool-output>\s*", re.DOTALL)
CALLED = re.compile(r'<tool_call>\s*\{"name": ("(?:[^"\\]|\\.)*")')
NAMED = re.compile(r"Call the tool (\S+) now\.")
MUST = re.compile(r"Call one of (?:the|these) tools now")
MUST_NOT = "Do not call a tool in this message."


def said_as_text(ask: Ask, *, choice: int = 0) -> Answer:
    """Say what a model with function calling says to the same, a call of a tool as text."""
    understood = _understood(ask)
    found = answer(replace(understood, schema=None), choice=choice)
    if found.call is None:
        return found
    return cut(f'<tool_call>\n{{"name": "{found.call.name}", "arguments": {found.call.arguments}}}\n</tool_call>', ask)


def _understood(ask: Ask) -> Ask:
    asked = next((said.text for said in reversed(ask.said) if said.role == "user"), "")
    tools = () if MUST_NOT in asked else tuple(_tools(ask))
    named = NAMED.search(asked)
    if named:
        tools = tuple(tool for tool in tools if tool.name == named[1])
    said = tuple(one for message in ask.said for one in _split(message))
    return replace(ask, said=said, tools=tools, forced=bool(named or MUST.search(asked)))


def _tools(ask: Ask) -> Iterator[Tool]:
    found = TOOLS.search(next((said.text for said in ask.said if said.role == "system"), ""))
    for line in found[1].splitlines() if found else ():
        tool = json.loads(line)
        yield Tool(name=tool["name"], schema=tool["parameters"])


def _split(said: Said) -> Iterator[Said]:
    """Yield the results in a message as a tool's, and the calls in an answer by their names."""
    if said.role == "assistant":
        yield replace(said, calls=tuple(json.loads(name) for name in CALLED.findall(said.text)))
    elif said.role == "user" and said.text.startswith("<tool-output"):
        yield from (Said(role="tool", text=block) for block in RESULT.findall(said.text))
        rest = RESULT.sub("", said.text).strip()
        if rest:
            yield Said(role="user", text=rest)
    else:
        yield said
