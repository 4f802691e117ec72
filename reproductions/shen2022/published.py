"""Boosting with random classifiers at the sensitivity of Shen and others (2022), Lemma 1."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from reproductions.framework.published import PublishedCost
from tacit.boosting.brc import BRC
from tacit.estimators import BRCClassifier
from tacit.mechanisms import Releases
from tacit.mechanisms.releases import Curator
from tacit.models import VoteModel
from tacit.table import Table


class PublishedBRC(BRC):
    """Charges every weighted error the published sensitivity c1*c2/n.

    It holds but is looser than ours in every round. Certificates are void because the published analysis also
    allows what does not hold, such as data values as candidate intercepts.
    """

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> VoteModel:
        """Return the vote that boosting ends with."""
        if self.intercept == "selected":  # not in the paper: has no published sensitivity
            return super().train(table, releases, generator)
        published = self.weighting.c1 * self.weighting.c2 / table.n_rows
        charged = Releases(releases.announced, _Charging(releases.curator, published))
        return super().train(table, charged, generator)


@dataclass(frozen=True)
class _Charging:
    """An accountant's ``release`` of statistics that are said to have another sensitivity."""

    curator: Curator
    sensitivity: float

    def release(self, mechanism: Any, statistic: Any) -> Any:
        # The mechanism scales its noise by what the statistic says.
        charged = replace(statistic, l1=self.sensitivity, l2=self.sensitivity)
        return self.curator.release(mechanism, charged)


class PublishedBRCClassifier(PublishedCost, BRCClassifier):
    """``BRCClassifier`` at the published cost; its certificate is void."""

    def _settings(self, table: Table) -> PublishedBRC:
        settings = super()._settings(table)
        return PublishedBRC(**{field.name: getattr(settings, field.name) for field in fields(settings)})
