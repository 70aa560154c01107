"""Compressed files: the same bytes, a sentence where they are cut short.

Tests `data/decoders.py`.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys

import numpy as np
import pytest
import zstandard

import separatrix as sx
from separatrix.checker.text import DataError
from separatrix.data.bzip2_blocks import Span, decompress_blocks, find_blocks
from separatrix.data.compression import ByteSource

TEXT = b"".join(b"%d 1:%d 2:0.5\n" % (i % 2, i) for i in range(60_000))
PACK = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def content(path) -> bytes:
    with ByteSource(str(path)) as source:
        return b"".join(source.pieces())


@pytest.mark.parametrize("kind", PACK)
def test_one_member_and_several(tmp_path, kind):
    path = tmp_path / f"data.{kind}"
    path.write_bytes(PACK[kind](TEXT))
    assert content(path) == TEXT
    data = sx.read(path)
    assert data.X.shape == (60_000, 2)
    assert data.X[-1, 0] == 59_999
    path.write_bytes(PACK[kind](TEXT[:1000]) + PACK[kind](b"") + PACK[kind](TEXT[1000:]))
    assert content(path) == TEXT


@pytest.mark.parametrize("kind", PACK)
def test_cut_short_and_garbage(tmp_path, kind):
    packed = PACK[kind](TEXT)
    path = tmp_path / "data"
    for bad in (packed[: len(packed) // 2], packed[:-3], packed + b"something else entirely"):
        path.write_bytes(bad)
        with pytest.raises(DataError, match="not a whole"):
            content(path)


@pytest.mark.parametrize("kind", ["gz", "bz2"])
def test_flipped_bits_are_noticed(tmp_path, kind):
    packed = bytearray(PACK[kind](TEXT))
    packed[len(packed) // 2] ^= 0x10
    path = tmp_path / "data"
    path.write_bytes(packed)
    with pytest.raises(DataError):
        content(path)


def test_an_abandoned_reader_ends_its_thread(tmp_path):
    path = tmp_path / "data.gz"
    path.write_bytes(gzip.compress(b"1 1:1\n" * 5_000_000))
    with ByteSource(str(path)) as source:
        pieces = source.pieces()
        next(pieces)
        next(pieces)
        pieces.close()  # joins the thread, or hangs until the test times out


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"1 3:2\n0 1:1\n"))))
    data = sx.read("-")
    assert data.X.toarray().tolist() == [[0, 0, 2], [1, 0, 0]]
    assert not sys.stdin.closed


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        sx.read(tmp_path / "nowhere.svm")


def test_blocks_of_bzip2_by_several_threads(tmp_path):
    rng = np.random.default_rng(0)
    body = rng.integers(0, 256, 400_000, dtype=np.uint8).tobytes()
    for level, count in ((1, 5), (9, 1)):
        packed = bz2.compress(body, level)
        spans = find_blocks(packed)
        assert len(spans) == count
        assert b"".join(piece for piece, _ in decompress_blocks(packed, spans, 2)) == body
    many = bz2.compress(body, 1) + bz2.compress(b"") + bz2.compress(body, 5)
    assert len(find_blocks(many)) == 6
    path = tmp_path / "data.bz2"
    path.write_bytes(many)
    assert content(path) == body + body
    # A mark of a block inside a block, by chance.
    fooled = find_blocks(packed)
    cut = [Span(fooled[0].begin, 5000), Span(5000, fooled[0].end)]
    with pytest.raises((OSError, ValueError)):
        list(decompress_blocks(packed, cut, 2))


def test_a_bzip2_file_with_a_false_mark_is_still_read(tmp_path, monkeypatch):
    packed = bz2.compress(TEXT, 1)
    path = tmp_path / "data.bz2"
    path.write_bytes(packed)
    spans = find_blocks(packed)
    middle = (spans[-1].begin + spans[-1].end) // 2
    false = [*spans[:-1], Span(spans[-1].begin, middle), Span(middle, spans[-1].end)]
    assert len(false) > 2
    monkeypatch.setattr("separatrix.data.compression.find_blocks", lambda _: false)
    assert content(path) == TEXT
