"""The proofs: nothing admitted, no axiom of our own, and small enough to be read."""

from __future__ import annotations

import re

import pytest

from tests.verified.proved_checker import BUILT, FOLDER, ROOT

PROOFS = sorted(FOLDER.glob("*.v"))
APART = {
    "Kernels.v",
    "Polynomials.v",
    "Joint.v",
    "JointKernels.v",
}  # kernels, and the SVM of all classes at once
PLUMBING = {"Extraction.v", "Assumptions.v"}
FORBIDDEN = r"\b(Admitted|admit|Axiom|Axioms|Conjecture|Parameter|Parameters|give_up|Unset\s+Guard)\b"


def code(path) -> str:
    """A file without its comments."""
    return re.sub(r"\(\*.*?\*\)", "", path.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("path", PROOFS, ids=lambda path: path.name)
def test_nothing_is_admitted_or_assumed(path):
    assert re.search(FORBIDDEN, code(path)) is None


def test_the_proofs_of_the_linear_kinds_and_mistakes_are_small():
    counted = [path for path in PROOFS if path.name not in APART | PLUMBING]
    lines = sum(bool(line.strip()) for path in counted for line in code(path).splitlines())
    assert lines <= 1500, f"{lines} lines of Coq"


def test_every_theorem_assumes_the_axioms_of_the_reals_alone(program):
    assert (BUILT / "assumptions.txt").read_text() == (FOLDER / "assumptions.txt").read_text()
    named = set(
        re.findall(
            r"^([A-Za-z_.]+)$|^([A-Za-z_.]+) :", (FOLDER / "assumptions.txt").read_text(), re.MULTILINE
        )
    )
    axioms = {first or second for first, second in named} - {"Axioms"}
    assert axioms == {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }


def test_every_soundness_theorem_is_asked_what_it_assumes():
    asked = set(re.findall(r"Print Assumptions (\w+\.\w+)\.", (FOLDER / "Assumptions.v").read_text()))
    proved = {
        f"{path.stem}.{name}"
        for path in PROOFS
        for name in re.findall(r"Theorem (\w+_sound)\b", path.read_text())
    }
    steps = {"Variants.excluded_sound", "Polynomials.definite_sound"} | {
        name for name in proved if name.startswith("Kernels.") or name == "JointKernels.joint_kernel_sound"
    }  # proved on the way to others
    assert proved - steps <= asked


def test_the_page_names_every_theorem():
    page = (ROOT / "docs" / "verified.md").read_text()
    for name in re.findall(r"Print Assumptions \w+\.(\w+)\.", (FOLDER / "Assumptions.v").read_text()):
        assert f"`{name}`" in page
