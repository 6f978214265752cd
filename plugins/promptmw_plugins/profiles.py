"""The profiles that promptmw ships."""

from __future__ import annotations

from promptmw import Profile, hookimpl

CHAT = Profile(name="chat", enable=("*",), required=("identity", "style", "date", "trust"))
"""Every installed section without a dot in its name, in the documented order."""


@hookimpl
def promptmw_profiles() -> tuple[Profile, ...]:
    """Ships the chat profile."""
    return (CHAT,)
