"""Training and test rows: how a table is split, from the study's seed and the repetition alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, PrivacyError
from tacit.schema import Schema
from tacit.table import OnInvalid, Rows, Table


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """Training and test rows of one task.

    Attributes
    ----------
    schema : Schema
        With the columns and the label protected as the task says.
    table : Table
        The training rows; fits of it share its encodings.
    train, test : Rows
    train_labels, test_labels : array of shape (n_rows,)
        Positions among the sorted classes, or the numbers to predict.
    train_index, test_index : array of shape (n_rows,)
        Positions in the whole table, ascending.
    on_invalid : {"raise", "coerce"}
        How the rows were read.

    Notes
    -----
    Privacy: for studies, which are not private. Rows and labels are readable here, and cannot be pickled.
    """

    schema: Schema
    table: Table
    train: Rows
    test: Rows
    train_labels: NDArray[Any]
    test_labels: NDArray[Any]
    train_index: NDArray[np.intp]
    test_index: NDArray[np.intp]
    on_invalid: OnInvalid = "raise"

    @property
    def classes(self) -> NDArray[np.generic]:
        """The sorted classes."""
        return np.asarray(sorted(self.schema.classes))

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected rows to stay where they are, got a request to copy or pickle them.")


Indices = NDArray[np.intp]


def split_rows(
    split: Mapping[str, Any],
    labels: NDArray[Any],
    official: NDArray[np.str_] | None,
    seed: int,
    persons: NDArray[np.int64] | None = None,
) -> tuple[Indices, Indices]:
    """Return the positions of training and test rows, each in the table's order.

    Parameters
    ----------
    split : mapping
        ``{"kind": "official"}``, ``{"kind": "shuffle", "test_share": 0.25, "repeat": 0}`` or ``{"kind": "fold",
        "folds": 10, "fold": 0, "repeat": 0}``. With ``"first": 500`` only the first rows are used; with ``"balanced":
        true`` rows of the larger classes are deleted at random until all are of one size.
    labels : array of shape (n_rows,)
        Looked at only where the split is balanced.
    official : array of str, shape (n_rows,), or None
        "train" or "test" for each row.
    seed : int
        Of the study; with the repetition it decides everything random, so that all learners share the rows.
    persons : int array of shape (n_rows,), optional
        Numbers of persons: all rows of one are training rows, or all are test rows, and shares and folds are of
        persons.

    Raises
    ------
    ParameterError
        If there is no such split, or a part of it would be empty.

    Notes
    -----
    Privacy: balancing reads the labels, exactly. It prepares a study; where the label is private, it is no part of
    any guarantee.

    Examples
    --------
    >>> train, test = split_rows({"kind": "fold", "folds": 2, "fold": 0, "repeat": 0}, np.zeros(6), None, seed=1)
    >>> sorted([*train.tolist(), *test.tolist()])
    [0, 1, 2, 3, 4, 5]
    """
    # Of the repetition and not of the fold: the folds of one repetition must be parts of one permutation.
    generator = np.random.default_rng([seed, int(split.get("repeat", 0))])
    rows = np.arange(min(len(labels), int(split.get("first", len(labels)))))
    if split.get("balanced", False):
        rows = _balanced(rows, labels, generator)
    if persons is not None:
        return _split_persons(rows, split, official, persons, generator)
    if split.get("kind") == "official":
        train, test = _official(rows, official)
    elif split.get("kind") == "shuffle":
        train, test = _shuffled(generator.permutation(rows), float(split["test_share"]))
    elif split.get("kind") == "fold":
        train, test = _fold(generator.permutation(rows), int(split["folds"]), int(split["fold"]))
    else:
        raise ParameterError(
            f"Expected a split of kind 'official', 'shuffle' or 'fold', got kind={split.get('kind')!r}. Choose one."
        )
    _check_parts(train, test)
    # In the table's order: consecutive rows are views of a mapped table, and copies are read in one direction.
    return np.sort(train), np.sort(test)


def _check_parts(train: Indices, test: Indices) -> None:
    if not (len(train) and len(test)):
        raise ParameterError("Expected rows in both parts of the split, got an empty part. Use more rows.")


def _split_persons(
    rows: Indices,
    split: Mapping[str, Any],
    official: NDArray[np.str_] | None,
    persons: NDArray[np.int64],
    generator: np.random.Generator,
) -> tuple[Indices, Indices]:
    """Return training and test rows of different persons."""
    if split.get("kind") == "official":
        train, test = _official(rows, official)
        if np.intersect1d(persons[train], persons[test]).size:
            raise ParameterError("Expected an official split by person, got persons in both parts. Split at random.")
    else:
        everybody = generator.permutation(np.unique(persons[rows]))
        if split.get("kind") == "shuffle":
            _, tested = _shuffled(everybody, float(split["test_share"]))
        elif split.get("kind") == "fold":
            _, tested = _fold(everybody, int(split["folds"]), int(split["fold"]))
        else:
            raise ParameterError(
                f"Expected a split of kind 'official', 'shuffle' or 'fold', got {split.get('kind')!r}."
            )
        of_test = np.isin(persons[rows], tested)
        train, test = rows[~of_test], rows[of_test]
    _check_parts(train, test)
    return train, test


def _balanced(rows: Indices, labels: NDArray[Any], generator: np.random.Generator) -> Indices:
    """Return as many rows of each class as the smallest class has."""
    if labels.dtype.kind == "f":
        raise ParameterError("Expected classes to balance, got a number to predict. Leave balanced out.")
    values, counts = np.unique(labels[rows], return_counts=True)
    kept = [generator.choice(rows[labels[rows] == value], counts.min(), replace=False) for value in values]
    return np.sort(np.concatenate(kept))


def _official(rows: Indices, official: NDArray[np.str_] | None) -> tuple[Indices, Indices]:
    if official is None:
        raise ParameterError("Expected a table with an official split, got one without. Split it at random.")
    return rows[official[rows] == "train"], rows[official[rows] == "test"]


def _shuffled(rows: Indices, test_share: float) -> tuple[Indices, Indices]:
    n_test = round(test_share * len(rows))
    return rows[n_test:], rows[:n_test]


def _fold(rows: Indices, folds: int, fold: int) -> tuple[Indices, Indices]:
    if not 0 <= fold < folds:
        raise ParameterError(f"Expected a fold from 0 to {folds - 1}, got fold={fold}. Choose one of them.")
    parts = np.array_split(rows, folds)
    return np.concatenate([part for at, part in enumerate(parts) if at != fold]), parts[fold]
