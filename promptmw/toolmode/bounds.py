"""The bounds of a loop of model and tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from promptmw.errors import ConfigError


@dataclass(frozen=True)
class LoopPolicy:
    """Bounds a loop of model and tools; a profile's table ``tool_loop``. All counts are for one message of the user.

    Attributes:
        max_rounds: Model calls with tools.
        max_calls: Runs of tools, failures included.
        max_calls_by_tool: The same for single tools, by name.
        no_progress_rounds: Consecutive rounds that brought nothing new.
        error_rounds: Consecutive rounds in which every call failed.
        max_seconds: Of the round, from its first call; None for any time.
        tool_timeout: Seconds that a tool may take.
        timeout_by_tool: The same for single tools, by name.
        concurrency: Calls of one answer that run at the same time.
    """

    max_rounds: int = 10
    max_calls: int = 48
    max_calls_by_tool: Mapping[str, int] = field(default_factory=dict)
    no_progress_rounds: int = 2
    error_rounds: int = 3
    max_seconds: float | None = None
    tool_timeout: float = 100.0
    timeout_by_tool: Mapping[str, float] = field(default_factory=dict)
    concurrency: int = 4

    def __post_init__(self) -> None:
        for name in ("max_rounds", "max_calls", "no_progress_rounds", "error_rounds", "tool_timeout", "concurrency"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"tool_loop.{name}: takes more than 0", path=("tool_loop", name))

    def seconds(self, tool: str) -> float:
        """Returns how long a tool may take."""
        return self.timeout_by_tool.get(tool, self.tool_timeout)
