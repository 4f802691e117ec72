"""How the command line fails: one line on stderr, an exit code, and never a value of a row."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from io import UnsupportedOperation
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from tacit.cli.console import DEBUG, error_line, show_what_the_encoding_lacks
from tacit.cli.spellings import as_options
from tacit.errors import NO_MEMORY, TacitError, conclusions, lacks_memory

FAILED = 1
INTERRUPTED = 130  # 128 and the number of SIGINT, as shells count it
PIPE_CLOSED = 141  # the same of SIGPIPE: the reader, such as `head`, has enough

# Typer carries a copy of click in some versions and imports click in others; this is ClickException in both.
_ClickError: Any = typer.BadParameter.__mro__[2]


class OneLineErrors(TyperGroup):
    """The root command: whatever goes wrong below becomes one line on stderr and an exit code.

    Notes
    -----
    Privacy: the text of an exception that is not ours may quote cells, so it is never shown, and tracebacks
    show no local variables.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and leave with the exit code."""
        standalone = extra.pop("standalone_mode", True)
        show_what_the_encoding_lacks()  # before anything is written
        try:
            result = super().main(*args, **(extra | {"standalone_mode": False}))
        except _ClickError as error:
            error_line(_usage(error))
            result = error.exit_code
        code = result if isinstance(result, int) else 0
        if standalone:
            sys.exit(code)
        return code

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and turn what it raises into an exit code."""
        try:
            result = super().invoke(ctx)
            if sys.stdout is not None:  # a full disk or a closed pipe shows here, while it can become one line
                sys.stdout.flush()
            return result
        except (typer.Exit, typer.Abort, _ClickError):
            raise
        except KeyboardInterrupt as interrupt:
            error_line(" ".join(("interrupted; no file was left half-written.", *conclusions(interrupt))))
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _mute_stdout()
            raise typer.Exit(PIPE_CLOSED) from None
        except Exception as error:  # noqa: BLE001  whatever it is, its text may quote cells
            _fail(error, show_trace=bool(ctx.meta.get(DEBUG)))


def _fail(error: Exception, *, show_trace: bool) -> NoReturn:
    text = " ".join((_text(error), *conclusions(error)))  # what a ledger was charged
    if show_trace:  # places in the code alone: neither the message nor local variables
        sys.stderr.write("".join(traceback.format_tb(error.__traceback__)))
    error_line(text)
    raise typer.Exit(FAILED) from None


def _text(error: Exception) -> str:
    if isinstance(error, TacitError):
        return as_options(str(error))
    if lacks_memory(error):
        return NO_MEMORY
    if isinstance(error, OSError) and error.errno is not None:  # of the system: its words quote no cell
        _mute_stdout()
        place = f" {str(error.filename)!r}" if error.filename else ""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return f"Expected room on the disk to write{place}, got: {os.strerror(error.errno)}. Free some space."
        return f"Expected to read or write{place}, got: {os.strerror(error.errno)}."
    return (
        f"Expected no such failure, got {type(error).__name__}; its text is not shown, as it may quote the table. "
        "Run again with --debug to see where, and report it."
    )


def _usage(error: Any) -> str:
    command = error.ctx.command_path if getattr(error, "ctx", None) else "tacit"
    return f"{error.format_message()} See `{command} --help`."


def _mute_stdout() -> None:
    """Let what is still in the buffer go nowhere, or the interpreter complains once more when it leaves."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (AttributeError, OSError, ValueError, UnsupportedOperation):
        pass
