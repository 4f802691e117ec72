"""What commands say of a charge that stays: after a refused cell, and where its result cannot be written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tacit.cli.console import quoted
from tacit.errors import TableError, concluded


@contextmanager
def writing_paid(guarantee: Any) -> Iterator[None]:
    """Let an error say that what a certificate cost stays spent, while what it is about is written."""
    try:
        yield
    except BaseException as error:
        if guarantee is not None and guarantee.charge is not None:
            delta = f" and delta {guarantee.delta:g}" if guarantee.delta else ""
            concluded(error, guarantee.charge.stays(f"epsilon {guarantee.epsilon:g}{delta}"))
        raise


@contextmanager
def proposing_check(schema: Path, table: Path) -> Iterator[list[Any]]:
    """Let a refused cell that was paid for name the command that finds it before; the body appends its payment."""
    payments: list[Any] = []
    try:
        yield payments
    except TableError as error:
        if any(payment is not None and payment.has_read for payment in payments):
            asked = f"tacit schema check {quoted(schema)} --table {quoted(table)}"
            concluded(error, f"`{asked}` finds such cells before anything is charged.")
        raise
