"""Model files of earlier versions stay readable: each was written once, and is never written again.

``data/models-1.json`` holds the rows and the scores that each file of format version 1 must give, as hexadecimal
floats, with the digest of its certificate, which is of a format that is no longer read.
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
    # Certificates of format 1 are refused, with the way to a new one; where there never was one it says why.
    old = "of format 1, .* fit again, .*separatrix audit MODEL DATA --certificate FILE"
    with pytest.raises(ValueError, match=old if known["certificate"] is not None else "kind 'mistakes'"):
        model.certificate_  # noqa: B018


def test_an_old_model_saved_again_still_says_so(tmp_path):
    model = sx.load(DATA / "v1-svc.safetensors")
    sx.save(model, tmp_path / "again.safetensors")
    again = sx.load(tmp_path / "again.safetensors")
    assert again.decision_function(ROWS) == pytest.approx(model.decision_function(ROWS))
    with pytest.raises(ValueError, match="of format 1"):
        again.certificate_  # noqa: B018


def test_the_hint_gives_a_certificate_of_the_present_format():
    known = FACTS["models"]["v1-svc"]
    audit = sx.audit(sx.load(DATA / "v1-svc.safetensors"), ROWS, LABELS[known["y"]])
    assert sx.verify(audit.certificate, ROWS, LABELS[known["y"]], exact=True)
