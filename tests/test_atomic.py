"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from separatrix import SVC, Certificate
from separatrix.atomic import replacing, write_atomically


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "file"
    write_atomically(target, b"old")

    def fail_half_way() -> None:
        with replacing(target) as file:
            file.write(b"ne")
            raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space"):
        fail_half_way()
    assert target.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_is_followed_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    write_atomically(os.devnull, b"gone")
    assert not Path(os.devnull).is_file()


def test_a_certificate_is_saved_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    proof = SVC().fit([[0.0], [1.0]], [0, 1]).certificate_
    place = tmp_path / "proof.json"
    proof.save(place)
    before = place.read_bytes()

    def full_disk(descriptor: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        proof.save(place)
    assert place.read_bytes() == before
    assert Certificate.load(place) == proof
    assert os.listdir(tmp_path) == ["proof.json"]
