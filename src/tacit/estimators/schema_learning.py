"""A schema learned from rows with noise, where nobody can describe them beyond columns' names and kinds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.errors import ParameterError, SchemaError, TableError, shown
from tacit.estimators.charging import LEDGER, charged, commit
from tacit.estimators.inputs import randomness
from tacit.estimators.tally import count_fit, remember_learning
from tacit.learners.schema import SchemaLearner
from tacit.learners.schema.learner import TOO_FEW
from tacit.mechanisms import announce
from tacit.models.released_schema import marked_learned
from tacit.privacy import Accountant, Budget, PlanEntry
from tacit.schema import Identifier, Kinds, Label, Numeric, Schema
from tacit.schema.identifier import checked_rows_per_person
from tacit.table.data_frames import Frame, are_numbered, names_of, opened_frame, places_of
from tacit.table.files import kinds_of_types, read_by_kinds
from tacit.table.files.several import Files
from tacit.table.raw import RawTable, check_undescribed

IGNORED = "its kind is ignored"

KINDS_ARE_PUBLIC = "names and kinds of columns are public, and were not chosen by looking at these rows"


def learn_schema(
    data: Any,
    kinds: Kinds | None = None,
    *,
    label: str,
    epsilon: float,
    delta: float,
    rows_per_person: int = 1,
    ledger: str | Path | None = None,
    random_state: Any = None,
) -> Schema:
    """Return a schema whose bounds, centers, categories and classes were released from rows, with noise.

    For tables without documentation. Every entry is marked ``learned``, and the certificate of each fit under the
    schema adds its epsilon and delta. Where documentation says what is possible, write the schema by hand: it costs
    nothing and is better.

    Parameters
    ----------
    data : data frame, str or Path
        Rows, or a CSV or Parquet file of them.
    kinds : Kinds, optional
        Public: names and kinds of all columns that are used, the label's included. By default the types of a Parquet
        file; nothing else has types that no cell decides.
    label : str
        The column to predict: a target, with learned bounds, of the kind ``"number"``; else a label, with learned
        classes, of the kind ``"category"``, ``"code"`` or ``"boolean"``.
    epsilon, delta : float
        What it may cost. Delta is above 0, as a category that nobody listed can only leave beyond a threshold that
        fails with a small probability.
    rows_per_person : int
        The most rows that one person has; noise is so many times as much. Persons in a column of identifiers are not
        supported: keep so many rows of each before.
    ledger : str or Path, optional
        Charged before a row is read, as for estimators.
    random_state : None, int or Generator
        Other than None, noise can be repeated: nothing is private then.

    Returns
    -------
    Schema
        All private. Texts and codes of too few rows are ``other``; an empty number counts as the center. Columns of
        which nothing can be said at this budget are listed under ``ignored``.

    Raises
    ------
    ParameterError
        If a parameter is outside its range; nothing is spent.
    SchemaError
        If kinds are still guessed, or the label's is that of a date; nothing is spent. Or if released counts show less
        than two classes, no bounds of a target, or no column: the budget is spent then.
    TableError
        If a column is missing, or cannot be of its kind.

    Notes
    -----
    Privacy: noisy counts of each column, (epsilon, delta)-DP together, replace-one, whatever the cells; which cell
    holds what decides about its own row alone. Proofs: ``proofs/queries/value_counts.md`` and
    ``proofs/mechanisms/stability.md``.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"age": [20, 30, 40] * 9_000, "ill": ["no", "no", "yes"] * 9_000})
    >>> schema = learn_schema(rows, Kinds({"age": "number", "ill": "category"}), label="ill", epsilon=1, delta=1e-6)
    >>> schema.classes, schema.guessed, schema.learned.entries
    (('no', 'yes'), (), ('age', 'ill'))
    """
    budget, persons = Budget(epsilon, delta), checked_rows_per_person(rows_per_person)
    if not isinstance(label, str):
        raise ParameterError(f"Expected the name of a column, got label={shown(label)}. Name the one to predict.")
    source = Files.of(data, kinds.file if isinstance(kinds, Kinds) else None) if isinstance(data, str | Path) else None
    kinds = _checked_kinds(source, kinds, label)
    if not budget.delta:
        raise ParameterError("Expected a delta above zero to learn a schema with, got delta=0. Give one such as 1e-6.")
    named = _named(kinds, label, persons)
    given = None if source else frame_by_name(data, named)
    learner = SchemaLearner(kinds, label, budget.delta)
    told: dict[str, Any] = {"fitted": "schema", "random_state": random_state, "thresholds": learner.delta_of_thresholds}
    told["refuse"] = lambda n_rows: None if n_rows is None else budget.check_rows(n_rows)
    with charged(LEDGER.check("ledger", ledger), named, budget, **told) as payment:
        if payment:
            payment.reading(check_read(source, given, kinds))
        frame = read_by_kinds(source, kinds) if source else given
        table = RawTable(frame, kinds, rows_per_person=persons)
        noise, _ = randomness(random_state)
        accountant = Accountant(budget, table.unit, noise, n_rows=table.n_persons)
        count_fit(named, budget)
        schema = replace(_learned(learner, table, accountant, persons), file=kinds.file)
        guarantee = accountant.guarantee(assumptions=(KINDS_ARE_PUBLIC,))
        commit(payment, guarantee)
    found = marked_learned(schema, guarantee)
    remember_learning(found)
    return found


def check_read(source: Files | None, given: Any, kinds: Kinds, identifier: Identifier | None = None) -> int | None:
    """Refuse rows by names and types of their columns, before one is read; return how many there are, where known."""
    if source is None:
        return check_undescribed(given, kinds, identifier)
    source.check_columns((*kinds.used, *(identifier.names if identifier else ())))
    return None if identifier else source.n_rows()


def frame_by_name(data: Any, named: Schema) -> Frame:
    """Return an opened data frame that has columns of these names, and those of the identifier; no row is read.

    Raises
    ------
    TableError
        If it is none, or a column is missing.
    """
    frame = opened_frame(data)  # once: a stream is read once
    if frame is None or are_numbered(names_of(frame)):
        raise TableError("Expected a data frame with named columns, got something else. Name the columns.")
    places_of(names_of(frame), (*named.input_names, *(named.identifier.names if named.identifier else ())))
    return frame


def _learned(learner: SchemaLearner, table: RawTable, accountant: Accountant, persons: int) -> Schema:
    plan: list[PlanEntry] = learner.plan(table.unit)
    found = learner.learn(table, announce(accountant, plan))
    ignored = dict.fromkeys(found.left_out, TOO_FEW) | dict.fromkeys(learner.kinds.ignored, IGNORED)
    return Schema(found.columns, label=found.label, ignored=ignored, rows_per_person=persons)


def _checked_kinds(source: Files | None, kinds: Kinds | None, label: str) -> Kinds:
    """Return kinds that may be taken for public, of a label that can be predicted."""
    if kinds is None and source:
        kinds = kinds_of_types(source)
        if isinstance(kinds, Kinds) and label in kinds.of("number"):
            raise SchemaError(
                f"Expected kinds that say what the numbers of {label!r} are, got the file's types alone. Draft them "
                "with `tacit schema kinds`: number is a number to predict, code a class."
            )
    if not isinstance(kinds, Kinds):
        raise SchemaError(
            "Expected kinds of columns, as only Parquet files have types that no cell decides, got none. Draft them "
            "with `tacit schema kinds`, check them, and pass kinds=Kinds.from_toml(...)."
        )
    if kinds.guessed:
        raise SchemaError(
            "Expected kinds that a person has checked, got guessed ones, which were read off the rows. Check each, "
            "then delete the line `guessed = true`."
        )
    kinds.without(label)
    return kinds


def _named(kinds: Kinds, label: str, persons: int) -> Schema:
    """Return a schema of the columns' names alone: what a ledger and the tally need before a row is read."""
    columns = [Numeric(name, 0, 1) for name in kinds.used if name != label]
    return Schema(columns, label=Label(label, [False, True]), rows_per_person=persons)
