"""How much each row counts in training, by the schema's weight: what of it is public, and what is released."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.errors import ParameterError, TableError
from tacit.mechanisms import Releases
from tacit.privacy import PlanEntry, PrivacyUnit, in_part
from tacit.queries.weight_sums import plan_weight_sum, weight_sum
from tacit.rules.shared import SURE_DEVIATIONS, TINY_SHARE
from tacit.schema import Schema, Weight
from tacit.table import Table

NO_CLASSES = (
    "Leave it out: a number to predict has no classes that could have weights. A schema with a weight makes rows count "
    "more."
)


class ArgumentError(ParameterError, TypeError):
    """An argument that a method does not take."""


@dataclass(frozen=True)
class RowWeights:
    """Weights of rows over the cap, so that no row counts more than without.

    Parameters
    ----------
    weight : Weight
        Of the schema.
    """

    weight: Weight

    def before(self, others: Sequence[PlanEntry], unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the whole plan: the sum of weights where it is neither public nor declared, then the others."""
        if not others or self.weight.mean_share is not None or not self.weight.private:
            return list(others)
        if any(release.kind == "approximate" for release in others):
            raise ParameterError(
                "Expected the mean of the weights in the schema, as method 'gaussian-objective' leaves no share for "
                "their sum, got none. Write mean = ... under [weight], or choose another method."
            )
        rest = sum(release.weight * release.count for release in others)
        return [*in_part("weights", plan_weight_sum(unit, rest / (1 / TINY_SHARE - 1))), *others]

    def weighed(self, table: Table, releases: Releases) -> Table:
        """Return the table whose rows count as their weights say.

        Privacy: releases the sum of private weights (L1 1) where ``before`` announces it; that of public ones is exact.
        """
        mean = self.weight.mean_share
        if mean is None:
            released = releases.part("weights").noisy(weight_sum(table.weighing_rows(1.0)))
            if not self.weight.private and not released.value[0]:
                raise TableError(
                    f"Expected a weight {self.weight.name!r} above 0 in some row, got none. Check that column."
                )
            # So that noise alone never says that all rows together count nothing.
            total = max(float(released.value[0]), 1 + SURE_DEVIATIONS * released.deviation)
            mean = min(total / table.n_persons, 1.0)
        return table.weighing_rows(mean)


def weighed(table: Table) -> Table:
    """Return rows that count as the schema's weight says, over its cap; as they are where it has none.

    Privacy: a row adds at most one to a count, as without. Proof: ``proofs/queries/survey_weights.md``.
    """
    return table if table.schema.weight is None else table.weighing_rows(mean_of(table))


def mean_of(table: Table) -> float:
    """Return how much a row counts on average, as declared; one where nobody says."""
    weight = table.schema.weight
    return (weight.mean_share if weight else None) or 1.0


def check_takes_weights(schema: Schema | str | None, name: str, reason: str) -> None:
    """Refuse a schema with a weight for what does not count by it; the reason is a clause, empty where it does."""
    if isinstance(schema, Schema) and schema.weight is not None and reason:
        raise ParameterError(
            f"Expected a schema without a weight for {name}, got the weight {schema.weight.name!r}: {reason}. Choose "
            "another, or leave the weight out of the schema."
        )


def taken_weights(given: Mapping[str, object], parameters: Iterable[str], schema: Any) -> Any:
    """Return what ``fit`` takes as ``sample_weight``, None if nothing; refuse arguments that it does not take.

    Raises ArgumentError with what to do instead.
    """
    for name in given:
        if name != "sample_weight":
            remedy = "Pass it to the constructor." if name in parameters else "Leave it out."
            if name == "class_weight" and isinstance(schema, Schema) and schema.target is not None:
                remedy = NO_CLASSES
            raise ArgumentError(f"fit() got an unexpected keyword argument {name!r}. {remedy}")
    found = given.get("sample_weight")
    if found is not None and not (isinstance(schema, Schema) and schema.weight is not None):
        raise ArgumentError(
            "Expected a schema with a weight, so that its cap is public, got sample_weight without one. Declare "
            "weight=Weight(name, cap), for weights that each follow from their row alone; those of boosting, of "
            "reductions and balanced ones do not. class_weight= makes rows of some classes count more."
        )
    return found
