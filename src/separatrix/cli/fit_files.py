"""Where the results of `separatrix fit` go: claimed before the work begins, written after it, and said as it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from separatrix.cli import files
from separatrix.cli.fit import FitOptions
from separatrix.cli.inputs import Table
from separatrix.cli.output import Output
from separatrix.cli.report import is_report


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
        """Write the model with what is needed to read the next file as this one."""
        files.save_model(model, self.model, table)
        self.written["model"] = self.model

    def save_certificates(self, proofs: dict[str, Any]) -> None:
        """Write the certificates, and nothing of an earlier fit stays beside them."""
        place = self.folder if len(proofs) > 1 and not self.chosen_certificate else self.certificate
        if place.is_dir():
            for file in place.glob("[0-9][0-9][0-9]-*.json.gz"):
                file.unlink()
        files.save_certificates(proofs, place)
        self.written["certificate"] = place

    def drop_certificate(self) -> list[Path]:
        """Remove the certificate of an earlier fit: it is not of the model that is now beside it."""
        stale = [path for path in (self.certificate,) if path in self.old and path.is_file()]
        for path in stale:
            path.unlink()
        return stale

    def save_contradiction(self, proof: Any) -> Path:
        """Write the proof that there is no hard margin; model and certificate of an earlier fit stay as they are."""
        place = self.certificate if self.chosen_certificate else self.contradiction
        files.save_certificates({"": proof}, place)
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


def claim(options: FitOptions) -> Places:
    """Return where results go; refuses before the work begins if they may not, and touches nothing."""
    model = files.beside(options.data, ".model.safetensors") if options.model is None else Path(options.model)
    stem = files.stem(options.data)
    parent = Path(options.data).parent
    if options.folder is not None:
        parent = Path(options.folder)
        parent.mkdir(parents=True, exist_ok=True)
        model = parent / model.name
    elif options.model is not None:
        parent, stem = model.parent, model.name.removesuffix(".safetensors").removesuffix(".model")
    named = options.certificate is not None
    places = Places(
        model,
        Path(options.certificate or parent / f"{stem}.certificate.json.gz"),
        parent / f"{stem}.certificates",
        parent / f"{stem}.inseparable.json.gz",
        parent / f"{stem}.search.svg",
        parent / f"{stem}.report.html",
        parent / f"{files.stem(options.data)}.looks",  # by the data: another model looks at the same rows
        named,
    )
    wanted: list[tuple[Path, Callable[[Path], bool]]] = [
        (places.model, files.is_model),
        (places.certificate, files.is_certificate),
        (places.folder, files.is_certificate),
        (places.contradiction, files.is_certificate),
    ]
    if options.search:
        wanted.append((places.picture, is_picture))
    if options.report:
        wanted.append((places.report, is_report))
    for path, ours in wanted:
        if files.claim(path, ours, options.force, "-o FOLDER"):
            places.old.add(path)
    return places


def is_picture(path: Path) -> bool:
    """Tell whether a file is the picture of a search."""
    try:
        return b'aria-label="Accuracy of ' in path.read_bytes()[:1000]
    except OSError:
        return False
