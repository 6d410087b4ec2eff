"""A hub on this machine: it serves a few files as Hugging Face and ModelScope do, and fails on demand."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit

REPO = "Tiny/Model"
COMMIT = "c0ffee"


@dataclass
class FakeHub:
    """What the hub holds, how it misbehaves, and what it was asked."""

    files: dict[str, bytes]
    url: str = ""
    token: str = ""
    redirect_to: str = ""
    statuses: list[int] = field(default_factory=list)
    """Answers to the next requests, instead of what was asked for."""
    cuts: list[int] = field(default_factory=list)
    """After how many bytes the next files break off."""
    stall_at: int = -1
    """After how many bytes a file stops coming, for good."""
    ranges: bool = True
    requests: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def asked_for(self, name: str) -> int:
        """How often a file was asked for."""
        return sum(path.endswith(name) for path in self.requests)


@contextmanager
def serving(hub: FakeHub) -> Iterator[FakeHub]:
    """Runs the hub on a free port."""
    server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_args: object) -> None:
        """A client that hung up is no news, and would be printed in the midst of some later test."""


class _Handler(BaseHTTPRequestHandler):
    hub: ClassVar[FakeHub]

    def do_GET(self) -> None:
        self.hub.requests.append(self.path)
        self.hub.headers.append(dict(self.headers.items()))
        if self.hub.statuses:
            self._answer(self.hub.statuses.pop(0), b"")
        elif self.hub.token and self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            self._answer(401, b"")
        elif self.hub.redirect_to:
            self.send_response(302)
            self.send_header("Location", self.hub.redirect_to + self.path)
            self.end_headers()
        else:
            self._serve()

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == f"/api/models/{REPO}/tree/{COMMIT}":
            self._answer(200, json.dumps(_tree(self.hub.files)).encode())
        elif parts.path == f"/api/v1/models/{REPO}/repo/files":
            self._answer(200, json.dumps(_repo_files(self.hub.files)).encode())
        elif parts.path == f"/api/v1/models/{REPO}/repo":
            self._file(parse_qs(parts.query)["FilePath"][0])
        elif parts.path.startswith(f"/{REPO}/resolve/{COMMIT}/"):
            self._file(parts.path.rpartition("/")[2])
        else:
            self._answer(404, b"")

    def _file(self, name: str) -> None:
        if name not in self.hub.files:
            self._answer(404, b"")
            return
        asked = self.headers.get("Range") if self.hub.ranges else None
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        self._answer(206 if asked else 200, self.hub.files[name][start:])

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status in (200, 206) and "/tree/" not in self.path and "/files?" not in self.path:
            if self.hub.cuts:
                body = body[: self.hub.cuts.pop(0)]
                self.close_connection = True
            if self.hub.stall_at >= 0:
                self.wfile.write(body[: self.hub.stall_at])
                time.sleep(60)
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        pass


def _tree(files: dict[str, bytes]) -> list[object]:
    small = [
        {"type": "file", "path": name, "size": len(content), "oid": "0" * 40}
        for name, content in files.items()
        if not name.endswith(".bin")
    ]
    large = [
        {
            "type": "file",
            "path": name,
            "size": len(content),
            "oid": "0" * 40,
            "lfs": {"oid": _sha256(content)},
        }
        for name, content in files.items()
        if name.endswith(".bin")
    ]
    return [{"type": "directory", "path": "pictures", "size": 0, "oid": "0" * 40}, *small, *large]


def _repo_files(files: dict[str, bytes]) -> object:
    entries = [
        {"Path": name, "Type": "blob", "Size": len(content), "Sha256": _sha256(content), "Mode": "33188"}
        for name, content in files.items()
    ]
    return {"Code": 200, "Data": {"Files": [*entries, {"Path": "pictures", "Type": "tree"}]}, "Success": True}


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
