"""The application: its commands, each in a module of its own, and how every error becomes a sentence."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from separatrix import __version__
from separatrix.cli import audit, check, convert, demo, fit, lab, predict, report, verify
from separatrix.cli.errors import ExitCode, Refused
from separatrix.cli.output import say

_USAGE_ERROR = typer.BadParameter.__mro__[1]  # typer brings its own click, or uses the one that is installed
_ANY_CLICK_ERROR = _USAGE_ERROR.__mro__[1]


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
        """Run a command; ``--debug`` anywhere among the arguments shows tracebacks."""
        words = list(sys.argv[1:] if args is None else args)
        debug = "--debug" in words
        words = [word for word in words if word != "--debug"]
        try:
            code = super().main(
                words, prog_name or "separatrix", complete_var, False, windows_expand_args, **extra
            )
        except (Exception, KeyboardInterrupt) as error:
            if debug:
                traceback.print_exc()
            code = explain(error)
        if standalone_mode:
            sys.exit(code if isinstance(code, int) else ExitCode.DONE)
        return code


def explain(error: BaseException) -> int:
    """Say on stderr what went wrong, in a sentence, and how to go on; returns the exit code."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        say("error", "Interrupted before there was anything to keep.")
        return ExitCode.NOT_PROVED
    if isinstance(error, BrokenPipeError):
        sys.stderr.close()  # nobody reads any more, and Python would complain about it at exit
        return ExitCode.DONE
    if isinstance(error, _USAGE_ERROR):
        context = getattr(error, "ctx", None)
        command = "separatrix" if context is None else context.command_path
        say("error", _sentence(error.format_message()))  # type: ignore[attr-defined]
        say("hint", f"{command} --help shows the options, with examples")
        return ExitCode.BAD_INPUT
    if isinstance(error, _ANY_CLICK_ERROR):
        say("error", _sentence(error.format_message()))  # type: ignore[attr-defined]
        return ExitCode.BAD_INPUT
    if isinstance(error, Refused):
        _say_with_hint(str(error), error.hint)
    elif isinstance(error, FileNotFoundError | IsADirectoryError | NotADirectoryError | PermissionError):
        _say_with_hint(f"{error.filename}: {(error.strerror or 'cannot be opened').lower()}.")
    elif isinstance(error, MemoryError):
        _say_with_hint(
            str(error) or "There is not enough memory for this.",
            "separatrix convert makes a store that is read from disk as it is needed",
        )
    elif isinstance(error, ValueError | OSError | ImportError):
        _say_with_hint(str(error))
    else:
        _say_with_hint(
            f"Internal error: {type(error).__name__}: {error}",
            "this is a fault of separatrix; run it again with --debug and report what it prints",
        )
    return ExitCode.BAD_INPUT


def _say_with_hint(text: str, hint: str | None = None) -> None:
    """The error, and its hint, which the library's own sentences carry at their end."""
    if hint is None:
        for mark in (" Hint: ", "\nhint: ", " hint: "):
            text, found, rest = text.partition(mark)
            if found:
                hint = rest
                break
    say("error", _sentence(text))
    if hint:
        say("hint", hint.rstrip("."))


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


app = typer.Typer(
    name="separatrix",
    cls=SentenceGroup,
    no_args_is_help=True,
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


for command in (fit, predict, check, verify, audit, convert, report, lab, demo):
    command.register(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """The entry point of ``separatrix`` and ``python -m separatrix``; returns the exit code."""
    code = typer.main.get_command(app).main(arguments, standalone_mode=False)
    return code if isinstance(code, int) else ExitCode.DONE
