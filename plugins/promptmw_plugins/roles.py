"""Tool roles: what a tool is for, and by which name this application calls it."""

from __future__ import annotations

from dataclasses import dataclass, fields

from promptmw import ConfigError, Profile, Tools


@dataclass(frozen=True, slots=True)
class ToolNames:
    """Names the tool of each role; the profile's table ``tool_names``."""

    web_search: str = "aivory_web_search"
    fetch_image: str = "fetch_image"
    python: str = "python_execute"
    image: str = "image_generate"
    save_memory: str = "save_memory"
    use_skill: str = "use_skill"

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for field in fields(self):
            name = getattr(self, field.name)
            if not name.strip():
                raise ConfigError(
                    f"tool_names.{field.name} is blank: name the tool, or leave the line out",
                    path=("tool_names", field.name),
                )
            other = seen.setdefault(name, field.name)
            if other != field.name:
                raise ConfigError(
                    f"tool_names: {other} and {field.name} are both {name!r}; one tool has one role",
                    path=("tool_names", other),
                )

    def on(self, role: str, tools: Tools | None) -> bool:
        """Says whether the tool of a role may be called in this turn."""
        return tools is not None and getattr(self, role) in tools.local


def tool_names(profile: Profile) -> ToolNames:
    """Returns the tool names of a profile."""
    return profile.settings("tool_names", ToolNames)
