"""Reading from a hub over HTTP: short answers, and files that continue where they were cut off."""

import http.client
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from pathlib import Path
from typing import IO, TypeVar
from urllib.parse import urlsplit

from arcscribe.errors import ModelMissing
from arcscribe.models.files import CHUNK_BYTES

TIMEOUT_SECONDS = 60.0
RETRY_WAITS = (1.0, 2.0, 4.0, 8.0)
"""Seconds between attempts. An attempt that brought bytes starts the count anew."""

_PASSING = {408, 425, 429, 500, 502, 503, 504}
_Answer = TypeVar("_Answer")


class _Interrupted(Exception):
    """The hub cannot be reached, stopped in the middle, or asks to come back later."""


class _KeepToken(urllib.request.HTTPRedirectHandler):
    """Gives the token to the hub alone: a redirect to another host goes without it."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> urllib.request.Request | None:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]  # typeshed wants HTTPMessage
        token = req.unredirected_hdrs.get("Authorization")
        if new and token and urlsplit(newurl)[:2] == urlsplit(req.full_url)[:2]:
            new.add_unredirected_header("Authorization", token)
        return new


@dataclass(frozen=True, slots=True)
class HubServer:
    """A hub's address and how to speak to it.

    `token` may be empty. `token_help` and `distance_help` say what a user can do if the hub refuses or is
    out of reach. `say` is told, in a sentence, why it takes longer.
    """

    name: str
    url: str
    token_help: str
    distance_help: str
    say: Callable[[str], None]
    token: str = ""

    def read(self, path: str) -> bytes:
        """The body of a short answer.

        Raises:
            ModelMissing: the hub cannot be reached or refuses.
        """

        def attempt() -> bytes:
            with self._open(path, 0) as response:
                return b"".join(_chunks(response))

        return self._patiently(attempt, lambda: 0)

    def download(self, path: str, part: Path, size: int, on_bytes: Callable[[int], None]) -> None:
        """Fetches a file into `part`, after the bytes that are there already; `size` is 0 if it is unknown.

        Raises:
            ModelMissing: the hub cannot be reached or refuses; the bytes that came stay in `part`.
        """
        if size and _size(part) > size:
            part.unlink()
        if not size or _size(part) < size:
            self._patiently(lambda: self._download(path, part, on_bytes), lambda: _size(part))

    def _download(self, path: str, part: Path, on_bytes: Callable[[int], None]) -> None:
        have = _size(part)
        with self._open(path, have) as response:
            resumed = response.status == HTTPStatus.PARTIAL_CONTENT
            with part.open("ab" if resumed else "wb") as sink:
                for chunk in _chunks(response):
                    sink.write(chunk)
                    on_bytes(sink.tell())

    def _open(self, path: str, start: int) -> http.client.HTTPResponse:
        request = urllib.request.Request(f"{self.url.rstrip('/')}{path}", headers={"User-Agent": "arcscribe"})
        if start:
            request.add_header("Range", f"bytes={start}-")
        if self.token:
            request.add_unredirected_header("Authorization", f"Bearer {self.token}")
        try:
            response: http.client.HTTPResponse = urllib.request.build_opener(_KeepToken).open(
                request, timeout=TIMEOUT_SECONDS
            )
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error.code, path) from error
        except (OSError, http.client.HTTPException) as error:
            raise _Interrupted(str(getattr(error, "reason", error))) from error
        return response

    def _refusal(self, status: int, path: str) -> Exception:
        if status in _PASSING:
            return _Interrupted(f"it answers {status}")
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return ModelMissing(f"{self.name} refuses {path} (status {status}); {self.token_help}")
        if status == HTTPStatus.NOT_FOUND:
            return ModelMissing(f"{self.name} has no {path}")
        return ModelMissing(f"{self.name} answers {path} with status {status}")

    def _patiently(self, attempt: Callable[[], _Answer], progress: Callable[[], int]) -> _Answer:
        waits, before = list(RETRY_WAITS), progress()
        while True:
            try:
                return attempt()
            except _Interrupted as error:
                if progress() > before:
                    waits, before = list(RETRY_WAITS), progress()
                if not waits:
                    raise ModelMissing(
                        f"{self.name} cannot be reached at {self.url}: {error}; {self.distance_help}"
                    ) from error
                wait = waits.pop(0)
                self.say(f"{self.name}: {error}; trying again in {wait:g} s")
                time.sleep(wait)


def _chunks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    """The body in pieces, to its announced end."""
    left = response.length
    while True:
        try:
            chunk = response.read(CHUNK_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise _Interrupted(f"the connection broke: {error}") from error
        if not chunk:
            break
        left = None if left is None else left - len(chunk)
        yield chunk
    if left:
        raise _Interrupted("the connection ended early")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
