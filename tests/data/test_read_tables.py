"""Tables: labels, categories, free text and missing cells; the same columns for a file read later.

Tests `data/tables.py`, `data/table_columns.py`, `data/encode_table.py`.
"""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from scipy import sparse

import separatrix as sx
from separatrix.checker.text import DataError

PEOPLE = "age,city,income,label\n31,Bern,1.5,yes\n52,Oslo,2.5,no\n47,Bern,-3,no\n"


@pytest.fixture
def write(tmp_path):
    def write(text: str, name: str = "data.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_header_label_and_categories(write):
    data = sx.read(write(PEOPLE))
    assert data.column_names == ["age", "city=Bern", "city=Oslo", "income"]
    assert data.X.tolist() == [[31, 1, 0, 1.5], [52, 0, 1, 2.5], [47, 1, 0, -3]]
    assert data.y.tolist() == ["yes", "no", "no"]
    assert data.source.format == "csv"
    assert json.loads(json.dumps(data.encoding)) == data.encoding


def test_label_by_name_by_number_and_columns(write):
    path = write(PEOPLE)
    assert sx.read(path, label="city").y.tolist() == ["Bern", "Oslo", "Bern"]
    assert sx.read(path, label=0, columns=["income"]).X.tolist() == [[1.5], [2.5], [-3]]
    assert sx.read(path, label="-4").y.tolist() == [31, 52, 47]
    with pytest.raises(DataError, match=r"no column 'town'; its columns are age, city"):
        sx.read(path, label="town")
    with pytest.raises(DataError, match="has 4 columns; there is no column 7"):
        sx.read(path, label=7)


def test_no_header(write):
    data = sx.read(write("1,2.5,0\n3,4.5,1\n"))
    assert data.X.tolist() == [[1, 2.5], [3, 4.5]]
    assert data.y.tolist() == [0, 1]
    mixed = sx.read(write("1,a,0\n3,b,1\n"))
    assert mixed.column_names == ["column 0", "column 1=a", "column 1=b"]
    assert sx.read(write("a,b\nx,y\nz,y\n"), header=True, label="b").column_names == ["a=x", "a=z"]


def test_tabs_and_quotation_marks(write):
    data = sx.read(write('1\t"a\t0\n2\tb\t1\n', "data.tsv"))
    assert data.column_names == ["column 0", 'column 1="a', "column 1=b"]
    quoted = sx.read(write('x,label\n"1",a\n2,"b, c"\n'))
    assert quoted.y.tolist() == ["a", "b, c"]


def test_missing_cells_are_refused_with_their_place(write):
    path = write("a,b,label\n1,x,0\n,?,1\n3, ? ,0\n5,x,1\n")
    with pytest.raises(DataError, match=r"line 3, column 'a' is missing \(1 cell of"):
        sx.read(path)
    with pytest.raises(DataError, match="line 3, column 'b' is missing"):
        sx.read(path, columns=["b"])
    data = sx.read(path, missing="mean", columns=["a"])
    assert data.X.ravel().tolist() == [1, 3, 3, 5]
    assert sx.read(path, missing="zero", columns=["a"]).X.ravel().tolist() == [1, 0, 3, 5]
    median = sx.read(write("a,label\n1,0\n2,0\n9,1\n,1\n", "median.csv"), missing="median")
    assert median.X.ravel().tolist() == [1, 2, 9, 2]
    texts = sx.read(path, missing="mean", columns=["b"])
    assert texts.X.tolist() == [[1]] * 4
    with pytest.raises(DataError, match="is the label, and line 3 has none"):
        sx.read(write("a,label\n1,x\n2,\n"))


def test_an_encoding_is_applied_to_a_later_file(write):
    known = sx.read(write("a,city,label\n1,Bern,x\n,Oslo,y\n3,Bern,x\n"), missing="mean").encoding
    later = sx.read(write("label,city,a,extra\ny,Rome,5,1\nx,Oslo,,1\n", "later.csv"), encoding=known)
    assert later.X.tolist() == [[5, 0, 0], [2, 0, 1]]  # Rome was not seen: all zeros; the mean is that of old
    assert later.source.left_out == 1
    assert later.y.tolist() == ["y", "x"]
    unlabelled = sx.read(write("city,a\nBern,1\n", "new.csv"), encoding=known)
    assert unlabelled.y is None
    assert unlabelled.X.tolist() == [[1, 1, 0]]
    with pytest.raises(DataError, match="has no column 'city'"):
        sx.read(write("a,label\n1,x\n2,y\n", "bad.csv"), encoding=known)
    with pytest.raises(DataError, match="holds texts here"):
        sx.read(write("a,city\nlow,Bern\n2,Oslo\n", "bad.csv"), encoding=known)
    with pytest.raises(DataError, match="holds libsvm data; the encoding is of table data"):
        sx.read(write("1 1:1\n", "data.svm"), encoding=known)


def test_an_encoding_without_names_goes_by_position(write):
    known = sx.read(write("1,2,0\n3,4,1\n")).encoding
    assert sx.read(write("5,6,1\n"), encoding=known).y.tolist() == [1]
    bare = sx.read(write("5,6\n"), encoding=known)
    assert bare.y is None
    assert bare.X.tolist() == [[5, 6]]
    with pytest.raises(DataError, match="learnt from had more"):
        sx.read(write("5\n"), encoding=known)


def test_free_text_becomes_words(write):
    lines = [f"{'spam' if i % 3 == 0 else 'ham'}\tmessage number{i} for you\n" for i in range(150)]
    data = sx.read(write("".join(lines), "data.tsv"))
    assert data.y[:3].tolist() == ["spam", "ham", "ham"]
    assert sparse.issparse(data.X)
    assert "column 1:message" in data.column_names
    later = sx.read(write("ham\tnumber3 message MESSAGE unknown\n", "later.tsv"), encoding=data.encoding)
    found = {data.column_names[j]: v for j, v in zip(later.X.indices, later.X.data, strict=True)}
    assert found == {"column 1:number3": 1, "column 1:message": 2}
    assert later.source.left_out == 1


def test_identifiers_are_left_out_and_said(write):
    text = "id,x,label\n" + "".join(f"k{i},{i},{i % 2}\n" for i in range(300))
    data = sx.read(write(text))
    assert data.column_names == ["x"]
    assert data.identifiers == {"id": [f"k{i}" for i in range(300)]}
    assert (
        "'id' is left out as an identifier (300 different texts in 300 rows" in data.description.warnings[0]
    )
    with pytest.raises(DataError, match="300 different texts in 300 rows: a name or a key"):
        sx.read(write(text), columns=["id", "x"])
    assert sx.read(write(text), columns=["x"]).X.shape == (300, 1)
    assert sx.read(write(text), categorical=["id"]).X.shape == (300, 301)


def test_parquet_and_arrow(tmp_path):
    table = pa.table(
        {
            "x": pa.array([1, 2, 3], pa.int32()),
            "city": pa.array(["a", "b", "a"]).dictionary_encode(),
            "flag": [True, False, True],
            "y": [0, 1, 1],
        }
    )
    parquet.write_table(table, tmp_path / "data.parquet")
    feather.write_feather(table, tmp_path / "data.arrow")
    for name in ("data.parquet", "data.arrow"):
        data = sx.read(tmp_path / name)
        assert data.X.tolist() == [[1, 1, 0, 1], [2, 0, 1, 0], [3, 1, 0, 1]]
        assert data.y.tolist() == [0, 1, 1]
    (tmp_path / "no_suffix").write_bytes((tmp_path / "data.parquet").read_bytes())
    assert sx.read(tmp_path / "no_suffix").source.format == "parquet"
    floats = pa.table({"a": pa.array([1.5, 2.5], pa.float32()), "y": [0, 1]})
    parquet.write_table(floats, tmp_path / "floats.parquet")
    assert sx.read(tmp_path / "floats.parquet").X.dtype == np.float32
    assert sx.read(tmp_path / "floats.parquet", dtype="float64").X.dtype == np.float64


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n3\n", "line 3 has 1 cell; expected 2: '3'"),
        ("a,label\n1,0\ninf,1\n", "line 3, column 'a' holds 'inf', which is no finite number"),
        ("when,label\n2020-01-01,0\n2021-01-01,1\n", "no column left to learn from; there was 'when' .date"),
        ("a,b,label\n9007199254740993,1.5,1\n2,1,0\n", "holds 9007199254740993 in line 2"),
        ("a,label\n", "holds no rows"),
        ("", "holds no rows"),
    ],
)
def test_what_cannot_be_read(write, text, message):
    with pytest.raises(DataError, match=message):
        sx.read(write(text), header=True if text else None)


def test_truncated_parquet(tmp_path):
    parquet.write_table(pa.table({"a": [1], "y": [0]}), tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "a.parquet").write_bytes(data[: len(data) // 2])
    with pytest.raises(DataError, match="cannot be read as parquet"):
        sx.read(tmp_path / "a.parquet")


def test_bad_parameters(write):
    path = write(PEOPLE)
    for bad in ({"format": "xls"}, {"missing": "drop"}, {"dtype": "int32"}, {"n_columns": -1}):
        with pytest.raises(sx.ParameterError):
            sx.read(path, **bad)


def test_a_later_file_is_read_as_the_first_was(write):
    """Delimiter, decimal sign, categories that look like numbers, labels that are texts: all in the encoding."""
    first = "id;size;code;kind\n" + "".join(
        f"k{i};{i},5;{'ABC1'[i % 4]};{'1' if i % 2 else 'x'}\n" for i in range(40)
    )
    known = json.loads(json.dumps(sx.read(write(first)).encoding))
    later = sx.read(write("id;size;code;kind\na;1,234;1;1\nb;2;1;1\n", "later.csv"), encoding=known)
    assert later.X.tolist() == [[1.234, 1, 0, 0, 0], [2, 1, 0, 0, 0]]
    assert later.y.tolist() == ["1", "1"]
    assert later.identifiers == {"id": ["a", "b"]}
    assert later.row_numbers.tolist() == [2, 3]
    half = sx.read(write("id;size;code;kind\na;1,5;1;\nb;2;Z;1\n", "half.csv"), encoding=known)
    assert half.y is None
    assert half.description.warnings == [
        "The label 'kind' is missing in 1 of 2 rows; none is used.",
        "Column 'code' has values that the model does not know, in 1 places: 'Z'.",
    ]
    table = pa.table({"size": [1.5], "code": ["A"], "kind": ["x"]})
    feather.write_feather(table, write("", "a.feather"))
    assert sx.read(write("", "b.csv").with_name("a.feather"), encoding=known).X.tolist() == [
        [1.5, 0, 1, 0, 0]
    ]


def test_npy(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.0, 2, 0], [3, 4, 1]]))
    assert sx.read(tmp_path / "a.npy").y is None
    data = sx.read(tmp_path / "a.npy", label=-1)
    assert data.X.tolist() == [[1, 2], [3, 4]]
    assert data.y.tolist() == [0, 1]
    assert sx.read(tmp_path / "a.npy", encoding=data.encoding, label=2).y.tolist() == [0, 1]
    with pytest.raises(DataError, match="columns 0 to 2"):
        sx.read(tmp_path / "a.npy", label="kind")
    np.save(tmp_path / "o.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="cannot be read as npy"):
        sx.read(tmp_path / "o.npy")
