"""What every command shares: what it says and where, its options, and checks of the files that it writes."""

from __future__ import annotations

import io
import json
import os
import shlex
import sys
import tempfile
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)

from tacit.errors import ParameterError, cut
from tacit.privacy.parameters import MAX_SEED
from tacit.saving import is_stream

if TYPE_CHECKING:
    from tacit.study.run.progress import OnProgress

_WIDTH_OF_A_FILE = 100  # columns, where the output is no terminal

# Control, direction and surrogate characters could move the cursor, or make text read as another.
_UNSHOWN = {"Cc", "Cf", "Cs"}


def shown(text: str) -> str:
    """Return text from a file as it may go to a terminal."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in _UNSHOWN and sign not in "\n\t" else sign
        for sign in text
    )


def quoted(path: Path | str) -> str:
    """Return a path as a shell takes it."""
    return shlex.quote(str(path))


def error_line(text: str) -> None:
    """Write one line to stderr."""
    _console(stderr=True).print("Error: " + cut(" ".join(shown(text).split())), style="bold red", soft_wrap=True)


def show_what_the_encoding_lacks() -> None:
    """Let stdout write characters that its encoding lacks as escapes, as stderr does; they would end the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def emit(text: str) -> None:
    """Write text to stdout as it is, in UTF-8 whatever the terminal's encoding, for files and programs."""
    if sys.stdout is None:
        return
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    sys.stdout.flush()
    buffer.write(text.encode("utf-8"))
    buffer.flush()


def emit_json(document: Any) -> None:
    """Write a document to stdout for a program."""
    emit(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


@dataclass(frozen=True)
class Terminal:
    """Where a command speaks to people."""

    quiet: bool = False
    """Say nothing but results and errors."""

    def say(self, *parts: Any) -> None:
        """Write a result to stdout: text, or what rich can draw."""
        for part in parts:
            _console().print(shown(part) if isinstance(part, str) else part, soft_wrap=isinstance(part, str))

    def note(self, text: str) -> None:
        """Write a remark to stderr."""
        if not self.quiet:
            _console(stderr=True).print(shown(text), soft_wrap=True)

    def live(self) -> Console | None:
        """Return stderr, if it is a terminal where a line may move; None under ``quiet``, too."""
        console = _console(stderr=True)
        return None if self.quiet or not console.is_terminal else console

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Write privacy warnings of the body to stderr, as remarks; drop others, whose text could quote cells."""
        from tacit.errors import PrivacyWarning

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter(
                "always"
            )  # by default the second of one place is lost, though it may say other things
            yield
        for warning in caught:
            if issubclass(warning.category, PrivacyWarning):
                self.note(f"Note: {warning.message}")

    @contextmanager
    def busy(self, doing: str) -> Iterator[None]:
        """Show on stderr that something takes its time; only on a terminal, and nothing that rows decide."""
        console = self.live()
        if console is None:
            yield  # a log would fill with frames of the spinner
            return
        columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
        with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as line:
            line.add_task(shown(doing))
            yield

    @contextmanager
    def between(self, doing: str) -> Iterator[Callable[[str], None]]:
        """Show on stderr how far something is, only when the body says so.

        Nothing is written in between: an audit watches what a fit prints.
        """
        console = self.live()
        if console is None:
            yield lambda at: None  # before version 15 rich ends a hidden bar with an empty line
            return
        columns = TextColumn("{task.description}"), TextColumn("{task.fields[at]}")
        with Progress(
            *columns, console=console, transient=True, auto_refresh=False, redirect_stdout=False, redirect_stderr=False
        ) as bar:
            task = bar.add_task(shown(doing), total=None, at="")
            yield lambda at: bar.update(task, at=shown(at), refresh=True)

    @contextmanager
    def following(self, doing: str) -> Iterator[OnProgress]:
        """Show on stderr how far a study is; the body calls what it gets after each fit."""
        console = self.live()
        if console is None:
            yield lambda at: None
            return
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}"),
        )
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(shown(doing), total=None, left="")
            yield lambda at: bar.update(task, completed=at.done, total=at.total, left=time_left(at.seconds_left))


def time_left(seconds: float | None) -> str:
    """Return a duration as people say it.

    Examples
    --------
    >>> time_left(None), time_left(20), time_left(200), time_left(8000)
    ('', 'less than a minute left', 'about 4 minutes left', 'about 2 h 14 min left')
    """
    if seconds is None:
        return ""
    minutes = ceil(seconds / 60)  # rounded up: who waits is glad of less
    if minutes <= 1:
        return "less than a minute left"
    return f"about {minutes} minutes left" if minutes < 60 else f"about {minutes // 60} h {minutes % 60} min left"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave it to the command's caller; by default rich would exit with code 1."""
        raise  # called while the error is handled


def _console(*, stderr: bool = False) -> Console:
    # Without markup: a bracket in a column's name is a bracket.
    console = _Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, _WIDTH_OF_A_FILE)
    return console


DEBUG = "tacit.debug"


def _remember(ctx: typer.Context, value: bool) -> bool:
    if value:
        ctx.meta[DEBUG] = True
    return value


Debug = Annotated[
    bool,
    typer.Option("--debug", callback=_remember, help="Show where an error occurred; never any values."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but results and errors.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that is there.")]
Json = Annotated[bool, typer.Option("--json", help="Write the result as JSON, for programs.")]


@dataclass(frozen=True, kw_only=True)
class BaseOptions:
    """The options of every command; its help lists them last."""

    quiet: Quiet = False
    debug: Debug = False


@dataclass(frozen=True, kw_only=True)
class AnswerOptions(BaseOptions):
    """The options of a command whose answer programs can read."""

    as_json: Json = False


@dataclass(frozen=True, kw_only=True)
class OutputOptions(BaseOptions):
    """The options of a command that writes a file."""

    force: Force = False


@dataclass(frozen=True, kw_only=True)
class OutputAnswerOptions(OutputOptions, AnswerOptions):
    """The options of a command that writes a file, and has an answer, too."""


TablePath = Annotated[
    Path,
    typer.Argument(
        help="CSV, a spreadsheet, Parquet or Arrow: a file, a folder, or a pattern in quotes.", show_default=False
    ),
]
ModelPath = Annotated[Path, typer.Argument(help="A file that `tacit fit` wrote.", show_default=False)]
SchemaFile = Annotated[Path, typer.Option("--schema", "-s", help="The table's schema, TOML.", show_default=False)]
ModelFile = Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", show_default=False)]
Delta = Annotated[float, typer.Option("--delta", help="Failure probability delta: 0, or well below 1/n_rows.")]
OnInvalid = Annotated[
    Literal["raise", "coerce"],
    typer.Option("--on-invalid", help="Cells that the schema does not admit: an error, or counted as missing."),
]
NoiseSeed = Annotated[
    int | None,
    typer.Option(
        "--seed", min=0, max=MAX_SEED, help="Seed of simulated noise, which can be repeated. Gives no privacy."
    ),
]


STDOUT = Path("-")
"""What many programs take for the standard output."""


def file_or_stdout(path: Path | None, *inputs: Path, force: bool) -> Path | None:
    """Return where ``--out`` says to write, links followed; None for stdout, where it is left out or is ``-``.

    A pipe, a device or an open descriptor, such as ``/dev/stdout``, is returned as it is: nothing in it is replaced.
    """
    if path is None or path == STDOUT:
        return None
    return path if is_stream(path, "a file for --out") else checked_output(path, *inputs, force=force)


def checked_output(path: Path, *inputs: Path, force: bool, option: str = "--out") -> Path:
    """Return where to write, links followed, once it is sure that a file can be made there.

    Parameters
    ----------
    path : Path
    *inputs : Path
        What the command reads, which is never replaced.
    force : bool
        Whether a file that is there may be replaced: ``--force``, or a folder that is the command's own.
    option : str
        Whose value the path is.

    Raises
    ------
    ParameterError
        If no file can be made there, or one is there and may not be replaced; nothing was read, spent or written.
    """
    if path == STDOUT:
        raise ParameterError(
            f"Expected a name for {option}, got '-', which means stdout, where this cannot go. Write a name."
        )
    if is_stream(path, f"a file for {option}"):
        raise ParameterError(
            f"Expected a file for {option}, got {str(path)!r}, which is a pipe, a device or open already. Name a file "
            "of its own."
        )
    target = Path(os.path.realpath(path))
    if any(_same(target, other) for other in inputs):
        raise ParameterError(
            f"Expected a new file for {option}, got {str(path)!r}, which is also an input. Choose another name."
        )
    if target.exists() and not force:
        raise ParameterError(
            f"Expected a new file for {option}, got {str(path)!r}, which {_what_is_there(target)}. Choose another "
            "name, or add --force to replace it."
        )
    _check_folder(target.parent, option)
    return target


def _what_is_there(target: Path) -> str:
    """Say what would be lost: what was paid for a model does not come back with another fit."""
    from tacit.models import is_model_file

    return "holds a model, which costs its privacy again" if is_model_file(target) else "is there already"


def _same(target: Path, other: Path) -> bool:
    try:
        return target.samefile(other)
    except OSError:
        return target == Path(os.path.realpath(other))


def _check_folder(folder: Path, option: str) -> None:
    if not folder.is_dir():
        raise ParameterError(f"Expected a folder that exists for {option}, got {str(folder)!r}. Make it first.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror
    else:
        return
    raise ParameterError(f"Expected a writable folder for {option}, got {str(folder)!r}: {reason}. Choose another.")
