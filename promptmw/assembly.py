"""Assembly: collect, settle, render, revise, lay out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from promptmw.answers import Answer
from promptmw.catalog import Catalog, make_catalog
from promptmw.collecting import Collectors, history_steps
from promptmw.config import Config, load_config
from promptmw.fencing import Untrusted
from promptmw.foreign import Foreign
from promptmw.guarding import Guard
from promptmw.history import HistoryEdit
from promptmw.kinds import CallerSystem, ToolMode, Trust
from promptmw.layout import Laid, Sent, lay_out
from promptmw.loading import Plugins
from promptmw.messages import ChatFormat, Conversation, Question
from promptmw.profiles import Profile
from promptmw.prompts import Kind, Problem, Prompt
from promptmw.revising import revised
from promptmw.rounds import RoundFacts, Rounds, round_key
from promptmw.settled import CallerText, Today
from promptmw.shelf import Shelf
from promptmw.steps import Steps, adrive, drive
from promptmw.telling import answered_steps, tell
from promptmw.toolmode.retries import round_of
from promptmw.toolmode.stating import stated_protocol
from promptmw.toolruns import run_steps, settled_tools
from promptmw.tools import ToolResult
from promptmw.turn import Turn
from promptmw.weaving import Weaver
from promptmw.zones import day_in

_CHAT = ChatFormat()


class Pipeline:
    """Is a set of loaded plugins with a profile: makes a prompt of a turn.

    Safe for use by several threads. What it remembers is bounded.

    Args:
        profile: A `Profile`, or the name of an installed one.
        plugins: Further plugins: modules or objects with hooks.
        settings: Changes to the profile, as a table of a config file.
        discover: Whether installed plugins are loaded.
        disable: Plugins, by name or ``distribution:name``, that are not loaded.
        strict: Raise where a plugin would be skipped.
        clock: Gives the time of turns that state none.

    Raises:
        ConfigError: The profile or a setting cannot be used.
        PluginError: Two distributions offer the same name; or, when strict, a plugin fails.

    Example:
        >>> from promptmw import Pipeline, Turn
        >>> pipeline = Pipeline()
        >>> pipeline.assemble(Turn(locale="fr")).system.startswith("Vous êtes")
        True
    """

    def __init__(
        self,
        profile: str | Profile = "chat",
        *,
        plugins: Iterable[object] = (),
        settings: Mapping[str, Any] | None = None,
        discover: bool = True,
        disable: Iterable[str] = (),
        strict: bool = False,
        clock: Callable[[], datetime] | None = None,
    ) -> None:
        loaded = Plugins(plugins, discover=discover, disable=disable, strict=strict)
        shelf = Shelf(loaded)
        self._settle(loaded, shelf, shelf.settled(profile, settings or {}), clock or _utc_now)

    @classmethod
    def from_config(
        cls,
        config: Config | str | Path,
        *,
        plugins: Iterable[object] = (),
        defaults: Mapping[str, Any] | None = None,
        strict: bool = False,
        clock: Callable[[], datetime] | None = None,
    ) -> Pipeline:
        """Returns the pipeline that a config file describes, with all of its profiles made and checked.

        Args:
            config: The file, or what `load_config` has read from it.
            plugins: Further plugins.
            defaults: Settings that hold in every profile for which the file states no other.
            strict: Raise where a plugin would be skipped.
            clock: Gives the time of turns that state none.

        Raises:
            ConfigError: With file and line.
        """
        read = config if isinstance(config, Config) else load_config(config)
        loaded = Plugins(plugins, disable=read.disable_plugins, strict=strict)
        shelf = Shelf(loaded, read, defaults=defaults)
        pipeline = object.__new__(cls)
        pipeline._settle(loaded, shelf, shelf.settled(read.profile, {}), clock or _utc_now)
        for name in read.profiles:
            pipeline.for_profile(name)
        return pipeline

    def _settle(self, plugins: Plugins, shelf: Shelf, profile: Profile, clock: Callable[[], datetime]) -> None:
        self.plugins = plugins
        self.profile = profile
        self._shelf = shelf
        self.catalog: Catalog = shelf.checked(profile, lambda: make_catalog(plugins, profile))
        self._clock = clock
        self._weaver = Weaver(self.catalog, strict=plugins.strict)
        self._guard = Guard(self.catalog.policy, strict=plugins.strict)
        self._collectors = Collectors(plugins, profile.collect_seconds)
        self._edits = plugins.implements("promptmw_history")
        self._rounds = Rounds()
        self._sent = Sent()
        self._siblings: dict[str, Pipeline] = {profile.name: self}

    @property
    def profiles(self) -> tuple[str, ...]:
        """The names of all profiles that `for_profile` takes."""
        return self._shelf.names

    @property
    def family(self) -> object:
        """Is the same for the pipelines of all profiles over the same plugins."""
        return self._siblings

    def for_profile(self, name: str) -> Pipeline:
        """Returns the pipeline of another profile over the same plugins; made once, then remembered.

        Raises:
            ConfigError: There is no such profile.
        """
        if name not in self._siblings:
            sibling = object.__new__(Pipeline)
            sibling._settle(self.plugins, self._shelf, self._shelf.settled(name, {}), self._clock)
            sibling._siblings = self._siblings
            self._siblings[name] = sibling
        return self._siblings[name]

    def assemble(
        self, turn: Turn | None = None, conversation: Conversation | None = None, *, can_run_tools: bool = True
    ) -> Prompt:
        """Returns the prompt of a turn.

        Args:
            turn: What the application states; nothing by default.
            conversation: The messages that it will be laid over.
            can_run_tools: Whether the caller can run plugins' tools; if not, none are offered.

        Raises:
            SectionError: A required section failed.
            FenceBreach: A required section holds a tag that none of its fences has written; or any, when strict.
            InputError: The turn is not valid.
        """
        return drive(self._steps(turn or Turn(), conversation or _empty(), can_run_tools=can_run_tools))

    async def aassemble(
        self, turn: Turn | None = None, conversation: Conversation | None = None, *, can_run_tools: bool = True
    ) -> Prompt:
        """Returns the prompt of a turn, awaiting what plugins collect. Otherwise as `assemble`."""
        return await adrive(self._steps(turn or Turn(), conversation or _empty(), can_run_tools=can_run_tools))

    def lay_out(self, prompt: Prompt, conversation: Conversation) -> Laid:
        """Returns the system text and the messages of a request; the caller's objects stay as they are."""
        written = prompt.tools.mode is ToolMode.PROMPT
        tag = self.catalog.tool_settings.result_tag
        foreign = Foreign(self.catalog.policy, tag, tenant=prompt.turn.tenant, as_text=written)
        laid = lay_out(prompt, conversation, self._sent, foreign)
        if not written:
            return laid
        from promptmw.toolmode.shown import as_text  # here: other modes do not need it

        return as_text(laid, prompt, conversation.form, self.catalog)

    def messages(self, turn: Turn, messages: Sequence[Any] = ()) -> list[Any]:
        """Returns chat-completions messages with the prompt laid over them.

        Args:
            turn: What the application states.
            messages: Its history and question, as dicts; untouched.
        """
        conversation = Conversation(messages, _CHAT)
        laid = self.lay_out(self.assemble(turn, conversation), conversation)
        return laid.behind({"role": "system", "content": laid.system} if laid.system else None)

    def answered(self, prompt: Prompt, answer: Answer) -> None:
        """Tells plugins what the model answered to a prompt."""
        drive(answered_steps(self.plugins, self.profile, prompt, answer))

    async def aanswered(self, prompt: Prompt, answer: Answer) -> None:
        """Tells plugins what the model answered to a prompt, awaiting them."""
        await adrive(answered_steps(self.plugins, self.profile, prompt, answer))

    def run_tool(self, prompt: Prompt, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Runs a plugin's tool that a prompt offered; a handler that fails gives an error result, not an exception."""
        return drive(run_steps(self.catalog, prompt, name, arguments))

    async def arun_tool(self, prompt: Prompt, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Runs a plugin's tool that a prompt offered, awaiting it. Otherwise as `run_tool`."""
        return await adrive(run_steps(self.catalog, prompt, name, arguments))

    def _steps(self, turn: Turn, conversation: Conversation, *, can_run_tools: bool) -> Steps[Prompt]:
        if turn.profile and turn.profile != self.profile.name:
            other = self.for_profile(turn.profile)
            return (yield from other._steps(turn.replace(profile=""), conversation, can_run_tools=can_run_tools))
        problems: list[Problem] = []
        edit = HistoryEdit()
        if self._edits:
            seconds = self.profile.history_seconds
            edit, problems = yield from history_steps(self.plugins, turn, conversation.body(), seconds)
        facts, trouble = yield from self._round(turn, conversation)
        problems += trouble
        known = self._known(turn.adding(*edit.inputs, *facts.inputs), facts, conversation, problems)
        tools, offered = settled_tools(self.plugins, self.profile, known, problems, can_run_tools=can_run_tools)
        protocol = stated_protocol(self.catalog, known, tools, offered)
        round = (round_of(conversation, in_loop=can_run_tools),) if protocol else ()
        known = known.adding(tools, *protocol, *round)
        blocks = self._weaver.weave(known, problems)
        blocks = self._guard.sound(blocks, blocks, "", problems)
        blocks = revised(self.plugins, self._weaver, self._guard, known, blocks, problems)
        blocks = self._guard.apart(blocks, problems)
        prompt = Prompt(
            blocks=blocks, turn=known, tools=tools, offered=offered, edit=edit, problems=tuple(problems),
            policy=self.catalog.policy, profile=self.profile.name, caller=self._caller(conversation),
        )  # fmt: skip
        tell(self.plugins, prompt)
        return prompt

    def _round(self, turn: Turn, conversation: Conversation) -> Steps[tuple[RoundFacts, list[Problem]]]:
        """Returns the facts of the turn's round; they are collected at its first call only."""
        now = turn.now or self._clock()
        key = round_key(turn, conversation, collects=bool(self._collectors), own=self._sent.own)
        facts = self._rounds.known(key, now)
        if facts is not None:
            return facts, []
        problems: list[Problem] = []
        inputs: tuple[object, ...] = ()
        if self._collectors:
            question = Question(conversation.text(conversation.last_user, self._sent.own))
            inputs, problems = yield from self._collectors.steps(turn.adding(question))
        facts = RoundFacts(now, inputs)
        self._rounds.begin(key, facts)
        return facts, problems

    def _known(self, turn: Turn, facts: RoundFacts, conversation: Conversation, problems: list[Problem]) -> Turn:
        """Returns the turn with what the core itself states: the day and the caller's system text."""
        day, trouble = day_in(turn.now or facts.now, (turn.timezone, self.profile.timezone))
        problems += trouble
        caller = self._caller(conversation)
        match self.profile.caller_system if caller else None:
            case CallerSystem.OPERATOR:
                return turn.adding(Today(day), CallerText(text=caller))
            case CallerSystem.USER:
                return turn.adding(Today(day), CallerText(user=Untrusted(caller, source="caller", trust=Trust.USER)))
            case CallerSystem.DROP:
                problems.append(Problem(Kind.CALLER_SYSTEM, "caller_system", detail=f"{len(caller)} characters"))
        return turn.adding(Today(day))

    def _caller(self, conversation: Conversation) -> str:
        return self._sent.caller_text(conversation.caller_system)


def _empty() -> Conversation:
    return Conversation((), _CHAT)


def _utc_now() -> datetime:
    return datetime.now(UTC)
