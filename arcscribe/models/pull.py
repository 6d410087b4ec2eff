"""Bringing models into the store: whole, verified files or nothing."""

import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

import msgspec

from arcscribe.errors import ModelMissing
from arcscribe.models.catalog import Catalog, Model, ModelFile, WheelSource
from arcscribe.models.events import Note, OnEvent, Progress
from arcscribe.models.files import SCRATCH_PREFIX, exclusive_lock, part_path, settle, storage_errors
from arcscribe.models.records import read_record, write_record
from arcscribe.models.sources import Source
from arcscribe.models.sources.folder import FolderFiles
from arcscribe.models.sources.hub import HubFiles
from arcscribe.models.sources.huggingface import HuggingFace
from arcscribe.models.sources.modelscope import ModelScope
from arcscribe.models.sources.wheel import WheelFiles, installed_member
from arcscribe.models.state import FileState, file_state, is_complete


class Hub(StrEnum):
    """The hubs that hold the models that no wheel has."""

    HUGGING_FACE = "huggingface"
    MODEL_SCOPE = "modelscope"


@dataclass(frozen=True, slots=True)
class PullOptions:
    """How to pull.

    `offline` never asks the network: it takes what installed packages or `folder` have. `allow_unpinned`
    accepts files whose hash the catalog does not know, and records it. `folder` is used instead of the
    catalog's sources.
    """

    offline: bool = False
    allow_unpinned: bool = False
    hub: Hub = Hub.HUGGING_FACE
    folder: Path | None = None


def pull_models(
    root: Path, catalog: Catalog, names: tuple[str, ...], options: PullOptions, on_event: OnEvent
) -> None:
    """Brings these models into the store at `root`; the errors are those of `ModelStore.pull`."""
    models = {name: catalog.model(name) for name in names}
    _refuse_unpinned(models, options)
    _refuse_network(models, options)
    with storage_errors(root):
        root.mkdir(parents=True, exist_ok=True)
        with exclusive_lock(root / ".lock", lambda: on_event(Note("waiting for another pull to end"))):
            _pull_missing(root, models, options, on_event)


def _refuse_unpinned(models: dict[str, Model], options: PullOptions) -> None:
    unpinned = [name for name, model in models.items() if not model.pinned]
    if unpinned and not options.allow_unpinned:
        command = f"arcscribe models pull {' '.join(unpinned)} --allow-unpinned"
        raise ModelMissing(
            f"this version knows no hash of the files of {', '.join(unpinned)};"
            f" to trust what the first download brings, run: {command}",
            command=command,
        )


def _refuse_network(models: dict[str, Model], options: PullOptions) -> None:
    if not options.offline or options.folder:
        return
    distant = [name for name, model in models.items() if not _is_installed(model)]
    if distant:
        command = f"arcscribe models pull {' '.join(distant)}"
        raise ModelMissing(
            f"not in the store, and not to be had offline: {', '.join(distant)};"
            f" with a network, run: {command}",
            command=command,
        )


def _is_installed(model: Model) -> bool:
    source = model.source
    return isinstance(source, WheelSource) and all(installed_member(source, file) for file in model.files)


def _pull_missing(root: Path, models: dict[str, Model], options: PullOptions, on_event: OnEvent) -> None:
    for left_by_a_killed_pull in root.glob(f"{SCRATCH_PREFIX}*"):
        shutil.rmtree(left_by_a_killed_pull, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX, dir=root) as scratch:
        sources = _Sources(options, Path(scratch), on_event)
        for name, model in models.items():
            if not is_complete(root / name, model):
                _pull_model(root / name, model, sources.of(name, model), on_event)


@dataclass(frozen=True, slots=True)
class _Sources:
    """Opens sources; models of one wheel share it, so that it is downloaded once."""

    options: PullOptions
    scratch: Path
    on_event: OnEvent
    wheels: dict[WheelSource, WheelFiles] = field(default_factory=dict)

    def of(self, name: str, model: Model) -> Source:
        if self.options.folder:
            return FolderFiles(self.options.folder, name)
        if isinstance(model.source, WheelSource):
            wheel = WheelFiles(model.source, self.scratch, self.on_event)
            return self.wheels.setdefault(model.source, wheel)
        hub = HuggingFace(self._say) if self.options.hub is Hub.HUGGING_FACE else ModelScope(self._say)
        files = HubFiles(hub, model.source)
        self._say(f"asking for {files}")
        return files

    def _say(self, text: str) -> None:
        self.on_event(Note(text))


def _pull_model(folder: Path, model: Model, source: Source, on_event: OnEvent) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    pinned = {file.name for file in model.files if file.sha256}
    try:
        for offered in source.files(model):
            target = folder / offered.name
            file = offered if offered.name in pinned else _as_recorded(offered, target)
            if file_state(target, file) is not FileState.PRESENT:
                _pull_file(target, file, source, on_event)
    except BaseException:
        with suppress(OSError):  # where something came it stays, for the next pull
            folder.rmdir()
        raise


def _as_recorded(file: ModelFile, target: Path) -> ModelFile:
    """An unpinned file with the hash of its first download, where there was one."""
    record = read_record(target)
    return msgspec.structs.replace(file, sha256=record.sha256) if record else file


def _pull_file(target: Path, file: ModelFile, source: Source, on_event: OnEvent) -> None:
    model, part = target.parent.name, part_path(target, file)

    def report(done: int) -> None:
        on_event(Progress(model, file.name, done, file.bytes))

    report(0)
    source.fetch(file, part, report)
    write_record(target, settle(part, target, file, str(source)))
