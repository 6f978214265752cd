"""Messages that others wrote: what of their text is escaped or fenced, before blocks of ours stand beside it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from promptmw.contents import changed_texts
from promptmw.fencing import Fence, Policy, Slot, ToolResults, Untrusted, UserText, attr, block
from promptmw.messages import MessageFormat
from promptmw.remembered import remembered

_MARKERS = Slot("message", markers_only=True)
_NAME = 128


class Foreign:
    """Treats the messages of one request as the profile's table ``trust`` says.

    Args:
        policy: Of the pipeline.
        result_tag: Of the fence around results of tools.
        tenant: Whose request it is.
        as_text: Whether calls and results are written as text, so that a forged one would be believed anywhere.
    """

    def __init__(self, policy: Policy, result_tag: str, *, tenant: str = "", as_text: bool = False) -> None:
        settings = policy.settings
        self._policy = policy
        self._tenant = tenant
        self._tag = result_tag
        self._users = UserText.ALL if as_text else settings.user_text
        self._results = ToolResults.ASIS if as_text else settings.tool_results  # as text they are fenced anyway

    def content(self, content: Any) -> Any:
        """Returns the content of a user message that stands beside text of ours; itself where nothing is escaped."""
        return content if self._users is UserText.ASIS else changed_texts(content, self._escaped)

    def users(self, messages: list[Any], form: MessageFormat, change: Callable[[Any], Any]) -> bool:
        """Replaces messages of users in a list, where the setting wants all of them; says whether it did.

        Args:
            messages: A list of its own.
            form: How to read them.
            change: Returns a user message with its text escaped; itself where nothing is.
        """
        if self._users is not UserText.ALL:
            return False
        made = [change(m) if form.role(m) == "user" else m for m in messages]
        changed = any(new is not old for new, old in zip(made, messages, strict=True))
        messages[:] = made
        return changed

    def results(self, messages: list[Any], form: MessageFormat) -> bool:
        """Replaces messages with results of tools in a list, where the setting wants it; says whether it did."""
        if self._results is ToolResults.ASIS:
            return False
        names: dict[str, str] = {}
        changed = False
        for at, message in enumerate(messages):
            if self._results is ToolResults.WRAP and form.role(message) == "assistant":
                names.update((call.id, call.name) for call in form.calls(message))
            made = form.with_results(message, partial(self._result, names))
            changed = changed or made is not message
            messages[at] = made
        return changed

    def _result(self, names: dict[str, str], id: str, text: str) -> str:
        if self._results is ToolResults.MARKERS:
            return self._escaped(text)
        name = names.get(id, "")
        kind = f"{self._policy.scope(self._tenant)} {self._tag} {name}"
        return remembered(kind, text, lambda: self._fenced(name, text)) or text

    def _fenced(self, name: str, text: str) -> str:
        body = block(Untrusted(text, source="tool result"))
        fenced = Fence(self._tag)(body, name=attr(Untrusted(name).cap(_NAME)))
        return self._policy.write(fenced, tenant=self._tenant).text

    def _escaped(self, text: str) -> str:
        return remembered(f"{self._policy.id} markers", text, lambda: self._policy.neutralise(text, _MARKERS))
