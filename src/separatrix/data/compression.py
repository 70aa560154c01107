"""The bytes of a file or of standard input, decompressed while they are being used.

The kind of compression is known by the first bytes, not by the name (`formats`). Decompression runs in a separate
thread, a few pieces ahead of the parser.
"""

from __future__ import annotations

import io
import lzma
import os
import queue
import sys
import threading
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

from separatrix.checker.text import DataError
from separatrix.data.bzip2_blocks import decompress_blocks, find_blocks
from separatrix.data.decoders import members
from separatrix.data.formats import compression_of

Progress = Callable[[int, int | None], None]

_READ = 1 << 18  # compressed bytes read at a time
_BUFFER = 1 << 21  # bytes that a stream holds
_AHEAD = 4  # pieces that may wait
_WHOLE = 1 << 28  # the largest bzip2 file that is read whole


class ByteSource:
    """Bytes of ``path`` ("-" is standard input) after decompression: `head`, then `pieces` from the beginning.

    >>> import gzip, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.gz"
    >>> _ = path.write_bytes(gzip.compress(b"one") + gzip.compress(b"two"))
    >>> with ByteSource(str(path)) as source:
    ...     source.compression, source.head, b"".join(source.pieces())
    ('gzip', b'onetwo', b'onetwo')
    """

    def __init__(self, path: str, on_progress: Progress | None = None) -> None:
        self.path = path
        self._on_progress = on_progress
        self._file = sys.stdin.buffer if path == "-" else _open(path)
        try:
            self.size = None if path == "-" else Path(path).stat().st_size
            self._done = 0
            self._first = self._read()
            self.compression = compression_of(self._first)
            self._begun: list[bytes] = []
            self._rest = self._decompressed()
            while sum(map(len, self._begun)) < 1 << 12 and (piece := next(self._rest, b"")):
                self._begun.append(piece)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ByteSource:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._file is not sys.stdin.buffer:
            self._file.close()

    @property
    def head(self) -> bytes:
        """The first bytes, at least 4096 where there are as many."""
        return b"".join(self._begun)

    def pieces(self) -> Iterator[bytes]:
        """All bytes, once, in pieces; read and decompressed by another thread. Tells progress in bytes read."""
        yield from self._begun
        with closing(_ahead(self._rest)) as rest:
            for piece in rest:
                yield piece
                self.tell(self._done)

    def tell(self, done: int) -> None:
        """Report how many bytes of the file have been used."""
        if self._on_progress is not None:
            self._on_progress(done, self.size)

    def stream(self) -> BinaryIO:
        """All bytes, once, as a file that can be read from beginning to end."""
        return io.BufferedReader(_Pieces(self.pieces()), _BUFFER)

    def _read(self) -> bytes:
        data = self._file.read(_READ)
        self._done += len(data)
        return data

    def _decompressed(self) -> Iterator[bytes]:
        inputs = _chain(self._first, self._read)
        try:
            if self.compression is None:
                yield from iter(inputs, b"")
            elif self.compression == "bz2" and _is_moderate(self.size) and (os.cpu_count() or 1) > 1:
                yield from self._bzip2(inputs)
            else:
                yield from members(inputs, self.compression)
        except DataError:
            raise
        except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
            raise DataError(f"{self.path} is not a whole {self.compression} file: {error}.") from None

    def _bzip2(self, read: Callable[[], bytes]) -> Iterator[bytes]:
        """bzip2 is slow and comes in blocks: all of the file is read, and its blocks share the processors."""
        data = b"".join(iter(read, b""))
        done = 0
        try:
            spans = find_blocks(data)
            for piece, self._done in decompress_blocks(data, spans or [], os.cpu_count() or 1):
                done += len(piece)
                yield piece
            if spans is not None:
                return
        except (OSError, ValueError):  # a block that is none, or is damaged: the plain way knows
            pass
        for piece in members(_chain(data, lambda: b""), "bz2"):
            if len(piece) > done:
                yield piece[done:]
            done = max(0, done - len(piece))


def _is_moderate(size: int | None) -> bool:
    return size is not None and size <= _WHOLE


def _open(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise DataError(f"{path} cannot be opened: {error.strerror}.") from None


def _chain(first: bytes, read: Callable[[], bytes]) -> Callable[[], bytes]:
    waiting = [first]
    return lambda: waiting.pop() if waiting else read()


class _Pieces(io.RawIOBase):
    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._left = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = memoryview(piece)
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


def _ahead(pieces: Iterator[bytes]) -> Generator[bytes, None, None]:
    """The same pieces, made by a thread that runs a little ahead and ends when nobody wants more."""
    waiting: queue.Queue[bytes | BaseException | None] = queue.Queue(_AHEAD)
    unwanted = threading.Event()

    def put(item: bytes | BaseException | None) -> bool:
        while not unwanted.is_set():
            try:
                waiting.put(item, timeout=0.05)
            except queue.Full:
                continue
            return True
        return False

    def run() -> None:
        try:
            for piece in pieces:
                if not put(piece):
                    return
            put(None)
        except BaseException as error:
            put(error)

    helper = threading.Thread(target=run, name="separatrix-decompress", daemon=True)
    helper.start()
    try:
        while (item := waiting.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        unwanted.set()
        helper.join()
