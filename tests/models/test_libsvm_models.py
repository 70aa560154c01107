"""Models of LIBSVM and LIBLINEAR: hand-made facts, round trips of ours, and agreement with the programs themselves.

Tests `models/imported.py`, `models/libsvm_text.py`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import sparse

import separatrix as sx
from separatrix import SVC, ModelFileError, Perceptron
from separatrix.models.libsvm_models import export_model, import_model, model_text

RNG = np.random.default_rng(5)
X = RNG.standard_normal((60, 4))
TWO = np.where(X[:, 0] + 0.6 * RNG.standard_normal(60) > 0, 7, -2)
THREE = np.array([3, 1, 5])[(X[:, 0] > -0.2).astype(int) + (X[:, 1] > 0.2)]
NEW = RNG.standard_normal((50, 4))

PLANES = """solver_type L2R_L2LOSS_SVC_DUAL
nr_class 3
label 3 1 2
nr_feature 2
bias 0.5
w
1 0 -1
0 2 1
4 -2 0
"""
TWO_VECTORS = """svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0.25
label 1 -1
nr_sv 1 1
SV
0.75 1:1
-0.75 2:2
"""


def test_a_liblinear_text_by_hand():
    model = import_model(PLANES)
    # x = (2, 1): label 3: 2 + 0.5 * 4, label 1: 2 + 0.5 * -2, label 2: -2 + 1
    assert model.decision_values([[2.0, 1.0]]).tolist() == [[4.0, 1.0, -1.0]]
    assert model.decision_function([[2.0, 1.0]]).tolist() == [[1.0, -1.0, 4.0]]  # labels 1, 2, 3
    assert model.classes_.tolist() == [1, 2, 3]
    assert model.predict([[2.0, 1.0], [0.0, 5.0]]).tolist() == [3, 1]
    assert model.score([[2.0, 1.0]], [3]) == 1.0


def test_a_libsvm_text_by_hand():
    model = import_model(TWO_VECTORS)
    # k((1,0), (1,0)) = 1, k((1,0), (0,2)) = exp(-0.5 * 5)
    expected = 0.75 - 0.75 * math.exp(-2.5) - 0.25
    assert model.decision_values([[1.0, 0.0]])[0, 0] == pytest.approx(expected, rel=1e-14)
    assert model.decision_function([[1.0, 0.0]])[0] == pytest.approx(expected, rel=1e-14)
    assert model.predict([[1.0, 0.0], [0.0, 2.0]]).tolist() == [1, -1]


def test_columns_that_were_never_written_are_zero():
    model = import_model(TWO_VECTORS)
    wide = sparse.csr_array(np.array([[1.0, 0.0, 3.0]]))  # the third column counts in the distance
    expected = 0.75 * math.exp(-4.5) - 0.75 * math.exp(-0.5 * 14) - 0.25
    assert model.decision_values(wide)[0, 0] == pytest.approx(expected, rel=1e-14)
    assert model.decision_values([[1.0]])[0, 0] == model.decision_values([[1.0, 0.0]])[0, 0]
    assert import_model(PLANES).decision_values([[2.0, 1.0, 9.0]]).tolist() == [[4.0, 1.0, -1.0]]


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("bias", ["free", "augmented", "none"])
@pytest.mark.parametrize("make", [SVC, Perceptron])
def test_our_planes_come_back_through_liblinear(tmp_path, y, bias, make):
    if make is Perceptron:
        model = Perceptron(bias="unit" if bias == "free" else "none", output="averaged", max_epochs=2000).fit(
            X, y
        )
    else:
        model = SVC(bias=bias, loss="squared_hinge").fit(X, y)
    path = tmp_path / "planes.model"
    export_model(model, path)
    other = sx.load(path)
    assert other.decision_function(NEW).tobytes() == model.decision_function(NEW).tobytes()
    assert other.predict(NEW).tolist() == model.predict(NEW).tolist()


def test_crammer_and_singers_planes_name_their_solver():
    model = SVC(multi_class="crammer-singer").fit(X, THREE)
    text = model_text(model)
    assert text.startswith("solver_type MCSVM_CS\nnr_class 3\n")
    assert import_model(text).predict(NEW).tolist() == model.predict(NEW).tolist()


def test_pairs_of_planes_go_to_libsvm():
    model = SVC(multi_class="ovo", tol=1e-8).fit(X, THREE)
    text = model_text(model)
    assert text.startswith("svm_type c_svc\nkernel_type linear\n")
    other = import_model(text)
    scores = NEW @ model.coef_.T + model.intercept_
    assert other.decision_values(NEW) == pytest.approx(scores, rel=1e-9, abs=1e-9)
    assert other.predict(NEW).tolist() == model.predict(NEW).tolist()


def test_an_exported_model_can_be_audited(tmp_path):
    model = SVC(bias="augmented").fit(X, TWO)
    export_model(model, tmp_path / "m")
    assert sx.audit(tmp_path / "m", X, TWO, C=1.0).gap <= 1e-3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no model file"),
        ("hello\nworld\n", "begins with neither"),
        (PLANES.replace("w\n1 0 -1\n", "v\n"), "no line 'w'; it was cut off"),
        (PLANES.replace("4 -2 0\n", ""), "should have 3 lines of weights; it has 2"),
        (PLANES.replace("4 -2 0", "4 -2"), "Line 9 of the model text needs 3 numbers; got 2"),
        (PLANES.replace("4 -2 0", "4 -2 nan"), "Line 9 .* needs finite numbers; got 'nan'"),
        (PLANES.replace("4 -2 0", "4 -2 x"), "Line 9 .* got 'x'"),
        (PLANES.replace("label 3 1 2", "label 3 3 2"), "nr_class different labels"),
        (PLANES.replace("label 3 1 2\n", ""), "no classifier"),
        (PLANES.replace("nr_feature 2", "nr_feature -1"), "nr_feature"),
        (PLANES.replace("L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVR"), "which is no classifier"),
        (TWO_VECTORS.replace("c_svc", "epsilon_svr"), "c_svc and nu_svc"),
        (TWO_VECTORS.replace("rbf", "precomputed").replace("1:1", "0:1"), "hold their vectors"),
        (TWO_VECTORS.replace("rbf", "magic"), "which LIBSVM does not have"),
        (TWO_VECTORS.replace("rho 0.25", "rho 0.25 1"), "needs 1 values of rho"),
        (TWO_VECTORS.replace("nr_sv 1 1", "nr_sv 1 2"), "should have 3 support vectors"),
        (TWO_VECTORS.replace("2:2", "2:2 2:1"), "increasing; got '2:1'"),
        (TWO_VECTORS.replace("2:2", "99999999999:2"), "got '99999999999:2'"),
        (TWO_VECTORS.replace("2:2", "two:2"), "needs integers; got 'two'"),
        (TWO_VECTORS.replace("2:2", "2"), "index:value"),
    ],
)
def test_malformed_texts_are_refused(text, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        import_model(text or "nowhere.model")


def test_damaged_texts_are_refused_or_read():
    rng, outcomes = np.random.default_rng(1), set()
    for case in range(3000):
        data = bytearray((PLANES if case % 2 else TWO_VECTORS).encode())
        for _ in range(int(rng.integers(1, 3))):
            at = int(rng.integers(0, len(data)))
            data[at : at + int(rng.integers(0, 3))] = rng.choice(
                list(b"0123456789 .-:e\nxn_"), size=2
            ).tobytes()
        try:
            import_model(data.decode("latin1").replace("\0", "")).predict(np.ones((2, 3)))
            outcomes.add("read")
        except ModelFileError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


@pytest.mark.parametrize(
    ("model", "format", "sentence"),
    [
        (object(), "auto", "SVC or Perceptron can be exported"),
        (SVC().fit(X, np.where(X[:, 0] > 0, "a", "b")), "auto", "whole numbers for labels"),
        (SVC().fit(X, THREE), "libsvm", "pairs of classes"),
        (SVC(multi_class="ovo").fit(X, THREE), "liblinear", "LIBLINEAR holds planes"),
        (SVC().fit(X, TWO), "onnx", "format must be"),
        (Perceptron(output="voted").fit(X, TWO > 0), "auto", "votes"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_cannot_be_exported_is_refused(model, format, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        model_text(model, format)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("bias", [-1.0, 1.0, 2.5])
def test_agreement_with_liblinear(tmp_path, y, bias):
    program = pytest.importorskip("liblinear.liblinearutil")
    path = str(tmp_path / "theirs.model")
    theirs = program.train(y.tolist(), X.tolist(), f"-q -s 3 -c 0.7 -B {bias}")
    program.save_model(path, theirs)
    labels, _, values = program.predict([], NEW.tolist(), theirs, "-q")
    ours = import_model(path)
    assert (
        np.abs(ours.decision_values(NEW) - np.array(values)[:, : ours.parsed.weights.shape[1]]).max() <= 1e-12
    )
    assert ours.predict(NEW).tolist() == labels
    model = SVC(bias="augmented").fit(X, y)
    export_model(model, path)
    labels, _, values = program.predict([], NEW.tolist(), program.load_model(path), "-q")
    assert model.predict(NEW).tolist() == labels
    scores = np.array(values)[:, 0] if y is TWO else np.array(values)
    assert np.abs(scores - model.decision_function(NEW)).max() <= 1e-12


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    "kernel", ["-t 0", "-t 1 -d 2 -r 1", "-t 2 -g 0.3", "-t 3 -g 0.1 -r 0.2", "-s 1 -n 0.3 -t 2"]
)
def test_agreement_with_libsvm(tmp_path, y, kernel):
    program = pytest.importorskip("libsvm.svmutil")
    if y is THREE and "-s 1" in kernel:
        pytest.skip("the libsvm package itself crashes on a nu-SVC of three classes that it loads")
    path = str(tmp_path / "theirs.model")
    theirs = program.svm_train(y.tolist(), X.tolist(), f"-q {kernel}")
    program.svm_save_model(path, theirs)
    stored = program.svm_load_model(path)  # its vectors were rounded to 8 digits when it was saved
    labels, _, values = program.svm_predict([], NEW.tolist(), stored, "-q")
    ours = import_model(path)
    assert np.abs(ours.decision_values(NEW) - np.array(values)).max() <= 1e-12
    assert ours.predict(NEW).tolist() == labels


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "sigmoid"])
@pytest.mark.filterwarnings("ignore:The sigmoid kernel is not positive semidefinite")
def test_our_kernel_models_in_libsvm(tmp_path, y, kernel):
    gamma = "scale" if kernel == "linear" else 0.2
    model = SVC(kernel=kernel, gamma=gamma, coef0=0.1, degree=2, multi_class="ovo")
    try:
        model.fit(X, y)
    except sx.IndefiniteKernelError:
        pytest.skip("this sigmoid kernel is not positive semidefinite on these rows")
    export_model(model, tmp_path / "ours.model", "libsvm")
    other = import_model(tmp_path / "ours.model")
    assert other.predict(NEW).tolist() == model.predict(NEW).tolist()
    if y is TWO:
        assert other.decision_function(NEW) == pytest.approx(
            model.decision_function(NEW), rel=1e-9, abs=1e-10
        )
    program = pytest.importorskip("libsvm.svmutil")
    stored = program.svm_load_model(str(tmp_path / "ours.model"))
    labels, _, values = program.svm_predict([], NEW.tolist(), stored, "-q")
    assert np.abs(other.decision_values(NEW) - np.array(values)).max() <= 1e-10
    assert model.predict(NEW).tolist() == labels
