"""The safetensors container of model files: written in pieces, read by the safetensors library."""

import io
import json

import numpy as np
import pytest
from safetensors.numpy import load as from_safetensors

from separatrix.models.tensors import read_tensors, write_tensors

ARRAYS = {
    "wide": np.arange(6.0).reshape(2, 3),
    "empty": np.zeros((0, 4)),
    "one": np.array(7, dtype=np.int32),
    "flags": np.array([True, False]),
    "text": np.frombuffer(b"odd", dtype=np.uint8),
    "transposed": np.arange(6, dtype=np.float32).reshape(2, 3).T,
}


def written(arrays) -> bytes:
    file = io.BytesIO()
    write_tensors(arrays, file)
    return file.getvalue()


def test_the_file_has_no_holes_and_is_aligned():
    content = written(ARRAYS)
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    assert start % 8 == 0
    assert len(content) == start + sum(array.nbytes for array in ARRAYS.values())
    for name, array in ARRAYS.items():
        begin, end = header[name]["data_offsets"]
        assert begin % array.dtype.itemsize == 0
        assert end - begin == array.nbytes


@pytest.mark.parametrize("reader", [from_safetensors, read_tensors])
def test_arrays_come_back_as_they_were(reader):
    again = reader(written(ARRAYS))
    assert sorted(again) == sorted(ARRAYS)
    for name, array in ARRAYS.items():
        assert again[name].dtype == array.dtype
        assert np.array_equal(again[name], array)
        assert again[name].shape == array.shape
