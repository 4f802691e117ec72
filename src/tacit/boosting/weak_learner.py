"""What a booster asks of its weak learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tacit.mechanisms import Releases
from tacit.models import VotingRule
from tacit.privacy import Planned, PrivacyUnit
from tacit.queries import RowWeights
from tacit.table import BinEncoding, Table


class WeakLearner(Protocol):
    """A private learner of one rule under given weights; a frozen object without state.

    Weights come as ``RowWeights``: each row holds the position of its weight in a short table, so that a learner
    counts rows in integers by (position, code, label) and multiplies by the table afterwards.

    Notes
    -----
    Privacy: for two neighboring tables whose weights are within total variation ``weights.zeta`` over records,
    ``learn`` costs what ``plan`` announces (Definition 2.6.1 of Salamatian 2021, with records for indices).
    """

    def plan(self, unit: PrivacyUnit) -> Sequence[Planned]:
        """Return the releases of one round; none where the unit protects nothing."""
        ...

    def check(self, encoding: BinEncoding) -> None:
        """Raise ParameterError if nothing can be learned on the encoding; reads the schema alone."""
        ...

    def learn(self, table: Table, encoding: BinEncoding, weights: RowWeights, releases: Releases) -> VotingRule:
        """Return the rule of one round; ``releases`` are those of its plan."""
        ...
