import gzip
import hashlib
import json

import numpy as np
import pytest
from small_problems import certified

from separatrix.checker import certificate as documents
from separatrix.proof.certificate import Certificate, CertificateError, fingerprint, optimal


@pytest.fixture(scope="module")
def certificate():
    return certified(weighted=True)[3]


@pytest.mark.parametrize("name", ["c.json", "c.json.gz"])
def test_saving_and_loading_changes_nothing(certificate, name, tmp_path):
    certificate.save(tmp_path / name)
    loaded = Certificate.load(tmp_path / name)
    assert loaded == certificate
    assert hash(loaded) == hash(certificate)
    assert loaded.to_dict() == certificate.to_dict()
    again = tmp_path / f"again-{name}"
    loaded.save(again)
    assert again.read_bytes() == (tmp_path / name).read_bytes()


def test_numbers_read_back_exactly(certificate):
    _, _, solution, _ = certified(weighted=True)
    values = [float.fromhex(text) for text in certificate.proof["w"]["values"]]
    assert values == solution.w.tolist()
    assert float.fromhex(certificate.proof["b"]) == solution.b
    assert certificate.proof["alpha"]["indices"] == np.flatnonzero(solution.alpha).tolist()


def test_the_claim_and_the_labels_are_for_people(certificate):
    assert "'yes' against 'no'" in certificate.claim
    assert certificate.data.positive == ("yes",)
    assert "optimal" in repr(certificate)


def leaves(node, path=()):
    """The path of every value in a document."""
    if isinstance(node, dict):
        for name, child in node.items():
            yield from leaves(child, (*path, name))
    elif isinstance(node, list):
        for position, child in enumerate(node):
            yield from leaves(child, (*path, position))
    else:
        yield path


def test_every_changed_value_is_noticed(certificate):
    document = certificate.to_dict()
    paths = list(leaves(document))
    assert len(paths) > 60
    for path in paths:
        changed = json.loads(json.dumps(document))
        place = changed
        for step in path[:-1]:
            place = place[step]
        old = place[path[-1]]
        place[path[-1]] = old + 1 if isinstance(old, int) else old[:-1] + ("1" if old[-1] != "1" else "2")
        with pytest.raises(CertificateError):
            Certificate.from_dict(changed)


def change(document, name, value):
    return {**document, name: value}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: [], "Not a certificate"),
        (lambda d: change(d, "format", "other"), "Not a certificate"),
        (lambda d: change(d, "version", 2), "version 1"),
        (lambda d: change(d, "version", True), "version 1"),
        (lambda d: {k: v for k, v in d.items() if k != "proof"}, "exactly the fields"),
        (lambda d: change(d, "extra", 1), "exactly the fields"),
        (lambda d: change(d, "digest", "0" * 64), "differs from its digest"),
        (lambda d: change(d, "claim", float("nan")), "not plain JSON"),
    ],
)
def test_malformed_documents_get_a_sentence(certificate, spoil, message):
    with pytest.raises(CertificateError, match=message):
        Certificate.from_dict(spoil(certificate.to_dict()))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a JSON document"),
        (b"{", "not a JSON document"),
        (b"\xff\xfe", "not a JSON document"),
        (b"[" * 100_000, "not a JSON document"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": 1.5}', "hexadecimal"),
        (b'{"a": NaN}', "hexadecimal"),
        (b"1" * 5000, "not a JSON document"),
        (b"null", "Not a certificate"),
        (gzip.compress(b"{}")[:-4], "compressed"),
    ],
)
def test_unreadable_files_get_a_sentence(content, message, tmp_path):
    (tmp_path / "c.json").write_bytes(content)
    with pytest.raises(CertificateError, match=message):
        Certificate.load(tmp_path / "c.json")


def test_a_small_file_that_unpacks_to_a_large_one_is_not_read(tmp_path):
    (tmp_path / "c.json.gz").write_bytes(gzip.compress(b" " * 10_000_000))
    with pytest.raises(CertificateError, match="limit of 1000 bytes"):
        Certificate.load(tmp_path / "c.json.gz", max_bytes=1000)


def test_the_digest_is_over_the_canonical_body(certificate):
    body = {name: value for name, value in certificate.to_dict().items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    assert certificate.digest == hashlib.sha256(text.encode()).hexdigest()
    assert body["format"] == documents.FORMAT


def test_costs_are_written_per_side_or_per_row():
    assert set(certified()[3].problem["C"]) == {"positive", "negative"}
    assert set(certified(weighted=True)[3].problem["C"]) == {"rows"}


def test_sides_that_are_not_the_problem_are_refused():
    problem, labels, solution, _ = certified()
    with pytest.raises(ValueError, match="two sides"):
        optimal(problem, solution, fingerprint(problem.X, labels), ["no"], ["yes"])
