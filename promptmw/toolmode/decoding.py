"""From the text of a JSON value to calls or problems of a block."""

from __future__ import annotations

from promptmw.toolmode.bodies.json import Value
from promptmw.toolmode.events import Dropped, DropReason, Note, ProblemKind
from promptmw.toolmode.lenient import Decoded, Undecodable, decoded
from promptmw.toolmode.readers import Block
from promptmw.toolmode.settling import call_of, calls_in

_NONE: frozenset[Note] = frozenset()


def json_calls(
    block: Block, found: Value, *, complete: bool, notes: frozenset[Note] = _NONE, aliases: bool = True
) -> None:
    """Delivers the calls of a value that names its tools.

    Args:
        block: Where it stands.
        found: The value.
        complete: Whether it is known to be whole, so that it may be repaired.
        notes: What was unusual around it.
        aliases: Whether other names of its keys are unusual.
    """
    value = _decoded(block, found, complete=complete)
    if value is None:
        return
    if value.value == []:
        block.put([Dropped(DropReason.EMPTY_BLOCK, len(found.text))])
        return
    both = value.notes | notes
    block.put(
        calls_in(
            value.value, found.text, block.table, notes=both, new_id=block.new_id, checked=block.checks, aliases=aliases
        )
    )


def json_call(block: Block, name: str, found: Value, *, complete: bool, notes: frozenset[Note] = _NONE) -> None:
    """Delivers the call of a tool whose arguments are a value. Otherwise as `json_calls`."""
    value = _decoded(block, found, complete=complete, name=name)
    if value is not None:
        both = value.notes | notes
        item = call_of(name, value.value, block.table, text=None, notes=both, new_id=block.new_id, checked=block.checks)
        block.put([item])


def _decoded(block: Block, found: Value, *, complete: bool, name: str | None = None) -> Decoded | None:
    options = block.options
    if found.too_large or found.too_deep:
        message = "the call is too large" if found.too_large else "the arguments are nested too deeply"
        block.problem(ProblemKind.TOO_LARGE, message, name=name, text=found.text)
        return None
    try:
        return decoded(found.text, complete=complete, repair=options.repair, limits=options.limits)
    except Undecodable as error:
        block.problem(error.kind, error.message, name=name, text=found.text, at=error.position)
        return None
