"""Accuracies of LazyBB as its documentation states them: defaults beside the thesis's settings, and cut points.

Noise is simulated throughout: repeatable, and no guarantee. The thesis's own figures and tables are artefacts, in
`reproductions.framework`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from reproductions.salamatian2021.settings import settings
from tacit.datasets import Dataset, load
from tacit.errors import PrivacyWarning
from tacit.estimators import LazyBBClassifier
from tacit.schema import Numeric, Schema

LARGE = 1000.0
"""Columns that reach so far are cut on a logarithmic scale where scales are compared: amounts, lengths, weights."""


def accuracies(
    name: str, epsilon: float, *, repeats: int = 10, schema: Schema | None = None, **options: Any
) -> np.ndarray:
    """Return test accuracies of LazyBBClassifier with the given parameters.

    On the official split if there is one, with ``repeats`` seeds; else by so many folds of a fixed shuffle.

    Parameters
    ----------
    name : str
        Of a packaged data set.
    epsilon : float
    repeats : int
    schema : Schema, optional
        In place of the packaged one.
    options
        Of LazyBBClassifier.
    """
    data = load(name)
    return np.asarray(
        [
            _fitted(data, train, schema, epsilon=epsilon, random_state=seed, **options).score(
                data.frame[test], data.target[test]
            )
            for seed, (train, test) in enumerate(_splits(data, repeats))
        ]
    )


def default_accuracies(
    names: Sequence[str] = ("adult", "cod-rna", "mushroom"), epsilons: Sequence[float] = (0.1, 0.5, 1.0)
) -> pl.DataFrame:
    """Compare the settings of tables B.1 to B.3 with "auto", everything private."""
    rows = []
    for name in names:
        schema = load(name).schema.all_private()
        for epsilon in epsilons:
            published = accuracies(name, epsilon, schema=schema, **settings(name, epsilon)).mean()
            auto = accuracies(name, epsilon, schema=schema).mean()
            tree = accuracies(name, epsilon, schema=schema, weak_learner="tree").mean()
            rows.append({"name": name, "epsilon": epsilon, "tables B": published, "auto": auto, "auto, tree": tree})
    return pl.DataFrame(rows)


def cut_point_accuracies(
    names: Sequence[str] = ("adult", "credit-default", "cod-rna"),
    epsilons: Sequence[float] = (0.05, 0.1, 0.4, 1.0, 3.0),
    repeats: int = 10,
) -> pl.DataFrame:
    """Compare packaged cuts, even grids, logarithmic grids of large columns and private quantiles, all private."""
    rows = []
    for name in names:
        packaged = load(name).schema.all_private()
        even = with_scales(packaged, large="linear")
        kinds: dict[str, dict[str, Any]] = {
            "packaged": {"schema": packaged, "cut_points": "grid"},
            "even": {"schema": even, "cut_points": "grid"},
            "log": {"schema": with_scales(packaged, large="log"), "cut_points": "grid"},
            "private": {"schema": even, "cut_points": "private"},
        }
        for epsilon in epsilons:
            found = {kind: accuracies(name, epsilon, repeats=repeats, **kept).mean() for kind, kept in kinds.items()}
            rows.append({"name": name, "epsilon": epsilon, **found})
    return pl.DataFrame(rows)


def with_scales(schema: Schema, *, large: Literal["linear", "log"]) -> Schema:
    """Return the schema without cuts, with this scale in its large columns and the linear one in the others."""
    columns = []
    for column in schema.columns:
        if isinstance(column, Numeric):
            reaches = max(abs(column.lower), abs(column.upper)) >= LARGE
            column = replace(column, scale=large if reaches else "linear", cuts=None)
        columns.append(column)
    return replace(schema, columns=tuple(columns))


def _splits(data: Dataset, repeats: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    if data.split is not None:
        for _ in range(repeats):
            yield np.flatnonzero(data.split == "train"), np.flatnonzero(data.split == "test")
        return
    order = np.random.default_rng(0).permutation(data.frame.height)
    for fold in np.array_split(order, repeats):
        yield np.setdiff1d(order, fold), fold


def _fitted(data: Dataset, train: np.ndarray, schema: Schema | None, **options: Any) -> LazyBBClassifier:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        return LazyBBClassifier(schema or data.schema, calibration=0.0, **options).fit(
            data.frame[train], data.target[train]
        )
