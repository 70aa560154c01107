"""What the command line once said and was not so, each with the words that are right.

Tests `cli/app.py`, `cli/output.py`, `cli/predictions.py`, `cli/verdicts.py`. Each number is that of a fault that new
users reported.
"""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import subprocess
import sys

import numpy as np
import pytest
from cli_cases import PLANE, json_of, run

import separatrix
from separatrix.cli.output import is_colourful, is_lively

XOR = "1 1:0 2:0\n-1 2:1\n-1 1:1\n1 1:1 2:1\n"


def contradicting(folder):
    """A file of which a few rows contradict each other, whatever is held out: equal rows with other labels."""
    lines = [f"1 1:{i + 10} 2:{i % 7}" for i in range(40)] + [f"-1 1:{-i - 10} 2:{i % 5}" for i in range(40)]
    lines += ["1 1:3 2:3"] * 5 + ["-1 1:3 2:3"] * 5
    (folder / "clash.svm").write_text("\n".join(lines) + "\n")
    return lines


@pytest.mark.parametrize("seed", ["0", "1", "2"])
def test_1_rows_that_contradict_each_other_are_numbered_as_in_the_file(folder, seed):
    lines = contradicting(folder)
    found = json_of("fit", "clash.svm", "--holdout", "0.3", "--seed", seed)
    clash = found["separability"]["problems"][0]["contradiction"]
    assert clash["row_numbers"] == [row + 1 for row in clash["rows"]]
    for number in clash["row_numbers"]:
        assert lines[number - 1].endswith("1:3 2:3"), "those rows of the file contradict each other"
    text = " ".join(run("fit", "clash.svm", "--holdout", "0.3", "--seed", seed).stdout.split())
    assert f"rows {', '.join(map(str, clash['row_numbers']))} contradict each other" in text
    data = separatrix.read("clash.svm")
    rows = np.array(clash["row_numbers"]) - 1
    assert separatrix.separability(data.X[rows], data.y[rows]).verdict == "inseparable"


def test_1_lines_of_a_table_count_its_header(folder):
    rows = [f"{i},{label}" for i, label in enumerate("aabbaabb")]
    (folder / "table.csv").write_text("\n".join(["x,class", *rows]) + "\n")
    found = json_of("check", "table.csv", "--label", "class")
    clash = found["separability"]["problems"][0]["contradiction"]
    numbers = separatrix.read("table.csv", label="class").row_numbers
    if numbers is not None:
        assert clash["row_numbers"] == [int(numbers[row]) for row in clash["rows"]]


def dots(folder):
    """The adult census: labels of the test part end in a full stop."""
    rows = [("<=50K", x) for x in (1, 2, 3, 4)] + [(">50K", x) for x in (6, 7, 8, 9)]
    for name, dot in (("train", ""), ("test", ".")):
        text = "".join(f"{x},{label}{dot}\n" for label, x in rows)
        (folder / f"{name}.csv").write_text("age,income\n" + text)
    assert run("fit", "train.csv", "--label", "income").exit_code == 0


def test_10_labels_that_the_model_does_not_know_are_an_error_with_a_hint(folder):
    dots(folder)
    for words in (
        ["predict", "train.model.safetensors", "test.csv"],
        ["fit", "train.csv", "--label", "income", "--test", "test.csv"],
    ):
        result = run(*words)
        assert result.exit_code == 1
        assert (
            "The labels of test.csv are '<=50K.', '>50K.'; the classes of the model are '<=50K', '>50K'."
            in (result.stderr)
        )
        assert "hint: '<=50K.' looks like '<=50K'" in result.stderr
        assert "0.00 %" not in result.output


def test_10_a_few_strange_labels_are_counted(folder):
    dots(folder)
    text = (folder / "train.csv").read_text().replace("9,>50K", "9,rich")
    (folder / "some.csv").write_text(text)
    result = run("predict", "train.model.safetensors", "some.csv")
    assert result.exit_code == 0
    assert "1 of the 8 rows of some.csv have labels that the model does not know ('rich';" in result.stderr
    assert "100 % of 7 rows are right" in result.stderr
    assert len(result.stdout.split()) == 8


def test_13_nothing_is_said_to_be_replaced_that_is_not(folder):
    run("fit", "data.svm")
    before = (folder / "data.model.safetensors").read_bytes()
    for words in (["-t", "7"], ["-c", "-1"], ["--test", "absent.svm"], ["--holdout", "3"]):
        result = run("fit", "data.svm", *words)
        assert result.exit_code == 1
        assert "replaced" not in result.stderr
        assert (folder / "data.model.safetensors").read_bytes() == before
    assert (
        "data.model.safetensors was there before; it is replaced." in run("fit", "data.svm", "-c", "3").stderr
    )


def test_13_a_hard_margin_that_is_not_there_leaves_model_and_certificate_together(folder):
    (folder / "xor.svm").write_text(XOR)
    run("fit", "xor.svm")
    names = ["xor.model.safetensors", "xor.certificate.json.gz"]
    before = [(folder / name).read_bytes() for name in names]
    result = run("fit", "xor.svm", "-c", "inf")
    assert result.exit_code == 1
    assert [(folder / name).read_bytes() for name in names] == before
    assert "The proof is in xor.inseparable.json.gz." in result.stderr
    assert run("verify", "xor.certificate.json.gz", "xor.svm").exit_code == 0
    named = run("fit", "xor.svm", "-c", "inf", "--certificate", "why.json")
    assert "The proof is in why.json." in named.stderr


def test_13_a_certificate_never_stays_beside_a_model_that_it_is_not_of(folder):
    run("fit", "wdbc.libsvm", "-c", "0.1")
    result = run("fit", "wdbc.libsvm", "--perceptron", "--max-iter", "2")
    assert "wdbc.certificate.json.gz was of an earlier fit; it is removed." in result.stderr
    assert not (folder / "wdbc.certificate.json.gz").exists()
    run("fit", "data.csv", "--pairs")
    (folder / "data.csv").write_text((folder / "data.csv").read_text().replace("virginica", "other"))
    run("fit", "data.csv")
    assert run("verify", "data.certificates", "data.csv").exit_code == 0, (
        "no certificate of the pairs is left"
    )


def test_13_a_zero_is_a_value(folder):
    result = run("fit", "data.svm", "--tol", "0")
    assert result.exit_code == 1
    assert "tol must be" in result.stderr
    assert "got 0.0" in result.stderr
    assert json_of("fit", "data.svm", "-t", "1", "-d", "0")["model"]["parameters"]["degree"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ["fit", "absent.svm"],
        ["predict", "absent.safetensors", "data.svm"],
        ["fit", "data.svm", "-t", "7"],
        ["check"],
    ],
)
def test_13_json_is_one_object_whatever_happens(folder, words):
    result = run(*words, "--json")
    assert result.exit_code == 1
    (line,) = result.stdout.splitlines()
    found = json.loads(line)
    assert found["exit_code"] == 1
    assert f"error: {found['error']}" in result.stderr


def test_13_predict_replaces_its_own_table_and_no_other_file(folder):
    run("fit", "data.svm")
    words = ("predict", "data.model.safetensors", "new.svm", "answers.csv")
    for _ in range(2):
        assert run(*words).exit_code == 0
    (folder / "answers.csv").write_text("label,score\nmine,1\n")
    refused = run(*words)
    assert refused.exit_code == 1
    assert "was not written by separatrix" in refused.stderr
    assert run(*words, "--force").exit_code == 0


def test_13_the_margin_is_one_thing_everywhere(folder):
    run("fit", "data.svm", "-c", "1")
    fitted = run("fit", "data.svm", "--explain").stdout
    audited = run("audit", "data.model.safetensors", "data.svm").stdout
    words = "2.12132 = 1 / |w|, half the width of the slab between f = -1 and f = 1"
    assert words in fitted
    assert words in audited


def test_16_no_np_in_a_sentence(folder):
    (folder / "one.svm").write_text("1 1:2\n1 1:3\n")
    result = run("fit", "one.svm", "--verdict-time", "0")
    assert "y holds one class only (1)" in result.stderr
    with pytest.raises(ValueError, match=r"only class 1 has"):
        separatrix.SVC(class_weight={0: 0.0, 1: 1.0}).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_16_every_kernel_is_in_help():
    text = run("fit", "--help").stdout
    for name in ("linear", "poly", "rbf", "sigmoid", "precomputed", "laplacian"):
        assert name in text


def test_16_no_arguments_print_the_help_on_many_lines():
    done = subprocess.run([sys.executable, "-m", "separatrix"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: separatrix [OPTIONS] COMMAND")
    assert len(done.stdout.splitlines()) > 10
    assert "error" not in done.stderr


@pytest.mark.parametrize(
    ("setting", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False), ({"NO_COLOR": ""}, True)],
)
def test_16_colours_are_left_out_where_they_are_not_wanted(folder, setting, coloured):
    """On a terminal; https://no-color.org says that an empty value means nothing."""
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"TERM": "xterm", **setting}
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "separatrix", "check", "absent.svm"]
    done = subprocess.run(
        words, stderr=theirs, stdout=subprocess.DEVNULL, env=environment, check=False, cwd=folder
    )
    os.close(theirs)
    text = os.read(ours, 4096).decode()
    os.close(ours)
    assert done.returncode == 1
    assert "error:" in text
    assert ("\033[" in text) == coloured


def test_16_a_file_is_no_terminal(monkeypatch):
    assert not is_lively(io.StringIO())
    assert not is_colourful(io.StringIO())


def read_csv(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_table_of_predictions_has_label_score_and_distance_in_the_order_of_the_input(folder):
    run("fit", "data.svm")
    rows = read_csv(run("predict", "data.model.safetensors", "new.svm", "--csv").stdout)
    model, data = separatrix.load("data.model.safetensors"), separatrix.read("data.svm")
    assert list(rows[0]) == ["label", "score", "probability", "distance"]
    assert [int(row["label"]) for row in rows] == model.predict(data.X).tolist()
    scores = model.decision_function(data.X)
    assert [float(row["score"]) for row in rows] == scores.tolist()
    w = model.coef_[0]
    assert np.allclose([float(row["distance"]) for row in rows], np.abs(scores) / np.sqrt(w @ w))
    assert {row["probability"] for row in rows} == {""}
    found = json_of("predict", "data.model.safetensors", "new.svm")
    assert np.allclose(found["distance"], np.abs(scores) / np.sqrt(w @ w))


def test_the_distance_is_to_the_nearest_boundary_of_many_classes(folder):
    run("fit", "data.csv", "-c", "10")
    rows = read_csv(run("predict", "data.model.safetensors", "data.csv", "--csv").stdout)
    model, data = separatrix.load("data.model.safetensors"), separatrix.read("data.csv")
    assert "score of virginica" in rows[0]
    for x, row in zip(data.X, rows, strict=True):
        if float(row["distance"]) == 0:
            continue
        own = model.classes_.tolist().index(row["label"])
        steps = []
        for other in {0, 1, 2} - {own}:
            apart = model.coef_[own] - model.coef_[other]
            down = -apart / np.linalg.norm(apart)
            near = x + down * float(row["distance"]) * np.array([[0.999], [1.001]])
            f = near @ apart + model.intercept_[own] - model.intercept_[other]
            steps.append((f[0] > 0, f[1] > 0))
        assert (True, False) in steps, "just before that distance it is still this class, just after another"
        assert all(before for before, _ in steps)


def test_the_distance_in_the_space_of_a_kernel(folder):
    run("fit", "data.svm", "-t", "2", "-g", "0.5")
    rows = read_csv(run("predict", "data.model.safetensors", "new.svm", "--csv").stdout)
    model = separatrix.SVC(kernel="rbf", gamma=0.5, random_state=0)
    X = np.array([[float(each.split(":")[1]) for each in line.split()[1:]] for line in PLANE.splitlines()])
    y = [int(line.split()[0]) for line in PLANE.splitlines()]
    model.fit(X, y)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    beta = model.alpha_ * np.array(y)
    norm = np.sqrt(beta @ K @ beta)
    assert np.allclose(
        [float(row["distance"]) for row in rows], np.abs(model.decision_function(X)) / norm, rtol=1e-6
    )
    run("fit", "data.csv", "-t", "2")
    rows = read_csv(run("predict", "data.model.safetensors", "data.csv", "--csv").stdout)
    assert {row["distance"] for row in rows} == {""}, "no single number is at hand"


def test_sentences_need_no_book(folder):
    """The words of the trade that a newcomer cannot know come with what they mean, or not at all."""
    (folder / "xor.svm").write_text(XOR)
    (folder / "quasi.svm").write_text("1 1:0\n-1 1:0\n1 1:1\n-1 1:-1\n")
    for name in ("xor.svm", "quasi.svm", "data.svm"):
        for words in (["fit", name], ["check", name]):
            text = run(*words).stdout
            assert "tied" not in text
            assert "slack" not in text
            assert "strict," not in text
    assert "or on the wrong side (using slack)" in run("fit", "xor.svm", "--explain").stdout
    order = [
        line.split()[0] for line in run("fit", "xor.svm").stdout.splitlines() if not line.startswith(" ")
    ]
    assert order.index("learnt") < order.index("accuracy") < order.index("proved")


def test_identifiers_stay_beside_their_predictions(folder):
    rows = [(f"P-{1000 + 7 * i}", i % 10, "yes" if i % 10 > 4 else "no") for i in range(60)]
    text = "patient,dose,ill\n" + "".join(f"{name},{dose},{ill}\n" for name, dose, ill in rows)
    (folder / "people.csv").write_text(text)
    assert run("fit", "people.csv", "--label", "ill").exit_code == 0
    new = "patient,dose\n" + "".join(f"{name},{dose}\n" for name, dose, _ in reversed(rows[:30]))
    (folder / "new.csv").write_text(new)
    result = run("predict", "people.model.safetensors", "new.csv", "answers.csv")
    assert result.exit_code == 0, result.output
    answers = read_csv((folder / "answers.csv").read_text())
    assert [row["patient"] for row in answers] == [name for name, _, _ in reversed(rows[:30])]
    assert [row["label"] for row in answers] == [ill for _, _, ill in reversed(rows[:30])]
    assert run("predict", "people.model.safetensors", "new.csv", "answers.csv").exit_code == 0
