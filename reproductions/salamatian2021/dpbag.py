"""DP-Bag (Jordon, Yoon, van der Schaar 2019), a comparator of Salamatian (2021), figure 5.2: corrected and published.

Rows are partitioned k times among T teachers. Public rows are labeled, one after the other, by the noisy majority of
all k T votes, and a student learns from these labels alone. See README.md in this folder for what a row moves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reproductions.salamatian2021.teachers import LAMBDA, PARTITIONS, TEACHERS, Ensemble, Floats, linear, taught
from tacit.errors import ParameterError
from tacit.features import LinearEncoding
from tacit.mechanisms import announce, noise_source
from tacit.privacy import Accountant, Budget, Guarantee, PlanEntry, PrivacyUnit, SelectionStatistic
from tacit.privacy.conversions import zcdp_rho
from tacit.schema import Schema
from tacit.table import Rows, read_labels, read_rows

ORDERS = np.arange(1, 81)
"""Moments that the published accountant tracks."""


@dataclass(eq=False)
class DPBag:
    """The corrected form: as many questions as the budget pays for, fixed before a row is read; for two classes.

    Parameters
    ----------
    schema : Schema
    public : rows
        Public rows, as ``fit`` reads them: what teachers are asked about. Not protected at all.
    epsilon, delta : float
    partitions, teachers : int
    random_state : int
        Of noise, of partitions and of the questions' order: simulated, for studies.

    Notes
    -----
    Privacy: a replaced row changes one teacher of each partition, and so turns at most k of a question's votes: the
    difference of both labels' votes moves by at most 2 k.
    """

    schema: Schema
    public: Any = field(repr=False)
    epsilon: float
    delta: float = 0.0
    partitions: int = PARTITIONS
    teachers: int = TEACHERS
    random_state: int = 0

    def fit(self, X: Any, y: Any) -> DPBag:
        """Train on rows X and labels y."""
        return self.fit_rows(read_rows(X, self.schema), read_labels(y, self.schema.label))

    def fit_rows(self, rows: Rows, labels: NDArray[np.integer]) -> DPBag:
        """Train on rows as the schema reads them, and labels 0 or 1."""
        if unit_of(self.schema).protects_nothing or len(self.schema.classes) != 2:
            raise ParameterError("Expected two classes and something private, got others. Change the schema.")
        generator, encoding = np.random.default_rng(self.random_state), features_of(self.schema)
        public = self.public if isinstance(self.public, Rows) else read_rows(self.public, self.schema)
        questions = generator.permutation(encoding.transform(public))
        ensemble = taught(encoding.transform(rows), labels, self.partitions, self.teachers, generator)
        self.student_, self.privacy_ = self.student(ensemble, questions, generator)
        return self

    def student(
        self, ensemble: Ensemble, questions: Floats, generator: np.random.Generator
    ) -> tuple[Floats, Guarantee]:
        """Return what a student learns of the first questions that the budget pays for, and the certificate."""
        unit, n_rows = unit_of(self.schema), ensemble.owners.shape[1]
        asked = questions[: paid_questions(self.epsilon, self.delta)]
        accountant = Accountant(Budget(self.epsilon, self.delta), unit, noise_source(generator), n_rows=n_rows)
        releases = announce(accountant, [PlanEntry("selection", count=len(asked))])
        answers = [releases.best(majority(votes, ensemble.n_partitions, unit)) for votes in counts(ensemble, asked)]
        return linear(asked, np.asarray(answers)), accountant.guarantee()

    def decision(self, rows: Rows) -> Floats:
        """Return the score of each row, above zero for the second class."""
        return scores(self.student_, features_of(self.schema).transform(rows))


def paid_questions(epsilon: float, delta: float) -> int:
    """Return how many questions at the published noise, 2 lambda each, a budget pays for; at least one.

    Examples
    --------
    >>> paid_questions(1.0, 0.0)
    25
    """
    each = 2 * LAMBDA
    purely = epsilon / each * (1 + 1e-9)  # so that 1/0.04 is 25
    return max(1, int(purely), int(zcdp_rho(epsilon, delta) * 8 / each**2) if delta else 0)


def counts(ensemble: Ensemble, questions: Floats) -> NDArray[np.int64]:
    """Return votes for labels 0 and 1, shape (n_questions, 2), over all partitions."""
    ones = np.sum(ensemble.votes(questions), axis=(0, 1), dtype=np.int64)
    total = ensemble.weights.shape[0] * ensemble.weights.shape[1]
    return np.stack([total - ones, ones], axis=1)


def majority(votes: NDArray[np.int64], partitions: int, unit: PrivacyUnit) -> SelectionStatistic:
    """Return the votes on one question, of which only the winner leaves.

    Notes
    -----
    Privacy: one label gains what the other loses, at most one vote for each partition: range 2 k.
    """
    return SelectionStatistic("majority of teachers", unit, votes, range=2.0 * partitions)


def published_students(
    ensemble: Ensemble, questions: Floats, epsilons: Sequence[int], delta: float, generator: np.random.Generator
) -> list[Floats]:
    """Return a student for each whole epsilon, as published: void, as questions end where the rows say.

    Laplace noise of scale 1/lambda is added to the votes over k; a row's own cost of a question is that of the larger
    share of its own teachers that agree, and the questions of an epsilon end before the costliest row reaches it.
    """
    votes = counts(ensemble, questions) / ensemble.n_partitions
    answers = np.argmax(votes + generator.laplace(0, 1 / LAMBDA, votes.shape), axis=1)
    spent = personal_epsilons(agreements(ensemble, questions), delta)
    return [linear(questions[:ended], answers[:ended]) for ended in (int(np.sum(spent < one)) for one in epsilons)]


def agreements(ensemble: Ensemble, questions: Floats) -> NDArray[np.float64]:
    """Return the larger share of each row's own teachers that agree on each question, shape (n_rows, n_questions)."""
    own = np.zeros((ensemble.owners.shape[1], len(questions)), dtype=np.uint16)
    for owners, votes in zip(ensemble.owners, ensemble.votes(questions), strict=True):
        own += votes[owners]
    shares = own / np.float32(ensemble.n_partitions)
    return np.maximum(shares, 1 - shares)  # single precision: shares are multiples of 1/k, and there are millions


def personal_epsilons(agreed: NDArray[np.floating], delta: float) -> Floats:
    """Return the epsilon that the published accountant has after each question: that of the row that spent most.

    Examples
    --------
    >>> personal_epsilons(np.ones((1, 2)), 0.001).round(4)  # 2 lambda^2 (l + 1) + ln(1000)/l, at l = 80
    array([0.1511, 0.2119])
    """
    squares = np.cumsum(agreed**2, axis=1).max(axis=0)
    moments = 2 * LAMBDA**2 * np.outer(squares, ORDERS * (ORDERS + 1)) - np.log(delta)
    return np.asarray((moments / ORDERS).min(axis=1), dtype=np.float64)


def scores(student: Floats, features: Floats) -> Floats:
    """Return a student's scores."""
    return features @ student[:-1] + student[-1]


def features_of(schema: Schema) -> LinearEncoding:
    """Return the encoding of all columns: one-hot, and numbers between public bounds."""
    return LinearEncoding(schema, schema.names, "one-hot")


def unit_of(schema: Schema) -> PrivacyUnit:
    """Return what the schema protects of a row."""
    return PrivacyUnit(schema.private_columns, schema.label.private)
