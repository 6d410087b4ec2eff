"""The catalog: which models there are, where their files come from, and what each file's hash must be."""

from collections.abc import Iterable
from functools import cache
from importlib import resources

import msgspec

from arcscribe.errors import InvalidOption


class WheelSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="wheel"):
    """Members of one wheel on the package index."""

    distribution: str
    version: str

    def __str__(self) -> str:
        return f"{self.distribution}=={self.version}"


class HubSource(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="hub"):
    """A repository that Hugging Face and ModelScope both hold.

    `revision` is Hugging Face's. `include` are patterns of further files to take, where the repository has
    them.
    """

    repo: str
    revision: str
    include: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.repo


class ModelFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of a model. An empty `sha256` means that nobody vouches for the file: it is unpinned.

    `bytes` is 0 where it is unknown. `member` is the file's path in its wheel, empty for a hub.
    """

    name: str
    member: str = ""
    bytes: int = 0
    sha256: str = ""


class Model(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model does and of what it consists."""

    role: str
    about: str
    licence: str
    source: WheelSource | HubSource
    files: tuple[ModelFile, ...]

    @property
    def bytes(self) -> int:
        """The size of all files whose size is known."""
        return sum(file.bytes for file in self.files)

    @property
    def pinned(self) -> bool:
        """Whether the catalog knows every file's hash."""
        return all(file.sha256 for file in self.files)


class Catalog(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All models by name, and the groups of models that are pulled together."""

    groups: dict[str, tuple[str, ...]]
    models: dict[str, Model]

    def model(self, name: str) -> Model:
        """The model of that name.

        Raises:
            InvalidOption: there is none.
        """
        if name not in self.models:
            raise InvalidOption(
                f"there is no model {name!r}; arcscribe models list shows what there is", field="model"
            )
        return self.models[name]

    def group_of(self, model: str) -> str:
        """The group that a model is pulled with, or its own name where it is in none."""
        return next((group for group, members in self.groups.items() if model in members), model)

    def select(self, names: Iterable[str]) -> tuple[str, ...]:
        """The models that these names of groups and models stand for, each once, in the order asked for.

        Raises:
            InvalidOption: a name is neither a group nor a model.
        """
        selected: dict[str, None] = {}
        for name in names:
            for model in self.groups.get(name, (name,)):
                self.model(model)
                selected[model] = None
        return tuple(selected)


@cache
def load_catalog() -> Catalog:
    """The catalog that comes with this version of Arcscribe."""
    text = resources.files("arcscribe.models").joinpath("catalog.toml").read_bytes()
    return msgspec.toml.decode(text, type=Catalog)
