"""A report calls nothing proved that it could not check (`report/verdicts.py`); documents are copies."""

import numpy as np

from separatrix import SVC, report, verify

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=60) > 0, 1, -1)


def test_nothing_is_called_proved_of_other_rows():
    model = SVC().fit(X, Y)
    own, other = report.make(model, X, Y), report.make(model, X + 1e-9, Y)
    assert own.verdict.endswith("that is proved.")
    assert "proved" not in other.verdict
    assert "does not hold for these rows" in other.html()
    assert "rows of another table" in other.quality.headline


def test_changing_a_document_changes_no_certificate():
    certificate = SVC().fit(X, Y).certificate_
    document = certificate.to_dict()
    values = document["proof"]["alpha"]["values"]
    values[0] = "0x1.8p+9"
    document["problem"]["C"] = "1e3"
    assert certificate.to_dict()["proof"]["alpha"]["values"][0] != "0x1.8p+9"
    assert verify(certificate, X, Y, exact=True)
