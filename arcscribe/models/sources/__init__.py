"""Where files of models come from."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from arcscribe.models.catalog import Model, ModelFile


class Source(Protocol):
    """One place that has the files of a model."""

    def __str__(self) -> str:
        """What a person calls the place."""

    def files(self, model: Model) -> tuple[ModelFile, ...]:
        """The files to fetch, with size and hash where the catalog or the place says them.

        Files that the catalog only allows for come first, so that a model whose named files are
        there is complete.
        """

    def fetch(self, file: ModelFile, part: Path, on_bytes: Callable[[int], None]) -> None:
        """Writes the file to `part`; what stays there after an error is a true beginning of the file.

        Raises:
            ModelMissing: the place cannot be reached, or does not have the file.
        """
