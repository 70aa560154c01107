"""LIBSVM text: the same as scikit-learn where it reads a file, and a sentence with line and column where it is bad."""

from __future__ import annotations

import io
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

import separatrix as sx
from separatrix.checker.text import DataError
from separatrix.data.libsvm_text import TextRows, TextSettings


def read_text(tmp_path, text: str | bytes, **options) -> sx.files.dataset.Dataset:
    path = tmp_path / "data.svm"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return sx.read(path, format="libsvm", **options)


def parse(text: bytes, cuts: list[int], n_threads: int = 1):
    """The rows of a text fed in buffers that end at the cuts."""
    rows = TextRows("text", TextSettings(n_threads=n_threads))
    places = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    for begin, end in pairwise(places):
        rows.feed(text[begin:end])
    rows.finish()
    return [part.tolist() for part in rows.reader.take()], rows.reader.labels()


numbers = st.one_of(
    st.integers(0, 10**9).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(allow_nan=False, allow_infinity=False, width=32).map(lambda x: f"{x:.6g}"),
    st.tuples(st.integers(0, 10**25), st.integers(-330, 300)).map(lambda x: f"{x[0]}e{x[1]}"),
    st.decimals(-1000, 1000, places=5).map(str),
).filter(lambda text: math.isfinite(float(text)))
blank = st.sampled_from([" ", "\t", "  ", " \t"])


@st.composite
def lines(draw, first_index: int = 1):
    columns = sorted(draw(st.sets(st.integers(first_index, 2000), max_size=12)))
    gap = draw(blank)
    parts = [draw(st.sampled_from(["1", "-1", "+1", "3.5"])), *(f"{c}:{draw(numbers)}" for c in columns)]
    ending = draw(
        st.sampled_from(["\n", " \n", "\r\n", " # a comment 3:4\n", "#c\n", "\n\n", "\n# a line\n"])
    )
    return gap.join(parts) + ending


@settings(max_examples=150)
@given(st.lists(lines(), min_size=1, max_size=12), st.lists(st.integers(0, 10**6), max_size=4), st.booleans())
def test_the_same_as_scikit_learn_however_it_is_cut(texts, cuts, keep_end):
    text = "".join(texts).encode()
    if not keep_end:
        text = text.rstrip(b"\n")
    (values, columns, ends, codes, queries), labels = parse(text, cuts, n_threads=2)
    X, y = load_svmlight_file(io.BytesIO(text), zero_based=False)
    assert queries == []
    assert values == X.data.tolist()  # to the last bit
    assert columns == X.indices.tolist()
    assert [0, *ends] == X.indptr.tolist()
    assert [float(labels[code][0]) for code in codes] == y.tolist()


@settings(max_examples=300)
@given(st.lists(numbers, min_size=1, max_size=8))
def test_numbers_are_rounded_as_python_does(texts):
    line = "1 " + " ".join(f"{i}:{text}" for i, text in enumerate(texts, 1)) + "\n"
    (values, *_), _ = parse(line.encode(), [])
    assert values == [float(text) for text in texts]


@settings(max_examples=300)
@given(st.one_of(st.integers(-(10**30), 10**30), st.integers(-(2**70), 2**70).map(lambda n: n & ~0xFFFF)))
def test_an_integer_is_read_as_itself_or_refused(number):
    line = f"1 1:{number}\n".encode()
    if int(float(number)) == number:
        assert parse(line, [])[0][0] == [float(number)]
    else:
        with pytest.raises(DataError, match="would round it"):
            parse(line, [])


@settings(max_examples=200)
@given(st.binary(max_size=60), st.lists(st.integers(0, 60), max_size=3))
def test_any_bytes_are_read_or_refused_the_same_however_they_are_cut(text, cuts):
    def outcome(places):
        try:
            return parse(text, places)
        except DataError as error:
            return str(error)

    whole = outcome([])
    assert outcome(cuts) == whole
    assert not isinstance(whole, str) or "line " in whole


def test_zero_based_is_noticed(tmp_path):
    text = "1 0:5 3:6\n-1 2:7\n"
    assert read_text(tmp_path, text).X.tolist() == [[5, 0, 0, 6], [0, 0, 7, 0]]
    assert read_text(tmp_path, "1 1:5\n").X.tolist() == [[5]]
    assert read_text(tmp_path, "1 1:5\n", zero_based=True).X.tolist() == [[0, 5]]
    assert read_text(tmp_path, text, n_columns=9).X.shape == (2, 9)
    with pytest.raises(DataError, match="n_columns is 3"):
        read_text(tmp_path, text, n_columns=3)


def test_rows_that_are_more_than_a_third_full_are_a_dense_array(tmp_path):
    full, sparse = read_text(tmp_path, "1 1:5 2:7\n1 3:1\n"), read_text(tmp_path, "1 1:5\n1 3:1\n")
    assert isinstance(full.X, np.ndarray)
    assert full.X.tolist() == [[5, 7, 0], [0, 0, 1]]
    assert full.X.flags.c_contiguous
    assert full.source.nonzeros == 3
    assert sparse.X.format == "csr"
    assert sparse.X.toarray().tolist() == [[5, 0, 0], [0, 0, 1]]


def test_labels_as_found(tmp_path):
    assert read_text(tmp_path, "+1 1:1\n-1\n").y.tolist() == [1, -1]
    assert read_text(tmp_path, "1 1:1\n0.5\n").y.dtype == np.float64
    assert read_text(tmp_path, "spam 1:1\nham 1:2\nspam\n").y.tolist() == ["spam", "ham", "spam"]
    assert read_text(tmp_path, "1 1:1\nzwölf 1:2\n").y.tolist() == ["1", "zwölf"]
    assert read_text(tmp_path, "1:1 2:3\n2:4\n").y is None
    assert read_text(tmp_path, "18446744073709551616 1:1\n1 1:1\n").y.tolist() == [2.0**64, 1.0]


def test_queries(tmp_path):
    data = read_text(tmp_path, "1 qid:7 1:2\n0 qid:-3 2:1\n")
    assert data.qid.tolist() == [7, -3]
    assert data.X.tolist() == [[2, 0], [0, 1]]


def test_columns_in_any_order_are_sorted(tmp_path):
    data = read_text(tmp_path, "1 3:30 1:10 2:20\n", n_columns=9)
    assert data.X.indices.tolist() == [0, 1, 2]
    assert data.X.data.tolist() == [10, 20, 30]
    assert data.X.has_canonical_format


def test_wide_indices_and_what_came_before_them(tmp_path):
    text = "1 1:1 2:2\n" * 3 + "1 5:1 2147483648:2 5000000000:3\n" + "1 7:1\n"
    data = read_text(tmp_path, text)
    assert data.X.indices.dtype == data.X.indptr.dtype == np.int64
    assert data.X.indices.tolist() == [0, 1] * 3 + [4, 2147483647, 4999999999, 6]
    assert data.X.shape == (5, 5_000_000_000)
    narrow = read_text(tmp_path, "1 2147483647:2\n")
    assert narrow.X.indices.dtype == np.int32


def test_float32_is_rounded_and_bounded(tmp_path):
    data = read_text(tmp_path, "1 1:0.1\n", dtype="float32")
    assert data.X.dtype == np.float32
    assert data.X[0, 0] == np.float32(0.1)
    with pytest.raises(DataError, match="line 2, column 5: the number is too large"):
        read_text(tmp_path, "1 1:1\n1 2:1e39\n", dtype=np.float32)


def test_an_encoding_gives_a_new_file_the_same_columns(tmp_path):
    known = read_text(tmp_path, "1 1:1 4:2\n").encoding
    data = read_text(tmp_path, "1 2:1 9:3 11:1\n", encoding=known)
    assert data.X.shape == (1, 4)
    assert data.source.left_out == 2
    zero = read_text(tmp_path, "1 0:1 3:2\n").encoding
    assert read_text(tmp_path, "1 1:5\n", encoding=zero).X.toarray().tolist() == [[0, 5, 0, 0]]


def test_nothing_at_all(tmp_path):
    for text in ("", "\n", "# only this", "\n \n\t\n"):
        data = read_text(tmp_path, text)
        assert data.X.shape == (0, 0)
        assert data.y is None


FAULTS = {
    "1 1:2\n-1 x:3\n": "line 2, column 4: expected the index of a column; found 'x:3'",
    "1 1:2 3 4:1\n": "line 1, column 8: expected ':' after the index; found the end",
    "1 1:\n": "line 1, column 5: expected a number after ':'; found the end of the line",
    "1 1:abc\n": "line 1, column 5: expected a number after ':'; found 'abc'",
    "1 1:9007199254740993\n": "line 1, column 5: the integer is not a number of its type, which would round it",
    "1 1:0x1p3\n": "line 1, column 6: expected white space after the number; found 'x1p3'",
    "1 1:nan\n": "line 1, column 5: values must be finite; found 'nan'",
    "\n1 1:-inf 2:1\n": "line 2, column 5: values must be finite; found '-inf'",
    "1 1:1e400\n": "line 1, column 5: the number is too large",
    "1 1:1e\n": "line 1, column 5: expected a number",
    "1 1:1.2.3\n": "line 1, column 8: expected white space after the number; found '.3'",
    "1 1:1_0\n": "line 1, column 6: expected white space",
    "1 -1:1\n": "line 1, column 3: expected the index of a column; found '-1:1'",
    "1 2:1 5:1 2:3\n": "line 1, column 11: the index occurs twice in this row; found '2:3'",
    "1 2:1 2:3\n": "line 1, column 7: the index occurs twice",
    "1 99999999999999999999:1\n": "line 1, column 3: the index is above 2^59",
    "1,2 1:1\n": "line 1, column 1: a row with several labels; one label a row is expected; found '1,2'",
    "1 1:1\n2:1 3:1\n": "line 2, column 1: expected a label; earlier rows have one; found '2:1'",
    "1:1\n1 1:1\n": "line 2, column 1: expected index:value; earlier rows have no label",
    "1 qid:x 1:1\n": "line 1, column 7: expected an integer after 'qid:'; found 'x'",
    "1 qid:1 1:1\n1 1:1\n": "line 2, column 3: expected 'qid:'; earlier rows have one",
    "1 1:1\n1 qid:2 1:1\n": "line 2, column 3: 'qid:' in this row; earlier rows have none",
    "1 1:1\nnan 1:1\n": "line 2, column 1: expected a label; found 'nan'",
    "1 1:\0\n": r"line 1, column 5: expected a number after ':'; found '\x00'",
    "1 1:1 \x7f\n": "line 1, column 7: expected the index",
}


def parse_in_two(first: bytes, second: bytes) -> None:
    rows = TextRows("text", TextSettings(n_threads=2))
    rows.feed(first)
    rows.feed(second)
    rows.finish()
    rows.labels(np.array([0]))


@pytest.mark.parametrize("text", FAULTS)
def test_faults_have_a_line_and_a_column(tmp_path, text):
    with pytest.raises(DataError) as caught:
        read_text(tmp_path, text)
    assert FAULTS[text] in str(caught.value)
    # In a later buffer the line is still the line of the file, whichever thread found it.
    good = "1 1:1\n" if not text.startswith(("1:", "\n1:")) and "qid" not in text else ""
    with pytest.raises(DataError) as again:
        parse_in_two((good * 1000).encode(), (good * 300_000 + text).encode())
    where = FAULTS[text].split(":")[0].removeprefix("line ")
    line = int(where.split(",")[0]) + (301_000 if good else 0)
    assert f"line {line}, {where.split(', ')[1]}:" in str(again.value)


def test_index_zero_is_refused_when_asked(tmp_path):
    with pytest.raises(DataError, match="line 2, column 3: an index 0, but indices were said to start at 1"):
        read_text(tmp_path, "1 1:1\n1 0:1\n", zero_based=False)
    with pytest.raises(
        DataError, match=r"line 1, column 7: the index is beyond the last column.*there are 2 columns"
    ):
        read_text(tmp_path, "1 1:1 3:1\n", n_columns=2)


def test_progress_and_byte_order_mark(tmp_path):
    seen = []
    data = read_text(
        tmp_path, b"\xef\xbb\xbf1 1:1\n2 2:1\n", on_progress=lambda done, total: seen.append((done, total))
    )
    assert data.y.tolist() == [1, 2]
    assert seen[-1] == (15, 15)


def test_threads_agree_on_a_large_text():
    rng = np.random.default_rng(0)
    text = "".join(
        f"{rng.integers(0, 5)} "
        + " ".join(f"{c}:{rng.normal():.8g}" for c in np.sort(rng.choice(5000, 20)) * 2 + 1)
        + "\n"
        for _ in range(6000)
    ).encode()
    text = b"\n".join(
        line for line in text.split(b"\n") if len({p.split(b":")[0] for p in line.split()[1:]}) == 20
    )
    one, two = parse(text, [], 1), parse(text, [1000, 400_000], 3)
    assert one == two
    assert len(text) > 1 << 20
