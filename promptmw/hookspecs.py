"""The hooks: everything that a plugin can do.

A plugin is a module, or an object, with functions marked by ``promptmw.hookimpl``. It is found by an entry point in the
group ``promptmw``. The order in which plugins are called never decides the order of a prompt.

Every hook may leave out arguments that it does not need. Adding an argument to a hook is a compatible change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pluggy

if TYPE_CHECKING:
    from promptmw.answers import Answer
    from promptmw.history import HistoryEdit
    from promptmw.profiles import Profile
    from promptmw.prompts import Prompt
    from promptmw.sections import Block, Section
    from promptmw.tokens import TokenCounter
    from promptmw.toolmode.protocol import ToolProtocol
    from promptmw.tools import Tool
    from promptmw.turn import Turn

PROJECT = "promptmw"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)

F = TypeVar("F", bound=Callable[..., object])


def instant(function: F) -> F:
    """Marks a collector that only looks into the memory of its process: it is called in place, without a time limit."""
    function.__dict__["promptmw_instant"] = True
    return function


@hookspec
def promptmw_inputs() -> Iterable[type] | None:
    """Returns the input types that the plugin defines.

    Called: once, when a pipeline is made.
    Returns: classes declared with ``@input_type(name)``. The results of all plugins are put together; two types of one
        name are an error that names both distributions.
    None: the plugin has none.
    An exception: the plugin is skipped and reported; raised when the pipeline is strict.

    Example::

        @hookimpl
        def promptmw_inputs():
            return (Weather,)
    """


@hookspec
def promptmw_sections(profile: Profile) -> Iterable[Section] | None:
    """Returns the plugin's sections.

    Called: once, when a pipeline is made. The profile picks among the sections by name afterwards.
    Args:
        profile: The pipeline's profile. ``profile.settings("table", Type)`` gives the plugin's own settings, validated.
    Returns: `Section` objects. Two of one name are an error that names both distributions.
    None: the plugin has none.
    An exception: as `promptmw_inputs`; a `ConfigError` about a setting is raised as it is.

    Example::

        @hookimpl
        def promptmw_sections(profile):
            return (Section(name="weather", render=render, reads=(Weather,), order=45),)
    """


@hookspec
def promptmw_profiles() -> Iterable[Profile] | None:
    """Returns the named profiles that the plugin ships.

    Called: once, when a pipeline is made, before the profile is settled.
    Returns: `Profile` objects. Two of one name are an error.
    None: the plugin has none.
    An exception: as `promptmw_inputs`.

    Example::

        @hookimpl
        def promptmw_profiles():
            return (Profile(name="support", enable=("identity", "weather")),)
    """


@hookspec
def promptmw_locales() -> Iterable[str] | None:
    """Returns the tags of the locales that the plugin has texts for.

    Called: once, when a pipeline is made; `promptmw_texts` is then called for each of them.
    Returns: tags such as ``"de"`` or ``"zh-Hant"``.
    None: the plugin has no texts.
    An exception: as `promptmw_inputs`.

    Example::

        @hookimpl
        def promptmw_locales():
            return ("en", "de")
    """


@hookspec
def promptmw_texts(locale: str) -> Mapping[str, str] | None:
    """Returns the plugin's authored texts in one language.

    Called: once for each locale that the plugin names in `promptmw_locales`.
    Args:
        locale: One of those tags.
    Returns: texts by key; keys begin with the section's name and a dot. The tables of all plugins are merged, so a
        language pack translates sections that are not its own. One key from two plugins is an error. Keys that end in
        ``heading`` or ``heading_named`` are reserved: a user's text cannot imitate them.
    None: nothing in this language.
    An exception: as `promptmw_inputs`.

    Example::

        @hookimpl
        def promptmw_texts(locale):
            return {"weather.heading": "## Wetter"} if locale == "de" else None
    """


@hookspec
def promptmw_counters() -> Mapping[str, TokenCounter] | None:
    """Returns token counters by name, for the profile setting ``counter``.

    Called: once, when a pipeline is made.
    Returns: objects with ``name``, ``exact`` and ``count(text)``, which must take any string without raising.
    None: the plugin has none.
    An exception: as `promptmw_inputs`.

    Example::

        @hookimpl
        def promptmw_counters():
            return {"characters": Characters()}
    """


@hookspec
def promptmw_protocols() -> Iterable[ToolProtocol] | None:
    """Returns text formats of tool calls, for models without function calling.

    Called: once, when a pipeline is made.
    Returns: `ToolProtocol` objects, such as `TextFormat` ones. A name that another plugin or the core has already is an
        error. Each must write the same call in the same way twice, and read back what it writes.
    None: the plugin has none.
    An exception, or a format that does not keep to that: as `promptmw_inputs`.

    Example::

        @hookimpl
        def promptmw_protocols():
            return (TextFormat(name="brackets", open="[[", close="]]", …),)
    """


@hookspec
def promptmw_history(turn: Turn, messages: Sequence[Any]) -> HistoryEdit | Awaitable[HistoryEdit | None] | None:
    """Returns an edit of the history, such as leaving out what a summary stands for.

    Called: in each turn, before anything is collected. The first plugin that does not return None decides.
    Args:
        turn: As the application states it.
        messages: The application's own message objects, without leading system messages. Not to be changed.
    Returns: a `HistoryEdit`, or an awaitable of one.
    None: the history stays as it is.
    An exception, or no answer within the time limit: as None, and the report says so.

    Example::

        @hookimpl
        def promptmw_history(turn, messages):
            return HistoryEdit(keep_from=10, inputs=(Summary("…"),)) if len(messages) > 20 else None
    """


@hookspec
def promptmw_collect(turn: Turn) -> Iterable[object] | Awaitable[Iterable[object] | None] | None:
    """Returns more inputs for this turn: retrieved snippets, stored memories.

    Called: in each turn, before rendering; once for each round, its result serves the round's later calls too. All
        plugins run at the same time, each under the profile's ``collect_seconds``. A plain function runs on a thread of
        its own, with the caller's context variables, unless it is marked ``@instant``.
    Args:
        turn: As the application states it. ``turn.get(Question)`` is the text of the last real user message.
    Returns: inputs, or an awaitable of them. They follow the application's own in order of plugin name.
    None: nothing.
    An exception, or no answer in time: the turn goes on without it, and the report names the plugin.

    Example::

        @hookimpl
        async def promptmw_collect(turn):
            question = turn.get(Question)
            return [Snippet(hit.text) for hit in await search(question.text)]
    """


@hookspec
def promptmw_tools(turn: Turn, profile: Profile) -> Iterable[Tool] | None:
    """Returns the tools that the plugin offers in this turn, with their handlers.

    Called: in each turn, after collecting. A profile offers only those that its setting ``offer_tools`` names.
    Args:
        turn: With all inputs.
        profile: Of this pipeline.
    Returns: `Tool` objects. A tool of the same name that the application states is the one that counts.
    None: nothing.
    An exception: the turn goes on without them, and the report names the plugin.

    Example::

        @hookimpl
        def promptmw_tools(turn):
            return (Tool(name="dice", description="Rolls a die.", handler=roll),)
    """


@hookspec
def promptmw_revise(turn: Turn, blocks: Sequence[Block]) -> Sequence[Block] | None:
    """Returns other blocks: it sees every block that it may change.

    Called: in each turn, after rendering and before budgets. Plugins are called by name, those marked ``tryfirst``
        before and those marked ``trylast`` after the others; each sees what the one before it returned.
    Args:
        turn: With all inputs.
        blocks: In no promised order.
    Returns: all blocks that shall stay, the unchanged ones as the same objects. One that is left out is reported as
        dropped by this plugin; a required one stays whatever is returned.
    None: nothing changes.
    An exception: as None, and the report names the plugin.

    Example::

        @hookimpl
        def promptmw_revise(turn, blocks):
            return [b for b in blocks if b.section != "sandbox"]
    """


@hookspec
def promptmw_assembled(turn: Turn, prompt: Prompt) -> None:
    """Tells that a prompt is ready; for logs and metrics.

    Called: at the end of each assembly.
    Args:
        turn: With all inputs.
        prompt: As it will be sent.
    An exception: logged and otherwise ignored.

    Example::

        @hookimpl
        def promptmw_assembled(turn, prompt):
            histogram.observe(prompt.tokens)
    """


@hookspec
def promptmw_answered(turn: Turn, prompt: Prompt, answer: Answer) -> Awaitable[None] | None:
    """Tells that the model has answered, or that the call failed or was given up.

    Called: once for each call of a model, by the adapter.
    Args:
        turn: With all inputs.
        prompt: That was sent.
        answer: Text, tool calls and usage; ``complete`` is False when the call failed or its stream was not read to
            the end.
    Returns: nothing; an awaitable is awaited by async callers and run by the others.
    An exception: logged and otherwise ignored.

    Example::

        @hookimpl
        def promptmw_answered(turn, prompt, answer):
            print(answer.usage)
    """
