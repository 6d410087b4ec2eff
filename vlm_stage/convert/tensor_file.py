"""Reading safetensors files: one tensor at a time, as float32, from a file that is mapped and not loaded.

The format (https://huggingface.co/docs/safetensors): the length of the header as u64, the header as JSON,
then the tensors' bytes, all little-endian. The package `safetensors` gives no bfloat16 to NumPy.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from arcscribe.errors import ModelMissing
from vlm_stage.convert.small_files import check_regular
from vlm_stage.convert.tensors import Shape

MOST_HEADER_BYTES = 100_000_000
"""The reference implementation accepts no longer header."""

_STORED = {"BF16": "<u2", "F16": "<f2", "F32": "<f4"}
"""NumPy's types for what the files hold; bfloat16 is the upper half of a float32."""

PIECE = 1 << 22
"""Numbers looked at together."""

_POINTER = b"version https://git-lfs"


class _Entry(msgspec.Struct, frozen=True):
    dtype: str
    shape: tuple[int, ...]
    data_offsets: tuple[int, int]


@dataclass(frozen=True, slots=True)
class StoredTensor:
    """Where a tensor lies: its file, the place of its first byte there, and how its numbers are stored."""

    path: Path
    name: str
    offset: int
    dtype: str
    shape: Shape

    @property
    def count(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)

    def read(self) -> NDArray[np.float32]:
        """Its numbers; exact, since float32 has all numbers of the other two types."""
        stored = self._mapped()
        if self.dtype != "BF16":
            return stored.astype(np.float32).reshape(self.shape)
        wide = stored.astype("<u4")
        wide <<= 16
        return wide.view("<f4").reshape(self.shape)

    def peak(self) -> float:
        """The largest magnitude in it; infinite or NaN where a number is.

        Without their signs, floating-point numbers are in the order of their bits as integers, and infinities
        and what is no number come last.
        """
        bits = self._mapped().view(f"<u{_item_bytes(self.dtype)}")
        magnitudes = np.iinfo(bits.dtype).max >> 1
        largest = max((int((part & magnitudes).max()) for part in _pieces(bits)), default=0)
        wide = np.array([largest], bits.dtype)
        return float(
            (wide.astype("<u4") << 16).view("<f4")[0]
            if self.dtype == "BF16"
            else wide.view(_STORED[self.dtype])[0]
        )

    def _mapped(self) -> NDArray[np.generic]:
        if not self.count:
            return np.empty(0, _STORED[self.dtype])
        return np.memmap(self.path, _STORED[self.dtype], "r", self.offset, (self.count,))


def read_header(path: Path) -> dict[str, StoredTensor]:
    """The tensors of a safetensors file, by the names in it; all their bytes are there.

    Raises:
        ModelMissing: the file is not there, cannot be read, or is no whole safetensors file.
    """
    size, header = _header(path)
    try:
        entries = msgspec.json.decode(header, type=dict[str, msgspec.Raw])
        entries.pop("__metadata__", None)
        decoded = {name: msgspec.json.decode(entry, type=_Entry) for name, entry in entries.items()}
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ModelMissing(f"{path} is not a safetensors file, or damaged: {error}") from error
    start = 8 + len(header)
    tensors = {name: _stored(path, name, entry, start, size) for name, entry in decoded.items()}
    _check_places(path, decoded, size - start)
    return tensors


def _header(path: Path) -> tuple[int, bytes]:
    """The size of the file, and its header."""
    check_regular(path)
    try:
        with path.open("rb") as file:
            size, first = path.stat().st_size, file.read(256)
            if first.startswith(_POINTER):
                raise ModelMissing(
                    f"{path} is a Git-LFS pointer, not the weights; run `git lfs pull` in {path.parent}"
                )
            length = int.from_bytes(first[:8], "little")
            if len(first) < 8 or length > MOST_HEADER_BYTES:
                raise ModelMissing(f"{path} is not a safetensors file ({size:,} bytes)")
            file.seek(8)
            header = file.read(length)
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read: {error.strerror}") from error
    if len(header) < length:
        raise ModelMissing(f"{path} is cut off: it ends in its header, after {size:,} bytes")
    return size, header


def _stored(path: Path, name: str, entry: _Entry, start: int, size: int) -> StoredTensor:
    if entry.dtype not in _STORED:
        known = ", ".join(_STORED)
        raise ModelMissing(f"{path}: {name} is stored as {entry.dtype}, and this reads {known}")
    begin, end = entry.data_offsets
    if min(entry.shape, default=0) < 0 or begin < 0 or end - begin != _bytes(entry):
        raise ModelMissing(f"{path} is damaged: the place of {name} does not fit its shape {entry.shape}")
    if start + end > size:
        raise ModelMissing(f"{path} is cut off: {name} ends at byte {start + end:,} of {size:,}")
    return StoredTensor(path, name, start + begin, entry.dtype, entry.shape)


def _check_places(path: Path, entries: Mapping[str, _Entry], size: int) -> None:
    """Tensors lie one behind the other to the file's end: the format allows no others, and a file that lost a
    part in its middle, or holds one twice, has some."""
    last = 0
    for begin, end, name in sorted((*entry.data_offsets, name) for name, entry in entries.items()):
        if begin != last:
            raise ModelMissing(f"{path} is damaged: {name} does not begin where the tensor before it ends")
        last = end
    if last < size:
        raise ModelMissing(f"{path} is damaged: {size - last:,} bytes follow its last tensor")


def _bytes(entry: _Entry) -> int:
    return prod(entry.shape) * _item_bytes(entry.dtype)


def _item_bytes(dtype: str) -> int:
    return np.dtype(_STORED[dtype]).itemsize


def _pieces(bits: NDArray[np.unsignedinteger]) -> Iterator[NDArray[np.unsignedinteger]]:
    """Parts small enough that what is made of them takes little memory."""
    for start in range(0, bits.size, PIECE):
        yield bits[start : start + PIECE]
