"""Faults that a new user found with tables of one's own, each as it was found, from the shell.

Tests `cli/look.py`, `cli/convert.py`, `cli/inputs.py`, `data/export.py`, `data/formats.py`, `data/tables.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cli_cases import SPECIES, json_of, run
from pyarrow import csv as arrow_csv

import separatrix as sx
from separatrix.cli.files import stem

TITANIC = "class,sex,age,survived\n" + "".join(
    f"{1 + i % 3},{'fm'[i % 2]},{20 + i % 40},{(i // 2) % 2}\n" for i in range(60)
)


def text(count: int, header: str, row) -> str:
    return header + "\n" + "".join(f"{row(i)}\n" for i in range(count))


def test_fault_02_the_label_is_never_guessed_in_silence(folder):
    (folder / "titanic.csv").write_text(TITANIC)
    refused = run("fit", "titanic.csv")
    assert refused.exit_code == 1
    assert "'class' or 'survived' may be the label" in refused.stderr
    assert "--label survived" in refused.stderr
    assert not (folder / "titanic.model.safetensors").exists()
    done = run("fit", "titanic.csv", "--label", "survived")
    assert done.exit_code == 0
    assert "label        survived, 2 classes: it was asked for" in done.stdout
    last = run("fit", "data.csv")
    assert "The label is 'species': it is the last column." in last.stderr
    for command in ("fit", "check", "predict", "verify", "audit", "convert", "report", "look"):
        help_text = " ".join(run(command, "--help").stdout.split())
        assert "one named label or target, else the last; refused where another could be meant" in help_text
        for option in (
            "columns",
            "drop",
            "categorical",
            "delimiter",
            "decimal",
            "encoding",
            "missing",
            "sheet",
        ):
            assert f"--{option} " in help_text, (command, option)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (text(80, "x,age,y", lambda i: f"{i % 9},{'-' if i == 41 else i},{i % 2}"), "line 43, column 'age' holds '-'"),
        (text(80, "x,age,y", lambda i: f"{i % 9},{'NA' if i == 41 else i},{i % 2}"),
         "line 43, column 'age' is missing"),
        (text(500, "x,hours", lambda i: f"{i % 9},{i % 49}"), "49 different numbers in 500 rows, as a quantity does"),
        (text(300, "x,code", lambda i: f"{i % 9},k{i}"), "300 different texts in 300 rows"),
    ],
)  # fmt: skip
def test_fault_03_nonsense_is_not_proved(folder, content, sentence):
    (folder / "odd.csv").write_text(content)
    (folder / "odd.model.safetensors").write_bytes((folder / "data.csv").read_bytes())
    result = run("fit", "odd.csv", "--force")
    assert result.exit_code == 1
    assert sentence in result.stderr
    assert (folder / "odd.model.safetensors").read_text() == SPECIES, "the good model was overwritten"


def test_fault_03_json_lines_are_rows(folder):
    rows = [{"x": i % 5, "z": 1.5 * i, "label": i % 2} for i in range(20)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = json_of("check", "a.jsonl")
    assert found["data"]["columns"] == 2
    assert found["data"]["description"]["label"]["name"] == "label"


@pytest.mark.parametrize("delimiter", [";", "|", " "])
def test_fault_05_other_delimiters_and_encodings(folder, delimiter):
    content = SPECIES.replace(",", delimiter).replace("setosa", "sétosa")
    (folder / "odd.csv").write_bytes(content.encode("latin-1"))
    if delimiter == ";":
        (folder / "odd.csv").write_bytes(content.replace(".", ",").encode("utf-16"))
    found = json_of("check", "odd.csv")
    assert found["data"]["columns"] == 2
    assert found["data"]["classes"]["sétosa"] == 4
    (folder / "told.csv").write_text(SPECIES.replace(",", "~").replace(".", ","), encoding="cp1250")
    told = json_of("check", "told.csv", "--delimiter", "~", "--decimal", ",", "--encoding", "cp1250")
    assert told["separability"]["verdict"] == found["separability"]["verdict"]


def test_fault_06_a_date_is_no_dead_end(folder):
    (folder / "dated.csv").write_text(
        text(30, "when,x,kind", lambda i: f"2026-01-{i + 1:02d},{i % 7},{i % 2}")
    )
    result = run("fit", "dated.csv")
    assert result.exit_code == 0
    assert "'when' is left out as a date" in result.stderr
    assert "--drop when" in result.stderr
    assert run("fit", "dated.csv", "--drop", "when").exit_code == 0
    assert "x" in run("look", "dated.csv", "--columns", "x").stdout


def test_fault_07_many_columns_take_seconds(folder):
    rng = np.random.default_rng(0)
    width = 20_000
    names = ",".join(f"g{i}" for i in range(width))
    rows = "".join(
        ",".join(map(str, row)) + f",{i % 2}\n"
        for i, row in enumerate(rng.integers(0, 9, (40, width)).tolist())
    )
    (folder / "wide.csv").write_text(f"{names},label\n{rows}")
    began = time.process_time()
    assert sx.read("wide.csv").X.shape == (40, width)
    assert time.process_time() - began < 30, "about two seconds; it was minutes"


def test_fault_09_pyarrow_never_reads_through_python(folder, monkeypatch):
    """A thread of pyarrow that calls Python aborts the process if the interpreter ends first."""
    seen = []
    original = arrow_csv.read_csv

    def watch(source, *args, **kwargs):
        seen.append(source)
        return original(source, *args, **kwargs)

    monkeypatch.setattr(arrow_csv, "read_csv", watch)
    monkeypatch.setattr(pa, "py_buffer", None)  # memory of Python's, which only Python may free
    assert run("fit", "data.csv").exit_code == 0
    (folder / "short.csv").write_text("length\n5\n6\n")
    result = run("predict", "data.model.safetensors", "short.csv")
    assert result.exit_code == 1
    assert "has no column 'width'; the data that were learnt from had one" in result.stderr
    assert len(seen) == 2
    assert all(isinstance(source, pa.BufferReader) for source in seen)


def test_fault_13_the_same_matrix_from_the_shell_and_from_python(folder):
    """`tests/data/test_messy_tables.py` compares the whole corpus; here is what the model was fitted to."""
    content = text(
        40, "id,city,x,kind", lambda i: f"k{i},{'BO'[i % 2]},{'' if i == 3 else i},{'ab'[i // 20]}"
    )
    (folder / "people.csv").write_text(content)
    assert run("fit", "people.csv", "--missing", "mean").exit_code == 0
    saved = sx.load("people.model.safetensors")
    data = sx.read("people.csv", missing="mean")
    ours = sx.SVC(random_state=0).fit(data.X, data.y)
    assert saved.coef_.tobytes() == ours.coef_.tobytes()
    assert saved.column_names_ == data.column_names
    # The model knows how to read another file: nothing has to be said again.
    assert run("predict", "people.model.safetensors", "people.csv").exit_code == 0
    assert run("verify", "people.model.safetensors", "people.csv").exit_code == 0
    assert run("verify", "people.certificate.json.gz", "people.csv").exit_code == 0
    assert run("report", "people.model.safetensors", "people.csv").exit_code == 0


@pytest.mark.parametrize("out", ["rows.svm", "rows.csv", "rows.svm.gz"])
def test_fault_04_the_stand_alone_checker_reads_an_export(folder, out):
    content = text(40, "city,x,kind", lambda i: f"{'BO'[i % 2]},{'' if i == 3 else i / 7},{'ab'[i // 20]}")
    (folder / "people.csv").write_text(content)
    assert run("fit", "people.csv", "--missing", "mean").exit_code == 0
    done = run("convert", "people.csv", out, "--like", "people.model.safetensors")
    assert done.exit_code == 0, done.stderr
    words = [sys.executable, "-m", "separatrix.checker", "people.certificate.json.gz", out]
    checked = subprocess.run(words, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr + checked.stdout
    assert checked.stdout.startswith("Proved in exact arithmetic")
    assert run("verify", "people.certificate.json.gz", out).exit_code == 0
    again = run("convert", "people.csv", out, "--like", "people.model.safetensors")
    assert again.exit_code == 1
    assert "--force" in again.stderr


def test_a_label_of_several_words_is_exported_as_csv(folder):
    (folder / "a.csv").write_text(text(20, "x,kind", lambda i: f"{i},{'very bad' if i > 9 else 'good'}"))
    refused = run("convert", "a.csv", "rows.svm")
    assert refused.exit_code == 1
    assert "name the file .csv" in refused.stderr
    assert run("convert", "a.csv", "rows.csv").exit_code == 0
    assert sx.read("rows.csv").y.tolist() == sx.read("a.csv").y.tolist()


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.pkl", b"\x80\x04K\x01.", "a pickle"),
        ("a.dta", b"<stata_dta>", "a Stata file"),
        ("a.rds", b"\x1f\x8b\x08\0", "gzip"),
        ("a.sas7bdat", b"\0\0", "a SAS file"),
        ("a.mat", b"MATLAB 5.0 MAT-file", "a MATLAB file"),
    ],
)
def test_fault_16_formats_are_refused_by_name(folder, name, content, what):
    (folder / name).write_bytes(content)
    result = run("fit", name)
    assert result.exit_code == 1
    assert what in result.stderr


def test_fault_16_standard_input_has_a_name(folder):
    assert stem("-") == "standard-input"
    words = [sys.executable, "-m", "separatrix", "fit", "-", "--format", "csv", "-q"]
    done = subprocess.run(words, input=SPECIES, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (folder / "standard-input.model.safetensors").exists()
    assert not list(folder.glob("-*"))


def test_look_in_words_and_json(folder):
    def row(i: int) -> str:
        city, grade = ["Bern", "Oslo"][i % 2], "-" if i == 5 else i % 10
        return f"k{i},${i}.50,2026-01-{i % 28 + 1:02d},{city},{grade},{'ab'[i // 40]}"

    content = text(80, "id,price,when,city,grade,kind", row)
    (folder / "messy.csv").write_text(content)
    shown = run("look", "messy.csv")
    assert shown.exit_code == 0
    for part in (
        "label        kind, 2 classes: it is the last column",
        "id: identifier; 80 different texts in 80 rows",
        "price: number; from 0.5 to 79.5, $ taken off",
        "when: date; dates or times are neither numbers nor categories",
        "city: category with 2 values; Bern, Oslo",
        "grade: number; from 0 to 9; 1 missing, refused",
        "suspicious   line 7, column 'grade': '-' (no number, unlike the others)",
        "refused      messy.csv: line 7, column 'grade' holds '-'",
        "classes      40 of a, 40 of b",
    ):
        assert part in shown.stdout, shown.stdout
    found = json_of("look", "messy.csv", "--missing", "mean")
    assert found["refusals"] == []
    assert found["suspicious"] == [
        {"row": 7, "column": "grade", "text": "-", "why": "no number, unlike the others"}
    ]
    kinds = {column["name"]: column["kind"] for column in found["columns"]}
    assert kinds == {
        "id": "identifier",
        "price": "number",
        "when": "date",
        "city": "category",
        "grade": "number",
    }
    assert json_of("look", "data.svm")["data"]["columns"] == 2
    assert not list(Path(folder).glob("messy.*model*")), "look writes nothing"


def test_options_of_tables_are_not_passed_over_in_silence(folder):
    result = run("fit", "data.svm", "--drop", "1")
    assert result.exit_code == 1
    assert "has no named columns" in result.stderr
    assert run("fit", "data.csv").exit_code == 0
    result = run("predict", "data.model.safetensors", "data.csv", "--drop", "width")
    assert result.exit_code == 1
    assert "chosen when the model was fitted" in result.stderr
