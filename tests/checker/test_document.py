"""Documents: the same text in pieces as in one, a digest over all of it, and budgets."""

import gzip
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from separatrix.checker import document as documents
from separatrix.checker.document import approve, digest_of, json_pieces, load, parse
from separatrix.checker.numbers import Rejected

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=20,
)
BODY = {
    "format": "separatrix-certificate",
    "version": 2,
    "kind": "optimal",
    "claim": 'A "claim"\\\n\t\x01\x7f/ é \U0001f600.',
    "data": {"rows": 2},
    "problem": {},
    "proof": {"w": [1, 2]},
}


def signed(body, **changes):
    body = {**body, **changes}
    return {**body, "digest": digest_of(body)}


@given(VALUES, st.booleans())
def test_the_pieces_are_those_of_json(value, sort_keys):
    whole = json.dumps(value, sort_keys=sort_keys, separators=(",", ":"))
    assert "".join(json_pieces(value, sort_keys)) == whole


def test_a_long_list_comes_in_short_pieces():
    value = [{"b": list(range(100_000)), "a": ["0x1.8p+1"] * 100_000}]
    for each in (value[0], value):
        pieces = list(json_pieces(each))
        assert "".join(pieces) == json.dumps(each, sort_keys=True, separators=(",", ":"))
    assert max(map(len, json_pieces(value[0]))) < 200_000


def test_what_json_has_no_word_for_is_refused():
    for wrong in ({"x": float("nan")}, {"x": float("inf")}):
        with pytest.raises(ValueError, match="not JSON compliant"):
            list(json_pieces(wrong))
    with pytest.raises(TypeError):
        list(json_pieces({"x": object()}))
    # Names that are no texts would be written as texts: such a body is not what it is read back as.
    with pytest.raises(Rejected, match=r"not plain JSON|exactly|differs"):
        approve({**signed(BODY), 1: 2})


def test_the_digest_is_over_the_bytes_of_the_page():
    text = (
        '{"claim":"A \\"claim\\"\\\\\\n\\t\\u0001\\u007f/ \\u00e9 \\ud83d\\ude00.","data":{"rows":2},'
        '"format":"separatrix-certificate","kind":"optimal","problem":{},"proof":{"w":[1,2]},"version":2}'
    )
    assert digest_of(BODY) == hashlib.sha256(text.encode("ascii")).hexdigest()


def test_a_document_is_read_back_as_it_is(tmp_path):
    document = signed(BODY)
    content = json.dumps(document).encode()
    assert parse(content) == document
    (tmp_path / "c.json").write_bytes(content)
    (tmp_path / "c").write_bytes(gzip.compress(content))
    assert load(tmp_path / "c.json") == load(tmp_path / "c") == document


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: [], "Not a certificate"),
        (lambda d: None, "Not a certificate"),
        (lambda d: {**d, "format": "other"}, "Not a certificate"),
        (lambda d: {**d, "version": 1}, "version 2 of the format; the certificate has version 1"),
        (lambda d: {**d, "version": 3}, "version 3"),
        (lambda d: {**d, "version": True}, "version True"),
        (lambda d: {**d, "version": 2.0}, r"version 2\.0"),
        (lambda d: {k: v for k, v in d.items() if k != "proof"}, "must have exactly"),
        (lambda d: {**d, "extra": 1}, "must have exactly"),
        (lambda d: {**d, "digest": "0" * 64}, "differs from its digest"),
        (lambda d: {**d, "digest": d["digest"].upper()}, "differs from its digest"),
        (lambda d: {**d, "digest": None}, "differs from its digest"),
        (lambda d: {**d, "claim": float("nan")}, "not plain JSON"),
        (lambda d: {**d, "claim": object()}, "not plain JSON"),
    ],
)
def test_malformed_documents_get_a_sentence(spoil, message):
    with pytest.raises(Rejected, match=message):
        approve(spoil(signed(BODY)))


def test_version_1_is_refused_with_what_to_do():
    with pytest.raises(
        Rejected, match="fitting again, or by: separatrix audit MODEL DATA --certificate FILE"
    ):
        approve(signed(BODY, version=1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a JSON document"),
        (b"{", "not a JSON document"),
        (b"\xff\xfe", "not a JSON document"),
        (b"\xef\xbb\xbf{}", "not a JSON document"),
        (b"[" * 100_000, "lists, objects and fields"),
        (b'{"a":' * 4_900, "not a JSON document"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"data": {"a": 1, "b": 2, "a": 1}}', "twice"),
        (b'{"a": 1.5}', "integer from 0"),
        (b'{"a": 1.0}', "integer from 0"),
        (b'{"a": 1e3}', "integer from 0"),
        (b'{"a": -1}', "integer from 0"),
        (b'{"a": -0}', "integer from 0"),
        (b'{"a": 9007199254740992}', "integer from 0"),
        (b'{"a": NaN}', "integer from 0"),
        (b'{"a": -Infinity}', "integer from 0"),
        (b"1" * 5000, "integer from 0"),
        (b"null", "Not a certificate"),
    ],
)
def test_unreadable_content_gets_a_sentence(content, message):
    with pytest.raises(Rejected, match=message):
        parse(content)


def test_counts_up_to_their_limit_are_read():
    assert parse(json.dumps(signed(BODY, proof={"bound": (1 << 53) - 1})).encode())


def test_a_lone_surrogate_is_refused():
    body = json.dumps(signed(BODY, claim="\ud800")).encode()
    with pytest.raises(Rejected):
        parse(body)


def parts(content):
    return sum(map(content.count, (b"[", b"{", b":")))


def test_lists_objects_and_fields_have_a_budget():
    few = parts(json.dumps(signed(BODY, proof={"w": []})).encode())
    inside = json.dumps(signed(BODY, proof={"w": [[]] * (10_000 - few)})).encode()
    assert parts(inside) == 10_000
    assert parse(inside)
    beyond = json.dumps(signed(BODY, proof={"w": [[]] * (10_001 - few)})).encode()
    with pytest.raises(Rejected, match="at most 10000 lists, objects and fields"):
        parse(beyond)


def test_the_budget_of_the_text(tmp_path, monkeypatch):
    content = json.dumps(signed(BODY, claim="x" * 5000)).encode()
    plain, packed = tmp_path / "c.json", tmp_path / "c.json.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    for path in (plain, packed):
        assert load(path, max_bytes=len(content))
        with pytest.raises(Rejected, match=f"budget of {len(content) - 1} bytes"):
            load(path, max_bytes=len(content) - 1)
    monkeypatch.setattr(documents, "TEXT_BYTES", 100)
    monkeypatch.setattr(documents, "EXPANSION", 2)
    assert load(plain)
    with pytest.raises(Rejected, match="budget"):
        load(packed)


@pytest.mark.parametrize("tail", [b"x", b"\0", gzip.compress(b""), gzip.compress(b" ")])
def test_an_archive_has_one_member_and_nothing_behind_it(tail, tmp_path):
    (tmp_path / "c").write_bytes(gzip.compress(json.dumps(signed(BODY)).encode()) + tail)
    with pytest.raises(Rejected, match="compressed certificate"):
        load(tmp_path / "c")


@pytest.mark.parametrize("spoil", [lambda c: c[:-4], lambda c: c[:20], lambda c: c[:30] + b"\0" + c[31:]])
def test_a_damaged_archive_gets_a_sentence(spoil, tmp_path):
    (tmp_path / "c").write_bytes(spoil(gzip.compress(json.dumps(signed(BODY)).encode())))
    with pytest.raises(Rejected, match="compressed certificate"):
        load(tmp_path / "c")
