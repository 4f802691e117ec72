"""The tables of a membership test: of made-up rows, or of real ones, of which some are members by coin flip."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tacit.errors import ParameterError
from tacit.mechanisms import public_generator
from tacit.schema import Schema
from tacit.study.simulate import simulate
from tacit.table import OnInvalid, read_labels, read_rows

Flags = NDArray[np.bool_]

N_ROWS, N_TARGETS = 1000, 100
"""Rows of a made-up table, and of any the ones that are attacked: enough to see a rate of one in a hundred."""


@dataclass(frozen=True, eq=False)
class MembershipGame:
    """A table of which some rows, the targets, are members with probability one half; else others take their places.

    Parameters
    ----------
    rows, labels : polars.DataFrame, polars.Series
        That are always there.
    targets, target_labels
        Rows that are members or not; they have the public cells of those that take their places.
    others, other_labels
        What is there where a target is not.
    real : bool
        Whether somebody's rows are among them.
    """

    rows: pl.DataFrame
    labels: pl.Series
    targets: pl.DataFrame
    target_labels: pl.Series
    others: pl.DataFrame
    other_labels: pl.Series
    real: bool = False

    @classmethod
    def made_up(cls, schema: Schema, seed: int) -> MembershipGame:
        """Return rows drawn from the schema alone, and targets whose private label is wrong where there is one.

        Raises
        ------
        ParameterError
            If the schema has an identifier, as rows of persons are not drawn, or protects nothing.
        """
        check_attackable(schema)
        schema = schema.full
        rows, labels = simulate(schema, N_ROWS, seed)
        others, other_labels = rows[:N_TARGETS], labels[:N_TARGETS]
        # Of another population: their private cells are not as the rest of the table suggests.
        strangers, _ = simulate(schema, N_TARGETS, seed + 1)
        targets = _with_public_cells(strangers, others, schema)
        target_labels = _wrong(other_labels, schema) if schema.label.private else other_labels
        return cls(rows[N_TARGETS:], labels[N_TARGETS:], targets, target_labels, others, other_labels)

    @classmethod
    def of_rows(
        cls, frame: pl.DataFrame, labels: pl.Series, schema: Schema, seed: int, *, on_invalid: OnInvalid = "raise"
    ) -> MembershipGame:
        """Return real rows of which some, drawn by the seed, are targets; as many others take their places.

        Raises
        ------
        ParameterError
            As of ``made_up``, or if there are too few rows.
        TableError
            If a cell or a label is not as the schema says.
        """
        check_attackable(schema)
        read_rows(frame, schema.full, on_invalid=on_invalid)
        codes = read_labels(labels, schema.label, on_invalid=on_invalid)
        if len(frame) <= 2 * N_TARGETS:
            raise ParameterError(f"Expected more than {2 * N_TARGETS} rows, got fewer. Make rows up: leave out --rows.")
        frame = frame.select(schema.full.input_names)
        read = pl.Series(labels.name, np.asarray(sorted(schema.classes))[codes].tolist())
        order = public_generator(seed).permutation(len(frame))
        places = (order[:N_TARGETS], order[N_TARGETS : 2 * N_TARGETS], order[2 * N_TARGETS :])
        (targets, others, rest), (target_labels, other_labels, kept) = (
            [whole[place.tolist()] for place in places] for whole in (frame, read)
        )
        others = _with_public_cells(others, targets, schema)
        other_labels = other_labels if schema.label.private else target_labels
        return cls(rest, kept, targets, target_labels, others, other_labels, real=True)

    @property
    def n_rows(self) -> int:
        """Rows of each table that a fit gets."""
        return len(self.rows) + len(self.targets)

    def table(self, members: Flags) -> tuple[pl.DataFrame, pl.Series]:
        """Return the rows and labels of a table with these targets, (n_targets,)."""
        kept = pl.Series(members)
        frames = [self.rows, self.targets.filter(kept), self.others.filter(~kept)]
        labels = [self.labels, self.target_labels.filter(kept), self.other_labels.filter(~kept)]
        return pl.concat(frames), pl.concat(labels)


def check_attackable(schema: Schema) -> None:
    """Refuse a schema whose rows are no single rows, or where nothing is protected."""
    if schema.identifier is not None:
        raise ParameterError("Expected a schema without an identifier, got one of persons. Use a schema of rows.")
    if not schema.full.private_columns and not schema.label.private:
        raise ParameterError("Expected a private column or label to attack, got a schema where all is public.")


def _with_public_cells(frame: pl.DataFrame, of: pl.DataFrame, schema: Schema) -> pl.DataFrame:
    """Return rows that differ from others in protected cells alone."""
    public = set(schema.full.public_columns)
    return frame.with_columns(of[name] for name in of.columns if name in public)


def _wrong(labels: pl.Series, schema: Schema) -> pl.Series:
    """Return another class for each label: the next of the sorted ones."""
    classes = sorted(schema.classes)
    following = {one: classes[(at + 1) % len(classes)] for at, one in enumerate(classes)}
    return pl.Series(labels.name, [following[each] for each in labels.to_list()], dtype=labels.dtype)
