"""An HTTP server on a free loopback port that logs JSON requests and answers whole or in events."""

import itertools
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingTCPServer
from types import TracebackType
from typing import Any, Self

_NEVER = 10**9
"""Bytes that an answer promises so that its client sees a break, not an end."""

Event = tuple[str | None, dict[str, Any] | str]
"""Name of a server-sent event, or None, and its data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request as it arrived; header names are lower case, `number` counts from the start of the server."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What goes back: a JSON body, or events if there are any."""

    body: dict[str, Any] | None = None
    events: Iterator[Event] | None = None
    status: int = 200


class Refusal(Exception):
    """A request that the server refuses, with the parameter at fault."""

    def __init__(self, message: str, *, param: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.param = param
        self.status = status

    def reply(self) -> Reply:
        """Make an error body that both OpenAI's and Anthropic's clients understand."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"
        error = {"message": str(self), "type": kind, "param": self.param, "code": None}
        return Reply(status=self.status, body={"type": "error", "error": error})


class LoopbackServer:
    """Base of the two servers: start, stop, log, failures on demand. Subclasses write `reply`.

    Attributes:
        requests: The log.
        breaks_after: How many events of a stream it sends before the connection breaks; None for all of them.
        write_size: How many bytes it sends at a time, with characters as they are; 0 for whole events in ASCII.
        gone: Is set when a client has left in the middle of an answer.
    """

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self.breaks_after: int | None = None
        self.write_size = 0
        self.gone = threading.Event()
        self._numbers = itertools.count(1)
        self._failures: list[int] = []
        self._lock = threading.Lock()

    def reply(self, received: Received) -> Reply:
        """Answer one request, or raise `Refusal`."""
        raise NotImplementedError

    @property
    def root_url(self) -> str:
        """Address without a path, as Anthropic's client wants it."""
        return f"http://127.0.0.1:{self._listener.server_address[1]}"

    @property
    def base_url(self) -> str:
        """Address with `/v1`, as OpenAI's client wants it."""
        return f"{self.root_url}/v1"

    @property
    def last(self) -> Received:
        """The newest request."""
        return self.requests[-1]

    def clear(self) -> None:
        """Forget the log and all failures that are still due."""
        self.breaks_after, self.write_size = None, 0
        self.gone.clear()
        with self._lock:
            self.requests.clear()
            self._failures.clear()

    def fail_next(self, count: int, status: int) -> None:
        """Answer the next requests with an HTTP error; they are logged all the same."""
        with self._lock:
            self._failures.extend([status] * count)

    def answer(self, path: str, headers: dict[str, str], raw: bytes) -> Reply:
        """Log a request and turn it into a reply, an error included."""
        try:
            received = self._log(path, headers, raw)
            self._fail_if_due()
            return self.reply(received)
        except Refusal as refusal:
            return refusal.reply()
        except KeyError as error:
            return Refusal(f"{error.args[0]} is missing", param=str(error.args[0])).reply()

    def _log(self, path: str, headers: dict[str, str], raw: bytes) -> Received:
        try:
            body = json.loads(raw)
        except ValueError as error:
            raise Refusal(f"the body is no JSON: {error}") from error
        with self._lock:
            received = Received(path=path, headers=headers, body=body, number=next(self._numbers))
            self.requests.append(received)
        return received

    def _fail_if_due(self) -> None:
        with self._lock:
            status = self._failures.pop(0) if self._failures else None
        if status is not None:
            raise Refusal(f"failing with {status}, as told", status=status)

    def __enter__(self) -> Self:
        self._listener = _Listener(self)
        # The interval is how long stopping may take.
        self._thread = threading.Thread(target=self._listener.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._listener.shutdown()
        self._thread.join()
        self._listener.server_close()


class _Listener(ThreadingTCPServer):
    """The listening socket; not `HTTPServer`, which looks up the name of the host."""

    request_queue_size = 128
    allow_reuse_address = True

    def __init__(self, server: LoopbackServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.owner = server


class _Handler(BaseHTTPRequestHandler):
    """One request a connection: nothing stays open for a client to forget."""

    server: _Listener
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 10

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.owner.answer(self.path.partition("?")[0], headers, raw)
        # A client may leave in the middle of a stream.
        try:
            self._send(reply)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
            self.server.owner.gone.set()

    def _send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("connection", "close")
        self.send_header("content-type", "application/json" if reply.events is None else "text/event-stream")
        if reply.status != 200:
            # Clients that try again do so at once.
            self.send_header("retry-after-ms", "1")
        owner = self.server.owner
        if reply.events is not None and owner.breaks_after is not None:
            self.send_header("content-length", str(_NEVER))
        self.end_headers()
        for number, piece in enumerate(_encoded(reply, ascii=not owner.write_size)):
            if reply.events is not None and number == owner.breaks_after:
                return
            for at in range(0, len(piece), size := owner.write_size or len(piece)):
                self.wfile.write(piece[at : at + size])

    def log_message(self, format: str, *args: object) -> None:
        """Write nothing; the log is `requests`."""


def _encoded(reply: Reply, *, ascii: bool) -> Iterator[bytes]:
    if reply.events is None:
        yield json.dumps(reply.body).encode()
        return
    for name, data in reply.events:
        head = f"event: {name}\n" if name else ""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=ascii)
        yield f"{head}data: {text}\n\n".encode()
