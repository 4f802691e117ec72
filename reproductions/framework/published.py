"""What all learners at a published cost share: a certificate that is void, and all of the budget."""

from __future__ import annotations

from typing import Self

from tacit.estimators import PrivateClassifier
from tacit.schema import Schema

REASON = "The cost is counted as the paper publishes it, for comparison only."


class PublishedCost(PrivateClassifier):
    """Voids the certificate of every fit; comes before the estimator among the bases of a class."""

    def _void_reasons(self, schema: Schema) -> tuple[str, ...]:
        return (*super()._void_reasons(schema), REASON)

    def _checked(self) -> Self:
        checked = super()._checked()
        if hasattr(checked, "calibration"):
            checked.calibration = 0.0  # what is published has the whole budget
        return checked
