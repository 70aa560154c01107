"""Model files, written here by hand as LIBLINEAR and LIBSVM document them.

Tests `audit/libsvm_files.py`, `audit/claim.py`.
"""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.svm import SVC, LinearSVC, NuSVC

import separatrix
from separatrix import verify
from separatrix.audit import Unauditable

RNG = np.random.default_rng(11)
X = RNG.standard_normal((60, 3))
Y = np.where(X[:, 0] + 0.7 * RNG.standard_normal(60) > 0, 1, -1)
THREE = (X[:, 0] > 0).astype(int) + (X[:, 1] > 0.3)


def liblinear_text(model, solver: str, bias: float, *, reverse: bool = False) -> str:
    """The text of a LIBLINEAR model; ``reverse`` writes the labels in the order 1 -1, as they came first."""
    labels, W, b = model.classes_, model.coef_, model.intercept_
    sign = 1.0
    if len(labels) == 2:
        labels = labels[::-1] if reverse else labels
        sign = 1.0 if reverse else -1.0  # the first label is positive
    rows = sign * W.T
    if bias > 0:
        rows = np.vstack([rows, sign * b / bias])
    lines = "\n".join(" ".join(f"{value:.17g}" for value in row) + " " for row in rows)
    return (
        f"solver_type {solver}\nnr_class {len(labels)}\nlabel {' '.join(map(str, labels))}\n"
        f"nr_feature {X.shape[1]}\nbias {bias:g}\nw\n{lines}\n"
    )


def libsvm_text(model, kind: str, kernel: str) -> str:
    """The text of a LIBSVM model from scikit-learn's attributes."""
    coef, rho = model.dual_coef_.copy(), -model.intercept_
    if len(model.classes_) == 2:  # scikit-learn turned the signs round
        coef, rho = -coef, -rho
    lines = []
    for place, vector in enumerate(model.support_vectors_):
        entries = " ".join(f"{j + 1}:{value:.8g}" for j, value in enumerate(vector))
        lines.append(" ".join(f"{value:.17g}" for value in coef[:, place]) + " " + entries + " ")
    return (
        f"svm_type {kind}\nkernel_type {kernel}\nnr_class {len(model.classes_)}\ntotal_sv {len(lines)}\n"
        f"rho {' '.join(f'{value:.17g}' for value in rho)}\nlabel {' '.join(map(str, model.classes_))}\n"
        f"nr_sv {' '.join(map(str, model.n_support_))}\nSV\n" + "\n".join(lines) + "\n"
    )


@pytest.mark.parametrize(
    ("solver", "loss"),
    [
        ("L2R_L1LOSS_SVC_DUAL", "hinge"),
        ("L2R_L2LOSS_SVC_DUAL", "squared_hinge"),
        ("L2R_L2LOSS_SVC", "squared_hinge"),
    ],
)
@pytest.mark.parametrize("bias", [-1.0, 1.0, 2.0])
@pytest.mark.parametrize("reverse", [True, False])
def test_a_liblinear_file_is_the_model_it_came_from(tmp_path, solver, loss, bias, reverse):
    model = LinearSVC(
        loss=loss, C=0.5, fit_intercept=bias > 0, intercept_scaling=max(bias, 1.0), tol=1e-10, max_iter=10**6
    ).fit(X, Y)
    path = tmp_path / "file.model"
    path.write_text(liblinear_text(model, solver, bias, reverse=reverse))
    audit = separatrix.audit(path, X, Y, C=0.5)
    direct = separatrix.audit(model, X, Y)
    assert audit.primal == pytest.approx(direct.primal, rel=1e-13)
    assert audit.gap == pytest.approx(direct.gap, abs=1e-12)
    assert audit.errors == direct.errors
    assert solver in audit.model
    if bias != 2.0:
        assert verify(audit.certificate, X, Y, exact=False)


def test_a_liblinear_file_of_many_classes_and_as_text():
    model = LinearSVC(tol=1e-12, max_iter=10**6, class_weight={0: 3.0}).fit(X, THREE)
    text = liblinear_text(model, "L2R_L2LOSS_SVC_DUAL", 1.0)
    audits = separatrix.audit(text, X, THREE, C=1.0, class_weight={0: 3.0})
    assert list(audits) == [0, 1, 2]
    assert audits.gap <= 1e-9


def test_columns_that_a_file_never_saw():
    model = LinearSVC(tol=1e-10, max_iter=10**6).fit(X, Y)
    text = liblinear_text(model, "L2R_L2LOSS_SVC_DUAL", 1.0)
    wider = np.hstack([X, np.zeros((60, 1))])
    assert separatrix.audit(text, wider, Y, C=1.0).gap <= 1e-9
    with pytest.raises(ValueError, match="weights for 3 columns but X has 2"):
        separatrix.audit(text, X[:, :2], Y, C=1.0)


@pytest.mark.parametrize("y", [Y, THREE])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_libsvm_file_is_the_model_it_came_from(tmp_path, y, kernel):
    model = SVC(kernel=kernel, C=2.0, gamma=0.25, tol=1e-7).fit(X, y)
    path = tmp_path / "file.model"
    text = libsvm_text(model, "c_svc", kernel)
    path.write_text(text.replace("nr_class", "gamma 0.25\nnr_class", 1) if kernel == "rbf" else text)
    audit, direct = separatrix.audit(str(path), X, y, C=2.0), separatrix.audit(model, X, y)
    pairs = [(audit, direct)] if y is Y else [(audit[key], direct[key]) for key in combinations(range(3), 2)]
    for one, other in pairs:
        assert one.primal == pytest.approx(other.primal, rel=1e-6)  # a file has 8 digits of each vector
        assert one.dual == pytest.approx(other.dual, rel=1e-9)
        assert one.positive == other.positive
        assert not any("not all found" in note for note in one.notes)


def test_a_nu_svc_file_needs_no_c():
    model = NuSVC(kernel="linear", nu=0.7, tol=1e-8).fit(X, Y)
    assert separatrix.audit(libsvm_text(model, "nu_svc", "linear"), X, Y).gap < 1e-5
    with pytest.raises(ValueError, match="its C is read off"):
        separatrix.audit(libsvm_text(model, "nu_svc", "linear"), X, Y, C=1.0)


def test_vectors_that_are_no_rows_of_x():
    model = SVC(kernel="linear", tol=1e-7).fit(X, Y)
    audit = separatrix.audit(libsvm_text(model, "c_svc", "linear"), X + 0.5, Y, C=1.0)
    assert "not all found" in audit.notes[0]


def test_what_a_file_does_not_say_must_be_said():
    text = liblinear_text(LinearSVC().fit(X, Y), "L2R_L2LOSS_SVC_DUAL", 1.0)
    with pytest.raises(ValueError, match="does not store C"):
        separatrix.audit(text, X, Y)
    with pytest.raises(ValueError, match="states its loss"):
        separatrix.audit(text, X, Y, C=1.0, loss="hinge")
    with pytest.raises(ValueError, match="should have 4 lines"):
        separatrix.audit(text.rsplit("\n", 2)[0] + "\n", X, Y, C=1.0)
    with pytest.raises(ValueError, match="cut off"):
        separatrix.audit("solver_type L2R_L2LOSS_SVC\nnr_class 2\n", X, Y, C=1.0)


@pytest.mark.parametrize("solver", ["L2R_LR", "L1R_L2LOSS_SVC", "MCSVM_CS", "L2R_L2LOSS_SVR", "ONECLASS_SVM"])
def test_other_solvers_are_refused(solver):
    y = THREE if solver == "MCSVM_CS" else Y  # which has a plane for each of two classes as well
    with pytest.raises(Unauditable, match=solver):
        separatrix.audit(liblinear_text(LinearSVC().fit(X, y), solver, 1.0), X, y, C=1.0)


class Trap:
    """Unpickling this would raise another error than the audit does."""

    def __reduce__(self):
        return (pytest.fail, ("an audit unpickled something",))


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("name", ["model.pkl", "model.joblib", "model"])
def test_pickles_are_refused_unread(tmp_path, protocol, name):
    path = tmp_path / name
    path.write_bytes(pickle.dumps(Trap(), protocol=protocol))
    with pytest.raises(Unauditable):
        separatrix.audit(path, X, Y)
    with pytest.raises(Unauditable, match="pickle"):
        separatrix.audit(path.read_bytes(), X, Y)
    if protocol >= 2 or "." in name:
        with pytest.raises(Unauditable, match="looks like a pickle"):
            separatrix.audit(path, X, Y)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "data.txt"
    dump_svmlight_file(X, Y, str(path))
    with pytest.raises(Unauditable, match="no model file"):
        separatrix.audit(path, X, Y)
    with pytest.raises(FileNotFoundError, match="no model file"):
        separatrix.audit(tmp_path / "nowhere", X, Y)
