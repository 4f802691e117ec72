"""`tacit ledger`: accounts of privacy that last, opened, planned with, shown, verified, backed up and restored."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from tacit.cli.console import (
    BaseOptions,
    Debug,
    Force,
    Json,
    Quiet,
    Terminal,
    checked_output,
    emit,
    emit_json,
    file_or_stdout,
    quoted,
)
from tacit.cli.delta_option import DeltaOrAuto, read_delta
from tacit.cli.options import command_of, group_of_commands
from tacit.errors import ParameterError

if TYPE_CHECKING:
    from tacit.ledger import AccountUnit, Ledger
    from tacit.ledger.verify import Certificate

ledger_app = group_of_commands("Keep what fits spend in an account on disk, within a limit.")

FOUND = 1
"""Exit code of a contradiction, and of a plan that does not fit."""

LedgerName = Annotated[
    str, typer.Argument(metavar="LEDGER", help="Its file, or file#account where it has several.", show_default=False)
]
LedgerOption = Annotated[
    str | None,
    typer.Option(
        "--ledger", metavar="LEDGER", envvar="TACIT_LEDGER", help="Charge this account first; 'none' for no ledger."
    ),
]
NotingLedger = Annotated[
    str | None,
    typer.Option(
        "--ledger",
        metavar="LEDGER",
        envvar="TACIT_LEDGER",
        help="Of private rows: the account that notes results that no charge covers; 'none' for no note.",
    ),
]
ModelPaths = Annotated[
    list[Path] | None, typer.Argument(help="Files that `tacit fit` or `tacit rados make` wrote.", show_default=False)
]
Epsilon = Annotated[float, typer.Option("--epsilon", "-e", help="Of one fit.", show_default=False)]


@dataclass(frozen=True)
class NewOptions(BaseOptions):
    """The options of `tacit ledger new`."""

    path: Annotated[Path, typer.Argument(help="File to make, or a ledger to add to.", show_default=False)]
    epsilon: Annotated[float, typer.Option("--epsilon", "-e", help="Of all fits together.", show_default=False)]
    delta: Annotated[
        float, typer.Option("--delta", help="Of all fits together; 0 counts pure epsilon, above 0 counts rho.")
    ] = 0.0
    approximate_delta: Annotated[
        float, typer.Option("--approximate-delta", help="Part of delta for fits that have no rho; the rest is for rho.")
    ] = 0.0
    name: Annotated[str | None, typer.Option("--name", help="Of the account; the file's name by default.")] = None
    schema: Annotated[
        Path | None, typer.Option("--schema", "-s", help="Whose public columns, identifier and label the account has.")
    ] = None
    public: Annotated[
        list[str] | None, typer.Option("--public", metavar="COLUMN", help="What is public; may be repeated.")
    ] = None
    identifier: Annotated[
        list[str] | None,
        typer.Option("--identifier", metavar="COLUMN", help="Protect persons, by this column, or by several together."),
    ] = None
    rows: Annotated[bool, typer.Option("--rows", help="Protect rows: no person has more than one.")] = False
    labeled: Annotated[
        list[str] | None,
        typer.Option("--labeled", metavar="LABEL", help="It is public which rows have this label; may be repeated."),
    ] = None


@ledger_app.command()
@command_of(NewOptions)
def new(options: NewOptions) -> None:
    """Open an account. Its limit, its currency and whom it protects are fixed for good."""
    from tacit.cli.ledger_output import account_lines
    from tacit.ledger import Account, Ledger
    from tacit.privacy import Budget

    named = options.path.stem if options.name is None else options.name
    budget, unit = Budget(options.epsilon, options.delta), _unit(options)
    account = Account.of(named, budget, unit, approximate_delta=options.approximate_delta)
    book = Ledger(options.path)
    balance = book.open(account)
    if not options.quiet:
        # A file with several accounts does not say which is meant.
        at = quoted(options.path if len(book.balances()) == 1 else f"{options.path}#{named}")
        schema = quoted(options.schema) if options.schema else "SCHEMA"
        Terminal().say(
            f"Opened in {options.path}:",
            *account_lines(balance),
            "Whether the disk is shared with other machines is known on Linux and Windows alone: keep it local.",
            f"Next: tacit fit TABLE --schema {schema} --epsilon E --ledger {at} --out MODEL",
        )


def _unit(options: NewOptions) -> AccountUnit:
    """Return whom every fit of the account must protect, which is said once and for good."""
    from tacit.ledger import AccountUnit
    from tacit.schema import Schema

    if options.schema is not None and (options.public or options.identifier or options.labeled or options.rows):
        raise ParameterError(
            "Expected --schema, or --rows or --identifier with --public and --labeled, got both. Leave one out."
        )
    if options.schema is not None:
        return AccountUnit.of(Schema.from_toml(options.schema))
    if options.rows and options.identifier:
        raise ParameterError("Expected --rows or --identifier, got both. Leave one out.")
    if not options.rows and not options.identifier:
        raise ParameterError(
            "Expected whom the account protects, as that is fixed for good, got neither --schema, --identifier nor "
            "--rows. Give the schema of the fits, or the column that names a person; --rows if nobody has two rows."
        )
    public, labeled = (tuple(sorted(set(names or ()))) for names in (options.public, options.labeled))
    return AccountUnit(public, tuple(options.identifier or ()) or None, labeled=labeled)


@ledger_app.command()
def plan(
    ledger: LedgerName,
    epsilon: Epsilon,
    delta: DeltaOrAuto = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", "-n", min=1, help="Of training, or persons; delta is then by their number."),
    ] = None,
    fits: Annotated[int, typer.Option("--fits", min=1, help="How many of them.")] = 1,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Say what fits would leave; reads no row and charges nothing. Exit code 1 if they would be refused."""
    from tacit.cli.ledger_output import plan_document, plan_lines
    from tacit.estimators.usual_delta import chosen_delta
    from tacit.privacy import Budget

    book, account = opened(ledger)
    given = read_delta(delta, 0.0 if rows is None else "auto")
    if given == "auto" and rows is None:
        raise ParameterError("Expected --rows with --delta auto, which follows from their number, got none. Name it.")
    budget = Budget(epsilon, chosen_delta(given, None, ledger, rows))
    planned = book.plan(budget, fits, account=account)
    if as_json:
        emit_json(plan_document(planned))
    else:
        Terminal().say(*plan_lines(planned, budget))
    if planned.left < 0:
        raise typer.Exit(FOUND)


@ledger_app.command()
def show(
    ledger: LedgerName,
    html: Annotated[Path | None, typer.Option("--html", help="Page with a picture of the spending, to write.")] = None,
    force: Force = False,
    last: Annotated[int, typer.Option("--last", min=1, help="How many lines to show.")] = 20,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show accounts and their lines. What is in a ledger is its owner's: that a fit failed may tell of rows."""
    from tacit.cli.ledger_output import account_lines, document, line_grid

    book, account = opened(ledger)
    target = checked_output(html, book.path, force=force, option="--html") if html else None
    balances, lines = ([book.balance(account)] if account else book.balances()), book.lines()
    if target:
        from tacit.report import write_picture
        from tacit.report.ledger_figures import timeline

        caption = "Each charge is spent before its fit reads a row. Days are in universal time."
        write_picture(timeline(balances, lines), target, title=f"Spent of {book.path.name}", caption=caption)
    if as_json:
        emit_json(document(balances, lines))
        return
    said = [line for balance in balances for line in account_lines(balance)]
    Terminal().say(*said, line_grid(balances, lines, last), *([f"Wrote {html}."] if html else []))


@ledger_app.command()
def verify(ledger: LedgerName, models: ModelPaths = None, as_json: Json = False, debug: Debug = False) -> None:
    """Look for edited lines, and for certificates that the ledger does not know. Exit code 1 if any is found."""
    from tacit.ledger.verify import verify as contradictions

    book, account = opened(ledger)
    found = contradictions(book, certificates(models), account=account)
    if as_json:
        emit_json({"ledger": str(book.path), "models": [str(each) for each in models or ()], "found": list(found)})
    else:
        known = ", nor is a certificate unknown to it" if models else ""
        more = "" if models else " Give the models that were released: only they show a ledger that was set back."
        Terminal().say(*(found or [f"Nothing contradicts itself in the ledger{known}.{more}"]))
    if found:
        raise typer.Exit(FOUND)


@ledger_app.command()
def backup(
    ledger: LedgerName,
    target: Annotated[Path, typer.Argument(help="File to make.", show_default=False)],
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Write a copy that can be shown, verified and restored, and not charged."""
    from tacit.ledger.verify import back_up

    back_up(opened(ledger)[0], target)
    if not quiet:
        Terminal().say(f"Wrote {target}. It cannot be charged until it is restored.")


@ledger_app.command()
def restore(
    backup: Annotated[Path, typer.Argument(help="What `tacit ledger backup` wrote.", show_default=False)],
    target: Annotated[Path, typer.Argument(help="File to make.", show_default=False)],
    models: ModelPaths = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Put a backup in the place of a lost ledger. Refused if a model's certificate tells of a charge that it lacks."""
    from tacit.ledger.verify import restore as restored

    known = certificates(models)
    restored(backup, target, known)
    if not quiet:
        Terminal().say(f"Wrote {target}; the lost ledger must not be charged again.")
    if not known:
        Terminal(quiet).note(
            "Note: without models, whether charges after the backup are missing cannot be seen. Name every model that "
            "was released or shown."
        )


@ledger_app.command()
def export(
    ledger: LedgerName,
    form: Annotated[Literal["csv", "json"], typer.Option("--format", help="Of the lines.")] = "csv",
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write; stdout for - or none.")] = None,
    force: Force = False,
    debug: Debug = False,
) -> None:
    """Write all lines, with accounts as JSON, or as CSV."""
    from tacit.cli.ledger_output import as_csv, as_json_text
    from tacit.saving import write_atomically

    book, account = opened(ledger)
    target = file_or_stdout(out, book.path, force=force)
    balances = [book.balance(account)] if account else list(book.balances())
    text = (as_csv if form == "csv" else as_json_text)(balances, book.lines())
    if target:
        write_atomically(target, text)
    else:
        emit(text)


def opened(name: str) -> tuple[Ledger, str | None]:
    """Return the ledger and the account that are named."""
    from tacit.ledger import NO_LEDGER, named_ledger

    found = named_ledger(name)
    if found is None:
        raise ParameterError(f"Expected a ledger, got {NO_LEDGER!r}. Name its file; one of that name as ./{NO_LEDGER}.")
    return found


def without_ledger() -> None:
    """Let no fit of this process, nor of those that it starts, charge a ledger: its rows are nobody's."""
    from tacit.ledger import VARIABLE

    os.environ.pop(VARIABLE, None)


def note_uncovered(ledger: str | None, of: str, noted: str) -> None:
    """Note in the account of private rows that exact results were computed on them, or be told that there is none.

    Parameters
    ----------
    ledger : str or None
        As ``--ledger`` names it.
    of, noted : str
        What computed the results, in words and as the ledger has it.
    """
    from tacit.ledger import named_ledger

    if ledger is None:
        raise ParameterError(
            f"Expected --ledger with private rows, as results of {of} are exact and no charge covers them, "
            "got none. Name the ledger of these rows, which notes that, or write --ledger none."
        )
    named = named_ledger(ledger)
    if named:
        named[0].note_uncovered(noted, account=named[1])


def certificates(paths: list[Path] | None) -> list[Certificate]:
    """Return the certificates of files."""
    from tacit.audit import read_certificate
    from tacit.ledger.verify import Certificate
    from tacit.models.document import certificate_digest

    read: list[Any] = [(path, read_certificate(path).guarantee) for path in paths or ()]
    named = [(path.name, guarantee) for path, guarantee in read]
    # Learning a schema has a charge and a certificate of its own.
    named += [(f"schema of {path.name}", guarantee.learned) for path, guarantee in read if guarantee.learned]
    return [Certificate(name, guarantee, certificate_digest(guarantee)) for name, guarantee in named]
