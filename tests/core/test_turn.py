"""A turn: what it takes, what it refuses, and that it never changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from promptmw import InputError, ToolMode, ToolSpec, Turn, input_type
from promptmw_plugins.identity import Identity
from promptmw_plugins.memories import Memory

NOW = datetime(2026, 8, 24, 9, tzinfo=UTC)


def test_inputs_are_found_by_type_in_stated_order() -> None:
    turn = Turn(Memory("a"), Identity(label="Nova"), Memory("b"))
    assert turn.get(Identity) == Identity(label="Nova")
    assert turn.all(Memory) == (Memory("a"), Memory("b"))
    assert Turn().get(Identity) is None
    assert Turn().all(Memory) == ()


def test_an_input_that_stands_once_cannot_be_stated_twice() -> None:
    with pytest.raises(InputError, match="input 'identity' is stated 2 times; it stands once"):
        Turn(Identity(), Identity())
    with pytest.raises(InputError, match="stated 2 times"):
        Turn(Identity()).adding(Identity())


def test_what_is_no_input_is_refused_with_the_remedy() -> None:
    with pytest.raises(InputError, match=r"str is no input: declare it with @input_type\(name\)"):
        Turn("Nova")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"local": "en"}, r"a turn has no field 'local'\. Did you mean 'locale'\?"),
        ({"now": datetime(2026, 8, 24)}, "now: takes a datetime with a time zone"),
        ({"now": "today"}, "now: takes a datetime with a time zone"),
        ({"locale": 5}, "locale: takes a language tag or None, not int"),
        ({"model": None}, "model: takes text, not NoneType"),
        ({"tool_mode": "some"}, "tool_mode: 'some' is none of auto, native, prompt, none"),
        ({"tools": (5,)}, "tools: takes ToolSpec or names, not int"),
        ({"tools": "python_execute"}, "tools: takes a list of ToolSpec or names, not str"),
        ({"tools": 5}, "tools: takes a list of ToolSpec or names, not int"),
        ({"preview": "yes"}, "preview: takes True or False, not str"),
        ({"session": 5}, "session: takes text, not int"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, Any], said: str) -> None:
    """DA5."""
    with pytest.raises(InputError, match=said):
        Turn(**fields)
    with pytest.raises(InputError, match=said):
        Turn().replace(**fields)


def test_tools_and_modes_are_taken_in_short_forms() -> None:
    turn = Turn(tools=["a", ToolSpec("b", hosted=True)], tool_mode="prompt")
    assert turn.tools == (ToolSpec("a"), ToolSpec("b", hosted=True))
    assert turn.tool_mode is ToolMode.PROMPT


def test_a_turn_is_frozen() -> None:
    with pytest.raises(AttributeError, match=r"use turn\.replace\(locale=…\)"):
        Turn().locale = "fr"  # type: ignore[misc]


def test_changes_make_other_turns() -> None:
    turn = Turn(Memory("a"), locale="en", now=NOW)
    assert turn.replace(locale="fr").locale == "fr"
    assert turn.replace(locale="fr").all(Memory) == (Memory("a"),)
    assert turn.adding(Memory("b")).all(Memory) == (Memory("a"), Memory("b"))
    assert (turn.locale, turn.all(Memory)) == ("en", (Memory("a"),))
    assert turn.replace() is turn.adding() is turn


def test_equal_turns_are_equal() -> None:
    assert Turn(Memory("a"), now=NOW) == Turn(Memory("a"), now=NOW)
    assert hash(Turn(Memory("a"))) == hash(Turn(Memory("a")))
    assert Turn(Memory("a")) != Turn(Memory("b"))
    assert Turn(Memory("a")) != Turn(Memory("a"), locale="fr")
    assert Turn(Memory("a"), locale="fr") == Turn(Memory("a")).replace(locale="fr")
    assert Turn(Memory("a"), Memory("b")) == Turn(Memory("a")).adding(Memory("b"))


def test_its_repr_counts_and_shows_no_content() -> None:
    assert repr(Turn(Memory("secret"), Memory("words"))) == "<Turn of memories×2, locale en, auto tools>"


def test_an_input_type_is_a_frozen_dataclass() -> None:
    with pytest.raises(InputError, match="Loose must be a frozen dataclass"):

        @input_type("loose")
        class Loose:
            pass


def test_a_client_cannot_be_let_state_what_is_the_operator_s() -> None:
    from promptmw import Trust

    with pytest.raises(InputError, match="a client cannot state an input of OPERATOR trust"):
        input_type("loose", trust=Trust.OPERATOR, client=True)(Identity)
