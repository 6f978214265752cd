"""Where blocks land in a conversation: user layer, message parts, tool loops; and that nobody's messages change."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from chat_turns import base, chat

from promptmw import Turn
from promptmw_plugins.rag import Snippet
from promptmw_plugins.selected_skills import SelectedSkill
from promptmw_plugins.sheets import Sheet
from promptmw_plugins.summary import Summary
from promptmw_plugins.tool_output import ToolOutput
from promptmw_plugins.web_search import WebResult

FENCES = (
    "conversation-summary",
    "user-selected-skills",
    "context-from-knowledge-base",
    "web-search-result",
    "tool-output",
    "uploaded-data-preview",
)
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
FILE = {"type": "file", "file": {"file_id": "f1"}}


def full() -> Turn:
    return base(
        Summary("Earlier."),
        SelectedSkill("Skill", "Do."),
        Snippet("Known."),
        WebResult("Found.", query="q"),
        ToolOutput("run", "Done."),
        Sheet("a.csv", (("x",), ("1",))),
    )


def behind() -> Turn:
    return base(Snippet("Known."))


def in_front() -> Turn:
    return base(Summary("Earlier."))


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def text(string: str) -> dict[str, Any]:
    return {"type": "text", "text": string}


def laid(turn: Turn, *messages: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns what is sent behind the system message."""
    sent: list[dict[str, Any]] = chat().messages(turn, messages)
    assert sent[0]["role"] == "system"
    return sent[1:]


def paragraphs(content: str) -> list[str]:
    """Returns the fences of a content by tag, and everything else as it stands, in order."""
    found: list[str] = []
    while content:
        tag = next((t for t in FENCES if content.startswith(f"<{t}")), None)
        end = content.index(f"</{tag}>") + len(f"</{tag}>") if tag else content.find("\n\n<")
        end = len(content) if end < 0 else end
        found.append(tag or content[:end])
        content = content[end:]
        assert not content or content.startswith("\n\n")
        content = content[2:]
    return found


def test_blocks_stand_around_the_only_user_message_with_one_blank_line_between_neighbours() -> None:
    """UL1."""
    [message] = laid(full(), user("Q"))
    assert paragraphs(message["content"]) == [FENCES[0], "Q", *FENCES[1:]]
    assert message["content"] == message["content"].strip("\n")


def test_the_summary_goes_to_the_first_user_message_and_all_else_to_the_last() -> None:
    """UL2."""
    first, answer, last = laid(full(), user("Q1"), {"role": "assistant", "content": "A"}, user("Q2"))
    assert paragraphs(first["content"]) == [FENCES[0], "Q1"]
    assert answer == {"role": "assistant", "content": "A"}
    assert paragraphs(last["content"]) == ["Q2", *FENCES[1:]]


@pytest.mark.parametrize(
    ("own", "added"),
    [("Q", "\n\n"), ("Q\n", "\n"), ("Q\n\n", ""), ("Q\n\n\n", ""), ("Q\r\n", "\n"), ("Q\r\n\r\n", "")],
)
def test_a_users_text_keeps_its_bytes_and_only_what_is_missing_to_a_blank_line_is_added(own: str, added: str) -> None:
    """UL3."""
    [message] = laid(behind(), user(own))
    assert message["content"].startswith(own + added + "<context-from-knowledge-base>")


def test_line_breaks_in_front_of_a_users_text_count_towards_the_blank_line_too() -> None:
    """UL3, the other end."""
    [message] = laid(in_front(), user("\nQ"))
    assert message["content"].endswith("</conversation-summary>\n\nQ")


@pytest.mark.parametrize(
    ("parts", "at"),
    [((text("Q"), IMAGE), 1), ((IMAGE, text("Q"), FILE), 2), ((text("Q"), text("R")), 2)],
    ids=["text image", "image text file", "text text"],
)
def test_blocks_make_one_part_directly_behind_the_last_text_part(parts: tuple[dict[str, Any], ...], at: int) -> None:
    """UL4."""
    given = user(list(parts))
    before = copy.deepcopy(given)
    [message] = laid(full(), given)
    content = message["content"]
    summary, own, blocks = content[0], content[1 : at + 1] + content[at + 2 :], content[at + 1]
    assert own == list(parts)
    assert all(a is b for a, b in zip(own, parts, strict=True))
    assert summary["text"].endswith("</conversation-summary>\n\n")
    assert blocks["text"].startswith("\n\n<user-selected-skills>")
    assert blocks["text"].endswith("</uploaded-data-preview>")
    assert given == before


def test_a_message_of_an_image_alone_gets_its_blocks_at_the_end() -> None:
    """UL5."""
    [message] = laid(behind(), user([IMAGE]))
    assert message["content"][0] is IMAGE
    assert message["content"][1]["text"].startswith("<context-from-knowledge-base>")


def test_a_message_of_an_image_alone_keeps_its_place_between_summary_and_blocks() -> None:
    """UL5, with a summary: that text part is not the user's."""
    [message] = laid(full(), user([IMAGE]))
    assert [p["type"] for p in message["content"]] == ["text", "image_url", "text"]


def test_without_a_user_message_blocks_make_one_in_front_and_one_at_the_end() -> None:
    """UL6."""
    greeting = {"role": "assistant", "content": "Hello!"}
    front, middle, end = laid(full(), greeting)
    assert (front["role"], end["role"]) == ("user", "user")
    assert paragraphs(front["content"]) == [FENCES[0]]
    assert middle is greeting
    assert paragraphs(end["content"]) == list(FENCES[1:])


CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}],
}
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "42"}


def test_in_a_tool_loop_blocks_stay_in_the_user_message_and_earlier_bytes_stay_the_same() -> None:
    """UL7."""
    first = laid(full(), user("Q"))
    second = laid(full(), user("Q"), CALL, RESULT)
    assert second[: len(first)] == first
    assert second[len(first) :] == [CALL, RESULT]


def test_a_user_message_that_only_carries_tool_results_is_not_the_last_user_message() -> None:
    """UL8."""
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "run", "input": {}}]}
    result = user([{"type": "tool_result", "tool_use_id": "c1", "content": "42"}])
    question, called, answered = laid(behind(), user("Q"), use, result)
    assert paragraphs(question["content"]) == ["Q", "context-from-knowledge-base"]
    assert called is use
    assert answered is result


def test_the_stored_history_keeps_no_trace_of_blocks() -> None:
    """UL9."""
    history = [user("Q1")]
    chat().messages(behind(), history)
    history += [{"role": "assistant", "content": "A"}, user("Q2")]
    later = chat().messages(base(), history)
    assert later[1:] == [user("Q1"), {"role": "assistant", "content": "A"}, user("Q2")]
    assert "Known." not in str(later)


def test_unchanged_messages_are_the_callers_own_objects() -> None:
    """UL9."""
    history = [user("Q1"), {"role": "assistant", "content": "A"}, user("Q2")]
    sent = laid(behind(), *history)
    assert sent[0] is history[0]
    assert sent[1] is history[1]
    assert sent[2] is not history[2]


@pytest.mark.parametrize(
    "messages",
    [
        (user("Q"),),
        (user("Q\n"), {"role": "assistant", "content": "A"}, user("Q2")),
        (user([text("Q"), IMAGE]),),
        (user([IMAGE]),),
        ({"role": "assistant", "content": "Hello!"},),
    ],
    ids=["text", "two", "parts", "image", "greeting"],
)
def test_laying_out_a_request_that_is_laid_out_already_changes_nothing(messages: tuple[dict[str, Any], ...]) -> None:
    once = chat().messages(full(), messages)
    assert chat().messages(full(), once) == once
