"""PATE on split features, a comparator of Shen and others (2022), figure 4b: as published, and corrected.

A hundred teachers learn the public label from the private columns of disjoint parts of the rows. As published, each
row, of the test rows too, asks them about its own private columns, and gets the noisy majority of their votes as a
feature beside its public columns. No noise on votes protects the row that asks: its cells are the question.

Corrected, teachers answer a fixed number of public random questions; a linear rule is fitted to the noisy answers, so
that the rows ask a rule that is released; and how its bit goes with the label is released as noisy counts. Nothing
else of the private columns leaves. See README.md in this folder for the proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.mechanisms import Releases, announce, noise_source
from tacit.privacy import Accountant, Budget, Guarantee, NumericStatistic, PlanEntry, PrivacyUnit
from tacit.schema import Schema
from tacit.table import Rows, read_labels, read_rows

Floats = NDArray[np.float64]
Noise = Literal["all queries", "each query alone"]

TEACHERS = 100
"""Section 7 names no number; a hundred gives its figure."""

QUESTIONS = 16
"""Of the corrected one: more questions share the budget, and a linear rule of few columns needs few."""


class PublishedPATE:
    """PATE on split features as published: void, as a row's private columns are its own question.

    Parameters
    ----------
    epsilon : float
    noise : {"all queries", "each query alone"}
        Whether the queries of all rows share epsilon, or each has all of it.
    seed : int
    """

    def __init__(self, epsilon: float, noise: Noise = "all queries", seed: int = 0):
        self.epsilon, self.noise, self.seed = epsilon, noise, seed

    def predict(self, private: tuple[Floats, Floats], public: tuple[Floats, Floats], labels: NDArray[Any]) -> Floats:
        """Return labels 0 or 1 of the test rows; features are of training and of test rows."""
        generator = np.random.default_rng(self.seed)
        votes = [each.sum(axis=0) for each in _votes(private[0], labels, private, generator)]
        scale = 2 / self.epsilon * (sum(map(len, votes)) if self.noise == "all queries" else 1)
        bits = [self._majority(each, scale, generator) for each in votes]
        train, test = (np.column_stack([each, bit]) for each, bit in zip(public, bits, strict=True))
        return LogisticRegression(max_iter=5000).fit(train, labels).predict(test)

    def _majority(self, votes: NDArray[np.integer], scale: float, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Return whether label 1 has more votes, with noise on the votes of each label."""
        noise = generator.laplace(0, scale, (2, len(votes)))
        return votes + noise[1] > TEACHERS - votes + noise[0]


@dataclass(eq=False)
class SplitPATE:
    """PATE on split features, corrected; for a public label.

    Parameters
    ----------
    schema : Schema
    epsilon, delta : float
    random_state : int
        Of noise and of public draws: simulated, for studies.

    Notes
    -----
    Privacy: one private row changes one teacher, so each of q votes by one: L1 q, L2 sqrt q; and moves one row between
    the two bits of its label: each label's count by one, of one label, L1 1.
    """

    schema: Schema
    epsilon: float
    delta: float = 0.0
    random_state: int = 0

    def fit(self, X: Any, y: Any) -> SplitPATE:
        """Train on rows X and labels y."""
        return self.fit_rows(read_rows(X, self.schema), read_labels(y, self.schema.label))

    def fit_rows(self, rows: Rows, labels: NDArray[np.integer]) -> SplitPATE:
        """Train on rows as the schema reads them, and labels 0 or 1."""
        unit = unit_of(self.schema)
        if unit.label or not unit.columns or not self.schema.public_columns:
            raise ParameterError(
                "Expected private and public columns and a public label, got others. Change the schema."
            )
        generator = np.random.default_rng(self.random_state)
        budget = Budget(self.epsilon, self.delta)
        accountant = Accountant(budget, unit, noise_source(generator), n_rows=rows.n_rows)
        self._train(rows, labels, announce(accountant, self.plan(unit)), generator)
        self.privacy_: Guarantee = accountant.guarantee()
        return self

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the two releases, at half of the budget each."""
        return [PlanEntry("noise", l1=QUESTIONS, l2=sqrt(QUESTIONS)), PlanEntry("noise", l1=1, l2=1)]

    def decision(self, rows: Rows) -> Floats:
        """Return scores, above zero for label 1: the public model's, and what the bit says."""
        bits = self._bits(self._private(rows))
        return np.asarray(self.public_.decision_function(self._public(rows)) + self.log_odds_[bits])

    def _train(self, rows: Rows, labels: NDArray[Any], releases: Releases, generator: np.random.Generator) -> None:
        private, unit = self._private(rows), unit_of(self.schema)
        questions = generator.uniform(-1, 1, (QUESTIONS, private.shape[1]))
        [votes] = _votes(private, labels, (questions,), generator)
        counted = NumericStatistic(
            "votes of teachers", unit, votes.sum(axis=0).astype(np.int64), l1=QUESTIONS, l2=sqrt(QUESTIONS)
        )
        self.rule_ = np.linalg.lstsq(questions, releases.noisy(counted).value - TEACHERS / 2, rcond=None)[0]
        bits = self._bits(private)
        ones = np.bincount(labels[bits == 1], minlength=2).astype(np.int64)
        released = releases.noisy(NumericStatistic("rows of each label with bit 1", unit, ones, l1=1, l2=1))
        self.public_ = LogisticRegression(max_iter=5000).fit(self._public(rows), labels)
        sizes = np.bincount(labels, minlength=2)  # public, as labels are
        shares = np.clip((released.value + 1) / (sizes + 2), 1e-3, 1 - 1e-3)
        self.log_odds_ = np.log(np.asarray([(1 - shares[1]) / (1 - shares[0]), shares[1] / shares[0]]))

    def _bits(self, private: Floats) -> NDArray[np.intp]:
        return (private @ self.rule_ > 0).astype(np.intp)

    def _private(self, rows: Rows) -> Floats:
        return LinearEncoding(self.schema, self.schema.private_columns, "ordinal").transform(rows)

    def _public(self, rows: Rows) -> Floats:
        return LinearEncoding(self.schema, self.schema.public_columns, "ordinal").transform(rows)


def unit_of(schema: Schema) -> PrivacyUnit:
    """Return what the schema protects of a row."""
    return PrivacyUnit(schema.private_columns, schema.label.private)


def _votes(
    features: Floats, labels: NDArray[Any], questions: tuple[Floats, ...], generator: np.random.Generator
) -> list[NDArray[np.integer]]:
    """Return the teachers' votes on each set of questions, shape (TEACHERS, n_questions); parts read no row."""
    votes: list[list[NDArray[np.integer]]] = [[] for _ in questions]
    for part in np.array_split(generator.permutation(len(labels)), TEACHERS):
        said = [_teacher(features[part], labels[part], asked) for asked in questions]
        for kept, one in zip(votes, said, strict=True):
            kept.append(one)
    return [np.asarray(each) for each in votes]


def _teacher(features: Floats, labels: NDArray[Any], questions: Floats) -> NDArray[np.integer]:
    if len(np.unique(labels)) < 2:
        return np.full(len(questions), labels[0] if len(labels) else 0)
    return LogisticRegression(max_iter=1000).fit(features, labels).predict(questions).astype(np.intp)
