"""The SVM of all classes at once (Joint.v, JointKernels.v): the same sentences as Python, and the same rejections."""

from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest

from separatrix import SVC
from separatrix.checker.__main__ import main
from tests.adversary import makers
from tests.adversary.document import Data, describe, sealed
from tests.adversary.judges import arrays, python
from tests.adversary.mutations import stream
from tests.adversary.specimens import KERNELS, THREE_MIXED, Specimen, kernel
from tests.verified.proved_checker import PROGRAM, Proved, agreed

COST = {"positive": "0x1.8000000000000p+0", "negative": "0x1.8000000000000p+0"}
PRODUCTS = [
    [float(round(16 * sum(a * b for a, b in zip(x, z, strict=True)))) for z in THREE_MIXED.X]
    for x in THREE_MIXED.X
]
GRAM = Data(
    [[v + 8 * (i == j) for j, v in enumerate(row)] for i, row in enumerate(PRODUCTS)], THREE_MIXED.y, 6
)
FORMS = {
    "linear": "linear",
    **{name: KERNELS[name] for name in ("linear object", "poly", "product", "rbf", "sum")},
    "precomputed": kernel("precomputed"),
}
CONDITIONAL = {"rbf", "sum", "precomputed"}  # exp, or a matrix that is given


def specimen(name, bias="free", short=False, tight=False):
    data = GRAM if name == "precomputed" else THREE_MIXED
    problem = {"loss": "hinge", "bias": bias, "kernel": FORMS[name], "C": COST, "classes": "joint"}
    about = describe(data, ["2", "x", "5"], [])
    return Specimen(f"{name} {bias} {short}", makers.optimal(data, about, problem, short, tight), data)


@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("name", FORMS)
def test_same_sentence_as_python(program, name, bias, short, tight):
    each = specimen(name, bias, short, tight)
    content, proved = json.dumps(each.document).encode(), Proved()
    (answer,) = proved.answers([(content, each.data)])
    proved.close()
    exact = python(content, each.document, each.data, arrays(each.data))["exact"]
    assert exact.outcome == "proved"
    assert answer.outcome == ("conditional" if name in CONDITIONAL else "proved"), answer.reason
    assert answer.reason.endswith(each.document["claim"])
    if name not in CONDITIONAL:
        assert answer.reason == exact.reason


def test_changed_documents(program):
    sources = [specimen(name, bias, short) for name in FORMS for bias in ("free", "augmented", "none")
               for short in ((False, True) if name == "linear" else (False,))]  # fmt: skip
    outcomes = agreed(stream("joint", sources), 1_500)
    assert outcomes["proved"] >= 50
    assert outcomes["conditional"] >= 20
    assert outcomes["rejected"] >= 500
    assert not outcomes["not covered"]


@pytest.mark.parametrize("short", [False, True])
def test_files_with_and_without_the_weights(program, tmp_path, capsys, short):
    """Without W the rows are read twice. What is rejected is rejected with Python's words."""
    each = specimen("linear", "free", short)
    assert ("W" in each.document["proof"]) is not short
    certificate, data = tmp_path / "proof.json", tmp_path / "data.csv"
    lines = [f"{a!r},{b!r},{label}" for (a, b), label in zip(each.data.X, each.data.y, strict=True)]
    data.write_text("\n".join(["a,b,kind", *lines]) + "\n")
    proof = each.document["proof"]
    lower = {**proof, "primal": proof["dual"]}  # the optimum lies above
    shifted = {**proof, "beta": {**proof["beta"], "values": [*proof["beta"]["values"]]}}
    place = next(i for i, value in enumerate(shifted["beta"]["values"]) if value != "0x0.0p+0")
    shifted["beta"]["values"][place] = "0x1.0000000000000p-9"  # no column of A sums to zero any longer
    for changed, expected in ((proof, 0), (lower, 3), (shifted, 3)):
        certificate.write_text(json.dumps(sealed({**each.document, "proof": changed})))
        code = main([str(certificate), str(data)])
        said = capsys.readouterr().out
        found = subprocess.run(
            [PROGRAM, certificate, data], capture_output=True, text=True, timeout=60, check=False
        )
        assert (found.returncode, found.stdout) == (code, said)
        assert code == expected


def test_many_weights_fit_the_stack(program, tmp_path):
    """360,000 weights that the program computes itself: nothing recurses over them."""
    columns, rows = 120_000, ((1.0, 0), (2.0, 0), (-1.0, 1), (3.0, 2))
    X, y = np.array([[value] * columns for value, _ in rows]), np.array([label for _, label in rows])
    certificate, data = tmp_path / "proof.json", tmp_path / "data.svm"
    SVC(multi_class="crammer-singer", tol=0.1).fit(X, y).certificate_.save(certificate)
    assert "W" not in json.loads(certificate.read_text())["proof"]
    data.write_text(
        "".join(
            f"{label} " + " ".join(f"{j}:{v:g}" for j in range(1, columns + 1)) + "\n" for v, label in rows
        )
    )
    found = subprocess.run(
        [PROGRAM, certificate, data], capture_output=True, text=True, timeout=60, check=False
    )
    assert found.returncode == 0, found.stdout
