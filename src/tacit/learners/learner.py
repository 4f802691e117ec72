"""A learning algorithm with its settings, and one that does something further with what another learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tacit.mechanisms import Releases
from tacit.models import Scorer
from tacit.privacy import Persons, PlanEntry, PrivacyUnit
from tacit.table import Table


class Learner(Protocol):
    """A learning algorithm with its settings."""

    @property
    def multiclass(self) -> bool:
        """Whether one training serves more than two classes; else one for each class against the rest."""

    def unsupported(self, persons: Persons) -> str | None:
        """Return why persons with several rows are not protected, as a clause, or None if they are."""

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases that one training needs."""

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> Scorer:
        """Return the trained scorer; ``releases`` are those of the plan."""


@dataclass(frozen=True)
class Wrapped:
    """A learner that goes on from what another one learned, as which it counts."""

    learner: Learner

    @property
    def multiclass(self) -> bool:
        """Whether one training serves more than two classes."""
        return self.learner.multiclass

    def unsupported(self, persons: Persons) -> str | None:
        """Return the learner's own reason."""
        return self.learner.unsupported(persons)

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the learner's releases."""
        return self.learner.plan(unit)
