"""Model files of earlier versions stay readable: each was written once, and is never written again.

``data/models-1.json`` holds the rows and the scores that each file of format version 1 must give, as hexadecimal
floats, with the digest of its certificate.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import separatrix as sx

DATA = Path(__file__).parent / "data"
FACTS = json.loads((DATA / "models-1.json").read_text())
ROWS = np.array([[float.fromhex(value) for value in row] for row in FACTS["rows"]])
LABELS = FACTS["labels"]


def test_the_files_are_there():
    assert {path.stem for path in DATA.glob("v1-*.safetensors")} == set(FACTS["models"])
    assert len(FACTS["models"]) >= 6


@pytest.mark.parametrize("name", FACTS["models"])
def test_a_file_of_version_1(name):
    known = FACTS["models"][name]
    model = sx.load(DATA / f"{name}.safetensors")
    scores = model.decision_function(ROWS)
    expected = np.array([float.fromhex(value) for value in known["scores"]]).reshape(scores.shape)
    # Another processor may add in another order, so not bit for bit here.
    assert scores == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert [str(label) for label in model.predict(ROWS).tolist()] == known["predicted"]
    assert model.status_ == known["status"]
    assert len(model.history_) >= 1
    assert model.column_names_ == ["u", "v"]
    assert model.data_encoding_ == {"format": "csv", "label": 2}
    if known["certificate"] is not None:
        proofs = model.certificate_ if isinstance(model.certificate_, dict) else {"": model.certificate_}
        assert [proof.digest for proof in proofs.values()] == known["certificate"]
        # A perceptron of many classes proves its claim about the rows of Kesler's construction.
        about_rows = [proof for proof in proofs.values() if proof.data.columns == 2]
        assert len(about_rows) == len(proofs) or "perceptron" in name
        assert all(sx.verify(proof, ROWS, LABELS[known["y"]]) for proof in about_rows)
