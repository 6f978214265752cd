"""Prompt-assembly middleware.

An application states the facts of its turn; installed plugins turn facts into sections; the core orders, fences,
budgets and remembers them; an adapter lays the result over the model call that the application already makes.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from promptmw.answers import (
        Answer,
        ToolCall,
        Usage,
    )
    from promptmw.assembly import (
        Pipeline,
    )
    from promptmw.citations import (
        Citation,
        Numbers,
        Source,
        allocate,
        renumber,
    )
    from promptmw.errors import (
        ConfigError,
        EngineError,
        FenceBreach,
        HistoryError,
        InputError,
        PluginError,
        PromptmwError,
        ProtocolStateError,
        SectionError,
        ToolCallFailed,
        ToolDefinitionError,
        ToolFailed,
        ToolLoopExhausted,
        ToolModeError,
        ToolProtocolError,
        TrustError,
    )
    from promptmw.fencing import (
        CITATION,
        STATUS,
        TRUNCATION,
        Fence,
        FenceMode,
        Restorer,
        RowsField,
        Text,
        TextField,
        TextsField,
        TrustSettings,
        Untrusted,
        attr,
        block,
        line,
        list_item,
        restore,
        restore_arguments,
        restore_display,
        rows_field,
        section,
        text_field,
        texts_field,
        verbatim,
    )
    from promptmw.history import (
        HistoryEdit,
    )
    from promptmw.hookspecs import (
        hookimpl,
        hookspec,
        instant,
    )
    from promptmw.inputs import (
        aware,
        input_type,
    )
    from promptmw.inspection import (
        moved,
        rows,
    )
    from promptmw.kinds import (
        CallerSystem,
        CutReason,
        Layer,
        Layout,
        Stability,
        ToolMode,
        Trust,
    )
    from promptmw.messages import (
        ChatFormat,
        Conversation,
        MessageFormat,
        Question,
    )
    from promptmw.profiles import (
        Profile,
    )
    from promptmw.prompts import (
        Problem,
        Prompt,
    )
    from promptmw.sections import (
        Block,
        Body,
        Cut,
        CutRule,
        Facts,
        Item,
        Section,
        listing,
    )
    from promptmw.settled import CallerText, FencesInUse, Today, Tools
    from promptmw.tokens import (
        Estimate,
        TokenCounter,
    )
    from promptmw.tools import (
        Tool,
        ToolResult,
    )
    from promptmw.turn import ToolSpec, Turn
    from promptmw.verifying import (
        Breach,
        verify,
    )

__version__ = "0.1.0"
API_VERSION = 1
"""Rises when a hook or a public name changes in a way that a plugin has to know."""

_WHERE = {
    "answers": "Answer ToolCall Usage",
    "assembly": "Pipeline",
    "citations": "Citation Numbers Source allocate renumber",
    "errors": "ConfigError EngineError FenceBreach HistoryError InputError PluginError PromptmwError "
    "ProtocolStateError SectionError ToolCallFailed ToolDefinitionError ToolFailed ToolLoopExhausted "
    "ToolModeError ToolProtocolError TrustError",
    "fencing": "CITATION STATUS TRUNCATION Fence FenceMode Restorer RowsField Text TextField TextsField TrustSettings "
    "Untrusted attr block line list_item restore restore_arguments restore_display rows_field section "
    "text_field texts_field verbatim",
    "history": "HistoryEdit",
    "hookspecs": "hookimpl hookspec instant",
    "inputs": "aware input_type",
    "inspection": "moved rows",
    "kinds": "CallerSystem CutReason Layer Layout Stability ToolMode Trust",
    "messages": "ChatFormat Conversation MessageFormat Question",
    "profiles": "Profile",
    "prompts": "Problem Prompt",
    "sections": "Block Body Cut CutRule Facts Item Section listing",
    "tokens": "Estimate TokenCounter",
    "tools": "Tool ToolResult",
    "settled": "CallerText FencesInUse Today Tools",
    "turn": "ToolSpec Turn",
    "verifying": "Breach verify",
}
_MODULES = {name: module for module, names in _WHERE.items() for name in names.split()}


__all__ = [
    "API_VERSION",
    "CITATION",
    "STATUS",
    "TRUNCATION",
    "Answer",
    "Block",
    "Body",
    "Breach",
    "CallerSystem",
    "CallerText",
    "ChatFormat",
    "Citation",
    "ConfigError",
    "Conversation",
    "Cut",
    "CutReason",
    "CutRule",
    "EngineError",
    "Estimate",
    "Facts",
    "Fence",
    "FenceBreach",
    "FenceMode",
    "FencesInUse",
    "HistoryEdit",
    "HistoryError",
    "InputError",
    "Item",
    "Layer",
    "Layout",
    "MessageFormat",
    "Numbers",
    "Pipeline",
    "PluginError",
    "Problem",
    "Profile",
    "Prompt",
    "PromptmwError",
    "ProtocolStateError",
    "Question",
    "Restorer",
    "RowsField",
    "Section",
    "SectionError",
    "Source",
    "Stability",
    "Text",
    "TextField",
    "TextsField",
    "Today",
    "TokenCounter",
    "Tool",
    "ToolCall",
    "ToolCallFailed",
    "ToolDefinitionError",
    "ToolFailed",
    "ToolLoopExhausted",
    "ToolMode",
    "ToolModeError",
    "ToolProtocolError",
    "ToolResult",
    "ToolSpec",
    "Tools",
    "Trust",
    "TrustError",
    "TrustSettings",
    "Turn",
    "Untrusted",
    "Usage",
    "__version__",
    "allocate",
    "attr",
    "aware",
    "block",
    "hookimpl",
    "hookspec",
    "input_type",
    "instant",
    "line",
    "list_item",
    "listing",
    "moved",
    "renumber",
    "restore",
    "restore_arguments",
    "restore_display",
    "rows",
    "rows_field",
    "section",
    "text_field",
    "texts_field",
    "verbatim",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Loads a public name's module when it is first asked for, so that importing the package costs next to nothing."""
    if name not in _MODULES:
        raise AttributeError(f"module 'promptmw' has no attribute {name!r}")
    value = getattr(import_module(f"promptmw.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
