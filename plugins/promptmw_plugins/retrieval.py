"""Hands the user's question to a search of the application's own, and its hits to the knowledge-base block."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Protocol

from promptmw import InputError, Question, Turn, hookimpl
from promptmw_plugins.material import Snippet


class Document(Protocol):
    """Is a hit as LangChain's retrievers return it.

    Attributes:
        page_content: The passage.
        metadata: Of which ``title`` and ``source`` are used.
    """

    page_content: str
    metadata: Mapping[str, Any]


Hits = Iterable[Snippet | str | Document]


class Retrieval:
    """Is a plugin that searches in each round for what the user asks.

    A search that fails or takes too long costs the turn nothing but its snippets, and the report names it.

    Args:
        search: Takes the question's raw text and returns hits, best first, or an awaitable of them.
        limit: Hits taken.

    Example:
        >>> from promptmw import Pipeline
        >>> pipeline = Pipeline(plugins=[Retrieval(lambda query: [f"All that is known of {query}"])])
    """

    def __init__(self, search: Callable[[str], Hits | Awaitable[Hits]], limit: int = 8) -> None:
        self._search = search
        self._limit = limit

    @hookimpl
    def promptmw_collect(self, turn: Turn) -> Iterable[Snippet] | Awaitable[Iterable[Snippet]]:
        """Returns the hits as snippets; a blank question is not searched for."""
        question = turn.get(Question)
        if question is None or question.text.blank:
            return ()
        found = self._search(question.text.reveal())  # it goes to the application's own search, not into a prompt
        return self._awaited(found) if inspect.isawaitable(found) else self._snippets(found)

    async def _awaited(self, hits: Awaitable[Hits]) -> Iterable[Snippet]:
        return self._snippets(await hits)

    def _snippets(self, hits: Hits) -> tuple[Snippet, ...]:
        return tuple(map(_snippet, islice(hits, self._limit)))


def _snippet(hit: Snippet | str | Document) -> Snippet:
    """Returns a hit as a snippet.

    Raises:
        InputError: It is nothing that a search may return.
    """
    if isinstance(hit, Snippet):
        return hit
    if isinstance(hit, str):
        return Snippet(hit)
    if not hasattr(hit, "page_content"):
        raise InputError(f"a search returned {type(hit).__name__}: return Snippet, str, or objects with page_content")
    metadata = getattr(hit, "metadata", None) or {}
    title, source = (str(metadata.get(name) or "") for name in ("title", "source"))
    return Snippet(hit.page_content, title=title, source=source)
