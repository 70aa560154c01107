"""The blocks of a bzip2 file, decompressed by several threads.

A file is a row of streams: "BZh" and a digit, blocks, an end mark, the checksum of the stream, then bits to the next
byte. A block begins with a mark of 48 bits (the digits of pi) and its checksum, at any bit. Each block, put between a
header and an end of its own, is a file that the standard library decompresses, its checksum included.
"""

from __future__ import annotations

import bz2
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

_BLOCK = 0x314159265359
_END = 0x177245385090


@dataclass(frozen=True)
class Span:
    """The bits begin .. end of one block in the file."""

    begin: int
    end: int


def find_blocks(data: bytes) -> list[Span] | None:
    """Places of the blocks; None if the file is not as expected, which the plain decompressor will explain.

    >>> len(find_blocks(bz2.compress(b"one") + bz2.compress(b"two"))), find_blocks(b"BZh9 and no more")
    (2, None)
    """
    marks = sorted([(at, True) for at in _places(data, _BLOCK)] + [(at, False) for at in _places(data, _END)])
    spans: list[Span] = []
    place, checksum = 32, 0  # where the next mark must be; of the blocks of this stream
    for number, (at, is_block) in enumerate(marks):
        if at != place:
            return None
        if is_block:
            if number + 1 == len(marks):
                return None
            place = marks[number + 1][0]
            spans.append(Span(at, place))
            checksum = ((checksum << 1 | checksum >> 31) & 0xFFFFFFFF) ^ _bits(data, at + 48, 32)
        else:
            stop = (at + 80 + 7) // 8
            if 8 * len(data) < at + 80 or _bits(data, at + 48, 32) != checksum:
                return None
            if stop == len(data):
                return spans if number + 1 == len(marks) else None
            if data[stop : stop + 3] != b"BZh":
                return None
            place, checksum = 8 * stop + 32, 0
    return None


def decompress_blocks(data: bytes, spans: list[Span], n_threads: int) -> Iterator[tuple[bytes, int]]:
    """Each block decompressed, in order, with the number of bytes of the file used so far."""
    with ThreadPoolExecutor(n_threads, thread_name_prefix="separatrix-bzip2") as pool:
        waiting: deque[tuple[Span, Future[bytes]]] = deque()
        try:
            for span in spans:
                waiting.append((span, pool.submit(_decompress, data, span)))
                if len(waiting) > 2 * n_threads:
                    first, result = waiting.popleft()
                    yield result.result(), first.end // 8
            while waiting:
                first, result = waiting.popleft()
                yield result.result(), first.end // 8
        finally:
            for _, result in waiting:
                result.cancel()


def _decompress(data: bytes, span: Span) -> bytes:
    size = span.end - span.begin
    checksum = _bits(data, span.begin + 48, 32)
    # The checksum of a stream of one block is that of the block.
    bits = (_bits(data, span.begin, size) << 80) | (_END << 32) | checksum
    padding = -(size + 80) % 8
    return bz2.decompress(b"BZh9" + (bits << padding).to_bytes((size + 80 + padding) // 8, "big"))


def _bits(data: bytes, begin: int, size: int) -> int:
    """Some bits of the file as an integer."""
    end = begin + size
    last = -(-end // 8)
    return (int.from_bytes(data[begin // 8 : last], "big") >> (8 * last - end)) & ((1 << size) - 1)


def _places(data: bytes, mark: int) -> Iterator[int]:
    """Every bit at which the mark of 48 bits begins."""
    whole = int.from_bytes(data, "big") << 8
    for shift in range(8):
        shifted = (whole << shift).to_bytes(len(data) + 2, "big")[1:]
        at = shifted.find(mark.to_bytes(6, "big"))
        while at >= 0:
            if 8 * at + shift + 48 <= 8 * len(data):
                yield 8 * at + shift
            at = shifted.find(mark.to_bytes(6, "big"), at + 1)
