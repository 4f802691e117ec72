"""Naive Bayes as Lopuhaä-Zwakenberg and others (2021), Algorithm 1, publish it: not private."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from reproductions.lopuhaa2021.published_class_sums import PublishedClassSums
from tacit.learners.naive_bayes import NaiveBayes
from tacit.mechanisms import Releases
from tacit.models import BinTable, NaiveBayesModel, NormalTable
from tacit.privacy import PlanEntry, PrivacyUnit
from tacit.queries import PURE_OFFSET
from tacit.table import Table

FLOOR = 1e-5
"""What the paper rounds counts and deviations below it up to."""


@dataclass(frozen=True)
class PublishedNaiveBayes:
    """Algorithm 1: every column pays, no smoothing, no calibration.

    Parameters
    ----------
    settings : NaiveBayes
        Of which the schema, ``numeric``, ``parts`` and ``unlisted`` count.
    """

    settings: NaiveBayes

    multiclass: ClassVar[bool] = True

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the one release; where nothing is protected, none."""
        return [] if unit.protects_nothing else [PlanEntry("noise")]

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> NaiveBayesModel:
        """Return the classifier of the paper's noisy answers.

        Notes
        -----
        Privacy: none; see ``PublishedClassSums``.
        """
        if table.unit.protects_nothing:
            return self.settings.train(table, releases, generator)
        query = self.settings.query(PrivacyUnit(self.settings.schema.names, label=True), PURE_OFFSET)
        published = PublishedClassSums(query, table)
        sums = published.read(releases.noisy(published.statistic()).value)
        sizes = np.maximum(sums.classes, FLOOR)
        tables: dict[str, BinTable | NormalTable] = {}
        for name, counts in zip(query.counted, sums.counts, strict=True):
            ratios = np.log(np.maximum(counts, FLOOR) / sizes[:, None])
            tables[name] = BinTable(name, tuple(map(tuple, ratios.T.tolist())))
        for at, name in enumerate(query.summed):
            variances = np.maximum(sums.deviations[:, at], FLOOR) ** 2
            tables[name] = NormalTable(name, tuple(sums.means[:, at].tolist()), tuple(variances.tolist()))
        return NaiveBayesModel(
            intercepts=tuple(np.log(sizes / table.n_rows).tolist()),
            slope=1.0,
            tables=tuple(tables[name] for name in self.settings.schema.names),
            n_bins=self.settings.n_bins,
        )
