"""The server of `hemlp play`, on loopback, at an address with a token, until it is idle; the first states of its page.

Requests with another token, Host or Origin are refused, and so are bodies that are too large or not JSON.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from hemlp.analysis.properties.check import check_properties
from hemlp.errors import HemlpError, InvalidOption
from hemlp.examples import cases
from hemlp.hierarchy.dag import Hierarchy
from hemlp.hierarchy.labels import Label, label_order
from hemlp.instances.batch import Batch
from hemlp.measures.catalogue import NAMED
from hemlp.play.board import MAX_CLASSES, Board, labelled_edges, legend, read_measure

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
        try:
            super().__init__(("127.0.0.1", port), _Handler)
        except OSError as error:
            raise InvalidOption(f"port {port}: {error.strerror}: choose another one") from None
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


# ---- first states of the page: the paper's cases, smallest counter-examples, the user's files


def state_of(h: Hierarchy, true: Iterable[Label], pred: Iterable[Label], *further: Label) -> dict[str, Any]:
    """A small hierarchy, or the classes of an instance and ``further`` ones with their ancestors from a large one."""
    named, cut = {*true, *pred, *further}, len(h) > MAX_CLASSES
    labels = set(h.labels) if not cut else named.union(*(h.ancestors(label) for label in named))
    if len(labels) > MAX_CLASSES:
        raise InvalidOption(
            f"the page shows at most {MAX_CLASSES} classes, and these are {len(labels):,} with their ancestors"
        )
    kept = [str(label) for label in sorted(labels, key=label_order)]
    inside = set(kept)
    edges = [list(edge) for edge in labelled_edges(h) if inside.issuperset(edge[:2])]
    note = f"{len(kept)} of {len(h):,} classes are shown, and measures count only these."
    return {
        "classes": kept, "edges": edges, "true": sorted(map(str, true)), "pred": sorted(map(str, pred)),
        "names": {str(label): h.names[label] for label in labels if label in h.names}, "note": note if cut else "",
    }  # fmt: skip


def paper_cases() -> list[dict[str, Any]]:
    """The paper's cases."""
    return [{"name": f"case {each.name}", **state_of(each.hierarchy, each.true, each.pred)} for each in cases()]


def counterexamples(measure: Any, classes: int = 4) -> list[dict[str, Any]]:
    """The smallest instances that refute properties of a measure."""
    (outcome,) = check_properties([read_measure(measure)], classes, 3)
    return [
        {**state_of(each.hierarchy, each.true, each.pred), "name": name, "note": each.sentence}
        for name, each in outcome.refuted.items()
        if each.pred is not None
    ]


class OwnData:
    """The user's files: instances by id or row (from 1), or classes; ``kind`` says which, "" without files."""

    def __init__(self, batch: Batch | None, hierarchy: Hierarchy | None = None) -> None:
        self.batch = batch
        self.hierarchy = hierarchy if batch is None else batch.hierarchy
        self.kind = "Instance" if batch is not None else "" if hierarchy is None else "Around class"
        ids = None if batch is None else batch.ids
        self._rows = {} if ids is None else {str(each): k for k, each in enumerate(ids)}

    def names(self) -> list[str]:
        """The first instances or classes to choose from; none if the whole hierarchy is shown."""
        if self.batch is not None:
            return list(self._rows)[:200] or [str(k + 1) for k in range(min(200, len(self.batch)))]
        labels = () if self.hierarchy is None else self.hierarchy.labels
        return [str(label) for label in labels[:200]] if len(labels) > MAX_CLASSES else []

    def state(self, name: Any) -> dict[str, Any]:
        """An instance with the ancestors of its classes, or a class with ancestors and children; None: the first.

        ``next``: the name of the next instance, or "".
        """
        h = self.hierarchy
        if h is None:
            raise InvalidOption("no files were given: hemlp play HIERARCHY TRUE PRED")
        if self.batch is None:
            return _around(h, min(h.roots, key=label_order) if name is None else name)
        name = str(next(iter(self.names()), "1") if name is None else name)
        row = self._rows.get(name)
        if row is None and not self._rows and name.isdecimal() and 1 <= int(name) <= len(self.batch):
            row = int(name) - 1
        if row is None:
            raise InvalidOption(f"there is no instance {name[:100]!r}")
        true, pred = ([h.labels[c] for c in side[row]] for side in (self.batch.true, self.batch.pred))
        state, rows = state_of(h, true, pred), len(self.batch)
        state["note"] = f"Row {row + 1:,} of {rows:,}. {state['note']}".rstrip()
        following = "" if row + 1 == rows else str(row + 2 if self.batch.ids is None else self.batch.ids[row + 1])
        return {"name": name, "next": following, **state}


def _around(h: Hierarchy, name: Any) -> dict[str, Any]:
    """A class with its ancestors and as many children as fit."""
    number = isinstance(name, str) and name.isdecimal() and h.find(name) is None
    label = h.labels[h.id(int(name) if number else name)]
    children = sorted(h.children(label), key=label_order)
    room, few = {label, *h.ancestors(label)}, 0
    for child in children:  # one with further parents brings their ancestors along
        room |= {child, *h.ancestors(child)}
        few += len(room) <= MAX_CLASSES
    state = state_of(h, (), (), label, *children[:few])
    if few < len(children):
        state["note"] += f" {few} of {len(children):,} children are shown, in the order of their labels."
    return {"name": str(label), "next": "", **state}
