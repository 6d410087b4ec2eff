"""A checkpoint's weights: one safetensors file or several, in either layout, by one set of names."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from arcscribe.errors import ModelMissing
from vlm_stage.convert.names import canonical_name
from vlm_stage.convert.small_files import is_there, read_json
from vlm_stage.convert.tensor_file import StoredTensor, read_header

SINGLE = "model.safetensors"
INDEX = "model.safetensors.index.json"


class _Index(msgspec.Struct, frozen=True):
    weight_map: dict[str, str]


@dataclass(frozen=True, slots=True)
class Weights:
    """The tensors in use, by their names in transformers' state dict, and the files that hold them."""

    tensors: dict[str, StoredTensor]
    files: tuple[Path, ...]

    def __call__(self, name: str) -> NDArray[np.float32]:
        """A tensor, read now."""
        return self.tensors[name].read()


def open_weights(folder: Path) -> Weights:
    """The weights in a checkpoint's folder; nothing but headers is read.

    Raises:
        ModelMissing: there are none, or a file is not there, damaged or cut off.
    """
    files = _files(folder)
    tensors: dict[str, StoredTensor] = {}
    for stored in (tensor for file in files for tensor in read_header(file).values()):
        name = canonical_name(stored.name)
        if name in tensors:
            raise ModelMissing(f"{folder} holds {name} twice: {tensors[name].name} and {stored.name}")
        if name is not None:
            tensors[name] = stored
    return Weights(tensors, files)


def _files(folder: Path) -> tuple[Path, ...]:
    """The one file where it is there, as transformers prefers it, else those of the index."""
    if is_there(folder / SINGLE):
        return (folder / SINGLE,)
    if is_there(folder / INDEX):
        return tuple(folder / name for name in _shards(folder / INDEX))
    others = sorted(path.name for path in _listed(folder) if path.suffix in {".bin", ".pt", ".pdparams"})
    instead = f" (it has {others[0]}, which this does not read)" if others else ""
    raise ModelMissing(f"{folder} has no {SINGLE}{instead}")


def _shards(path: Path) -> Iterable[str]:
    names = sorted(set(read_json(path, _Index).weight_map.values()))
    if outside := [name for name in names if Path(name).name != name]:
        raise ModelMissing(f"{path} names a file outside the checkpoint: {outside[0]}")
    if absent := [name for name in names if not (path.parent / name).is_file()]:
        raise ModelMissing(
            f"{path.parent} has {len(names) - len(absent)} of {len(names)} files: no {absent[0]}"
        )
    return names


def _listed(folder: Path) -> Iterable[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise ModelMissing(f"{folder} cannot be read: {error.strerror}") from error
