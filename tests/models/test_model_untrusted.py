"""Model files that are damaged, too large, or made to mislead: each ends in a sentence.

Tests `models/fields.py`.
"""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from safetensors.numpy import load as from_safetensors
from safetensors.numpy import save as to_safetensors

from benchmarks import fuzz_models
from benchmarks.fuzz_models import pack
from separatrix import SVC, ModelFileError, load, save
from separatrix.models.file import model_bytes, model_from_bytes

X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 4.0], [4.0, 3.0]])
Y = np.array(["a", "a", "b", "b"])
SOUND = model_bytes(SVC().fit(X, Y))


def changed(change) -> bytes:
    """The sound file with a change made to its document and tensors, and the digest that goes with it."""
    arrays = dict(from_safetensors(SOUND))
    document = json.loads(arrays["document"].tobytes())
    change(document["SVC"], arrays)
    arrays["document"] = np.frombuffer(json.dumps(document).encode(), dtype=np.uint8)
    return pack(arrays)


def test_damaged_files_load_or_are_refused():
    counts = fuzz_models.run(cases=700, seed=7)
    assert counts["refused"] > 350
    assert counts["loaded"] > 10, "some damage is harmless, or the test would prove little"


@pytest.mark.parametrize("place", range(0, len(SOUND), 211))
def test_a_single_changed_bit_is_noticed(place):
    data = bytearray(SOUND)
    data[place] ^= 4
    with pytest.raises(ModelFileError):
        model_from_bytes(bytes(data))


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "too short"),
        (b"\xff" * 100, "length of its header"),
        (pickle.dumps(SVC()), "length of its header"),
        ((2).to_bytes(8, "little") + b"{}", "no model of separatrix"),
        (to_safetensors({"coef": np.ones(3)}), "no model of separatrix"),
        (to_safetensors({"coef": np.ones(3)}, {"separatrix-model": "1"}), "no digest"),
        (to_safetensors({"coef": np.ones(3)}, {"separatrix-model": "2 sha256 00"}), "has version '2'"),
        (to_safetensors({"coef": np.ones(3)}, {"separatrix-model": "1 sha256 00"}), "was changed"),
        (pack({"document": np.frombuffer(b"[1,", dtype=np.uint8)}), "No JSON"),
        (pack({"document": np.frombuffer(b"[" * 100_000, dtype=np.uint8)}), "No JSON"),
        (
            pack({"document": np.frombuffer(b'{"model": "Forest"}', dtype=np.uint8)}),
            "SVC, Perceptron; got 'Forest'",
        ),
    ],
)
def test_other_files_are_refused(content, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        model_from_bytes(content)


def put(name, value):
    return lambda document, arrays: document.__setitem__(name, value)


def put_array(name, value):
    return lambda document, arrays: arrays.__setitem__(name, value)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (put_array("coef", np.ones((1, 3))), r"coef in the model file must be an array 1x2 of float64; got"),
        (put_array("coef", np.ones((1, 2), dtype=np.float32)), "1x2 of float64"),
        (put_array("coef", np.full((1, 2), np.nan)), "finite"),
        (put_array("support", np.array([0, 1, 99])), "integers from 0 to 3"),
        (put_array("support", np.array([0, 1, -1])), "integers from 0 to 3"),
        (put("classes", {"texts": ["b", "a"], "width": 1}), "increasing order"),
        (put("classes", {"texts": ["a", "b"], "width": 2**40}), "width"),
        (put("classes", {"array": "nowhere"}), "no tensor 'nowhere'"),
        (put("classes", {"call": "os.system"}), "no known kind"),
        (put("problems", []), "must have 1 problems; it has 0"),
        (put("pairwise", 1), "true or false"),
        (put("parameters", {"pairs": [["C", -1.0]]}), "C must be"),
        (put("parameters", {"pairs": [["price", 1.0]]}), "SVC has no parameter 'price'"),
        (put("parameters", {"pairs": [["kernel", "quantum"]]}), "kernel must be"),
        (put_array("certificates", np.frombuffer(b"[]", dtype=np.uint8)), "must have 1 certificates"),
        (
            put_array("certificates", np.frombuffer(b'[{"certificate": {}}]', dtype=np.uint8)),
            "Not a certificate",
        ),
        (put_array("certificates", np.frombuffer(b"[1.5]", dtype=np.uint8)), "no JSON float"),
        *(
            (put_array("certificates", np.frombuffer(text.encode(), dtype=np.uint8)), "has version")
            for version in ("3", "true", '"1"', "null")
            for text in [f'[{{"certificate": {{"format": "separatrix-certificate", "version": {version}}}}}]']
        ),
    ],
)
def test_misleading_fields_are_refused(change, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        model_from_bytes(changed(change))


def test_a_missing_parameter_takes_its_default_and_an_old_file_stays_readable():
    def drop(document, arrays):
        pairs = document["parameters"]["pairs"]
        document["parameters"]["pairs"] = [pair for pair in pairs if pair[0] != "strict"]

    assert model_from_bytes(changed(drop)).strict is False


def test_a_certificate_exchanged_for_another_is_refused():
    def spoil(document, arrays):
        text = arrays["certificates"].tobytes().decode()
        arrays["certificates"] = np.frombuffer(text.replace("optimal", "optimum").encode(), dtype=np.uint8)

    with pytest.raises(ModelFileError, match="differs from its digest"):
        model_from_bytes(changed(spoil))


def test_large_and_missing_files(tmp_path):
    path = tmp_path / "model.safetensors"
    save(SVC().fit(X, Y), path)
    with pytest.raises(ModelFileError, match="more than the limit of 100"):
        load(path, max_bytes=100)
    with pytest.raises(ModelFileError, match="There is no model file"):
        load(tmp_path / "nowhere")
    with pytest.raises(ModelFileError, match="There is no model file"):
        load(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelFileError, match=r"^model.safetensors: "):
        load(path)
