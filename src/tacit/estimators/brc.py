"""The scikit-learn estimator of BRC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar, Literal

import numpy as np

from tacit.boosting import BRC, CappedWeights, DrawClassifiers
from tacit.boosting.brc import CAP, ROUNDS, Intercept
from tacit.estimators.calibrated import CalibratedFit
from tacit.estimators.requirements import one_of
from tacit.features.linear_encoding import CategoricalEncoding
from tacit.learners.platt_scaling import CALIBRATION
from tacit.privacy.conversions import zcdp_rho
from tacit.privacy.parameters import AUTO, NONE, Kind, Requirement
from tacit.rules.boosting import MAX_BRC_ROUNDS, SIGNAL_OF_BRC_ROUND
from tacit.schema import Schema
from tacit.table import Table

ROUNDS_OF_PAPER = 25
"""Shen's number, and the most where public columns are learned exactly: accuracy no longer grows there."""


def _draws(value: Any) -> bool:
    """Tell a function that takes three arguments."""
    if not callable(value) or isinstance(value, type):
        return False
    try:
        signature(value).bind(None, None, None)
    except TypeError:
        return False
    except ValueError:
        pass  # a function of another language does not say what it takes
    return True


def _is_public_learner(value: object) -> bool:
    """Tell whether this is a classifier of scikit-learn's whose fit takes weights, or passes on what it is given."""
    from sklearn.base import BaseEstimator, is_classifier

    if not isinstance(value, BaseEstimator) or not is_classifier(value):
        return False
    accepted = signature(value.fit).parameters.values()
    return any(each.name == "sample_weight" or each.kind is each.VAR_KEYWORD for each in accepted)


@dataclass(kw_only=True, eq=False, repr=False)
class BRCFit(CalibratedFit):
    """Boosting with random classifiers, for tables of which some columns, or all, are private.

    Each round draws a linear classifier at random, pays for its noisy error under the boosting weights, and may
    instead take a classifier of the public columns, which costs nothing. Source: Shen, Krishnaswamy, Kulkarni
    and Munagala, "Classification with Partially Private Features" (2022), Algorithms 2 and 3, at a sensitivity
    below the published one.

    Parameters
    ----------
    rounds : int or "auto"
        Number of random classifiers, at most 10,000. ``"auto"``, where public columns are learned from a public label,
        is n_rows * epsilon / (2 c1 c2), from 1 to 25. Else it is n_rows * epsilon / 75, epsilon being that of one
        class against the rest if there are more than two, where that is more, up to 300; and 300 with a delta, unless
        so small that it saves no noise.
    c1, c2 : float
        Private weights stay within [1/c1, c2]; from 1 to 1e6.
    intercept : {"auto", "zero", "uniform", "selected"}
        Of the random classifiers: zero, uniform on [-1, 1], or selected from a public grid at half of the budget.
        ``"auto"`` is zero, or uniform where there are fewer than three features to draw planes through.
    encoding : {"ordinal", "one-hot"}
        How categories become features.
    public_learner : scikit-learn classifier, optional
        Learns from the public columns where the label is public; logistic regression by default. A linear model
        or a decision tree can be saved with the model, others cannot.
    draw_classifiers : callable, optional
        Replaces the drawing of random classifiers: called with the number of rounds, of features, and a
        generator, returns coefficients (rounds, n_features) and intercepts (rounds,). It must not look at rows.

    Notes
    -----
    Privacy: releases one weighted error a round, sensitivity at most c1 c2 / (n - 1 + c1 c2) under
    replace-one on the protected columns and label, and then sums that calibrate log-odds. Proofs:
    ``proofs/queries/weighted_error.md``, ``proofs/queries/platt_sums.md``.
    """

    rounds: int | Literal["auto"] = "auto"
    c1: float = 2**0.5
    c2: float = 2**0.5
    intercept: Literal["auto", "zero", "uniform", "selected"] = "auto"
    encoding: Literal["ordinal", "one-hot"] = "ordinal"
    public_learner: Any = None
    draw_classifiers: DrawClassifiers | None = None

    _learner = "brc"
    _no_row_weights = "its weights of rows are bounded for rows that count the same"
    _no_class_weight = (
        "its weights of rows are bounded for rows that count the same; choose another learner or predict(threshold=)"
    )
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        "rounds": ROUNDS | AUTO,
        "c1": CAP,
        "c2": CAP,
        "intercept": one_of(Intercept),
        "encoding": one_of(CategoricalEncoding),
        "public_learner": NONE
        | Kind(
            "a scikit-learn classifier whose fit takes sample_weight",
            _is_public_learner,
            "Pass an instance of one, such as LogisticRegression().",
        ),
        "calibration": CALIBRATION,
        "draw_classifiers": NONE
        | Kind("a function of rounds, number of features and a generator", _draws, "Leave it out."),
    }

    def _settings(self, table: Table) -> BRC:
        weighting = CappedWeights(self.c1, self.c2)
        return BRC(
            rounds=self._rounds(table),
            weighting=weighting,
            intercept=self.intercept,
            encoding=self.encoding,
            public_learner=self._public_learner(),
            draw_classifiers=self.draw_classifiers,
        )

    def _rounds(self, table: Table) -> int:
        if self.rounds != "auto":
            return self.rounds
        assert self.epsilon is not None
        product = table.n_persons * self.epsilon
        # sqrt(2) squared is a little above 2
        fewest = int(np.clip(product / (2 * self.c1 * self.c2) + 1e-9, 1, ROUNDS_OF_PAPER))
        if table.schema.public_columns and not table.unit.label:
            return fewest
        trainings = table.n_classes if table.n_classes > 2 else 1
        pure = max(fewest, int(min(product / trainings / SIGNAL_OF_BRC_ROUND, MAX_BRC_ROUNDS)))
        # What all rounds say together has as much Gaussian noise whatever their number, and Laplace noise that grows
        # with its root: a delta next to nothing is better left.
        gaussian = 4 * pure * zcdp_rho(self.epsilon, self._delta) >= self.epsilon**2 if self._delta else False
        return MAX_BRC_ROUNDS if gaussian else pure

    def _public_learner(self) -> Callable[[], Any]:
        def made() -> Any:
            from sklearn.base import clone
            from sklearn.linear_model import LogisticRegression

            # For many rows and few features: its cost grows with the square of the latter alone.
            usual = LogisticRegression(solver="newton-cholesky", max_iter=1000)
            return clone(usual if self.public_learner is None else self.public_learner)

        return made

    def _exact(self, schema: Schema) -> tuple[str, ...]:
        if schema.label.private:
            return ()
        # A class that no row has, or all rows have, is learned as a constant classifier.
        classes = f"Which classes of the public label {schema.label.name} have rows."
        if not schema.public_columns:
            return (classes,)
        columns = ", ".join(schema.public_columns)
        errors = f"Classifiers of the public columns {columns}; their errors on the public label {schema.label.name}."
        return classes, errors

    def _assumptions(self) -> tuple[str, ...]:
        if self.draw_classifiers is None:
            return ()
        return ("The function passed as draw_classifiers did not look at these rows.",)
