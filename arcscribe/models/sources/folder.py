"""A folder on this machine."""

from collections.abc import Callable
from pathlib import Path

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import HubSource, Model, ModelFile
from arcscribe.models.files import copy_stream
from arcscribe.models.sources.include import with_included


class FolderFiles:
    """Takes a model from `folder/<model>/`, or from `folder` itself where that has no such folder."""

    def __init__(self, folder: Path, model: str) -> None:
        nested = folder / model
        self._folder = nested if nested.is_dir() else folder
        self._model = model

    def __str__(self) -> str:
        return str(self._folder)

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        if not isinstance(model.source, HubSource) or not self._folder.is_dir():
            return model.files
        offered = [ModelFile(path.name) for path in sorted(self._folder.iterdir()) if path.is_file()]
        return with_included(model.files, offered, model.source.include)

    def fetch(self, file: ModelFile, part: Path, on_bytes: Callable[[int], None]) -> None:
        path = self._folder / file.name
        if not path.is_file():
            raise ModelMissing(f"{path} is not there", command=f"arcscribe models pull {self._model}")
        with path.open("rb") as stream:
            copy_stream(stream, part, on_bytes)
