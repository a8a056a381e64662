"""The server of `hemlp play`: on loopback, at an address with a token, until it is idle.

Requests with another token, Host or Origin are refused, and so are bodies that are too large or not JSON.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from hemlp.errors import HemlpError, InvalidOption
from hemlp.measures.catalogue import NAMED
from hemlp.play.board import Board, legend
from hemlp.play.starts import OwnData, counterexamples, paper_cases

MAX_BODY = 1_000_000
"""Bytes of a request."""
FILES = {
    "": ("page.html", "text/html; charset=utf-8"),
    "play.js": ("play.js", "text/javascript; charset=utf-8"),
    "play.css": ("play.css", "text/css; charset=utf-8"),
}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class Refused(Exception):
    """A refused request: the status, and the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class PlayServer(ThreadingHTTPServer):
    """Serves one page at ``address``, and ends after ``idle`` seconds without a request."""

    daemon_threads = True

    def __init__(self, own: OwnData, idle: float, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.token = secrets.token_urlsafe(18)
        self.idle, self.last = idle, time.monotonic()
        self.questions: Mapping[str, Callable[[Any], Any]] = {
            "board": lambda state: Board.read(state).answer(),
            "starts": lambda _: {
                "cases": paper_cases(), "instances": own.names(), "kind": own.kind,
                "measures": list(NAMED), "legend": legend(),
            },
            "instance": lambda asked: own.state(asked.get("name") if isinstance(asked, Mapping) else None),
            "counterexamples": counterexamples,
        }  # fmt: skip

    @property
    def address(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_port}/{self.token}/"

    def serve(self) -> None:
        """Answer requests until the server is idle."""
        threading.Thread(target=self._end_when_idle, daemon=True).start()
        try:
            self.serve_forever(poll_interval=0.1)
        finally:
            self.server_close()

    def _end_when_idle(self) -> None:
        while (left := self.last + self.idle - time.monotonic()) > 0:
            time.sleep(min(left, 1.0))
        self.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: PlayServer
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Send the page or one of its files."""
        self._reply(self._file)

    def do_POST(self) -> None:
        """Answer a question of the page."""
        self._reply(self._answer)

    def _reply(self, make: Callable[[str], tuple[str, bytes]]) -> None:
        self.server.last = time.monotonic()
        status = HTTPStatus.OK
        try:
            kind, body = make(self._checked_path())
        except Refused as refused:
            status, kind, body = refused.status, "text/plain; charset=utf-8", f"{refused}\n".encode()
            self.close_connection = True
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _checked_path(self) -> str:
        """The path after the token of an allowed request."""
        hosts = {f"127.0.0.1:{self.server.server_port}", f"localhost:{self.server.server_port}"}
        if self.headers.get("Host") not in hosts:
            raise Refused(HTTPStatus.FORBIDDEN, "the Host of this request is not this machine")
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in hosts:
            raise Refused(HTTPStatus.FORBIDDEN, "this request comes from another page")
        token, slash, rest = self.path.partition("?")[0].removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.token.encode()) or not slash:
            raise Refused(HTTPStatus.FORBIDDEN, "the token in the address is not that of this server")
        return rest

    def _file(self, name: str) -> tuple[str, bytes]:
        if name not in FILES:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        file, kind = FILES[name]
        return kind, files("hemlp.play").joinpath(file).read_bytes()

    def _answer(self, name: str) -> tuple[str, bytes]:
        if name not in self.server.questions:
            raise Refused(HTTPStatus.NOT_FOUND, "there is no such question")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise Refused(HTTPStatus.LENGTH_REQUIRED, "the request has no Content-Length")
        if len(length) > len(str(MAX_BODY)) or int(length) > MAX_BODY:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a request has at most {MAX_BODY:,} bytes")
        try:
            asked = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "the request is not JSON") from None
        try:
            answer = {"answer": self.server.questions[name](asked)}
        except HemlpError as error:
            answer = {"error": str(error)}
        except (TypeError, ValueError, OverflowError) as error:
            answer = {"error": str(InvalidOption(f"this cannot be read: {error}"))}
        return "application/json", json.dumps(answer).encode()

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: addresses hold the token."""
