"""What comes from outside has limits, and whatever a file holds, the answer is a table or a sentence.

Tests `data/raw_table.py`, `data/number_text.py`, `data/sniff.py`, `data/formats.py`, `data/excel.py`, `data/export.py`.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import pyarrow as pa  # isort: skip
import separatrix as sx
from separatrix.checker.text import DataError, Layout, read_table
from separatrix.data import excel, raw_table
from separatrix.data.export import export_rows
from separatrix.data.number_text import parse_number
from separatrix.data.read import describe

CELLS = st.sampled_from(
    ["", "1", "-2.5", "3e4", "x", "yes", "NA", "-", "1,5", "$3", "4%", '"',
     '"a,b"', "2026-01-01", "inf", "\0", "é", "{"]
)  # fmt: skip


@pytest.fixture
def little_memory(monkeypatch):
    """A machine with ten megabytes to spare."""
    for module in (raw_table, excel):
        monkeypatch.setattr(module, "available_memory", lambda: 1e7)


def test_a_text_that_grows_when_it_is_decompressed(tmp_path, little_memory):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"x,label\n" + b"1,0\n" * 2_000_000))
    with pytest.raises(DataError, match="for which there is no memory"):
        sx.read(tmp_path / "a.csv.gz")


def test_a_sheet_that_grows_when_it_is_decompressed(tmp_path, little_memory):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/worksheets/sheet1.xml", b" " * 3_000_000)
    (tmp_path / "a.xlsx").write_bytes(out.getvalue())
    with pytest.raises(DataError, match="MB when it is decompressed"):
        sx.read(tmp_path / "a.xlsx")


def test_a_parquet_file_of_many_equal_cells(tmp_path, little_memory):
    parquet.write_table(
        pa.table({"x": np.zeros(3_000_000), "label": np.zeros(3_000_000)}), tmp_path / "a.parquet"
    )
    with pytest.raises(DataError, match="more than there is memory for"):
        sx.read(tmp_path / "a.parquet")


def test_too_many_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(raw_table, "MOST_COLUMNS", 50)
    (tmp_path / "a.csv").write_text(",".join(f"x{i}" for i in range(60)) + "\n" + ",".join("1" * 60) + "\n")
    with pytest.raises(DataError, match="has 60 columns; a table may have 50"):
        sx.read(tmp_path / "a.csv")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "[" * 100_000),
        ("a.jsonl", '{"x": ' * 50_000),
        ("a.arff", "@relation a\n@attribute 'x numeric\n@data\n1\n"),
        ("a.csv", "a,b\n" + '"' * 10_000),
    ],
)
def test_what_would_break_a_parser_is_a_sentence(tmp_path, name, content):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError):
        sx.read(tmp_path / name)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(CELLS, min_size=1, max_size=4), min_size=1, max_size=12),
    delimiter=st.sampled_from([",", ";", "\t", "|", " "]),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]),
)
def test_any_text_is_a_table_or_a_sentence(tmp_path, rows, delimiter, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes("\n".join(delimiter.join(row) for row in rows).encode(encoding))
    for missing in ("refuse", "mean"):
        try:
            found = describe(path, missing=missing)
        except DataError:
            continue
        json.dumps(found.record(), allow_nan=False)
        if found.refusals:
            with pytest.raises(DataError):
                sx.read(path, missing=missing)
        else:
            data = sx.read(path, missing=missing)
            X = data.X.toarray() if hasattr(data.X, "indptr") else data.X
            assert np.isfinite(X).all()
            assert len(data.row_numbers) == len(X) == len(data.y)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.binary(max_size=300),
    name=st.sampled_from(["a.csv", "a.json", "a.arff", "a.xlsx", "a.npy", "a.parquet", "a"]),
)
def test_any_bytes_are_rows_or_a_sentence(tmp_path, content, name):
    (tmp_path / name).write_bytes(content)
    with contextlib.suppress(DataError, sx.ParameterError):
        sx.read(tmp_path / name)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_those_of_python(value):
    assert parse_number(repr(value)) == (value, "")
    assert parse_number(f"{value:,.2f}") == (float(f"{value:.2f}"), "") or abs(value) >= 1e40
    assert parse_number(repr(value).replace(".", ","), ",") == (value, "")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=4),
    single=st.booleans(),
    name=st.sampled_from(["a.svm", "a.csv"]),
)
def test_an_export_reads_back_exactly(tmp_path, values, single, name):
    with np.errstate(over="ignore"):
        X = np.array(values, dtype=np.float32 if single else np.float64).reshape(2, 2)
    X[~np.isfinite(X)] = 1.0
    X += 0.0  # no negative zeros, which a certificate does not tell from others
    export_rows(X, np.array(["a", "b"]), str(tmp_path / name))
    table, labels = read_table(str(tmp_path / name), Layout(n_columns=2, single=single))
    dense = np.zeros((2, 2))
    for row, (columns, entries) in enumerate(table.rows()):
        dense[row, list(columns)] = entries
    assert dense.tobytes() == X.astype(np.float64).tobytes()
    assert labels == ["a", "b"]
