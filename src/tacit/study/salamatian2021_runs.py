"""Accuracies of LazyBB as its documentation states them, and the tables of Salamatian (2021) that need fits.

Noise is simulated throughout: repeatable, and no guarantee.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import polars as pl

from tacit.datasets import Dataset, load
from tacit.errors import PrivacyWarning
from tacit.estimators import LazyBBClassifier
from tacit.models import LiteralVoteModel
from tacit.schema import Numeric, Schema
from tacit.study.salamatian2021 import (
    boosting_curve,
    normalized_margins,
    rademacher_estimate,
    settings,
    sparsity,
)
from tacit.table import Table

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
            "packaged": {"schema": packaged},
            "even": {"schema": even},
            "log": {"schema": with_scales(packaged, large="log")},
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


def with_deciles(data: Dataset) -> Schema:
    """Return the all-private schema with cuts at the deciles of numeric columns.

    Exact quantiles of the rows: for a comparison with the thesis, whose 162 columns of Adult leave ten to each of six
    numbers, and for nothing else.
    """
    columns = []
    for column in data.schema.all_private().columns:
        if isinstance(column, Numeric):
            values = data.frame[column.name].cast(pl.Float64).to_numpy()
            cuts = set(np.quantile(values, np.arange(1, 10) / 10).tolist())
            if len(cuts) < 5:  # most rows at the lower end, as in "capital-gain = 0" of table 5.3
                above = values[values > column.lower]
                cuts = {(column.lower + above.min()) / 2, *np.quantile(above, np.arange(1, 9) / 9).tolist()}
            column = replace(column, cuts=tuple(sorted(cut for cut in cuts if column.lower < cut < column.upper)))
        columns.append(column)
    return replace(data.schema.all_private(), columns=tuple(columns))


def sparsity_table(name: str, epsilons: Sequence[float], *, repeats: int = 5, **options: Any) -> pl.DataFrame:
    """Return mean and deviation of the number of features used, and their share: tables 5.2 and A.1 to A.3.

    With the thesis's settings, binned, under its accounting unless ``options`` say otherwise.
    """
    data, rows = load(name), []
    options = {"literals": "bins", "accounting": "paper"} | options
    for epsilon in epsilons:
        used = []
        for seed, (train, _) in enumerate(_splits(data, repeats)):
            fit = _fitted(data, train, None, epsilon=epsilon, random_state=seed, **settings(name, epsilon), **options)
            used.append(sparsity(fit.model_, options["literals"]))
        counts = [one.features for one in used]
        share = float(np.mean([one.share for one in used]))
        rows.append({"epsilon": epsilon, "mean": np.mean(counts), "deviation": np.std(counts), "share": share})
    return pl.DataFrame(rows)


def votes_in_words(name: str = "adult", epsilon: float = 0.4, seed: int = 0) -> tuple[str, ...]:
    """Return one model as a list of votes: table 5.3."""
    data = load(name)
    train, _ = next(_splits(data, 10))
    fit = _fitted(data, train, None, epsilon=epsilon, random_state=seed, literals="bins", **settings(name, epsilon))
    return sparsity(fit.model_, "bins").votes


def figure_5_1(name: str = "adult", epsilon: float = 1.0, seed: int = 0, **options: Any) -> tuple[np.ndarray, ...]:
    """Return the advantage of each round and the normalized margins of the training rows, exact."""
    data = load(name)
    train, _ = next(_splits(data, 10))
    chosen = settings(name, epsilon) | options
    fit = _fitted(data, train, data.schema.all_private(), epsilon=epsilon, random_state=seed, **chosen)
    frame, target = data.frame[train], data.target[train]
    table, [scorer] = Table.from_frame(frame, target, fit.model_.schema), fit.model_.scorers
    assert isinstance(scorer, LiteralVoteModel)
    curve = boosting_curve(table, scorer, density=chosen["density"], learning_rate=chosen["learning_rate"])
    labels = (target.to_numpy() == fit.classes_[1]).astype(int)
    return curve, normalized_margins(fit.decision_function(frame), labels, len(scorer.votes))


def rademacher_table(names: Sequence[str] = ("adult", "cod-rna", "mushroom"), epsilon: float = 1.0) -> pl.DataFrame:
    """Return the estimates of test accuracy by margins and Rademacher complexity beside test accuracies: table 5.4."""
    rows = []
    for name in names:
        data = load(name)
        schema = data.schema.all_private()
        _, margins = figure_5_1(name, epsilon)
        train, _ = next(_splits(data, 10))
        table = Table.from_frame(data.frame[train], data.target[train], schema)
        estimate = rademacher_estimate(table, margins, thresholds=np.linspace(0.05, 0.95, 19).tolist(), draws=10)
        tested = float(accuracies(name, epsilon, schema=schema, **settings(name, epsilon)).mean())
        rows.append({"name": name, "estimate": estimate, "tested": tested})
    return pl.DataFrame(rows)


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
        return LazyBBClassifier(schema or data.schema, **options).fit(data.frame[train], data.target[train])
