"""separatrix fit: its options, one record that typer reads and everything after it uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from separatrix.cli.inputs import DataFile, Force, Json, Quiet, TableOptions

_KERNEL = "Kernel: 0 linear, 1 poly, 2 rbf, 3 sigmoid, 4 precomputed, or its name; laplacian has no number."
_MULTI_CLASS = "Many classes: ovr (each against the rest), ovo (pairs), crammer-singer (all in one problem)."
_SEARCH = (
    "Choose scaling, kernel, C and gamma by cross-validation; what is given (-c, -t, -g, --scaling) is kept."
)
_SEARCH_ROWS = "Rows that --search judges settings on, at most; the best is fitted to all. [default: 12000]"
_PROBABILITIES = (
    "Calibrate probabilities on a fifth of the rows, not learnt from: sigmoid, isotonic, venn-abers."
)
_SCALING = (
    "Scaling of the columns, kept in the model: none, standard (mean 0, deviation 1) or range (0 to 1)."
)
_HOLDOUT = "Keep this share of the rows apart and measure on them. [default with --search: 0.2]"
_CERTIFICATE = "Where the certificate goes; for many classes, a folder of this name."


# None means that an option was not given. The docstring is what `separatrix fit --help` shows.
@dataclass(frozen=True)
class FitOptions(TableOptions):
    """Train a classifier, prove how close to the optimum it is, save the model and the proof.

    Without options: a linear support vector machine with C = 1, and the answer says what was chosen. With
    --search: the best of some forty settings, measured on rows that it has not seen.
    Ctrl-C ends the fit and keeps the best model so far. Exit code 2 if the gap was not proved within the limits.

    \b
    Examples:
      separatrix fit data.svm
      separatrix fit data.csv --search --probabilities sigmoid --report
      separatrix fit data.svm -c 10 --holdout 0.2
      separatrix fit data.svm -t 2 -g 0.5 -c 8 -v 5
      separatrix fit data.svm -c inf --json
      separatrix fit data.svm --perceptron
      separatrix fit data.csv --label species -o results
      separatrix fit data.csv --multi-class crammer-singer
      separatrix fit data.svm --checkpoint data.checkpoint
    """

    data: DataFile
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL]", help="Where the model goes; else beside the data.", show_default=False
        ),
    ] = None
    cost: Annotated[
        float | None,
        typer.Option(
            "--cost", "-c", help="C, the price of errors; inf allows none (the hard margin). [default: 1]"
        ),
    ] = None
    kernel: Annotated[str | None, typer.Option("--kernel", "-t", help=_KERNEL + " [default: linear]")] = None
    gamma: Annotated[
        str | None, typer.Option("--gamma", "-g", help="Width of the kernel: a number, scale or auto.")
    ] = None
    degree: Annotated[
        int | None, typer.Option("--degree", "-d", help="Degree of the poly kernel. [default: 3]")
    ] = None
    coef0: Annotated[
        float | None,
        typer.Option("--coef0", "-r", help="Constant of the poly and sigmoid kernels. [default: 0]"),
    ] = None
    weights: Annotated[
        list[str] | None,
        typer.Option(
            "--weight", "-w", help="LABEL=WEIGHT multiplies C for a class (also -w1 5); or balanced."
        ),
    ] = None
    loss: Annotated[
        str | None,
        typer.Option(
            help="Price of a row that is inside the margin or wrong: hinge, squared_hinge. [default: hinge]"
        ),
    ] = None
    bias: Annotated[
        str | None,
        typer.Option(
            help="Offset of the boundary: free, augmented, none; perceptron: unit, radius, none. [default: the first]"
        ),
    ] = None
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Many classes: every pair; the same as --multi-class ovo."),
    ] = False
    multi_class: Annotated[
        str | None, typer.Option("--multi-class", "--multiclass", help=_MULTI_CLASS + " [default: ovr]")
    ] = None
    perceptron: Annotated[
        bool, typer.Option("--perceptron", help="A perceptron with its bound, instead of an SVM.")
    ] = False
    search: Annotated[bool, typer.Option("--search", help=_SEARCH)] = False
    search_rows: Annotated[int | None, typer.Option("--search-rows", help=_SEARCH_ROWS, min=10)] = None
    scaling: Annotated[str | None, typer.Option("--scaling", help=_SCALING)] = None
    probabilities: Annotated[str | None, typer.Option("--probabilities", help=_PROBABILITIES)] = None
    report: Annotated[
        bool, typer.Option("--report", help="Also write a report, one page of HTML, beside the model.")
    ] = False
    tol: Annotated[
        float | None,
        typer.Option(
            help="Distance from the best possible to prove, as a share (relative duality gap). [default: 0.001]"
        ),
    ] = None
    solver: Annotated[
        str | None,
        typer.Option(help="auto, coordinate-descent, interior-point, gram, newton. [default: auto]"),
    ] = None
    max_time: Annotated[
        float | None, typer.Option(help="Seconds for the fit; then the best so far is kept.", min=0.0)
    ] = None
    max_iter: Annotated[
        int | None, typer.Option(help="Steps of the solver, or passes of the perceptron.", min=1)
    ] = None
    folds: Annotated[
        int | None,
        typer.Option(
            "-v", "--folds", help="Cross-validate with N folds and save nothing; or the folds of --search."
        ),
    ] = None
    test: Annotated[str | None, typer.Option(help="A file of rows to measure the accuracy on.")] = None
    holdout: Annotated[float | None, typer.Option(help=_HOLDOUT)] = None
    checkpoint: Annotated[
        str | None, typer.Option(help="Save the state here every few seconds; go on from it if it exists.")
    ] = None
    checkpoint_every: Annotated[float, typer.Option(help="Seconds between two checkpoints.", min=0.0)] = 3.0
    verdict_time: Annotated[
        float,
        typer.Option(
            help="Seconds for the verdict whether a straight boundary separates the classes; 0 skips it.",
            min=0.0,
        ),
    ] = 10.0
    certificate: Annotated[str | None, typer.Option(help=_CERTIFICATE)] = None
    folder: Annotated[
        str | None, typer.Option("--output", "-o", help="Folder for model and certificate.")
    ] = None
    save: Annotated[bool, typer.Option(help="Whether to save model and certificate.")] = True
    force: Force = False
    seed: Annotated[int, typer.Option(help="For the held-out rows, the folds and the solver's order.")] = 0
    threads: Annotated[int | None, typer.Option(help="Threads; else all processors.", min=1)] = None
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Also how it was found: solver, objective, gap, margin, support vectors."
        ),
    ] = False
    as_json: Json = False
    quiet: Quiet = False


class FitCommand(TyperCommand):
    """The command whose arguments make a `FitOptions`. Reads LIBSVM's ``-w1 5`` as well as ``-w 1=5``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments, LIBSVM's weights rewritten."""
        return super().parse_args(ctx, libsvm_weights(args))

    def invoke(self, ctx: Any) -> int:
        """Make the record of the options, then fit; returns the exit code."""
        options: FitOptions = super().invoke(ctx)
        from separatrix.cli.fitting import run

        return run(options)


def libsvm_weights(arguments: list[str]) -> list[str]:
    """Return the arguments with LIBSVM's ``-w1 5`` as ``-w 1=5``, everything else as it is.

    >>> libsvm_weights(["-c", "1", "-w-1", "0.5", "data", "-w", "1=2"])
    ['-c', '1', '-w', '-1=0.5', 'data', '-w', '1=2']
    """
    out: list[str] = []
    rest = iter(arguments)
    for word in rest:
        if word.startswith("-w") and len(word) > 2 and "=" not in word and not word.startswith("-w="):
            out += ["-w", f"{word[2:]}={next(rest, '')}"]
        else:
            out.append(word)
    return out
