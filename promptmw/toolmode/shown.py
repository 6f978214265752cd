"""Lays calls and results of a history out as text, in the format of the turn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from promptmw.messages import MessageFormat
from promptmw.toolmode.history import rendered
from promptmw.toolmode.registry import format_of
from promptmw.toolmode.using import ProtocolInUse

if TYPE_CHECKING:
    from promptmw.catalog import Catalog
    from promptmw.layout import Laid
    from promptmw.prompts import Prompt


def as_text(laid: Laid, prompt: Prompt, form: MessageFormat, catalog: Catalog) -> Laid:
    """Returns a request for a model that knows neither calls nor results.

    Args:
        laid: With the blocks of the prompt in it.
        prompt: Says which format the turn has; without tools in the turn it is the model's.
        form: How to read and write messages.
        catalog: Of the pipeline.
    """
    using = prompt.turn.get(ProtocolInUse)
    protocol = using.protocol if using else format_of(prompt.turn.model, catalog).protocol
    tag = catalog.tool_settings.result_tag
    found = rendered(laid.messages, form, protocol, catalog.policy, result_tag=tag)
    return replace(laid, messages=found.messages, notes=found.notes)
