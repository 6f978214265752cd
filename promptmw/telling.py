"""Tells plugins what has happened: a prompt is ready, a model has answered."""

from __future__ import annotations

from functools import partial

from promptmw.answers import Answer
from promptmw.loading import Plugins
from promptmw.logs import debug, warn
from promptmw.profiles import Profile
from promptmw.prompts import Prompt
from promptmw.steps import Job, Steps


def tell(plugins: Plugins, prompt: Prompt) -> None:
    """Logs what the turn went on without, and tells plugins that the prompt is ready."""
    for problem in prompt.problems:
        warn(problem.kind.value, subject=problem.subject, distribution=problem.distribution, detail=problem.detail)
    for outcome in plugins.call("promptmw_assembled", turn=prompt.turn, prompt=prompt):
        if outcome.error:
            warn("assembled hook failed", plugin=outcome.plugin.name, error=type(outcome.error).__name__)


def answered_steps(plugins: Plugins, profile: Profile, prompt: Prompt, answer: Answer) -> Steps[None]:
    """Tells plugins what the model answered, waiting for those that return an awaitable."""
    debug("answered", complete=answer.complete, tool_calls=len(answer.tool_calls), inner=answer.inner)
    for outcome in plugins.call("promptmw_answered", turn=prompt.turn, prompt=prompt, answer=answer):
        error = outcome.error
        if error is None and outcome.value is not None:
            (done,) = yield [Job(partial(_same, outcome.value), profile.collect_seconds)]
            error = done.error
        if error is not None:
            warn("answered hook failed", plugin=outcome.plugin.name, error=type(error).__name__)


def _same(value: object) -> object:
    return value
