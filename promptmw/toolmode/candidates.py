"""Calls in places where examples and drafts stand: held until it is known what they are."""

from __future__ import annotations

from dataclasses import dataclass, field

from promptmw.toolmode.answer import Answer
from promptmw.toolmode.cursor import Reading
from promptmw.toolmode.events import Call, CallProblem, ProblemKind
from promptmw.toolmode.readers import Found, Outcome

_INFO = 64


@dataclass(slots=True)
class Candidate:
    """Is one or several blocks that may be calls.

    Attributes:
        items: What was found in them.
        outcome: How the last of them ended.
        blocks: How many there are.
    """

    items: list[Found] = field(default_factory=list)
    outcome: Outcome = Outcome.TEXT
    blocks: int = 0

    @property
    def valid(self) -> bool:
        """Whether all that was found are calls, and at least one."""
        return bool(self.items) and all(isinstance(item, Call) for item in self.items)

    @property
    def name(self) -> str | None:
        """The tool of the last call, as far as it is known."""
        names = [item.name for item in self.items if isinstance(item, Call | CallProblem)]
        return names[-1] if names else None

    def problem(self, kind: ProblemKind) -> CallProblem:
        """Returns a problem of the last call."""
        return CallProblem(kind, self.name, "the call stands in a thought that our stop sequence ended")


def blocks(answer: Answer) -> Reading[Candidate]:
    """Reads blocks, one behind the other with white space between them, for as long as they hold nothing but calls."""
    c = answer.cursor
    found = Candidate()
    most = answer.options.max_blocks
    while opener := (yield from c.ahead(answer.marks.openers)):
        if answer.blocks >= answer.options.limits.blocks or (most is not None and found.blocks >= most):
            found.outcome = Outcome.TEXT
            return found
        reader = answer.marks.readers[opener]
        found.outcome = yield from answer.block(reader, opener, found.items.append, line_start=True)
        found.blocks += 1
        if found.outcome is Outcome.TEXT or not found.valid:
            return found
        yield from c.skip_white()
    return found


def fenced(answer: Answer, char: str, size: int) -> Reading[Candidate | None]:
    """Reads a code fence behind its opening run; None if it encloses anything but calls, or is not the last thing.

    Args:
        answer: Whose cursor stands behind the run.
        char: The fence's character.
        size: Its length.
    """
    c = answer.cursor
    if not (yield from _info_line(answer)):
        return None
    yield from c.skip_white()
    found = yield from blocks(answer)
    if found.outcome is Outcome.TEXT or not found.valid:
        return None
    if (yield from c.empty()):
        return found
    if c.text[c.at] != char or (yield from c.skip_run(char)) < size:
        return None
    yield from c.skip_white()
    return found if (yield from c.empty()) else None


def _info_line(answer: Answer) -> Reading[bool]:
    """Passes the rest of the fence's line; False if it is too long for one."""
    c = answer.cursor
    while (end := c.text.find("\n", c.at)) < 0:
        if len(c.text) - c.at > _INFO or not (yield from c.more()):
            return False
    fits = end - c.at <= _INFO and "`" not in c.text[c.at : end]
    c.at = end + 1 if fits else c.at
    return fits
