"""The server whose model knows nothing but text."""

from dataclasses import replace
from typing import Any

from . import chat
from .answering import Answer, Ask, cut
from .loopback import LoopbackServer, Received, Refusal, Reply
from .markup import said_as_text

REFUSED = ("tools", "tool_choice", "response_format", "functions", "function_call", "parallel_tool_calls")
SYSTEM_ROLES = {"system", "developer"}
PIECE = 3


class TextServer(LoopbackServer):
    """Speaks chat completions and refuses, with 400, what needs function calling.

    Attributes:
        refusals: What it refuses the next requests with.
        lines: What it says next, before it goes back to what it would say by itself.
        ignores_stop: Whether it takes stop sequences and writes on.
    """

    def __init__(self) -> None:
        super().__init__()
        self.refusals: list[str] = []
        self.lines: list[str] = []
        self.ignores_stop = False

    def clear(self) -> None:
        """Forget the log, and what it was told to say."""
        super().clear()
        self.refusals.clear()
        self.lines.clear()
        self.ignores_stop = False

    def reply(self, received: Received) -> Reply:
        """Check the request and answer it."""
        if received.path != "/v1/chat/completions":
            raise Refusal(f"nothing at {received.path}", status=404)
        check(received.body)
        if self.refusals:
            raise Refusal(self.refusals.pop(0))
        ask, body = chat.read(received), received.body
        ask = replace(ask, stop=()) if self.ignores_stop else ask
        answers = [self.say(ask) for _ in range(body.get("n") or 1)]
        if not body.get("stream"):
            return Reply(body=chat.whole(ask, answers))
        with_usage = bool((body.get("stream_options") or {}).get("include_usage"))
        return Reply(events=chat.chunks(ask, answers, size=PIECE, with_usage=with_usage))

    def say(self, ask: Ask) -> Answer:
        """Make the text of an answer; the one place that decides what this model says."""
        line = self.lines.pop(0) if self.lines else None
        return said_as_text(ask) if line is None else cut(line, ask)


def check(body: dict[str, Any]) -> None:
    """Refuse what a model without function calling does not take.

    Raises:
        Refusal: names the parameter, or the place of the message.
    """
    for key in REFUSED:
        if key in body:
            raise Refusal(f"{key} is not supported by this model", param=key)
    for place, message in enumerate(body.get("messages", ())):
        _check_message(message, place)


def _check_message(message: dict[str, Any], place: int) -> None:
    where = f"messages[{place}]"
    if message.get("role") == "tool":
        raise Refusal("role tool is not supported by this model", param=f"{where}.role")
    if message.get("tool_calls") is not None:
        raise Refusal("tool_calls is not supported by this model", param=f"{where}.tool_calls")
    if place and message.get("role") in SYSTEM_ROLES:
        raise Refusal("a system message must stand first", param=f"{where}.role")
