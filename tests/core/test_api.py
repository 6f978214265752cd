"""The public names."""

from __future__ import annotations

import ast
from pathlib import Path

import promptmw

SOURCE = ast.parse(Path(promptmw.__file__).read_text(encoding="utf-8"))


def test_every_public_name_can_be_imported() -> None:
    assert all(getattr(promptmw, name) is not None for name in promptmw.__all__)


def test_names_for_type_checkers_are_those_that_are_served() -> None:
    typed = {
        a.name
        for n in ast.walk(SOURCE)
        if isinstance(n, ast.ImportFrom) and (n.module or "").startswith("promptmw.")
        for a in n.names
    }
    assert typed == set(promptmw._MODULES)
    assert set(promptmw.__all__) == {*typed, "API_VERSION", "__version__"}


def test_dir_lists_the_public_names() -> None:
    assert dir(promptmw) == sorted(promptmw.__all__)


def test_the_public_names_are_these() -> None:
    """A change here is a change of the API: it belongs into the changelog."""
    assert " ".join(sorted(promptmw.__all__)) == (
        "API_VERSION Answer Block Body Breach CITATION CallerSystem CallerText ChatFormat Citation ConfigError "
        "Conversation Cut CutReason CutRule EngineError Estimate Facts Fence FenceBreach FenceMode FencesInUse "
        "HistoryEdit HistoryError InputError Item Layer Layout MessageFormat Numbers Pipeline PluginError Problem "
        "Profile Prompt PromptmwError ProtocolStateError Question Restorer RowsField STATUS Section SectionError "
        "Source Stability TRUNCATION Text TextField TextsField Today TokenCounter Tool ToolCall ToolCallFailed "
        "ToolDefinitionError ToolFailed ToolLoopExhausted ToolMode ToolModeError ToolProtocolError ToolResult "
        "ToolSpec Tools Trust TrustError TrustSettings Turn Untrusted Usage __version__ allocate attr aware block "
        "hookimpl hookspec input_type instant line list_item listing moved renumber restore restore_arguments "
        "restore_display rows rows_field section text_field texts_field verbatim verify"
    )
