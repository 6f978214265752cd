"""Containment: how text that is not ours stands in a prompt without being able to leave its place.

What is promised is structure, not meaning: no untrusted character can end its fence, open another one, leave its line
or forge a heading of ours. A sentence that asks the model for something passes through as it is.
"""

from promptmw.fencing.fences import Fence
from promptmw.fencing.grammars import CITATION, STATUS, TRUNCATION, Grammar
from promptmw.fencing.policy import Policy
from promptmw.fencing.restore import ESCAPED, Restorer, restore, restore_arguments, restore_display
from promptmw.fencing.settings import (
    Extra,
    FenceMode,
    Restored,
    ToolResults,
    TrustSettings,
    UserText,
    Verified,
)
from promptmw.fencing.slots import attr, block, json_string, line, list_item, section, verbatim
from promptmw.fencing.text import Piece, Slot, Text
from promptmw.fencing.untrusted import (
    BLOCK_MARK,
    LINE_MARK,
    RowsField,
    TextField,
    TextsField,
    Untrusted,
    rows_field,
    text_field,
    texts_field,
)
from promptmw.fencing.writing import Span, Written

__all__ = [
    "BLOCK_MARK",
    "CITATION",
    "ESCAPED",
    "LINE_MARK",
    "STATUS",
    "TRUNCATION",
    "Extra",
    "Fence",
    "FenceMode",
    "Grammar",
    "Piece",
    "Policy",
    "Restored",
    "Restorer",
    "RowsField",
    "Slot",
    "Span",
    "Text",
    "TextField",
    "TextsField",
    "ToolResults",
    "TrustSettings",
    "Untrusted",
    "UserText",
    "Verified",
    "Written",
    "attr",
    "block",
    "json_string",
    "line",
    "list_item",
    "restore",
    "restore_arguments",
    "restore_display",
    "rows_field",
    "section",
    "text_field",
    "texts_field",
    "verbatim",
]
