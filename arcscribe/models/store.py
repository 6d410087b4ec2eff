"""The model store: a folder with a folder for each model, filled by `pull`, asked for paths by the stages."""

from collections.abc import Iterable
from pathlib import Path

from arcscribe.errors import InvalidOption, ModelMissing
from arcscribe.models.catalog import Catalog, ModelFile, load_catalog
from arcscribe.models.commands import pull_command
from arcscribe.models.converted import ConvertedModel, converted_names, converted_states, read_converted
from arcscribe.models.events import OnEvent, ignore
from arcscribe.models.pull import PullOptions, pull_models
from arcscribe.models.removal import remove_folders
from arcscribe.models.root import default_root
from arcscribe.models.state import FileState, file_state, is_complete, stored_files

DEFAULT_OPTIONS = PullOptions()


class ModelStore:
    """Models on disk: `<root>/<model>/<file>`. Any number of processes may read a store and pull into it."""

    def __init__(self, root: Path | None = None, catalog: Catalog | None = None) -> None:
        self.root = root or default_root()
        self.catalog = catalog or load_catalog()

    def path(self, model: str, file: str) -> Path:
        """Where a model's file lies, checked; the check is fast unless the file has changed since the last.

        Raises:
            ModelMissing: the file is absent, or not what it should be.
            InvalidOption: the catalog has no such model, or the model no such file.
        """
        for known in self.files(model):
            if known.name == file:
                return self._checked(model, known)
        raise InvalidOption(f"the model {model} has no file {file}", field="model")

    def folder(self, model: str) -> Path:
        """The folder of a model, every file of it checked as `path` does.

        Raises:
            ModelMissing: a file is absent, or not what it should be.
            InvalidOption: the catalog has no such model.
        """
        for file in self.files(model):
            self._checked(model, file)
        return self.root / model

    def files(self, model: str) -> tuple[ModelFile, ...]:
        """The files that make up a model: those of the catalog, and those that were pulled with them."""
        return stored_files(self.root / model, self.catalog.model(model))

    def has(self, model: str) -> bool:
        """Whether every file of a model is there and whole."""
        return is_complete(self.root / model, self.catalog.model(model))

    def pull(
        self,
        names: Iterable[str] = ("embedded",),
        options: PullOptions = DEFAULT_OPTIONS,
        on_event: OnEvent = ignore,
    ) -> tuple[str, ...]:
        """Brings the models and groups of these names into the store; gives the names of those it lacked.

        A model that is there and whole costs neither network nor lock. Other pulls are waited for.

        Raises:
            ModelMissing: a file cannot be had, is not what it should be, or cannot be written.
            InvalidOption: a name is neither a model nor a group.
        """
        absent = tuple(name for name in self.catalog.select(names) if not self.has(name))
        if absent:
            pull_models(self.root, self.catalog, absent, options, on_event)
        return absent

    def remove(self, names: Iterable[str]) -> dict[str, int]:
        """Removes models, groups of models and converted models; gives the bytes that each took.

        All are looked for before any is removed. Pulls are waited for.

        Raises:
            InvalidOption: there is no such model.
            ModelMissing: nothing of one is here, or the store cannot be written.
        """
        found = {model: self.root / model for name in names for model in self._stored(name)}
        return remove_folders(self.root, found)

    def _stored(self, name: str) -> tuple[str, ...]:
        """What of a model or group is here, whole or not."""
        converted = (name,) if name in self.converted_names() else ()
        stored = converted or tuple(
            model for model in self.catalog.select([name]) if (self.root / model).is_dir()
        )
        if not stored:
            raise ModelMissing(f"nothing of {name} is in {self.root}")
        return stored

    def verify(self, model: str) -> dict[str, FileState]:
        """The state of each file of a model, of the catalog or converted, hashed anew.

        Raises:
            InvalidOption: there is no such model.
            ModelMissing: a converted model's manifest cannot be read.
        """
        folder = self.root / model
        if model in self.converted_names():
            return converted_states(folder, self.converted(model), thorough=True)
        return {file.name: file_state(folder / file.name, file, thorough=True) for file in self.files(model)}

    def converted_names(self) -> tuple[str, ...]:
        """The names of the store's converted models, whole or not."""
        return tuple(name for name in converted_names(self.root) if name not in self.catalog.models)

    def converted(self, name: str) -> ConvertedModel:
        """The converted model of that name; whether it is whole, `verify` tells.

        Raises:
            InvalidOption: there is none.
            ModelMissing: its manifest cannot be read.
        """
        if found := read_converted(self.root / name):
            return found
        raise InvalidOption(
            f"there is no converted model {name!r}; arcscribe models list shows what there is", field="model"
        )

    def _checked(self, model: str, file: ModelFile) -> Path:
        path = self.root / model / file.name
        state = file_state(path, file)
        if state is FileState.PRESENT:
            return path
        # The whole group, since the others of it lack as a rule too.
        group = self.catalog.group_of(model)
        pinned = all(self.catalog.model(name).pinned for name in self.catalog.select([group]))
        command = pull_command(group, pinned=pinned)
        raise ModelMissing(f"{path} is {state}; run: {command}", command=command)
