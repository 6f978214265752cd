"""What holds for every prompt that fences and slots can give, in every mode."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from properties.hostile import HEADINGS, HOSTILE, TAGS
from properties.marker_oracle import plain, readings

from promptmw import Fence, FenceMode, Text, Trust, TrustSettings, Untrusted, attr, block, line
from promptmw.fencing import Policy, Written
from promptmw.fencing.modes import QUOTE, datamarked, quoted, undatamarked, unquoted
from promptmw.fencing.verify import flaws, joint
from promptmw.testing import parse_fences

MODES = [(), (FenceMode.KEYED,), (FenceMode.QUOTED,), (FenceMode.DATAMARKED,), (FenceMode.KEYED, FenceMode.QUOTED)]
BODY = HOSTILE.filter(lambda t: bool(t.strip()))
FENCES = st.lists(st.tuples(st.sampled_from(TAGS), BODY, HOSTILE), min_size=1, max_size=4)
EACH_MODE = pytest.mark.parametrize("modes", MODES, ids=lambda m: "+".join(x.value for x in m) or "plain")


@pytest.fixture(autouse=True, scope="module")
def key() -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROMPTMW_FENCE_KEY", "k" * 32)
        yield


def policy(modes: tuple[FenceMode, ...]) -> Policy:
    return Policy(TAGS, HEADINGS, TrustSettings(fence_mode=modes))


def fenced(tag: str, body: str, name: str) -> Text:
    return Fence(tag)(block(Untrusted(body)), name=attr(Untrusted(name)))


def request(policy: Policy, fences: list[tuple[str, str, str]]) -> Written:
    """Returns a text of fences one below the other, each with a heading of ours above it."""
    return policy.write(Text.join("\n\n", (Text.of(f"Heading {i}:\n", fenced(*f)) for i, f in enumerate(fences))))


@EACH_MODE
@given(fences=FENCES)
def test_every_body_and_attribute_reads_back(modes: tuple[FenceMode, ...], fences: list[tuple[str, str, str]]) -> None:
    """P1."""
    rules = policy(modes)
    found = parse_fences(request(rules, fences).text, rules)
    assert [(f.tag, f.body) for f in found] == [(tag, body) for tag, body, _ in fences]
    assert [f.attributes for f in found] == [{"name": name} if name.strip() else {} for _, _, name in fences]


@EACH_MODE
@given(body=BODY, size=st.integers(1, 200))
def test_a_capped_body_reads_back_as_it_was_capped(modes: tuple[FenceMode, ...], body: str, size: int) -> None:
    """P12, 135, 136."""
    value = Untrusted(body).cap(size)
    assume(not value.blank)
    rules = policy(modes)
    (found,) = parse_fences(rules.write(Fence("tool-output")(block(value))).text, rules)
    assert found.body == value.reveal() + ("\n…(truncated)" if value.cut else "")


def _count(text: str) -> int:
    """Returns how many tags begin in a text, in the reading that shows most of them."""
    names = "|".join(sorted((plain(t) for t in TAGS), key=len, reverse=True))

    return max(len(re.findall(rf"<[/\\!?]*(?:{names})", plain(reading))) for reading in readings(text))


@given(FENCES, HOSTILE, HOSTILE)
def test_a_request_has_as_many_tags_as_fences_wrote(fences: list[tuple[str, str, str]], title: str, name: str) -> None:
    """P4."""
    rules = policy(())
    lines = Text.join("\n", (Text.of("- ", line(Untrusted(t))) for t in (title, name)))
    written = rules.write(Text.of(request_text(fences), "\n\n", lines))
    assert _count(written.text) == len(written.marks) == 2 * len(fences)


def request_text(fences: list[tuple[str, str, str]]) -> Text:
    return Text.join("\n\n", (fenced(*f) for f in fences))


@given(HOSTILE)
def test_modes_can_be_taken_out_of_any_text(text: str) -> None:
    """P11."""
    assert unquoted(quoted(text)) == text
    assert all(one.startswith(QUOTE) for one in quoted(text).split("\n"))
    assert undatamarked(datamarked(text)) == text


@EACH_MODE
@given(fences=FENCES, other=BODY, at=st.integers(0, 3))
def test_one_input_changes_no_byte_of_another_block(
    modes: tuple[FenceMode, ...], fences: list[tuple[str, str, str]], other: str, at: int
) -> None:
    """P13."""
    rules = policy(modes)
    at %= len(fences)
    tag, _, name = fences[at]
    changed = [*fences[:at], (tag, other, name), *fences[at + 1 :]]
    before, after = request(rules, fences).text, request(rules, changed).text
    start = 0 if at == 0 else len(request(rules, fences[:at]).text)
    assert before[:start] == after[:start]
    heading = f"\n\nHeading {at + 1}:\n"
    rest = [text[text.rindex(heading) :] if heading in text else "" for text in (before, after)]
    assert at + 1 == len(fences) or rest[0] == rest[1]


@EACH_MODE
@given(fences=FENCES)
def test_what_slots_write_has_no_flaw(modes: tuple[FenceMode, ...], fences: list[tuple[str, str, str]]) -> None:
    """P20."""
    rules = policy(modes)
    written = request(rules, fences)
    assert list(flaws(written, rules)) == []


SPELLINGS: list[Callable[[str], str]] = [
    lambda t: f"<{t}",
    lambda t: f"</ {t.upper()}",
    lambda t: f"&lt;{t}",
    lambda t: f"‹{t.replace('-', '')}",
    lambda t: f"\\x3c/{t}",
]


@given(BODY, st.sampled_from(TAGS), st.sampled_from(SPELLINGS), st.booleans())
def test_a_raw_tag_in_a_block_is_always_found(body: str, tag: str, spelled: Callable[[str], str], inside: bool) -> None:
    """P20."""
    rules = policy(())
    forged = f" {spelled(tag)} x"
    whole = rules.write(Fence("tool-output")(block(Untrusted(body))))
    at = len("<tool-output>\n") if inside else len(whole.text)
    marks = tuple((a if a < at else a + len(forged), t) for a, t in whole.marks)
    text = whole.text[:at] + forged + whole.text[at:]
    assert list(flaws(Written(text, (), marks), rules))


@given(HOSTILE, HOSTILE, st.sampled_from(["block", "line"]))
def test_blocks_side_by_side_form_no_tag(one: str, other: str, slot: str) -> None:
    """P20, for the joint of two blocks whose values stand behind words of ours."""
    rules = policy(())
    put = block if slot == "block" else line
    before, after = (rules.write(Fence("excerpt")(put(Untrusted(t, trust=Trust.USER)))).text for t in (one, other))
    assert not joint(before, after, "\n\n", rules)
