"""The scikit-learn estimator of LazyBB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar, Literal

from tacit.boosting import LazyBB, OneRule, Smoothness, WeakLearner, smoothness
from tacit.boosting.lazybb import ROUNDS
from tacit.boosting.smooth_weights import DENSITY, LEARNING_RATE
from tacit.cut_points import CutPoints, chosen_cuts
from tacit.errors import ParameterError
from tacit.estimators.calibrated import CalibratedFit
from tacit.estimators.profiles import EXPLAIN_SHARE, ProfileSettings, profile_settings
from tacit.estimators.requirements import one_of
from tacit.features import BinEncoding
from tacit.features.literals import NumericLiterals, literals
from tacit.learners.platt_scaling import CALIBRATION
from tacit.learners.top_down import SPLITS, WeakTree
from tacit.privacy.conversions import zcdp_rho
from tacit.privacy.parameters import AUTO, FLAG, Requirement
from tacit.rules.boosting import LEARNING_RATE as USUAL_RATE
from tacit.rules.shared import MAX_LEVELS
from tacit.table import Table

WeakLearnerName = Literal["one-rule", "tree"]

LEVELS_OF_ONE_RULES = MAX_LEVELS - 1
"""Of private cut points: votes on 32 bins in place of 16 are no more accurate, and take longer
(``benchmarks/lazybb_levels.py``). Trees gain by 32 at the largest budgets."""

MAX_COUNTS = 2**27
"""Of rows by margin, label and bin, eight bytes each: one column of 60,000 categories has as many after 550 rounds."""


@dataclass(kw_only=True, eq=False, repr=False)
class LazyBBFit(CalibratedFit):
    """Smooth boosting of private one-rules or small trees: a short list of votes that a person can read.

    Each round selects, with noise, the literal of the schema ("marital-status is Married-civ-spouse",
    "capital-gain at most 7000"), its negation or the constant with the least error under weights that no row can
    dominate. Source: Salamatian, "Private Boosted Decision Trees via Smooth Re-Weighting" (2021), Algorithms 1 to 3,
    at half of the published cost or less.

    Parameters
    ----------
    rounds : int or "auto"
        Number of votes, at most 1000; by default a function of n_rows, epsilon, number of literals and ``max_splits``.
    learning_rate : float or "auto"
        From 1e-6 to 100: a vote for a row's label divides the row's weight by exp(learning_rate). By default it starts
        at 0.5 and is halved whenever a released rule negates the one before.
    density : float or "auto"
        From 1e-6 to 1: no row weighs more than 1/(density n_rows). Larger means less noise and less boosting.
    weak_learner : {"one-rule", "tree"}
        A tree also distinguishes the categories of the columns that it asks about.
    max_splits : int
        Of a tree, at most 64.
    literals : {"thresholds", "bins", "both"}
        What is asked of numeric columns: at most a cut, within a bin, or both.
    cut_points : {"auto", "private", "grid"}
        Of numeric columns whose schema names none: quantiles released at a tenth of the budget, or a public grid of 32
        equal bins; ``"auto"``: quantiles where a tenth pays for enough of them.
    public_start : bool
        Whether, under a public label, boosting starts from the margin of a logistic regression of the public columns.
    explain_share : float
        Of the budget, for what the model predicts by bin and category, on which explanations then rest; 0 for none,
        else 0.001 to 0.5.

    Attributes
    ----------
    model_ : Model
        What may be published; ``model_.scorers[0].words(schema)`` lists the votes.

    Notes
    -----
    Privacy: one selection a round, of range 2/(density n_rows) at most, or one for each split of a tree and noisy
    leads at its leaves of L1 sensitivity 2/(density n_rows), then sums that calibrate log-odds, under replace-one
    on the protected columns and label.
    Proofs: ``proofs/boosting/smooth_weights.md``, ``proofs/queries/literal_errors.md``, ``proofs/queries/tree/``,
    ``proofs/queries/platt_sums.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from tacit import Label, Numeric, Schema
    >>> from tacit.estimators import LazyBBClassifier
    >>> schema = Schema([Numeric(name, -1, 1) for name in "abc"], label=Label("y", [0, 1]))
    >>> X = np.random.default_rng(0).uniform(-1, 1, (2000, 3))
    >>> model = LazyBBClassifier(schema, epsilon=1.0, rounds=3).fit(X, (X[:, 0] > 0).astype(int))
    >>> len(model.privacy_.releases)  # three levels of cut points in three columns, three votes, and what calibrates
    13
    """

    rounds: int | Literal["auto"] = "auto"
    learning_rate: float | Literal["auto"] = "auto"
    density: float | Literal["auto"] = "auto"
    weak_learner: WeakLearnerName = "one-rule"
    max_splits: int = 3
    literals: NumericLiterals = "thresholds"
    cut_points: CutPoints = "auto"
    public_start: bool = True
    explain_share: float = 0.0

    _learner = "lazybb"
    _no_row_weights = "its smooth weights are bounded for rows that count the same"
    _no_class_weight = (
        "its smooth weights are bounded for rows that count the same; choose another learner or predict(threshold=)"
    )
    _parameters: ClassVar[Mapping[str, Requirement]] = {
        "rounds": ROUNDS | AUTO,
        "learning_rate": LEARNING_RATE | AUTO,
        "density": DENSITY | AUTO,
        "weak_learner": one_of(WeakLearnerName),
        "max_splits": SPLITS,
        "literals": one_of(NumericLiterals),
        "cut_points": one_of(CutPoints),
        "public_start": FLAG,
        "explain_share": EXPLAIN_SHARE,
        "calibration": CALIBRATION,
    }

    def _profile(self, n_classes: int) -> ProfileSettings | None:
        return profile_settings(self.explain_share, n_classes)

    def _settings(self, table: Table) -> LazyBB:
        weak_learner = self._weak_learner()
        encoding = BinEncoding(table.schema, table.schema.names)
        weak_learner.check(encoding)
        auto = self._defaults(table, len(literals(encoding, self.literals)), weak_learner)
        budget = self._budget_of_one(table)
        rounds = auto.rounds if self.rounds == "auto" else self.rounds
        _check_counts(encoding, rounds)
        return LazyBB(
            rounds=rounds,
            density=auto.density if self.density == "auto" else self.density,
            learning_rate=auto.learning_rate if self.learning_rate == "auto" else self.learning_rate,
            weak_learner=weak_learner,
            cuts=chosen_cuts(self.cut_points, table, *budget, most=self._most_levels),
            start_learner=_logistic if self.public_start else None,
            start_strength=auto.start,
            # Less again after a rule that negates the one before. A rate that was asked for is kept, as in the paper.
            rate_decay=USUAL_RATE if self.learning_rate == "auto" else 1.0,
        )

    @property
    def _most_levels(self) -> int:
        return LEVELS_OF_ONE_RULES if self.weak_learner == "one-rule" else MAX_LEVELS

    def _weak_learner(self) -> WeakLearner:
        if self.weak_learner == "tree":
            return WeakTree(self.max_splits, literals=self.literals)
        return OneRule(self.literals)

    def _defaults(self, table: Table, n_literals: int, weak_learner: WeakLearner) -> Smoothness:
        """Return defaults at the pure epsilon that would make as much noise as the budget does."""
        splits = self.max_splits if isinstance(weak_learner, WeakTree) else 0
        pure, delta = self._budget_of_one(table)
        found = smoothness(table.n_persons, pure, n_literals, splits)
        if delta == 0:
            return found
        assert self.epsilon is not None
        runs = 1 if table.n_classes == 2 else table.n_classes
        rho = zcdp_rho(self.epsilon, self._delta) * (1 - self.calibration) / runs
        # Rounds share rho and so decide what epsilon each selection is worth, which decides the rounds: a fixed point,
        # which four steps reach.
        for _ in range(4):
            epsilon = max(pure, sqrt(8 * rho * found.rounds * max(splits, 1)))
            found = smoothness(table.n_persons, epsilon, n_literals, splits)
        return found


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _check_counts(encoding: BinEncoding, rounds: int) -> None:
    """Refuse counts of rows by margin, label and bin that would take more than a gigabyte."""
    if (2 * rounds + 1) * 2 * sum(encoding.n_codes) > MAX_COUNTS:
        raise ParameterError(
            f"Expected at most {MAX_COUNTS:,} counts of rows by round, class, and bin or category, got more. Choose "
            "fewer rounds, or write buckets = 256 or prefixes in the schema."
        )
