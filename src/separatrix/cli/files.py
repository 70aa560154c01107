"""Files that commands write: models, certificates, reports. A file that separatrix did not write is never replaced."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from separatrix.cli.fit import FitOptions
from separatrix.cli.inputs import Table
from separatrix.cli.output import CommandError, Output

if TYPE_CHECKING:
    from separatrix.proof.certificate import Certificate

_PACKED = {".gz", ".bz2", ".xz", ".zst"}
_FORMATS = {".svm", ".libsvm", ".svmlight", ".txt", ".dat", ".csv", ".tsv", ".parquet", ".arrow", ".feather"}
_FORMATS |= {
    ".npz",
    ".npy",
    ".store",
    ".data",
    ".jsonl",
    ".ndjson",
    ".json",
    ".arff",
    ".xlsx",
    ".xls",
    ".ods",
}
_CERTIFICATES = (".json", ".json.gz")


def stem(data: str) -> str:
    """Return the name of a data file without what tells its format and compression.

    >>> stem("folder/a9a.t.bz2"), stem("train.csv.gz"), stem("iris"), stem("-")
    ('a9a.t', 'train', 'iris', 'standard-input')
    """
    if data == "-":
        return "standard-input"
    name = Path(data).name or Path(data).resolve().name
    for known in (_PACKED, _FORMATS):
        base, suffix = os.path.splitext(name)
        if suffix.lower() in known and base:
            name = base
    return name


def claim(path: Path, is_ours: Callable[[Path], bool], force: bool, option: str) -> bool:
    """Make sure that a result may be written to ``path``; returns whether something of ours is replaced.

    A file that separatrix wrote is replaced, and the caller says so. Any other file is left alone.
    """
    folder = path.parent
    if not folder.is_dir():
        raise CommandError(
            f"The folder {folder} does not exist.", f"make it, or choose another place with {option}"
        )
    if not os.access(folder, os.W_OK):
        raise CommandError(
            f"The folder {folder} cannot be written to.", f"choose another place with {option}"
        )
    if not path.exists():
        return False
    if not force and not is_ours(path):
        raise CommandError(
            f"{path} exists and was not written by separatrix; it was left as it is.",
            f"choose another place with {option}, or overwrite it with --force",
        )
    return True


@dataclass
class Places:
    """The places of a fit's results, and those that were written, by name."""

    model: Path
    certificate: Path
    folder: Path  #: of certificates, where there are many
    contradiction: Path  #: the proof that there is no hard margin
    picture: Path  #: of a search
    report: Path
    looks: Path  #: the beginning of the name of a ledger
    chosen_certificate: bool  #: its place was given
    old: set[Path] = field(default_factory=set)  #: files of ours that were there before
    written: dict[str, Path] = field(default_factory=dict)

    def save_model(self, model: Any, table: Table) -> None:
        """Write the model with what is needed to read the next file as this one was read."""
        from separatrix.models.file import save

        save(model, self.model, columns=table.columns, encoding=table.encoding)
        self.written["model"] = self.model

    def save_certificates(self, proofs: dict[str, Any]) -> None:
        """Write the certificates, and remove those of an earlier fit from their folder."""
        place = self.folder if len(proofs) > 1 and not self.chosen_certificate else self.certificate
        if place.is_dir():
            for file in place.glob("[0-9][0-9][0-9]-*.json.gz"):
                file.unlink()
        save_certificates(proofs, place)
        self.written["certificate"] = place

    def drop_certificate(self) -> bool:
        """Remove the certificate of an earlier fit, which is not of the new model; returns whether it was there."""
        stale = self.certificate in self.old and self.certificate.is_file()
        if stale:
            self.certificate.unlink()
        return stale

    def save_contradiction(self, proof: Any) -> Path:
        """Write the proof that there is no hard margin; model and certificate of an earlier fit stay as they are."""
        place = self.certificate if self.chosen_certificate else self.contradiction
        save_certificates({"": proof}, place)
        return place

    def save_text(self, name: str, text: str) -> None:
        """Write the picture of a search, or the report."""
        from separatrix.atomic import write_atomically

        place = self.picture if name == "picture" else self.report
        write_atomically(place, text.encode())
        self.written[name] = place

    def say_replaced(self, output: Output) -> None:
        """Say which files were there before, now that they are replaced."""
        for path in self.written.values():
            if path in self.old:
                output.note(f"{path} was there before; it is replaced.")


def places_of_fit(options: FitOptions) -> Places:
    """Return where results go; refuses before the work begins if they may not, and touches nothing."""
    base, parent = stem(options.data), Path(options.data).parent
    model = parent / f"{base}.model.safetensors" if options.model is None else Path(options.model)
    looks = f"{base}.looks"  # named by the data: another model looks at the same rows
    if options.folder is not None:
        parent = Path(options.folder)
        parent.mkdir(parents=True, exist_ok=True)
        model = parent / model.name
    elif options.model is not None:
        parent, base = model.parent, model.name.removesuffix(".safetensors").removesuffix(".model")
    places = Places(
        model,
        Path(options.certificate or parent / f"{base}.certificate.json.gz"),
        parent / f"{base}.certificates",
        parent / f"{base}.inseparable.json.gz",
        parent / f"{base}.search.svg",
        parent / f"{base}.report.html",
        parent / looks,
        options.certificate is not None,
    )
    wanted: list[tuple[Path, Callable[[Path], bool]]] = [
        (places.model, is_model),
        (places.certificate, is_certificate),
        (places.folder, is_certificate),
        (places.contradiction, is_certificate),
    ]
    if options.search:
        wanted.append((places.picture, is_picture))
    if options.report:
        wanted.append((places.report, is_report))
    for path, ours in wanted:
        if claim(path, ours, options.force, "-o FOLDER"):
            places.old.add(path)
    return places


def claim_certificate(path: str | None, force: bool, output: Output) -> Path | None:
    """Return the place that ``--certificate`` names, where a certificate may be written; None where it names none."""
    if path is None:
        return None
    place = Path(path)
    if claim(place, is_certificate, force, "--certificate"):
        output.note(f"The certificate {place} is replaced.")
    return place


def load_model(path: str, certificates: bool = True) -> Any:
    """Return the model in a file, or say in a sentence why there is none."""
    from separatrix.models.file import load

    if not Path(path).exists():
        raise CommandError(
            f"There is no model file {path}.",
            "separatrix fit DATA writes DATA's name with .model.safetensors",
        )
    return load(path, certificates=certificates)


def columns_of(model: Any) -> dict[str, Any]:
    """Return the columns that a fitted model knows, as the arguments of `read` that ask for them."""
    encoding = getattr(model, "data_encoding_", None)
    return {"n_columns": int(model.n_features_in_)} if encoding is None else {"encoding": encoding}


def can_predict(path: Path) -> bool:
    """Tell whether a file is a model of ours, or a model text of LIBSVM or LIBLINEAR."""
    from separatrix.models.libsvm_models import TEXT_BEGINS

    try:
        with path.open("rb") as file:
            return file.read(16).startswith(TEXT_BEGINS) or is_model(path)
    except OSError:
        return False


def is_model(path: Path) -> bool:
    """Tell whether a file is a model of ours."""
    from safetensors import SafetensorError, safe_open

    from separatrix.models.tensors import FORMAT

    try:
        with safe_open(path, framework="numpy") as file:
            return FORMAT in (file.metadata() or {})
    except (SafetensorError, OSError):
        return False


def save_certificates(certificates: Mapping[str, Certificate], path: Path) -> None:
    """Write one certificate to ``path``, or several into the folder ``path``, each under its problem's name."""
    if len(certificates) == 1:
        next(iter(certificates.values())).save(path)
        return
    path.mkdir(parents=True, exist_ok=True)
    for place, (name, certificate) in enumerate(certificates.items(), 1):
        certificate.save(path / f"{place:03d}-{safe_name(name)}.json.gz")


def certificates_of(model: Any) -> dict[str, Certificate]:
    """Return the certificates of a fitted model by the names of their problems.

    Raises ValueError with the reason where it has none: a perceptron that was stopped, most kernels.
    """
    found = model.certificate_
    named = found if isinstance(found, dict) else {"": found}
    return {_problem_name(key): proof for key, proof in named.items()}


def _problem_name(key: Any) -> str:
    return f"{key[0]} against {key[1]}" if isinstance(key, tuple) else f"{key} against the rest"


def safe_name(name: str) -> str:
    """Return a name as part of a file's name.

    >>> safe_name("'>50K' against the rest")
    '50K-against-the-rest'
    """
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", name).strip("-")[:60] or "problem"


def find_certificates(path: str) -> list[Path]:
    """Return the certificate files that a path means: itself, or those in the folder."""
    place = Path(path)
    if not place.is_dir():
        return [place]
    files = sorted(file for file in place.iterdir() if file.name.endswith(_CERTIFICATES))
    if not files:
        raise CommandError(
            f"The folder {path} holds no certificates.",
            f"they are files that end in {' or '.join(_CERTIFICATES)}",
        )
    return files


def load_certificate(path: Path, max_bytes: int | None = None) -> Certificate | str:
    """Return the certificate in a file, or the sentence why it is none."""
    from separatrix.proof.certificate import Certificate, CertificateError

    try:
        return Certificate.load(path, max_bytes)
    except CertificateError as error:
        return str(error)


def is_certificate(path: Path) -> bool:
    """Tell whether a file is a certificate of ours, or a folder of nothing else."""
    if path.is_dir():
        return all(is_certificate(file) for file in path.iterdir())
    try:
        return not isinstance(load_certificate(path), str) or _begins_as_a_certificate(path)
    except OSError:
        return False


def _begins_as_a_certificate(path: Path) -> bool:
    """Tell whether a file that is no certificate of the present format was written as one of an earlier."""
    import gzip
    import zlib

    begin = b'{"format":"separatrix-certificate","version":1,'
    try:
        with open(path, "rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            return (gzip.GzipFile(fileobj=raw) if packed else raw).read(len(begin)) == begin
    except (OSError, EOFError, zlib.error):
        return False


def is_picture(path: Path) -> bool:
    """Tell whether a file is the picture of a search."""
    try:
        return b'aria-label="Accuracy of ' in path.read_bytes()[:1000]
    except OSError:
        return False


def is_report(path: Path) -> bool:
    """Tell whether a file looks like a report of ours, which a new one may replace."""
    with path.open("rb") as file:
        return b"separatrix" in file.read(4096)  # every page of ours names its maker
