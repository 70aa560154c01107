"""Text files as the checker reads them: LIBSVM and CSV, rounding as the hardware does, mistakes with a sentence."""

import bz2
import gzip
import lzma
import struct

import pytest

from separatrix.checker.text import DataError, Layout, read_table


def read(tmp_path, name, text, **options):
    path = tmp_path / name
    content = text.encode()
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}.get(path.suffix)
    path.write_bytes(pack(content) if pack else content)
    table, labels = read_table(str(path), Layout(**options))
    rows = []
    for columns, values in table.rows():
        row = [0.0] * table.n_columns
        for column, value in zip(columns, values, strict=True):
            row[column] = value
        rows.append(row)
    return rows, labels


#: What Python, C or JavaScript take for a number, and the format does not.
ODD = (
    "nan",
    "inf",
    "-inf",
    "infinity",
    "1_0e-1",
    "1_0",
    "\uff11",
    "\u0661",
    "0x1p+0",
    "0x10",
    "1e999",
    "1d3",
    "1,5",
)
LIBSVM = "+1 1:0.5 3:2 # a comment\n\n-1 qid:7 2:1e-3\n# only a comment\n-1\n"


@pytest.mark.parametrize("name", ["a.txt", "a", "a.gz", "a.bz2", "a.libsvm.xz"])
def test_libsvm(tmp_path, name):
    rows, labels = read(tmp_path, name, LIBSVM)
    assert rows == [[0.5, 0.0, 2.0], [0.0, 0.001, 0.0], [0.0, 0.0, 0.0]]
    assert labels == ["+1", "-1", "-1"]


def test_libsvm_indices_from_zero(tmp_path):
    assert read(tmp_path, "a", "1 0:3 1:4\n")[0] == [[3.0, 4.0]]
    assert read(tmp_path, "a", "1 1:4\n", zero_based=True)[0] == [[0.0, 4.0]]
    with pytest.raises(DataError, match="start at 1"):
        read(tmp_path, "a", "1 0:4\n", zero_based=False)


def test_libsvm_width_and_order(tmp_path):
    assert read(tmp_path, "a", "1 2:4 1:3\n", n_columns=4)[0] == [[3.0, 4.0, 0.0, 0.0]]
    assert read(tmp_path, "a", "1 3:1\n", n_columns=2)[0] == [
        [0.0, 0.0, 1.0]
    ]  # a check then finds one too many


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 2:x", "line 1: 'x' is not a finite decimal number"),
        ("1 1.5:2", "line 1: expected index:value"),
        ("1 1:2 3", "is not a finite decimal"),
        ("1 -1:2", "expected index:value"),
        ("1 1:2 1:3", "twice"),
        *((f"1 1:{token}", "is not a finite decimal number") for token in ODD),
        *(
            (f"1 {index}:1", "expected index:value")
            for index in ("+1", "1_0", "\uff11", "0x1", "1e1", "9" * 11)
        ),
        ("1 1:9007199254740993", "9007199254740993 is no number of double precision"),
        ("1 1:-9007199254740993", "is no number of double precision"),
    ],
)
def test_libsvm_mistakes_get_a_sentence(tmp_path, line, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, "a", line)


def test_csv_with_and_without_a_header(tmp_path):
    expected = ([[1.0, 2.0], [3.0, 4.5]], ["a", "b"])
    assert read(tmp_path, "a.csv", "1,2,a\n3,4.5,b\n") == expected
    assert read(tmp_path, "a.csv.gz", "x,y,label\n1,2,a\n3,4.5,b\n") == expected
    assert read(tmp_path, "a.tsv", "x\ty\tlabel\n1\t2\ta\n3\t4.5\tb\n") == expected
    assert read(tmp_path, "a.csv", "\ufefflabel,x,y\na,1,2\n\nb,3,4.5\n", label_column="label") == expected
    assert (
        read(tmp_path, "a.data", "1;a;2\n3;b;4.5\n", format="csv", delimiter=";", label_column="1")
        == expected
    )
    assert read(tmp_path, "a.csv", '1,2,"a"\n3,4.5,b\n', label_column="-1") == expected


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "empty"),
        ("1,2,a\n3,b\n", {}, "record 2: expected 3 fields"),
        ("x,y,z\n1,,a\n", {}, "line 2: '' is not a finite decimal"),
        ("1,2,a\n", {"label_column": "species"}, "no column 'species'"),
        ("1,2,a\n", {"label_column": "7"}, "no column 7"),
        ("1,2,a\n1,inf,a\n", {}, "line 2: 'inf' is not a finite decimal"),
        ("1,2,a\n1,1_0,a\n", {}, "not a finite decimal"),
        ("1,9007199254740993,a\n", {}, "is no number of double precision"),
    ],
)
def test_csv_mistakes_get_a_sentence(tmp_path, text, options, message):
    with pytest.raises(DataError, match=message):
        read(tmp_path, "a.csv", text, **options)


def test_single_precision_rounds_like_the_hardware(tmp_path):
    (row,), _ = read(tmp_path, "a", "1 1:0.1 2:1e-46\n", single=True)
    assert row == [struct.unpack("f", struct.pack("f", 0.1))[0], 0.0]
    with pytest.raises(DataError, match="16777217 is no number of single precision"):
        read(tmp_path, "a", "1 1:16777217\n", single=True)
    with pytest.raises(DataError, match="not a finite decimal"):
        read(tmp_path, "a", "1 1:1e39\n", single=True)


@pytest.mark.parametrize(
    ("token", "value"), [("9007199254740994", 2.0**53 + 2), ("1" + 300 * "0", 1e300), ("-0", 0.0)]
)
def test_integers_that_a_double_holds_are_read(tmp_path, token, value):
    if token.startswith("1"):  # 10^300 is no double
        with pytest.raises(DataError, match="no number of double precision"):
            read(tmp_path, "a", f"1 1:{token}\n")
        token = str(int(value))
    assert read(tmp_path, "a", f"1 1:{token}\n")[0] == [[value]]


@pytest.mark.parametrize(("token", "rounded"), [("1", False), ("-12", False), ("0.5", True), ("1e3", True)])
def test_fractions_and_exponents_are_noticed(tmp_path, token, rounded):
    (tmp_path / "a").write_text(f"1 1:{token}\n")
    assert read_table(str(tmp_path / "a"), Layout())[0].rounded is rounded


def test_a_broken_archive_gets_a_sentence(tmp_path):
    (tmp_path / "a.gz").write_bytes(b"not an archive")
    with pytest.raises(DataError, match="cannot be read"):
        read_table(str(tmp_path / "a.gz"), Layout())


@pytest.mark.parametrize("name", ["a.gz", "a.bz2", "a.xz", "a.csv.gz"])
@pytest.mark.parametrize(
    "spoil", [lambda c: c[:-6], lambda c: c[:20] + b"\0\1\2" + c[23:], lambda c: b"x" + c]
)
def test_a_damaged_archive_gets_a_sentence(tmp_path, name, spoil):
    pack = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[(tmp_path / name).suffix]
    text = "\n".join(f"{i % 7} 1:{i} 2:{i * i}" for i in range(1, 500))
    (tmp_path / name).write_bytes(spoil(pack(text.replace(" 1:", ",").replace(" 2:", ",").encode())))
    with pytest.raises(DataError, match="cannot be read"):
        read_table(str(tmp_path / name), Layout(format="csv"))
