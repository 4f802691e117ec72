"""Infer a schema from rows, which may be private: every entry is marked as guessed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Set, Sized
from decimal import Context, Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from tacit.errors import SchemaError, guarded, shown
from tacit.schema._checks import Value, checked_name, unknown_name
from tacit.schema.columns import Categorical, Column, Numeric
from tacit.schema.label import Label, SchemaParts
from tacit.schema.observed import Observed, observe_array, observe_series, observe_values


def guess_schema(data: object, labels: object, label_name: str) -> SchemaParts:
    """Return the parts of a schema guessed from a frame or an array; see `Schema.from_data`."""
    error = SchemaError("Expected columns that can be read, got one of another type. Convert it, or write the schema.")
    return guarded(lambda: _guess(data, labels, label_name), error)


def _guess(data: object, labels: object, label_name: str) -> SchemaParts:
    if isinstance(data, np.ndarray):
        return _guess_from_array(data, labels, label_name)
    frame = _as_frame(data)
    if labels is None or isinstance(labels, str):
        label_name = label_name if labels is None else labels
        if label_name not in frame.columns:
            raise SchemaError(unknown_name(label_name, frame.columns))
        label = observe_series(frame[label_name])
        return _assembled(_observed_columns(frame.drop(label_name)), label, label_name, by_name=True)
    if label_name in frame.columns:
        raise SchemaError(
            f"Expected labels under a name that no column has, got label_name={label_name!r}. "
            "Give them another label_name, or give that column's name as the labels."
        )
    return _assembled(_observed_columns(frame), _observed_labels(labels, len(frame)), label_name, by_name=True)


def _guess_from_array(array: NDArray[Any], labels: object, label_name: str) -> SchemaParts:
    if array.ndim != 2:
        raise SchemaError(
            f"Expected an array of two dimensions, rows by columns, got {array.ndim}. Reshape it, or pass a data frame."
        )
    if labels is None or isinstance(labels, str):
        raise SchemaError("Expected the labels beside an array, got none. Pass them as the second argument.")
    columns = {f"x{place}": observe_array(array[:, place]) for place in range(array.shape[1])}
    return _assembled(columns, _observed_labels(labels, len(array)), label_name, by_name=False)


def _assembled(columns: dict[str, Observed], label: Observed, label_name: str, *, by_name: bool) -> SchemaParts:
    guesses = {name: guess_column(name, observed, keep_numbers=not by_name) for name, observed in columns.items()}
    used: list[Column] = [guess for guess in guesses.values() if isinstance(guess, Numeric | Categorical)]
    ignored = {name: guess for name, guess in guesses.items() if isinstance(guess, str)}
    if ignored and not by_name:
        name, reason = next(iter(ignored.items()))
        raise SchemaError(
            f"Expected every column of an array to be of use, as they go by position, "
            f"got column {name!r}: {reason}. "
            "Pass a data frame, or write the schema."
        )
    if not used:
        raise SchemaError("Expected a column to guess from, got none of use. Write the schema by hand.")
    guessed_label = guess_label(checked_name(label_name, "the label"), label)
    guessed = [column.name for column in used] + [label_name]
    return {"columns": used, "label": guessed_label, "ignored": ignored, "guessed": guessed}


def _as_frame(data: object) -> nw.DataFrame[Any]:
    frame = _read_as_frame(data)
    for name in frame.columns:
        checked_name(name, "a column")
    return frame


def _read_as_frame(data: object) -> nw.DataFrame[Any]:
    message = f"Expected a data frame or a NumPy array of rows by columns, got {shown(data)}. Convert it first."
    try:
        frame = nw.from_native(data, pass_through=True)
    except nw.exceptions.DuplicateError:
        message = "Expected columns of different names in the frame, got a name twice. Rename one."
    except (TypeError, ValueError, nw.exceptions.NarwhalsError):
        pass  # its message may repeat cells; ours follows
    else:
        if isinstance(frame, nw.LazyFrame):
            error = SchemaError("Expected a lazy frame that can be collected, got one whose query fails.")
            frame = guarded(frame.collect, error)
        if isinstance(frame, nw.DataFrame):
            return frame
    raise SchemaError(message)


def _observed_columns(frame: nw.DataFrame[Any]) -> dict[str, Observed]:
    return {name: observe_series(frame[name]) for name in frame.columns}


def _observed_labels(labels: object, n_rows: int) -> Observed:
    series: Any = nw.from_native(labels, series_only=True, pass_through=True)
    if not _is_one_list(series):
        raise SchemaError(f"Expected a list of labels, got {shown(labels)}. Give one label for each row.")
    if len(series) != n_rows:
        raise SchemaError("Expected one label for each row, got another number of them. Pass rows and labels together.")
    if isinstance(series, nw.Series):
        return observe_series(series)
    return observe_array(series) if isinstance(series, np.ndarray) else observe_values(series)


def _is_one_list(labels: object) -> bool:
    if isinstance(labels, bytes | Mapping | Set) or hasattr(labels, "columns"):
        return False
    return isinstance(labels, Sized) and isinstance(labels, Iterable) and getattr(labels, "ndim", 1) == 1


MOST_DISTINCT = 50
"""A text, or a label, of more different values than this is not listed."""

MISSING_CATEGORY = "missing"

# Almost any column has a value of its own for each of fewer rows than this.
_FEWEST_ROWS_OF_NAMES = 10
_FEWEST_ROWS_OF_NUMBERS = 50
# Rows drawn at random from a numbered table still fill this part of the numbers.
_LEAST_FILLED = 0.5

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_IDENTIFIER_WORDS = frozenset(
    (
        "id",
        "ids",
        "uid",
        "guid",
        "uuid",
        "pk",
        "key",
        "idx",
        "index",
        "identifier",
        "ssn",
        "nhs",
        "mrn",
        "passport",
        "iban",
        "email",
        "mail",
        "phone",
        "telephone",
    )
)
_PERSONAL_WORDS = frozenset(
    ("name", "names", "surname", "forename", "firstname", "lastname", "fullname", "nickname", "address", "street")
)
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.,]+(Z|[+-][0-9:]+)?)?")

_IDENTIFIER = "looks like an identifier, which names single people"
PERSONS = "values come back in several rows, as those of an identifier of persons do"
"""Why a column may say which rows are of one person."""
_TIME = "dates or times; a numeric column may have dates as low and high"
_MANY = f"text of more than {MOST_DISTINCT} different values"
_MIXED = "values of mixed types, or of a type that no column describes"
_EMPTY = "no value in any row"


def guess_column(name: str, observed: Observed, *, keep_numbers: bool) -> Column | str:
    """Return the guessed column, or the reason why it is left out.

    Privacy: reads rows without noise; see `Schema.from_data`. The reasons are fixed texts.

    Parameters
    ----------
    keep_numbers : bool
        Whether numbers are kept whatever they look like, as in an array, whose columns go by position.
    """
    if observed.kind in ("empty", "number") and keep_numbers:
        return _guess_numeric(name, observed)
    reason = _reason_to_leave_out(name, observed)
    if reason:
        return reason
    return _guess_numeric(name, observed) if observed.kind == "number" else _guess_categorical(name, observed)


def guess_label(name: str, observed: Observed) -> Label:
    """Return the guessed label, with its classes sorted."""
    where = f"label {name!r}"
    if observed.missing or observed.kind == "empty":
        raise SchemaError(f"Expected a class in every row of {where}, got missing ones. Fill them in first.")
    if observed.kind in ("mixed", "time"):
        raise SchemaError(f"Expected {where} to be text, numbers or booleans, got {_MIXED}. Make it text.")
    classes = _label_classes(name, observed)
    if len(classes) < 2:
        raise SchemaError(f"Expected at least two classes in {where}, got one class. List every class in a schema.")
    if len(classes) > MOST_DISTINCT:
        raise SchemaError(
            f"Expected at most {MOST_DISTINCT} classes to guess {where} from, got more. List the classes in a schema."
        )
    return Label(name, classes)


def _label_classes(name: str, observed: Observed) -> tuple[Value, ...]:
    if observed.kind == "boolean":
        return False, True
    if observed.kind == "number":
        return tuple(np.unique(_finite(name, observed.numbers)).tolist())
    return observed.distinct


def _guess_numeric(name: str, observed: Observed) -> Numeric:
    numbers = _finite(name, observed.numbers)
    low, high = outward_bounds(numbers.min().item(), numbers.max().item()) if len(numbers) else (0, 1)
    missing = rounded_midpoint(low, high) if observed.missing else None
    return Numeric(name, low, high, missing=missing)


def _finite(name: str, numbers: NDArray[Any]) -> NDArray[Any]:
    if np.isfinite(numbers).all():
        return numbers
    raise SchemaError(f"Expected finite numbers in column {name!r}, got an infinite one. Replace or empty such cells.")


def _guess_categorical(name: str, observed: Observed) -> Categorical:
    # A boolean column has both categories, whatever occurs: one look less at the rows.
    categories: tuple[Value, ...] = (False, True) if observed.kind == "boolean" else observed.distinct
    if not observed.missing:
        return Categorical(name, categories)
    if isinstance(categories[0], str):
        categories = tuple(dict.fromkeys((*categories, MISSING_CATEGORY)))
        return Categorical(name, categories, missing=MISSING_CATEGORY)
    return Categorical(name, categories, other=True, missing=MISSING_CATEGORY)


def _reason_to_leave_out(name: str, observed: Observed) -> str:
    if observed.kind == "empty":
        return _EMPTY
    if observed.kind == "time" or _are_dates(observed):
        return _TIME
    if observed.kind == "mixed":
        return _MIXED
    if _comes_back(name, observed):
        return PERSONS
    if len(observed.distinct) > MOST_DISTINCT:
        return _MANY
    return _IDENTIFIER if _is_identifier(name, observed) else ""


_LAST_WORDS = _IDENTIFIER_WORDS | {"nbr", "nr", "no", "number", "code"}
_FEWEST_NAMED = 10
_ROWS_OF_PERSONS = (1.05, 50.0)
"""Between these a column's mean number of rows for each value looks like that of persons: places have more."""


def _comes_back(name: str, observed: Observed) -> bool:
    """Return whether the column may name persons, of whom some have several rows."""
    if observed.missing or observed.kind not in ("text", "number"):
        return False
    if observed.kind == "number" and observed.numbers.dtype.kind not in "iu":
        return False
    words = [word.lower() for word in _WORDS.findall(name)]
    is_named = bool(words) and words[-1] in _LAST_WORDS
    n_values = len(observed.distinct) if observed.kind == "text" else len(np.unique(observed.numbers))
    least, most = _ROWS_OF_PERSONS
    if not least <= observed.n_present / n_values <= most:
        return False
    return n_values >= _FEWEST_NAMED if is_named else observed.kind == "text" and n_values > MOST_DISTINCT


def _are_dates(observed: Observed) -> bool:
    texts = [value for value in observed.distinct if isinstance(value, str)]
    return bool(texts) and all(_ISO_DATE.fullmatch(text) for text in texts)


def _is_identifier(name: str, observed: Observed) -> bool:
    words = {word.lower() for word in _WORDS.findall(name)}
    is_named = not words.isdisjoint(_IDENTIFIER_WORDS)
    if observed.kind == "text":
        if not words.isdisjoint(_PERSONAL_WORDS):
            return True  # two people may have one name
        is_distinct = len(observed.distinct) == observed.n_present
        return is_distinct and (is_named or observed.n_present >= _FEWEST_ROWS_OF_NAMES)
    if observed.numbers.dtype.kind not in "iu":
        return False
    return (is_named or _looks_numbered(observed.numbers)) and len(np.unique(observed.numbers)) == observed.n_present


def _looks_numbered(numbers: NDArray[Any]) -> bool:
    """Whether whole numbers could be the numbers of rows: many, and filling most of a range."""
    if len(numbers) < _FEWEST_ROWS_OF_NUMBERS:
        return False
    span = int(numbers.max()) - int(numbers.min()) + 1
    return _LEAST_FILLED * span <= len(numbers) <= span


# Contexts of our own: the caller's may round to fewer digits than a bound has, or trap.
_WIDE = Context(prec=60, Emin=-99999, Emax=99999, traps=[])
_THREE_DIGITS = Context(prec=3, Emin=-99999, Emax=99999, traps=[])
_LARGEST = Decimal(repr(sys.float_info.max))
_LARGEST_WRITTEN_OUT = 10**15


def outward_bounds(smallest: float, largest: float) -> tuple[float, float]:
    """Return the nearest 1-2-5 steps that hold both numbers between them; a number that is a step stays.

    The steps are zero and ..., 0.1, 0.2, 0.5, 1, 2, 5, 10, ... of either sign. A constant that is a step gets
    the steps on both sides of it, and zero alone gets 0 and 1.

    Parameters
    ----------
    smallest, largest : float
        Finite; smallest <= largest.

    Returns
    -------
    low, high : float
        low <= smallest, largest <= high and low < high.
    """
    low, high = _step_below(_exact(smallest)), _step_above(_exact(largest))
    if low == high == 0:
        return 0, 1
    if low == high:
        low, high = _step_below(low, beyond=True), _step_above(high, beyond=True)
    return _number(low), _number(high)


def rounded_midpoint(low: float, high: float) -> float:
    """Return the midpoint of the bounds, rounded to three digits, within them."""
    middle = _WIDE.divide(_WIDE.add(_exact(low), _exact(high)), Decimal(2))
    return min(max(_number(_THREE_DIGITS.plus(middle)), low), high)


def _exact(value: float) -> Decimal:
    # The shortest decimal that reads as the double, not the double's own expansion: so 0.05 is a step.
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def _step_above(value: Decimal, *, beyond: bool = False) -> Decimal:
    """Return the least step at or above the value; `beyond` it, strictly above."""
    if value == 0:
        return value
    steps = (step.copy_sign(value) for step in _steps_near(value))
    return min(step for step in steps if step > value or (step == value and not beyond))


def _step_below(value: Decimal, *, beyond: bool = False) -> Decimal:
    return _step_above(value.copy_negate(), beyond=beyond).copy_negate()


def _steps_near(value: Decimal) -> list[Decimal]:
    ten = value.adjusted()
    return [
        Decimal((0, (digit,), power)) for digit, power in ((5, ten - 1), (1, ten), (2, ten), (5, ten), (1, ten + 1))
    ]


def _number(value: Decimal) -> float:
    if value.copy_abs() < _LARGEST_WRITTEN_OUT and value == value.to_integral_value():
        return int(value)
    clamped = max(_LARGEST.copy_negate(), min(value, _LARGEST))
    return float(clamped) + 0.0  # no negative zero, where a tiny step underflows
