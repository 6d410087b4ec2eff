"""The model store: what models there are, where they come from, and where they lie."""

from arcscribe.models.catalog import Catalog, HubSource, Model, ModelFile, WheelSource, load_catalog
from arcscribe.models.commands import pull_command
from arcscribe.models.events import Note, OnEvent, Progress
from arcscribe.models.pull import Hub, PullOptions
from arcscribe.models.root import default_root
from arcscribe.models.state import FileState
from arcscribe.models.store import ModelStore

__all__ = [
    "Catalog",
    "FileState",
    "Hub",
    "HubSource",
    "Model",
    "ModelFile",
    "ModelStore",
    "Note",
    "OnEvent",
    "Progress",
    "PullOptions",
    "WheelSource",
    "default_root",
    "load_catalog",
    "pull_command",
]
