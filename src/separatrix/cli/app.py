"""The application: its commands, one module each, and the sentence that every error becomes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any, Protocol, runtime_checkable

import typer
from typer.core import TyperGroup

from separatrix import __version__
from separatrix.cli.audit import audit
from separatrix.cli.check import check
from separatrix.cli.convert import convert
from separatrix.cli.demo import demo
from separatrix.cli.fit import FitCommand, FitOptions
from separatrix.cli.lab import lab
from separatrix.cli.look import look
from separatrix.cli.output import CommandError, ExitCode, print_json, say
from separatrix.cli.postponed import postpone
from separatrix.cli.predict import predict
from separatrix.cli.report import report
from separatrix.cli.serve import serve
from separatrix.cli.verify import verify
from separatrix.errors import sentence_and_hint


@runtime_checkable
class UsageError(Protocol):
    """An error in the arguments: click's own, or that of the copy of click that newer versions of typer bring."""

    ctx: Any

    def format_message(self) -> str:
        """Return the sentence."""


class SentenceGroup(TyperGroup):
    """A group of commands that ends in an exit code of ours, and never in a traceback unless asked."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command; ``--debug`` anywhere shows tracebacks, and no arguments at all are a call for help."""
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        words = [word for word in words if word != "--debug"] or ["--help"]
        try:
            code = super().main(
                words, prog_name or "separatrix", complete_var, False, windows_expand_args, **extra
            )
        except (Exception, KeyboardInterrupt) as error:
            if debug:
                traceback.print_exc()
            code = explain(error, as_json="--json" in words)
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else ExitCode.DONE)
        return code


def explain(error: BaseException, *, as_json: bool = False) -> int:
    """Say on stderr what went wrong, in a sentence, and how to go on; returns the exit code.

    Whoever asked for one JSON object on stdout gets it.
    """
    if isinstance(error, BrokenPipeError):
        sys.stderr.close()  # nobody reads any more, and Python would complain about it at exit
        return ExitCode.DONE
    code = ExitCode.BAD_INPUT
    hint: str | None
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        sentence, hint, code = "Interrupted before there was anything to keep.", None, ExitCode.NOT_PROVED
    elif isinstance(error, UsageError):
        command = "separatrix" if error.ctx is None else error.ctx.command_path
        sentence, hint = error.format_message(), f"{command} --help shows the options, with examples"
    elif isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError | PermissionError):
        sentence, hint = f"{error.filename}: {(error.strerror or 'cannot be opened').lower()}.", None
    elif isinstance(error, MemoryError):
        sentence = str(error) or "There is not enough memory for this."
        hint = "separatrix convert makes a store that is read from disk as it is needed"
    elif isinstance(error, CommandError | ValueError | OSError | ImportError):
        sentence, hint = sentence_and_hint(error)
    else:
        sentence = f"Internal error: {type(error).__name__}: {error}"
        hint = "this is a fault of separatrix; run it again with --debug and report what it prints"
    sentence = _sentence(sentence)
    say("error", sentence)
    if hint is not None:
        say("hint", hint)
    if as_json:
        print_json({"error": sentence, "hint": hint, "exit_code": code})
    return code


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


app = typer.Typer(
    name="separatrix",
    cls=SentenceGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 proved or done, 1 bad usage or input, 2 not proved within the budget, "
    "or only on a condition, 3 certificate rejected.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"separatrix {__version__}")
        raise typer.Exit


@app.callback()
def separatrix(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Classifiers that prove their answer: train, check, audit and explain from data files.

    \b
    Examples:
      separatrix demo
      separatrix fit data.svm
      separatrix verify data.certificate.json.gz data.svm
      separatrix check data.svm
    """


app.command(short_help="What would be made of a table?")(look)
app.command("fit", cls=FitCommand, short_help="Train a classifier and prove how good it is.")(FitOptions)
app.command(short_help="The class of each row of a file.")(predict)
app.command(short_help="Are the classes separable? An exact verdict.")(check)
app.command(short_help="Does a certificate prove its claim?")(verify)
app.command(short_help="How far is a model from its optimum?")(audit)
app.command(short_help="A data file as a store, for data larger than memory.")(convert)
app.command(short_help="One page that shows a model and its proof.")(report)
app.command(short_help="Predict and learn over HTTP; nothing acknowledged is lost.")(serve)
app.command()(lab)
app.command(short_help="Fit, prove, verify and tamper, in seconds.")(demo)


def main(arguments: Sequence[str] | None = None) -> int:
    """The entry point of ``separatrix`` and ``python -m separatrix``; returns the exit code."""
    if arguments is None:  # the process is ours
        postpone("scipy.stats", "pandas")
    code = typer.main.get_command(app).main(arguments, standalone_mode=False)
    return code if isinstance(code, int) else ExitCode.DONE
