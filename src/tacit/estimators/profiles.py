"""A share of the budget for an explanation: what the trained model predicts, by cell of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tacit.errors import ParameterError
from tacit.mechanisms import Releases
from tacit.models import Scorer
from tacit.models.profile import Profile, cell_codes, profile_cells
from tacit.models.scorer import probabilities_of
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.privacy.parameters import ZERO, Number
from tacit.queries.predicted_classes import STEPS, plan_predicted_classes, predicted_classes
from tacit.table import Table

EXPLAIN_SHARE = ZERO | Number(0.001, 0.5, "0.2 is usual, and 0 leaves it out.")
"""Neither part of the budget may vanish in the other's rounding."""

MAX_CLASSES = 10
"""Counts are by class and predicted class, whose noise adds up."""


@dataclass(frozen=True)
class ProfileSettings:
    """Settings of the release.

    Parameters
    ----------
    share : float
        Of the budget, above zero.

    Notes
    -----
    Privacy: one release after training, whose predictions are of the released scorers. Proof:
    ``proofs/queries/predicted_classes.md``.

    Examples
    --------
    >>> ProfileSettings(0.1).after([PlanEntry("selection", weight=1.8)], PrivacyUnit(("age",), label=True), 1)[1].weight
    0.2
    """

    share: float

    def after(self, others: Sequence[PlanEntry], unit: PrivacyUnit, n_columns: int) -> list[PlanEntry]:
        """Return the whole plan: the other releases, and then the counts as its part "profile"."""
        if any(release.kind == "approximate" for release in others):
            raise ParameterError(
                "Expected explain_share=0 with method 'gaussian-objective', whose epsilon and delta leave no share for "
                "it, got more. Choose another method, such as 'k-norm'."
            )
        rest = sum(release.weight * release.count for release in others)
        own = plan_predicted_classes(unit, n_columns, rest * self.share / (1 - self.share)) if others else []
        return [*others, *in_part("profile", own)]

    def released(self, scorers: Sequence[Scorer], table: Table, releases: Releases) -> Profile:
        """Return the profile of trained scorers; ``releases`` are those of the plan's part."""
        schema = table.schema.without_persons()
        cells = profile_cells(schema, scorers)
        statistic = predicted_classes(
            table,
            lambda rows: cell_codes(cells, rows),
            [each.n_cells for each in cells],
            lambda rows: probabilities_of(scorers, schema, rows),
        )
        counts = releases.noisy(statistic)
        return Profile.of(counts.value.astype(np.float64) / STEPS, cells, counts.deviation / STEPS)


def profile_settings(share: float, n_classes: int) -> ProfileSettings | None:
    """Return settings for such a share of the budget; None for none of it.

    Raises ParameterError for more classes than can be told by so much noise.
    """
    if not share:
        return None
    if n_classes > MAX_CLASSES:
        raise ParameterError(
            f"Expected at most {MAX_CLASSES} classes with explain_share, as it counts by class and predicted class, "
            f"got {n_classes:,}. Leave it out, or take NaiveBayesClassifier, which is explained for nothing."
        )
    return ProfileSettings(share)
