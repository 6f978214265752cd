"""The loop of an agent: when its last round comes, and how a tool is run in it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain.agents.middleware.types import ToolCallRequest
from langchain_core.messages import AIMessage, AnyMessage, ToolMessage
from langchain_core.tools import ToolException
from langgraph.errors import GraphBubbleUp

from promptmw import Turn
from promptmw.fencing import Restored
from promptmw.restoring import Restoring
from promptmw.steps import Done, Job, Steps
from promptmw.toolmode.bounds import LoopPolicy
from promptmw.toolmode.choice import Choice, ChoiceKind
from promptmw.toolmode.events import PastCall
from promptmw.toolmode.loop import Finish, assess, within_budget
from promptmw.toolmode.running import error_text
from promptmw.toolmode.wording import over_budget
from promptmw_langchain.form import FORM
from promptmw_langchain.restored import FINAL
from promptmw_langchain.tool_runs import messages_of


def ending(request: ModelRequest[Any], policy: LoopPolicy) -> Finish | None:
    """Returns why a request has to be the last of its round; None while it need not."""
    return assess(request.messages, FORM, policy) if request.tools else None


def last(turn: Turn, finish: Finish) -> Turn:
    """Returns the turn of a last round."""
    return turn.adding(Choice(ChoiceKind.NONE, final=finish.reason))


def restored(request: ToolCallRequest, wanted: Restored) -> ToolCallRequest:
    """Returns a call as it is run: its arguments without escapes, which the message in the state keeps.

    Args:
        request: The call.
        wanted: The setting ``restore``.
    """
    call = request.tool_call
    arguments = Restoring(wanted).value(call["args"])
    if arguments == call["args"] or _is_final(request):
        return request
    return request.override(tool_call={**call, "args": arguments})


def _is_final(request: ToolCallRequest) -> bool:
    """Says whether the answer with this call was restored before it came here."""
    messages = messages_of(request.state)
    return any(_holds(message, request) and message.response_metadata.get(FINAL) for message in reversed(messages))


def run_steps(request: ToolCallRequest, run: Callable[[], Any], policy: LoopPolicy) -> Steps[Any]:
    """Runs a tool within its bounds; returns its result, or a message that says what went wrong and nothing internal.

    Args:
        request: The call.
        run: Runs it; what it returns may have to be awaited.
        policy: The bounds.

    Raises:
        GraphBubbleUp: The graph is to be interrupted.
    """
    name = request.tool_call["name"]
    if not _in_budget(request, policy):
        return _error(request, over_budget(name))
    seconds = policy.seconds(name)
    (done,) = yield [Job(run, seconds)]
    return done.value if done.error is None else _failed(request, done, seconds)


def awaited(handler: Callable[[ToolCallRequest], Awaitable[Any]], request: ToolCallRequest) -> Callable[[], Any]:
    """Returns what runs a tool and has to be awaited; a coroutine function, so that no thread is needed for it."""

    async def run() -> Any:
        return await handler(request)

    return run


def _failed(request: ToolCallRequest, done: Done, seconds: float) -> ToolMessage:
    error, name = done.error, request.tool_call["name"]
    if isinstance(error, GraphBubbleUp):
        raise error
    if isinstance(error, ToolException):  # meant for the model, as ours is
        return _error(request, str(error))
    return _error(request, error_text(name, error, seconds) if error else "")


def _error(request: ToolCallRequest, text: str) -> ToolMessage:
    call = request.tool_call
    return ToolMessage(text, tool_call_id=call["id"], name=call["name"], status="error")


def _in_budget(request: ToolCallRequest, policy: LoopPolicy) -> bool:
    """Says whether a call is within the bounds, those of the same answer in front of it counted."""
    messages = list(messages_of(request.state))
    at = next((i for i in range(len(messages) - 1, -1, -1) if _holds(messages[i], request)), None)
    if at is None:
        return True
    calls = [PastCall(c["id"] or "", c["name"], c["args"]) for c in messages[at].tool_calls]  # type: ignore[union-attr]
    allowed = within_budget(messages[:at], FORM, policy, calls)
    return next((ok for ok, call in zip(allowed, calls, strict=True) if call.id == request.tool_call["id"]), True)


def _holds(message: AnyMessage, request: ToolCallRequest) -> bool:
    return isinstance(message, AIMessage) and any(c["id"] == request.tool_call["id"] for c in message.tool_calls)
