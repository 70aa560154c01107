"""separatrix fit: what it chooses, what it says, what it saves, and how it ends.

Tests `cli/fitting.py`, `cli/fit_model.py`, `cli/fit_answer.py`, `cli/files.py`, `cli/progress.py`.
"""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from cli_cases import PLANE, json_of, run
from typer.main import get_command

import separatrix
from separatrix.cli.app import app
from separatrix.cli.fit import FitOptions


def test_fit_alone_says_what_it_chose_and_what_is_proved(folder):
    result = run("fit", "data.svm")
    assert result.exit_code == 0, result.output
    names = [line.split()[0] for line in result.stdout.splitlines() if not line.startswith(" ")]
    assert names == [
        "data", "classes", "learnt", "accuracy", "proved", "separable?", "model", "certificate",
    ]  # fmt: skip
    assert "linear kernel, hinge loss, C = 1, free bias" in result.stdout
    assert (
        "Separable: a straight boundary (a hyperplane) has every row strictly on its own side"
        in result.stdout
    )
    assert (folder / "data.model.safetensors").is_file()
    assert run("verify", "data.certificate.json.gz", "data.svm", "--exact").exit_code == 0


def test_json_is_one_object_with_every_number_of_the_text(folder):
    found = json_of("fit", "data.svm", "-c", "10")
    assert found["command"] == "fit"
    assert found["version"] == separatrix.__version__
    assert found["status"] == "converged"
    assert found["proved"] is True
    assert found["data"] == {
        "file": "data.svm", "format": "libsvm", "rows": 10, "columns": 2, "nonzeros": 18, "classes": {"-1": 5, "1": 5},
    }  # fmt: skip
    (problem,) = found["problems"]
    assert problem["dual"] <= problem["primal"]
    assert problem["support"]["rows"] == problem["support"]["margin"] + problem["support"]["slack"]
    assert found["separability"]["verdict"] == "separable"
    assert found["files"] == {"model": "data.model.safetensors", "certificate": "data.certificate.json.gz"}
    assert found["training"] == {"rows": 10, "errors": 0, "baseline": 0.5}


def test_the_saved_model_is_the_model_of_the_library(folder):
    run("fit", "data.svm", "-c", "0.5", "--bias", "augmented")
    loaded = separatrix.load("data.model.safetensors")
    rows = [line.split()[1:] for line in PLANE.splitlines()]
    X = np.array([[float(entry.split(":")[1]) for entry in row] for row in rows])
    y = np.array([int(line.split()[0]) for line in PLANE.splitlines()])
    ours = separatrix.SVC(C=0.5, bias="augmented", random_state=0).fit(X, y)
    np.testing.assert_allclose(loaded.coef_, ours.coef_, rtol=1e-6)
    assert loaded.C == 0.5


def test_a_report_names_the_certificate_of_the_last_fit(folder):
    """One file and a folder are two places: the file of an earlier fit is no proof of the new model."""
    assert run("fit", "data.csv", "--multi-class", "crammer-singer").exit_code == 0
    assert run("fit", "data.csv").exit_code == 0
    assert "data.certificates/001" in run("report", "data.model.safetensors", "data.csv").stdout
    assert run("fit", "data.csv", "--multi-class", "crammer-singer").exit_code == 0
    assert "data.certificate.json.gz" in run("report", "data.model.safetensors", "data.csv").stdout


def test_many_classes_get_a_folder_of_certificates(folder):
    found = json_of("fit", "data.csv")
    assert found["files"]["certificate"] == "data.certificates"
    assert len(list((folder / "data.certificates").iterdir())) == 3
    checked = json_of("verify", "data.certificates", "data.csv")
    assert [each["proved"] for each in checked["certificates"]] == [True] * 3
    pairs = json_of("fit", "data.csv", "--pairs")
    assert pairs["problems"][0]["problem"] == "('setosa', 'versicolor')"


@pytest.mark.parametrize("kernel", [(), ("-t", "2", "-g", "0.5")], ids=["linear", "rbf"])
def test_all_classes_in_one_problem(folder, kernel):
    found = json_of("fit", "data.csv", "--multi-class", "crammer-singer", *kernel)
    (problem,) = found["problems"]
    assert problem["classes"] == ["setosa", "versicolor", "virginica"]
    assert len(problem["margins"]) == 3
    assert problem["support"]["margin"] + problem["support"]["slack"] == problem["support"]["rows"] > 0
    assert found["files"]["certificate"] == "data.certificate.json.gz"
    for exact in ([], ["--exact"]):
        assert json_of("verify", "data.certificate.json.gz", "data.csv", *exact)["proved"]
    loaded = separatrix.load("data.model.safetensors")
    assert loaded.multi_class == "crammer-singer"
    predicted = json_of("predict", "data.model.safetensors", "data.csv")
    assert predicted["accuracy"]["correct"] == 12 - found["training"]["errors"]
    assert run("report", "data.model.safetensors", "data.csv", "-o", "page.html").exit_code == 0
    assert "SVM of all classes at once" in (folder / "page.html").read_text()
    assert "carries its own proof" in run("audit", "data.model.safetensors", "data.csv").stderr


def test_all_classes_in_one_problem_in_words(folder):
    text = run("fit", "data.csv", "--multiclass", "crammer-singer", "--explain").stdout
    assert "all classes in one problem, linear kernel" in text
    assert "by class" in text


def test_held_out_rows_are_not_learnt_and_the_proof_still_speaks_of_the_whole_file(folder):
    found = json_of("fit", "wdbc.libsvm", "--holdout", "0.2", "-c", "0.1", "--max-time", "60")
    assert found["held_out"]["rows"] == 114
    assert found["training"]["rows"] == 455
    assert 0.8 < found["held_out"]["accuracy"] <= 1.0
    assert run("verify", "wdbc.certificate.json.gz", "wdbc.libsvm").exit_code == 0


def test_accuracy_on_a_test_file(folder):
    found = json_of("fit", "data.svm", "--test", "new.svm", "--no-save")
    held_out = found["held_out"]
    assert (held_out["source"], held_out["rows"], held_out["correct"]) == ("new.svm", 10, 10)
    assert (held_out["accuracy"], held_out["baseline"], held_out["roc_auc"]) == (1.0, 0.5, 1.0)
    assert found["files"] == {}
    assert not (folder / "data.model.safetensors").exists()


def test_cross_validation_saves_nothing(folder):
    found = json_of("fit", "data.svm", "-v", "5")
    assert found["cross_validation"]["accuracy"] == 1.0
    assert len(found["cross_validation"]["each"]) == 5
    assert not (folder / "data.model.safetensors").exists()


def test_class_weights_as_libsvm_writes_them(folder):
    ours = json_of("fit", "data.svm", "-w", "1=5", "-w", "-1=2", "--no-save")
    theirs = json_of("fit", "data.svm", "-w1", "5", "-w-1", "2", "--no-save")
    assert ours["model"]["parameters"]["class_weight"] == {"1": 5.0, "-1": 2.0}
    assert theirs["model"] == ours["model"]
    assert theirs["primal"] == ours["primal"]


def test_the_hard_margin_and_its_absence(folder):
    found = json_of("fit", "data.svm", "-c", "inf")
    assert found["gap"] <= 1e-9
    (folder / "xor.svm").write_text("1 1:0 2:0\n-1 2:1\n-1 1:1\n1 1:1 2:1\n")
    result = run("fit", "xor.svm", "-c", "inf")
    assert result.exit_code == 1
    assert "error: There is no hard margin: Inseparable: no straight boundary" in result.stderr
    assert "hint: a finite C (-c 1)" in result.stderr
    assert run("verify", "xor.inseparable.json.gz", "xor.svm", "--exact").exit_code == 0


def test_perceptron_with_its_bound(folder):
    found = json_of("fit", "data.svm", "--perceptron")
    assert found["model"]["estimator"] == "Perceptron"
    assert found["updates"] <= found["bound"]
    assert run("verify", "data.certificate.json.gz", "data.svm", "--exact").exit_code == 0


def test_a_perceptron_that_is_stopped_is_not_proved(folder):
    result = run("fit", "wdbc.libsvm", "--perceptron", "--max-iter", "3")
    assert result.exit_code == 2
    assert "There is no certificate of this fit." in result.stderr
    assert (folder / "wdbc.model.safetensors").exists()


def test_a_limit_keeps_the_best_and_ends_with_2(folder):
    result = run("fit", "wdbc.libsvm", "--max-iter", "1", "-c", "100", "--json")
    assert result.exit_code == 2
    found = json.loads(result.stdout)
    assert found["proved"] is False
    assert found["gap"] > 1e-3
    assert found["notes"], "the library's advice is passed on"
    assert run("verify", "wdbc.certificate.json.gz", "wdbc.libsvm").exit_code == 0, "the gap it has is proved"


def test_ours_is_replaced_and_a_stranger_is_not(folder):
    assert run("fit", "data.svm").exit_code == 0
    again = run("fit", "data.svm")
    assert again.exit_code == 0
    assert "note: data.model.safetensors was there before; it is replaced." in again.stderr
    before = (folder / "new.svm").read_text()
    refused = run("fit", "data.svm", "new.svm")  # svm-train's order of a careless user
    assert refused.exit_code == 1
    assert "new.svm exists and was not written by separatrix" in refused.stderr
    assert (folder / "new.svm").read_text() == before
    assert run("fit", "data.svm", "new.svm", "--force").exit_code == 0


def test_results_go_where_they_are_told(folder):
    assert run("fit", "data.svm", "-o", "results").exit_code == 0
    assert sorted(path.name for path in (folder / "results").iterdir()) == [
        "data.certificate.json.gz", "data.model.safetensors",
    ]  # fmt: skip
    assert run("fit", "data.svm", "mine.safetensors", "--certificate", "proof.json").exit_code == 0
    assert (folder / "proof.json").read_text().startswith("{")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["-t", "7"], "-t must be a kernel: 0 linear, 1 poly, 2 rbf, 3 sigmoid, 4 precomputed, or laplacian; got '7'."),
        (["-t", "0", "-g", "1"], "-g means nothing to a linear kernel."),
        (["-t", "2", "-g", "wide"], "-g must be a number, scale or auto; got 'wide'."),
        (["-w", "3=1"], "there is no class '3'; the classes are -1, 1."),
        (["-w", "1=heavy"], "a weight must be a number; got 'heavy'."),
        (["--perceptron", "-c", "3"], "-c means nothing to a perceptron."),
        (["--perceptron", "--multi-class", "ovo"], "--multi-class means nothing to a perceptron."),
        (["--multi-class", "all"], "--multi-class must be one of ovr, ovo, crammer-singer; got 'all'."),
        (["--multi-class", "ovr", "--pairs"], "--pairs and --multi-class ovr exclude each other."),
        (["--multi-class", "crammer-singer", "--checkpoint", "x"], "--checkpoint saves binary problems"),
        (["-v", "1"], "-v must be at least 2 folds; got 1."),
        (["-v", "6"], "-v 6: a class has only 5 rows, fewer than the folds."),
        (["--holdout", "2"], "--holdout must be between 0 and 1; got 2."),
        (["--holdout", "0.5", "--test", "new.svm"], "two ways to measure the same thing"),
        (["-c", "-1"], "C must be"),
        (["--bias", "unit"], "--bias must be one of free, augmented, none here; got 'unit'."),
        (["--loss", "log"], "loss must be"),
        (["-c", "many"], "Invalid value for '--cost' / '-c'"),
        (["--nonsense"], "No such option: --nonsense"),
        (["-o", "data.csv/x"], "data.csv"),
        (["--tol", "0"], "tol must be a number above 0 (a relative duality gap, such as 1e-3); got 0.0."),
        (["--tol", "-1"], "tol must be a number above 0"),
        (["-v", "2", "--tol", "0"], "tol must be a number above 0"),
        (["--max-time", "0"], "max_time must be None or a number of seconds above 0; got 0.0."),
        (["-c", "0"], "C must be a finite number above 0"),
        (["-t", "2", "-g", "0"], "gamma must be 'scale', 'auto' or a number above 0; got 0.0."),
        (["-t", "2", "-g", ""], "-g must be a number, scale or auto; got ''."),
        (["-t", "1", "-d", "-1"], "degree must be an integer of at least 0; got -1."),
        (["-t", "0", "-d", "0"], "-d means nothing to a linear kernel."),
        (["-t", "0", "-r", "0"], "-r means nothing to a linear kernel."),
        (["--loss", ""], "loss must be"),
        (["--solver", ""], "solver must be"),
        (["--bias", ""], "--bias must be one of free, augmented, none here; got ''."),
        (["--multi-class", ""], "--multi-class must be one of ovr, ovo, crammer-singer; got ''."),
        (["--perceptron", "--tol", "0"], "--tol means nothing to a perceptron."),
        (["--perceptron", "-c", "0"], "-c means nothing to a perceptron."),
        (["--perceptron", "--loss", ""], "--loss means nothing to a perceptron."),
        (["--perceptron", "-w", "1=2"], "-w means nothing to a perceptron."),
        (["--perceptron", "--pairs"], "--pairs means nothing to a perceptron."),
        ([""], ". exists and was not written by separatrix"),
        (["--holdout", "0"], "--holdout must be between 0 and 1; got 0."),
        (["-v", "0"], "-v must be at least 2 folds; got 0."),
    ],
)  # fmt: skip
def test_bad_input_is_a_sentence_and_exit_code_1(folder, words, sentence):
    result = run("fit", "data.svm", *words)
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.output
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (["-t", "1", "-d", "0"], "degree", 0),
        (["-t", "1", "-r", "0"], "coef0", 0.0),
        (["-t", "1"], "degree", 3),
        (["--tol", "1e-30", "--max-iter", "1"], "tol", 1e-30),
        (["--seed", "0"], "random_state", 0),
        (["--perceptron", "-t", "1", "-d", "0"], "degree", 0),
    ],
)
def test_zeros_and_tiny_numbers_are_taken_as_given(folder, words, name, value):
    assert json_of("fit", "data.svm", "--no-save", *words)["model"]["parameters"][name] == value


@pytest.mark.parametrize("file", ["wdbc.libsvm", "data.svm", "sparse.svm", "data.csv"])
def test_the_command_and_the_library_give_the_same_digits(folder, file):
    (folder / "sparse.svm").write_text("1 1:2 9:1\n1 2:3\n-1 1:-1 8:2\n-1 3:-2 5:1\n1 4:1 9:2\n")
    assert run("fit", file, "-o", ".", "-c", "0.3").exit_code == 0
    saved = separatrix.load(next(folder.glob("*.model.safetensors")))
    data = separatrix.read(file)
    ours = separatrix.SVC(C=0.3, random_state=0).fit(data.X, data.y)
    assert saved.coef_.tobytes() == ours.coef_.tobytes()
    assert saved.intercept_.tobytes() == ours.intercept_.tobytes()


def test_options_are_one_record(folder):
    """What typer reads, what a fit is told, and what the type checker sees."""
    names = {each.name for each in dataclasses.fields(FitOptions)}
    (command,) = (each for each in app.registered_commands if each.name == "fit")
    assert command.callback is FitOptions
    assert sorted(each.name for each in get_command(app).commands["fit"].params) == sorted(names)
    with pytest.raises(dataclasses.FrozenInstanceError):
        FitOptions("data.svm").cost = 2.0


def test_a_kernel_matrix_in_libsvm_format(folder):
    rows = [line.split() for line in PLANE.splitlines()]
    X = np.array(
        [[float(entry.split(":")[1]) for entry in row[1:]] for row in rows[:4]] + [[-1, -1], [-2, -1]]
    )
    K = X @ X.T
    labels = [1, 1, 1, 1, -1, -1]
    lines = [
        f"{label} 0:{i} " + " ".join(f"{j}:{value}" for j, value in enumerate(row, 1))
        for i, (label, row) in enumerate(zip(labels, K.tolist(), strict=True), 1)
    ]
    (folder / "matrix.svm").write_text("\n".join(lines) + "\n")
    found = json_of("fit", "matrix.svm", "-t", "4")
    assert found["data"]["columns"] == 6
    direct = separatrix.SVC().fit(X, labels)
    assert abs(found["primal"] - direct.primal_) <= 2e-3 * direct.primal_
    assert run("verify", "matrix.certificate.json.gz", "matrix.svm").exit_code == 0
    assert run("predict", "matrix.model.safetensors", "matrix.svm").stdout.split() == [
        str(label) for label in labels
    ]
