"""The tests' own model servers: deterministic, on the loopback, with a log of every request.

`NativeServer` has function calling and speaks chat completions, messages and responses. `TextServer` speaks chat
completions only and refuses whatever a model without function calling refuses.
"""

from .answering import SENTENCE
from .loopback import LoopbackServer, Received
from .native import NativeServer
from .text import TextServer

__all__ = ["SENTENCE", "LoopbackServer", "NativeServer", "Received", "TextServer"]
