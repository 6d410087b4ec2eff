"""A document that several workers read at the same time."""

import io
import os
from typing import TYPE_CHECKING, BinaryIO, cast

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class _SharedFile(io.RawIOBase):
    """A file at a place of its own: copies of a descriptor, in whatever process, move one place together."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._size = os.fstat(descriptor).st_size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise ValueError("a place before the file's start")
        self._at = start + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: "WriteableBuffer") -> int:
        read = os.preadv(self._descriptor, [buffer], self._at)
        self._at += read
        return read

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def open_shared(descriptor: int) -> BinaryIO:
    """The file of a descriptor, which it owns; whoever else reads it does not move its place."""
    return cast("BinaryIO", io.BufferedReader(_SharedFile(descriptor)))
