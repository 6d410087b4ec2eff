"""The layout models of a command line, and what the layout stage is told of them."""

from pathlib import Path

from arcscribe.errors import InvalidOption
from arcscribe.models import ModelStore
from arcscribe.upload import as_unicode

CDLA = "layout-cdla"
"""The embedded layout model, which finds the regions where no other is named."""
LAYOUT_ROLE, BLOCKS_ROLE = "layout", "layout blocks"
"""The roles of the catalog's models that find regions, and of those that find what is read as a whole."""


def layout_settings(store: ModelStore, model: str, block_model: str) -> dict[str, object]:
    """The layout stage's settings; each model is a catalog name, a folder, or empty for the default.

    Raises:
        InvalidOption: a name is that of no such model, or of no folder, or the two do not go together.
        ModelMissing: a model of the catalog is not in the store, or not whole.
    """
    if block_model and model in {"", CDLA}:
        raise InvalidOption(
            f"--block-model goes with a --layout-model of PP-StructureV3, not with {CDLA}",
            field="block-model",
        )
    told = {
        "model": _checked(store, model, LAYOUT_ROLE, "layout-model"),
        "block_model": _checked(store, block_model, BLOCKS_ROLE, "block-model"),
    }
    return {key: value for key, value in told.items() if value}


def refuse_for_server(server: str, model: str, block_model: str) -> None:
    """Raises InvalidOption where a service runs already, which was told its models when it was started."""
    if server and (model or block_model):
        raise InvalidOption("--layout-model and --block-model are not for --server", field="server")


def _checked(store: ModelStore, model: str, role: str, field: str) -> str:
    """The catalog's name, or a folder by its whole path, which the stage knows wherever it is started."""
    if not model:
        return ""
    if model in store.catalog.models:
        has = store.catalog.model(model).role
        if has != role:
            raise InvalidOption(f"--{field} {model}: that is a model for {has}", field=field)
        store.folder(model)
        return model
    if not Path(model).is_dir():
        known = ", ".join(name for name, entry in store.catalog.models.items() if entry.role == role)
        raise InvalidOption(f"--{field} {model}: neither a folder nor one of {known}", field=field)
    folder = str(Path(model).resolve())
    if as_unicode(folder) != folder:
        raise InvalidOption(f"--{field} {model}: a stage cannot be told a name that is no text", field=field)
    return folder
