"""Bounds that a schema lacks, learned from rows with noise; all else of it stays as it was declared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tacit.errors import ParameterError, SchemaError, shown
from tacit.estimators.charging import LEDGER, charged, commit
from tacit.estimators.inputs import randomness
from tacit.estimators.schema_learning import KINDS_ARE_PUBLIC, check_read, frame_by_name
from tacit.estimators.tally import count_fit, remember_learning
from tacit.learners.schema import BoundsLearner
from tacit.mechanisms import announce
from tacit.models.released_schema import marked_learned
from tacit.privacy import Accountant, Budget
from tacit.schema import Kinds, Label, Numeric, Schema
from tacit.table.files import read_by_kinds
from tacit.table.files.several import Files
from tacit.table.raw import RawTable


def learn_bounds(
    data: Any,
    schema: Schema,
    *,
    epsilon: float,
    delta: float = 0.0,
    ledger: str | Path | None = None,
    random_state: Any = None,
) -> Schema:
    """Return a schema whose open bounds, with centers, were released from rows, with noise; all else is as it was.

    Only columns with open bounds, a target that has them, and an identifier, are read. The entries are marked
    ``learned``, and the certificate of each fit under the schema adds this one's epsilon and delta.

    Parameters
    ----------
    data : data frame, str or Path
        Rows, or files of them.
    schema : Schema
        Without guesses. It says how cells are written, which of them are missing, and which rows are one person's.
    epsilon, delta : float
        What it may cost.
    ledger : str or Path, optional
        Charged before a row is read, as for estimators.
    random_state : None, int or Generator
        Other than None, noise can be repeated: nothing is private then.

    Returns
    -------
    Schema
        An empty number counts as the center, unless the schema has a category for it. Bounds of a column of which
        released counts show none at this budget stay open.

    Raises
    ------
    ParameterError
        If a parameter is outside its range; nothing is spent.
    SchemaError
        If no bounds are open, or entries are guessed or were learned before; nothing is spent.
    TableError
        If a column is missing, or is not of its kind.

    Notes
    -----
    Privacy: noisy counts of each column, as of ``learn_schema``: (epsilon, delta)-DP together, replace-one, or of all
    rows of a person. Proof: ``proofs/queries/value_counts.md``.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"age": [20, 30, 40] * 9_000, "ill": ["no", "no", "yes"] * 9_000})
    >>> schema = learn_bounds(rows, Schema([Numeric("age")], label=Label("ill", ["no", "yes"])), epsilon=1)
    >>> schema.open, schema.learned.entries, schema.column("age").lower <= 20
    ((), ('age',), True)
    """
    budget = Budget(epsilon, delta)
    named, kinds = _of_open(schema)
    entries = (*schema.inputs, schema.label)
    open_entries = {each.name: each for each in entries if isinstance(each, Numeric) and each.is_open}
    source = data if isinstance(data, Files) else None
    if isinstance(data, str | Path):
        source = Files.of(data, schema.file)
    given = None if source else frame_by_name(data, named)
    learner = BoundsLearner(kinds)
    told: dict[str, Any] = {"fitted": "bounds", "random_state": random_state}
    told["refuse"] = lambda n_rows: None if n_rows is None else budget.check_rows(n_rows)
    with charged(LEDGER.check("ledger", ledger), named, budget, **told) as payment:
        if payment:
            payment.reading(check_read(source, given, kinds, schema.identifier))
        frame = read_by_kinds(source, kinds, schema.identifier) if source else given
        table = RawTable(frame, kinds, rows_per_person=schema.rows_per_person, identifier=schema.identifier)
        noise, _ = randomness(random_state)
        accountant = Accountant(budget, table.unit, noise, n_rows=table.n_persons)
        count_fit(named.with_private(named.names, label=False), budget)  # no label is read
        found = learner.learn(table, announce(accountant, learner.plan(table.unit)))
        guarantee = accountant.guarantee(assumptions=(KINDS_ARE_PUBLIC,))
        commit(payment, guarantee)
    learned = {name: learner.column(entry, found[name]) for name, entry in open_entries.items() if name in found}
    columns = tuple(learned.get(column.name, column) for column in schema.inputs)
    target = schema.target if schema.label.name in found else None
    label = learner.column(target, found[target.name]) if target else schema.label
    bounded = marked_learned(replace(schema, columns=columns, label=label), guarantee, tuple(found))
    remember_learning(bounded)
    return bounded


def _of_open(schema: Schema) -> tuple[Schema, Kinds]:
    """Return a schema of the open columns' names, which a ledger and the tally need before a row is read; and kinds."""
    _check_learnable(schema)
    whole = Kinds.of_schema(schema, guessed=False)
    kinds = {name: kind for name, kind in whole.columns if name in schema.open}
    written = {name: fields for name in kinds if (fields := whole.fields(name))}
    # Where the target's bounds are open it is read as a column, and the label's name is one that nothing has.
    names = (*kinds, *(schema.identifier.names if schema.identifier else ()))
    unread = f"{max(names, key=len)}_" if schema.label.name in kinds else schema.label.name
    columns, label = [Numeric(name, 0, 1) for name in kinds], Label(unread, [False, True])
    named = Schema(columns, label=label, identifier=schema.identifier, rows_per_person=schema.rows_per_person)
    return named, Kinds(kinds, file=schema.file, written=written)


def _check_learnable(schema: object) -> None:
    if not isinstance(schema, Schema):
        raise ParameterError(f"Expected a Schema with open bounds, got {shown(schema)}. Write Numeric(name) for them.")
    if not schema.open:
        raise SchemaError("Expected a schema with open bounds to learn, got none. Nothing is left to learn.")
    if schema.guessed:
        raise SchemaError(
            "Expected a schema without guesses, got some, which were read off the rows. Check each with "
            "`tacit schema review`."
        )
    if schema.learned is not None:
        raise SchemaError(
            "Expected a schema of which nothing was learned, got another. Learn all bounds at once, at a higher "
            "epsilon where some stayed open, or write these by hand."
        )
