"""How much rows of each class count in training: given, by public shares of the classes, or by released ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ParameterError, shown
from tacit.mechanisms import Releases
from tacit.models.class_shares import as_shares
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.privacy.parameters import NONE, Choice, Kind, as_float
from tacit.queries.class_sums import class_counts
from tacit.rules.shared import SURE_DEVIATIONS, TINY_SHARE
from tacit.schema import Label, Schema
from tacit.table import Table

ClassWeight = Literal["balanced"] | Mapping[Any, float]

CLASS_WEIGHT = (
    NONE
    | Choice(("balanced",))
    | Kind(
        "weights by class",
        lambda value: isinstance(value, Mapping) and all(map(_is_weight, value.values())),
        "Give 'balanced', or a number above 0 for classes, such as {'yes': 10}.",
        lambda value: {each: float(weight) for each, weight in value.items()},
    )
)
"""What ``class_weight`` may be."""


@dataclass(frozen=True)
class ClassWeights:
    """Weights of classes, the largest one, so that no row counts more than without.

    Parameters
    ----------
    schema : Schema
    weights : tuple of float, optional
        Of the sorted classes; None for such that make all classes count the same.
    """

    schema: Schema
    weights: tuple[float, ...] | None

    def before(self, others: Sequence[PlanEntry], unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the whole plan: the classes' counts where they are neither public nor needless, then the others."""
        if not others or self.weights is not None or self.schema.class_label.prevalence is not None:
            return list(others)
        if any(release.kind == "approximate" for release in others):
            raise ParameterError(
                "Expected public shares of the classes, as method 'gaussian-objective' leaves no share for them, "
                "got none. Pass Label(..., prevalence=[...]) or class_weight={class: weight}."
            )
        rest = sum(release.weight * release.count for release in others)
        return [
            *in_part("class weights", class_counts(self.schema).planned(unit, rest / (1 / TINY_SHARE - 1))),
            *others,
        ]

    def weighed(self, table: Table, releases: Releases) -> tuple[Table, tuple[float, ...], tuple[float, ...] | None]:
        """Return the table with class weights, these, and shares of the classes where they were released for them.

        Privacy: releases the classes' counts (L1 2) where ``before`` announces them; all else follows from these and
        from what is public.
        """
        shares = self._shares(table, releases)
        weights = np.asarray(self.weights) if self.weights is not None else shares.min() / shares
        counted = self.weights is None and self.schema.class_label.prevalence is None
        weighed = table.weighing_classes(weights.tolist(), table.mean_weight * float(shares @ weights))
        return weighed, tuple(weights.tolist()), tuple(shares.tolist()) if counted else None

    def _shares(self, table: Table, releases: Releases) -> NDArray[np.float64]:
        """Return shares of the sorted classes: public or released; even ones where weights are given without."""
        label = self.schema.class_label
        if label.sorted_prevalence is not None:
            found = np.asarray(label.sorted_prevalence)
        elif self.weights is not None:
            found = np.ones(len(label.classes))
        else:
            released = releases.part("class weights").noisy(class_counts(self.schema).statistic(table))
            found = np.maximum(released.value, 1 + SURE_DEVIATIONS * released.deviation)
        return np.asarray(found / found.sum())


def public_shares(table: Table, releases: Releases) -> tuple[float, ...] | None:
    """Return shares of the sorted classes, exact sums of rows' own weights, where the label is public; else None.

    Privacy: no neighbor differs in a public label, so that the counts are answered without noise.
    """
    if table.unit.label:
        return None
    counted = releases.noisy(class_counts(table.schema).statistic(table.without_class_weights)).value
    return as_shares(counted)


def class_weights(given: ClassWeight, schema: Schema) -> ClassWeights:
    """Return the weights that a checked parameter asks for; classes that it does not name weigh one, before scaling.

    Raises ParameterError if it names a class that the schema does not.
    """
    if isinstance(given, str):
        return ClassWeights(schema, None)
    unknown = [each for each in given if each not in schema.classes]
    if unknown:
        raise ParameterError(
            f"Expected classes of the label {schema.label.name!r} in class_weight, got {shown(unknown[0])}. "
            f"It has {', '.join(map(repr, schema.classes[:10]))}."
        )
    weights = _by_sorted(schema.class_label, {each: given.get(each, 1.0) for each in schema.classes})
    return ClassWeights(schema, tuple(weight / max(weights) for weight in weights))


def _by_sorted(label: Label, values: Mapping[Any, float]) -> list[float]:
    return [values[each] for each in sorted(label.classes)]


def _is_weight(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, Real) and 0 < as_float(value) < inf
