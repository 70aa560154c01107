"""Certificates: saved and loaded unchanged, every changed value noticed, malformed documents refused."""

import dataclasses
import gzip
import hashlib
import json
import os
import re
import threading

import numpy as np
import pytest
from small_problems import certified

from separatrix.checker import document as documents
from separatrix.proof import certificate as certificates
from separatrix.proof.certificate import Certificate, CertificateError, Source
from separatrix.proof.fingerprint import fingerprint
from separatrix.proof.optimal import optimal


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
    assert re.search(
        r'of "yes" \([0-9]+ rows\) against "no" \([0-9]+ rows\) has its optimum between ', certificate.claim
    )
    assert certificate.claim.endswith("; all 24 rows take part.")
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


def signed(document):
    body = {name: value for name, value in document.items() if name != "digest"}
    return {**body, "digest": documents.digest_of(body)}


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda d: [], "Not a certificate"),
        (lambda d: change(d, "format", "other"), "Not a certificate"),
        (lambda d: change(d, "version", 1), "version 2 of the format; the certificate has version 1"),
        (lambda d: change(d, "version", True), "version True"),
        (lambda d: {k: v for k, v in d.items() if k != "proof"}, "must have exactly"),
        (lambda d: change(d, "extra", 1), "must have exactly"),
        (lambda d: change(d, "digest", "0" * 64), "differs from its digest"),
        (lambda d: change(d, "claim", float("nan")), "not plain JSON"),
        (lambda d: signed(change(d, "claim", 1)), "kind and claim must be texts"),
        (lambda d: signed(change(d, "kind", [])), "kind and claim must be texts"),
        (lambda d: signed(change(d, "proof", [])), "problem and proof must be objects"),
        (lambda d: signed(change(d, "data", {})), "field data must have exactly"),
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
        (b"[" * 100_000, "lists, objects and fields"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b'{"a": 1.5}', "integer from 0"),
        (b'{"a": NaN}', "integer from 0"),
        (b"1" * 5000, "integer from 0"),
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
    with pytest.raises(CertificateError, match="budget of 1000 bytes"):
        Certificate.load(tmp_path / "c.json.gz", max_bytes=1000)


def test_the_digest_is_over_the_canonical_body(certificate):
    body = {name: value for name, value in certificate.to_dict().items() if name != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    assert certificate.digest == hashlib.sha256(text.encode()).hexdigest()
    assert body["format"] == documents.FORMAT


def test_costs_are_written_per_side_or_per_row():
    assert set(certified()[3].problem["C"]) == {"positive", "negative"}
    assert set(certified(weighted=True)[3].problem["C"]) == {"rows"}


def test_the_data_are_read_back_without_what_only_a_maker_needs(certificate):
    assert certificate.data.known is not None
    loaded = Source.from_dict(certificate.data.to_dict())
    assert loaded.known is None
    assert loaded == certificate.data
    assert "known" not in certificate.to_dict()["data"]


@pytest.mark.parametrize("type", [np.float32, np.float64])
def test_the_type_of_the_numbers_is_written(type):
    assert certified(form=lambda X: X.astype(type))[3].data.type == type.__name__


def test_sides_that_are_not_the_problem_are_refused():
    problem, labels, solution, _ = certified()
    with pytest.raises(ValueError, match="two sides"):
        optimal(problem, solution, fingerprint(problem.X, labels), ["no"], ["yes"])


def test_a_certificate_that_packs_too_well_is_stored_and_read_back(tmp_path, monkeypatch):
    """A text that is more than 32 times its file is refused on reading, so `save` must not write such a file."""
    certificate = certified()[-1]
    length = 60_000
    zeros = {"length": length, "values": ["0x0.0p+0"] * length}
    certificate = dataclasses.replace(certificate, proof={**certificate.proof, "w": zeros})
    for module in (documents, certificates):
        monkeypatch.setattr(module, "TEXT_BYTES", 1000)
    certificate.save(tmp_path / "many.json.gz")
    assert Certificate.load(tmp_path / "many.json.gz") == certificate
    text = gzip.decompress((tmp_path / "many.json.gz").read_bytes())
    assert len(text) > documents.EXPANSION * len(gzip.compress(text))  # it would have packed too well


def test_a_certificate_is_written_into_a_pipe(tmp_path):
    """What cannot be rewound is written once."""
    certificate, path = certified()[-1], tmp_path / "pipe.json.gz"
    os.mkfifo(path)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    certificate.save(path)
    reader.join(10)
    (tmp_path / "copy.json.gz").write_bytes(read[0])
    assert Certificate.load(tmp_path / "copy.json.gz") == certificate
