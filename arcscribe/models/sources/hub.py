"""A repository on one of the hubs."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import HubSource, Model, ModelFile
from arcscribe.models.sources.http import HubServer
from arcscribe.models.sources.include import with_included


class HubApi(Protocol):
    """What tells one hub from another."""

    @property
    def server(self) -> HubServer:
        """Where it is."""

    def listing(self, source: HubSource) -> tuple[ModelFile, ...]:
        """The files in a repository's top folder, with sizes, and hashes where the hub says them.

        Raises:
            ModelMissing: the hub cannot be reached, refuses, or says what cannot be understood.
        """

    def file_path(self, source: HubSource, name: str) -> str:
        """The part of a file's address that follows the server's."""


class HubFiles:
    """One repository. What the hub says of size and hash counts where the catalog says nothing."""

    def __init__(self, api: HubApi, source: HubSource) -> None:
        self._api = api
        self._source = source

    def __str__(self) -> str:
        server = self._api.server
        return f"{self._source.repo} on {server.name} ({server.url})"

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        if model.pinned and not self._source.include:
            return model.files
        offered = self._api.listing(self._source)
        lacking = {file.name for file in model.files} - {file.name for file in offered}
        if lacking:
            raise ModelMissing(f"{self} has no {', '.join(sorted(lacking))}")
        return with_included(model.files, offered, self._source.include)

    def fetch(self, file: ModelFile, part: Path, on_bytes: Callable[[int], None]) -> None:
        path = self._api.file_path(self._source, file.name)
        self._api.server.download(path, part, file.bytes, on_bytes)
