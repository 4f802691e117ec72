"""What can go wrong, as types that a caller can act on; messages never carry a value of a row."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from datetime import date
from pathlib import PurePath
from typing import Any, TypeVar

Computed = TypeVar("Computed")

_LONGEST_SHOWN, _LONGEST_PATH = 60, 240

MAX_MESSAGE = 1600
"""Characters of a message: what a caller or a file gave may be of any length, and is not repeated whole."""

_LONG_WORD = re.compile(rf"\S{{{_LONGEST_PATH + 1},}}")


def cut(message: str) -> str:
    """Return a message with long words cut, and without its middle if it is still long: the remedy is at its end."""
    if len(message) <= MAX_MESSAGE:
        return message
    words = _LONG_WORD.sub(lambda word: f"{word[0][: _LONGEST_PATH // 2]}...{word[0][-_LONGEST_PATH // 4 :]}", message)
    if len(words) <= MAX_MESSAGE:
        return words
    return f"{words[: MAX_MESSAGE // 2]} ... {words[-(MAX_MESSAGE // 2 - 5) :]}"


class TacitError(Exception):
    """Base of every error that this package raises on purpose; whatever is repeated in its message is cut."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(cut(each) if isinstance(each, str) else each for each in args))


class SchemaError(TacitError, ValueError):
    """A schema that contradicts itself, or a schema file that cannot be read."""


class TableError(TacitError, ValueError):
    """Rows that do not fit the schema; names the column and the remedy, never a value or a count."""


class ParameterError(TacitError, ValueError):
    """A parameter outside its range, found before anything is spent."""


class PrivacyError(TacitError, RuntimeError):
    """An attempt to use protected values as if they were public."""


class BudgetExceeded(PrivacyError):
    """A release that would cost more than what is left; nothing was spent.

    Attributes
    ----------
    requested, remaining : float
        In the accountant's currency: epsilon under pure composition, rho under zero-concentrated.
    """

    def __init__(self, *, requested: float, remaining: float, currency: str = "epsilon") -> None:
        self.requested = requested
        self.remaining = remaining
        self.currency = currency
        super().__init__(
            f"Expected a release within the budget, got {currency}={requested:.6g} with {remaining:.6g} left. "
            "Announce every release in the split, or raise the budget."
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # Arguments by name, so that a worker process can hand the error over.
        return _with_attributes, (type(self), self.args, dict(self.__dict__))


class AccountExceeded(BudgetExceeded):
    """A fit that would cost more than what is left of a ledger's account; nothing was spent.

    Attributes
    ----------
    account : str
    requested, spent, remaining : float
        In the account's currency, epsilon or rho.
    fits : float
        The largest epsilon of such a fit that would be admitted.
    """

    def __init__(
        self, *, account: str, requested: float, spent: float, remaining: float, currency: str, fits: float
    ) -> None:
        super().__init__(requested=requested, remaining=remaining, currency=currency)
        self.account, self.spent, self.fits = account, spent, fits
        would = f"A fit of epsilon {fits:g} would fit." if fits else "No fit would fit: open an account of its own."
        self.args = (
            f"Expected a fit within account {shown(account)}, got asked {currency} {requested:.9g}, spent {spent:.9g}, "
            f"left {remaining:.9g}. {would}",
        )


class LedgerError(TacitError, RuntimeError):
    """A ledger that is missing, damaged, copied or no such file, or an account of another unit; nothing was charged."""


class ClusterError(TacitError, RuntimeError):
    """A cluster that is not there, before anything was charged; or was lost during a fit, whose charge stays."""


class ModelFileError(TacitError, ValueError):
    """A file that is not a model this version can read; no part of it was used."""


class DatasetUnavailable(TacitError, OSError):
    """A data set that is neither in the data folder nor in the cache and cannot be downloaded."""


class MissingExtra(TacitError, ImportError):
    """An optional part of the package that is not installed; the message names the extra."""


class PrivacyWarning(UserWarning):
    """A gap between what was asked and what the certificate can promise; cut as an error is."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*(cut(each) if isinstance(each, str) else each for each in args))


def _with_attributes(cls: type[Exception], args: tuple[Any, ...], attributes: dict[str, Any]) -> Exception:
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(attributes)
    return error


class Conclusion(str):
    """A sentence of ours beside an error of another's, which the command line may show."""


def concluded(error: BaseException, sentence: str) -> None:
    """Add what became of a charge to an error: to the message of one of ours, as a note to any other."""
    if isinstance(error, TacitError):
        error.args = (f"{error} {sentence}", *error.args[1:])
        if isinstance(error, ImportError):
            error.msg = error.args[0]  # what str() gives of it
    else:
        error.add_note(Conclusion(sentence))


def conclusions(error: BaseException) -> list[str]:
    """Return what was added to an error of another's; its other notes may quote cells."""
    return [note for note in getattr(error, "__notes__", ()) if isinstance(note, Conclusion)]


def shown(value: object) -> str:
    """Return a scalar as a message may show it, and only the type of anything larger.

    A caller may have passed a column of a table by mistake, and no message repeats its cells.

    Examples
    --------
    >>> shown(2.5), shown([2.5]), shown(10**100)
    ('2.5', 'a list', 'an integer of over 60 digits')
    """
    if isinstance(value, PurePath):
        text, end = repr(str(value)), _LONGEST_PATH - _LONGEST_SHOWN
        # The end of a path says more than its middle.
        return text if len(text) <= _LONGEST_PATH else f"{text[:_LONGEST_SHOWN]}...{text[-end:]}"
    if isinstance(value, int) and abs(value) >= 10**_LONGEST_SHOWN:  # Python refuses to write out thousands of digits
        return f"an integer of over {_LONGEST_SHOWN} digits"
    if value is None or isinstance(value, str | int | float | date):
        text = repr(value)
        return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
    return f"a {type(value).__name__}"


NO_MEMORY = "Expected enough memory for this table, got less. Use a smaller table, or a larger machine."


def lacks_memory(error: BaseException | None) -> bool:
    """Tell whether memory lacked: for an array, a mapping or a process, or to load a library, in loaders' words."""
    if isinstance(error, ImportError):
        return any(words in str(error) for words in ("map segment", "allocate memory"))
    return isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)


def guarded(compute: Callable[[], Computed], error: TacitError) -> Computed:
    """Return what another library computes of rows, or raise our error in place of its own, which may repeat cells."""
    found: Exception
    # Raised outside of the handler: what logs errors follows their context, suppressed or not.
    try:
        return compute()
    except TacitError:
        raise
    except Exception as other:  # noqa: BLE001
        found = MemoryError(NO_MEMORY) if lacks_memory(other) else error
    except BaseException as other:
        if type(other).__name__ != "PanicException":  # polars' is no Exception
            raise
        found = error
    raise found
