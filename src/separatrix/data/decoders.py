"""Decoders of compressed files: member by member, in pieces of bounded size.

.gz  .bz2  .xz  .zst        one decoder each, all with the interface of `bz2.BZ2Decompressor`
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import Protocol

from separatrix.checker.text import DataError
from separatrix.data.formats import compression_of

_PIECE = 1 << 21  # decompressed bytes handed on at a time


def members(read: Callable[[], bytes], kind: str) -> Iterator[bytes]:
    """The content of all members, one after the other; ``read`` gives the compressed bytes and ends with none.

    Raises EOFError, ValueError or the decoder's own error where a member is not whole.

    >>> import bz2
    >>> parts = [bz2.compress(b"one") + bz2.compress(b"two")]
    >>> b"".join(members(lambda: parts.pop() if parts else b"", "bz2"))
    b'onetwo'
    """
    data = read()
    while data:
        member = _DECODERS[kind]()
        while not member.eof:
            piece = member.decompress(data, _PIECE)
            if piece:
                yield piece
            data = b""
            if member.needs_input and not member.eof:
                data = read()
                if not data:
                    raise EOFError("it ends too early")
        # Zeros may pad what follows a member (tape blocks); anything else must be another one.
        data = (member.unused_data or read()).lstrip(b"\0")
        while not data and (data := read()):
            data = data.lstrip(b"\0")
        if data and compression_of(data + b"\0" * 6) != kind and len(data) >= 6:
            raise ValueError("something else follows its end")


class _Decoder(Protocol):
    """One compressed member, as in `bz2.BZ2Decompressor`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """zlib with the interface of the other decoders: it keeps the input it has not used."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


class _Zstd:
    """zstandard with the interface of the other decoders; fed little by little, as it cannot bound its output."""

    def __init__(self) -> None:
        try:
            import zstandard
        except ImportError:
            raise DataError(
                "Reading .zst files needs the package zstandard: pip install 'separatrix[files]'."
            ) from None
        self._inner = zstandard.ZstdDecompressor().decompressobj()
        self._failure = zstandard.ZstdError
        self._waiting = b""

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def needs_input(self) -> bool:
        return not self._waiting

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + self._waiting

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        data = self._waiting + data
        now, self._waiting = data[: 1 << 14], data[1 << 14 :]
        try:
            return bytes(self._inner.decompress(now))
        except self._failure as error:
            raise ValueError(str(error)) from None


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gzip": _Gzip,
    "bz2": bz2.BZ2Decompressor,
    "xz": lzma.LZMADecompressor,
    "zstd": _Zstd,
}
