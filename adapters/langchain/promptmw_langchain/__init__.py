"""promptmw for LangChain: a chat model that sends assembled prompts, and a middleware for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from promptmw_langchain.chat_model import PromptChatModel
from promptmw_langchain.form import LangChainFormat

if TYPE_CHECKING:
    from promptmw_langchain.middleware import PromptMiddleware

__all__ = ["LangChainFormat", "PromptChatModel", "PromptMiddleware"]


def __getattr__(name: str) -> Any:
    """Loads the middleware when it is asked for: it needs more than langchain-core."""
    if name != "PromptMiddleware":
        raise AttributeError(f"module 'promptmw_langchain' has no attribute {name!r}")
    try:
        from promptmw_langchain.middleware import PromptMiddleware
    except ModuleNotFoundError as error:
        raise ImportError(
            f'PromptMiddleware needs the package {error.name}: pip install "promptmw-langchain[agents]"'
        ) from error
    return PromptMiddleware
