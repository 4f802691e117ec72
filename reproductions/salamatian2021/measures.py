"""What a task of Salamatian (2021) measures: one fit of LazyBB, or a few of one fold, and what is counted of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproductions.salamatian2021.bins import in_parts
from reproductions.salamatian2021.settings import (
    best_single_rule,
    boosting_curve,
    normalized_margins,
    rademacher_estimate,
    sparsity,
    votes,
)
from tacit.estimators import LazyBBClassifier
from tacit.models import LiteralVoteModel, Model
from tacit.study.fit import scored
from tacit.study.learners import Predictions
from tacit.study.run import Task
from tacit.study.run.measures import measure
from tacit.study.run.tables import Tables
from tacit.study.splits import Split

_published = import_module("reproductions.salamatian2021.published")
_alone = import_module("reproductions.salamatian2021.votes_alone")

KINDS: dict[str, type[LazyBBClassifier]] = {
    "corrected": LazyBBClassifier,
    "published": _published.PublishedLazyBBClassifier,
}
SEARCHED: dict[str, type[LazyBBClassifier]] = {
    "corrected": _alone.VotesAlone,
    "published": _alone.PublishedVotesAlone,
}
"""Estimators by cost."""

MARGINS = np.linspace(-1, 1, 42)
"""Edges of the histogram of margins; zero lies within a bin."""

THRESHOLDS = tuple(np.linspace(0.05, 0.95, 19).tolist())
"""Margins at which the Rademacher estimate is taken; the best counts."""


@measure("salamatian2021-fit")
def fit(task: Task, tables: Tables) -> dict[str, Any]:
    """Return what the measure "fit" does, and for one-rules how many features, and which share, the model uses."""
    split = _as_asked(task, tables)
    model, made = _trained(split, task)
    result = scored(made, split)
    if task.inputs["parameters"]["weak_learner"] == "one-rule":
        used = sparsity(model, task.inputs["parameters"]["literals"])
        result |= {"features": used.features, "share": 100 * used.share}
    return result


@measure("salamatian2021-one-rule")
def one_rule(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the training accuracy of the best single bin, without privacy."""
    return {"accuracy": best_single_rule(_as_asked(task, tables).table, "bins")[1]}


@measure("salamatian2021-words")
def words(task: Task, tables: Tables) -> dict[str, Any]:
    """Return one model's accuracy and its votes in words."""
    split = _as_asked(task, tables)
    model, made = _trained(split, task)
    return {"accuracy": scored(made, split)["accuracy"], "votes": votes(model)}


@measure("salamatian2021-boosting")
def boosting(task: Task, tables: Tables) -> dict[str, Any]:
    """Return each round's advantage under its weights, and the shares of training margins in bins, both exact."""
    split = _as_asked(task, tables)
    model, made = _trained(split, task)
    scorer, given = _scorer(model), task.inputs["parameters"]
    curve = boosting_curve(split.table, scorer, density=given["density"], learning_rate=given["learning_rate"])
    shares = np.histogram(_margins(model, split), MARGINS)[0] / len(split.train_labels)
    return {"accuracy": scored(made, split)["accuracy"], "advantages": curve.tolist(), "margins": shares.tolist()}


@measure("salamatian2021-rademacher")
def rademacher(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the lower bound on test accuracy by training margins and Rademacher complexity, and the accuracy."""
    split = _as_asked(task, tables)
    model, made = _trained(split, task)
    estimate = rademacher_estimate(split.table, _margins(model, split), thresholds=THRESHOLDS, draws=10, seed=0)
    return {"accuracy": scored(made, split)["accuracy"], "estimate": estimate}


@measure("salamatian2021-search")
def search(task: Task, tables: Tables) -> dict[str, Any]:
    """Return the accuracy of one fold for each of ``rounds``, at one density and learning rate."""
    split, given = _as_asked(task, tables), task.inputs
    found = []
    for at, rounds in enumerate(given["rounds"]):
        # Votes alone: areas, probabilities and the noise of columns would take a quarter of these fits' time.
        estimator = _estimator(split, given, task.seed + at, SEARCHED, rounds=rounds)
        scores = estimator.fit_table(split.table).model_.decision_function(split.test)
        found.append(float(np.mean((scores > 0) == split.test_labels)))
    return {"accuracies": found}


@measure("salamatian2021-defaults")
def defaults(task: Task, tables: Tables) -> dict[str, Any]:
    """Return what LazyBB takes for density, learning rate and rounds, from public numbers alone; reads no rows."""
    from tacit.boosting import smoothness
    from tacit.features import BinEncoding
    from tacit.features.literals import literals

    schema = tables.schema(task)
    n_literals = len(literals(BinEncoding(schema, schema.names)))
    chosen = smoothness(task.inputs["n_rows"], task.inputs["epsilon"], n_literals)
    return {"density": chosen.density, "learning rate": chosen.learning_rate, "rounds": chosen.rounds}


@measure("salamatian2021-cost")
def cost(task: Task, tables: Tables) -> dict[str, Any]:
    """Return what a search over ``grid`` with ``folds`` at ``epsilon`` would spend."""
    from sklearn.model_selection import GridSearchCV

    from tacit.estimators.cost_of_search import search_cost

    given = task.inputs
    grid = {name: list(values) for name, values in given["grid"].items()}
    estimator = LazyBBClassifier(epsilon=given["epsilon"], weak_learner=given["weak_learner"])
    found = search_cost(GridSearchCV(estimator, grid, cv=given["folds"]))
    return {
        "candidates": int(np.prod([len(values) for values in grid.values()])),
        "fits": found.fits,
        "epsilon spent": found.epsilon,
    }


def _as_asked(task: Task, tables: Tables) -> Split:
    split = tables.split(task)
    if task.inputs["numbers"] == "packaged":
        return split
    return in_parts(split, tables.whole(task).rows, task.inputs["numbers"])


def _trained(split: Split, task: Task) -> tuple[Model, Predictions]:
    start = perf_counter()
    model = _estimator(split, task.inputs, task.seed).fit_table(split.table).model_
    trained = perf_counter()
    scores = model.decision_function(split.test)
    return model, Predictions((scores > 0).astype(np.intp), scores, trained - start, perf_counter() - trained)


def _estimator(
    split: Split, given: Mapping[str, Any], seed: int, kinds: Mapping[str, type[LazyBBClassifier]] = KINDS, **more: Any
) -> LazyBBClassifier:
    budget = {"epsilon": given["epsilon"], "delta": given["delta"], "random_state": seed}
    # The thesis's rounds have the whole budget.
    return kinds[given["cost"]](split.schema, calibration=0.0, **budget, **given["parameters"], **more)


def _margins(model: Model, split: Split) -> NDArray[np.float64]:
    scores = model.decision_function(split.train)
    return normalized_margins(scores, split.train_labels, len(_scorer(model).votes))


def _scorer(model: Model) -> LiteralVoteModel:
    [scorer] = model.scorers
    assert isinstance(scorer, LiteralVoteModel)
    return scorer
