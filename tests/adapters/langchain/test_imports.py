"""XA3: what can be imported without the extra."""

from __future__ import annotations

import subprocess
import sys

import pytest

import promptmw_langchain

WITHOUT = "import sys; sys.modules.update(langchain=None, langgraph=None); import promptmw_langchain as p; "


def _run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITHOUT + code], capture_output=True, text=True, check=False)


def test_without_langchain_the_chat_model_works_and_the_middleware_names_the_extra():
    """XA3"""
    ran = _run("p.PromptChatModel; p.PromptMiddleware")
    assert "ImportError: PromptMiddleware needs the package langchain" in ran.stderr
    assert "promptmw-langchain[agents]" in ran.stderr
    assert "line 1" in ran.stderr
    assert _run("p.PromptChatModel").returncode == 0


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'PromptMiddelware'"):
        _ = promptmw_langchain.PromptMiddelware


def test_all_names_can_be_imported():
    assert {getattr(promptmw_langchain, name).__name__ for name in promptmw_langchain.__all__} == set(
        promptmw_langchain.__all__
    )
