"""Every error that promptmw raises.

::

    PromptmwError
    ├── ConfigError    (ValueError)    a profile, a setting, a config file
    ├── InputError     (ValueError)    a turn or one of its inputs
    ├── PluginError    (RuntimeError)  a plugin that cannot be loaded or that clashes with another
    ├── SectionError   (RuntimeError)  a required section that could not be rendered
    ├── ToolModeError  (ValueError)    a tool mode that this call cannot have
    ├── TrustError     (TypeError)     untrusted text used as if it were ours
    │   └── FenceBreach                  a block with a tag that no fence has written
    ├── EngineError    (RuntimeError)  the embedded local model
    ├── ToolDefinitionError  (ValueError)    a tool whose definition cannot be used
    ├── HistoryError         (ValueError)    calls and results of a history that do not fit together
    ├── ProtocolStateError   (RuntimeError)  a parser used after its end
    ├── ToolFailed           (RuntimeError)  raised by a tool: says to the model why it could not do what was asked
    └── ToolProtocolError    (RuntimeError)  a model that does not keep to the tool protocol
        ├── ToolCallFailed                   all attempts at one answer failed
        └── ToolLoopExhausted                the rounds of a tool loop ended without an answer

No error text holds the content of an input: each names what, which value's type or name, whose, and the remedy.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PromptmwError(Exception):
    """Is the root of every error that promptmw raises.

    Args:
        message: What, which value, whose, and how to mend it.
        path: Keys and indexes that lead to the value in a file, when it came from one.
    """

    def __init__(self, message: str, *, path: Iterable[str | int] = ()) -> None:
        super().__init__(message)
        self.path = tuple(path)


class ConfigError(PromptmwError, ValueError):
    """Says that a profile, a setting or a config file cannot be used."""


class InputError(PromptmwError, ValueError):
    """Says that a turn, or one input of it, is not what its type asks for."""


class PluginError(PromptmwError, RuntimeError):
    """Says that a plugin failed to load, or clashes with another one."""


class SectionError(PromptmwError, RuntimeError):
    """Says that a required section could not be rendered, so that there is no prompt."""


class ToolModeError(PromptmwError, ValueError):
    """Says that tools cannot be offered in the way that this call asks for."""


class TrustError(PromptmwError, TypeError):
    """Says that untrusted text was used outside the slots that hold it."""


class FenceBreach(TrustError):
    """Says that a block holds a tag that none of its fences has written."""


class EngineError(PromptmwError, RuntimeError):
    """Says that the embedded local model cannot be started or reached."""


class ToolDefinitionError(PromptmwError, ValueError):
    """Says that a tool's definition cannot be used: which tool, where in it, and who brought it."""


class HistoryError(PromptmwError, ValueError):
    """Says that calls and results in a history do not fit together."""


class ProtocolStateError(PromptmwError, RuntimeError):
    """Says that a parser was used after the end of its answer."""


class ToolFailed(PromptmwError, RuntimeError):
    """Is raised by a tool, for the model to read why it could not or would not do what was asked; no text of any other
    exception gets to the model."""


class ToolProtocolError(PromptmwError, RuntimeError):
    """Says that a model does not keep to the tool protocol."""


class ToolCallFailed(ToolProtocolError):
    """Says that every attempt at one answer failed, and that there is no text to show instead."""


class ToolLoopExhausted(ToolProtocolError):
    """Says that a tool loop ended without an answer: why, and after how many rounds."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns a hint at the known name closest to ``name``, or at all of them when none is close.

    The hint starts with a blank, ready to follow a sentence.
    """
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f" Did you mean {close[0]!r}?"
    return f" Known: {', '.join(names)}." if names else ""
