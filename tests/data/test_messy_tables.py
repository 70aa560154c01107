"""Every messy table of the corpus is explained, or refused with a way on; the command line reads it as Python does.

Tests `data/description.py`, `data/sniff.py`, `data/delimited.py`, `data/examine.py`, `data/label_choice.py`,
`data/understand.py`, `data/number_text.py`,
`data/json_lines.py`, `data/excel.py`, `data/arff.py`, `data/raw_table.py`.
"""

from __future__ import annotations

import json

import numpy as np
import pytest
from messy_files import FORMATS, TEXTS
from messy_tables import COLUMNS, LABELS, NUMBERS, Messy
from scipy import sparse
from typer.testing import CliRunner

import separatrix as sx
from separatrix.checker.text import DataError
from separatrix.cli.app import app
from separatrix.cli.inputs import TableOptions, read_rows
from separatrix.errors import sentence_and_hint

CORPUS = [*NUMBERS, *COLUMNS, *LABELS, *TEXTS, *FORMATS]


@pytest.fixture
def path(case: Messy, tmp_path):
    place = tmp_path / case.file
    if isinstance(case.content, bytes):
        place.write_bytes(case.content)
    else:
        place.write_text(case.content, encoding="utf-8", newline="")
    return place


def test_the_corpus_has_sixty_tables_of_different_names():
    names = [case.name for case in CORPUS]
    assert len(names) >= 60
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_what_is_said_of_a_messy_table(case: Messy, path):
    if case.refused is not None:
        with pytest.raises(DataError) as caught:
            sx.read(path, **case.options)
        sentence, hint = sentence_and_hint(caught.value)
        assert case.refused in sentence
        assert case.hint in (hint or "")
        return
    data = sx.read(path, **case.options)
    assert data.description is not None
    said = "\n".join(f"{name} {text}" for name, text in data.description.whole())
    for part in case.says:
        assert part in said
    found = {column.name: column.kind for column in data.description.columns}
    assert found | case.kinds == found
    if case.label is not None:
        assert data.description.label is not None
        assert data.description.label.name == case.label
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    assert np.isfinite(X).all()
    assert X.shape[1] == sum(column.width for column in data.description.columns)
    if case.first is not None:
        assert X[0].tolist() == case.first
    if case.y is not None:
        assert data.y[: len(case.y)].tolist() == case.y
    assert len(data.row_numbers) == len(X)


@pytest.mark.parametrize("case", CORPUS, ids=lambda case: case.name)
def test_look_says_the_same_and_never_fails_inside(case: Messy, path, monkeypatch):
    monkeypatch.chdir(path.parent)
    words = ["look", case.file, *as_options(case)]
    result = CliRunner().invoke(app, [*words, "--json"])
    assert "Internal error" not in result.stderr
    assert "Traceback" not in result.output
    if result.exit_code != 0:
        assert case.refused is not None, result.stderr
        assert case.refused in result.stderr
        return
    found = json.loads(result.stdout)
    sentences = [each["sentence"] for each in found["refusals"]]
    assert (case.refused is None) == (sentences == [])
    assert case.refused is None or case.refused in sentences[0]
    assert all(each["hint"] for each in found["refusals"])


@pytest.mark.parametrize(
    "case", [case for case in CORPUS if case.refused is None], ids=lambda case: case.name
)
def test_the_command_line_reads_what_python_reads(case: Messy, path, monkeypatch):
    """The same file, the same matrix; and a model that keeps the encoding needs no option to read it again."""
    monkeypatch.chdir(path.parent)
    ours = sx.read(path, **case.options)
    options = {name: [value] if name in ("columns", "drop", "categorical") and isinstance(value, str) else value
               for name, value in case.options.items()}  # fmt: skip
    theirs = read_rows(case.file, TableOptions(**options), quiet=True)
    again = sx.read(path, encoding=json.loads(json.dumps(ours.encoding)))
    for X, y in ((theirs.X, theirs.y), (again.X, again.y)):
        assert type(X) is type(ours.X)
        dense, wanted = (each.toarray() if sparse.issparse(each) else each for each in (X, ours.X))
        assert dense.dtype == wanted.dtype
        assert dense.tobytes() == wanted.tobytes()
        assert y.tolist() == ours.y.tolist()


def as_options(case: Messy) -> list[str]:
    """The options of Python as words of the command line."""
    out: list[str] = []
    for name, value in case.options.items():
        option = {"text_encoding": "--encoding"}.get(name, f"--{name}")
        out += [option, ",".join(map(str, value)) if isinstance(value, list) else str(value)]
    return out
