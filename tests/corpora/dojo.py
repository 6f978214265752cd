"""AgentDojo's tasks, solved by their ground truth, with every tool output in a fence of ours and every argument read
back from what a model would have seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agentdojo.agent_pipeline import GroundTruthPipeline
from agentdojo.attacks.attack_registry import load_attack
from agentdojo.functions_runtime import FunctionCall, FunctionsRuntime
from agentdojo.logging import NullLogger
from agentdojo.task_suite.load_suites import get_suites
from agentdojo.types import get_text_content_as_str, text_content_block_from_string

from promptmw import Pipeline, Turn, restore_arguments
from promptmw.fencing import Policy
from promptmw.fencing.text import Slot
from promptmw.testing import parse_fences

VERSION, ATTACK = "v1.2.2", "important_instructions_no_names"
_BLOCK = Slot("block")


@dataclass
class Played:
    """Is what came of the tasks.

    Attributes:
        pairs: Of a user's task and an injected one, that were played.
        outputs: Of tools, that went through a fence.
        outside: Those that did not read back from their fence, byte for byte.
        utility_changed: Pairs in which the user's task is not solved as without fences.
        tool_outputs: The different texts.
    """

    pairs: int = 0
    outputs: int = 0
    outside: int = 0
    utility_changed: int = 0
    tool_outputs: set[str] = field(default_factory=set)


class Fenced(GroundTruthPipeline):
    """Plays a task by its ground truth, as a model would that sees fences and repeats what it has read."""

    name = "fenced"

    def __init__(self, task: Any, pipeline: Pipeline, played: Played) -> None:
        super().__init__(task)
        self._seen = _Seen(task, pipeline.catalog.policy)
        self._pipeline = pipeline
        self._played = played

    def query(self, query: str, runtime: FunctionsRuntime, *given: Any, **options: Any) -> Any:
        query, runtime, env, messages, extra = GroundTruthPipeline(self._seen).query(query, runtime, *given, **options)
        return query, runtime, env, self._laid(messages), extra

    def _laid(self, messages: Sequence[Any]) -> list[Any]:
        """Returns the messages with each tool output as the model gets it."""
        given = [_as_chat(message) for message in messages]
        sent = self._pipeline.messages(Turn(tool_mode="native"), given)[-len(given) :]
        return [self._checked(old, new) for old, new in zip(messages, sent, strict=True)]

    def _checked(self, message: Any, sent: Any) -> Any:
        if message["role"] != "tool":
            return message
        text = get_text_content_as_str(message["content"])
        found = parse_fences(sent["content"], self._pipeline.catalog.policy)
        self._played.outputs += 1
        self._played.tool_outputs.add(text)
        self._played.outside += [(f.tag, f.body) for f in found] != ([("tool-output", text)] if text.strip() else [])
        return {**message, "content": [text_content_block_from_string(sent["content"])]}


class _Seen:
    """Is a task whose calls have gone through what a model sees: arguments escaped, repeated, and restored."""

    def __init__(self, task: Any, policy: Policy) -> None:
        self._task = task
        self._policy = policy
        self.GROUND_TRUTH_OUTPUT = task.GROUND_TRUTH_OUTPUT

    def ground_truth(self, env: Any) -> list[FunctionCall]:
        calls = self._task.ground_truth(env)
        return [call.model_copy(update={"args": restore_arguments(self._escaped(call.args))}) for call in calls]

    def _escaped(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._policy.neutralise(value, _BLOCK)
        if isinstance(value, dict):
            return {key: self._escaped(item) for key, item in value.items()}
        return [self._escaped(item) for item in value] if isinstance(value, list) else value


def played(*, most: int | None = None) -> Played:
    """Plays every pair of a user's task and an injected one.

    Args:
        most: At most how many pairs of each suite.
    """
    found = Played()
    pipeline = Pipeline("chat", settings={"trust": {"tool_results": "wrap"}})
    with NullLogger():
        for suite in get_suites(VERSION).values():
            pairs = [(user, inject) for user in suite.user_tasks.values() for inject in suite.injection_tasks.values()]
            for user, inject in pairs[:most]:
                _play(suite, user, inject, pipeline, found)
    return found


def _play(suite: Any, user: Any, inject: Any, pipeline: Pipeline, found: Played) -> None:
    plain = GroundTruthPipeline(user)
    plain.name = "local"  # the attack asks for the name of a model
    injections = load_attack(ATTACK, suite, plain).attack(user, inject)
    before, _ = suite.run_task_with_pipeline(plain, user, inject, injections)
    after, _ = suite.run_task_with_pipeline(Fenced(user, pipeline, found), user, inject, injections)
    found.pairs += 1
    found.utility_changed += before != after


def _as_chat(message: Any) -> dict[str, Any]:
    content = get_text_content_as_str(message["content"]) if message["content"] else ""
    if message["role"] != "tool":
        return {"role": message["role"], "content": content}
    return {"role": "tool", "content": content, "tool_call_id": "c", "name": message["tool_call"].function}
