"""Fits whose scores rise or fall with some numbers, as their users ask: a parameter, and what it may be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from tacit.errors import ParameterError, shown
from tacit.estimators.paid_fit import PaidFit
from tacit.learners.learner import Learner, Wrapped
from tacit.mechanisms import Releases
from tacit.models import LinearModel, LogisticModel, RankedModel
from tacit.models.monotone import projected
from tacit.models.released import Monotone
from tacit.schema import Numeric, Schema
from tacit.table import Table


@dataclass(kw_only=True, eq=False, repr=False)
class MonotoneFit(PaidFit):
    """A fit whose scores can be made monotone in some numbers.

    Parameters
    ----------
    monotone : {column: 1 or -1}, optional
        Numbers along which the score of the second of two sorted classes, or a number to predict, never falls (1) or
        never rises (-1), all other cells staying the same. What was released is projected, which costs nothing.
    """

    monotone: Mapping[str, int] | None = None

    def _checked(self) -> Self:
        checked = super()._checked()
        if isinstance(checked.schema, Schema):
            checked._signs(checked.schema)
        return checked

    def _signs(self, schema: Schema) -> Monotone:
        """Return the checked numbers and their signs in the schema's order; raise ParameterError for others."""
        asked = self.monotone or {}
        numbers = [column.name for column in schema.columns if isinstance(column, Numeric)]
        if unknown := [each for each in asked if each not in numbers]:
            listed = f"It has {', '.join(map(repr, numbers[:10]))}." if numbers else "It has none."
            known = "no number" if unknown[0] in schema.names else "no column"
            raise ParameterError(
                f"Expected numeric columns of the schema in monotone, got {shown(unknown[0])}, which is {known} of it. "
                f"{listed}"
            )
        if asked and schema.target is None and len(schema.classes) != 2:
            raise ParameterError(
                f"Expected two classes for monotone, got {len(schema.classes)}. Of more, a probability may fall where "
                "its score rises. Leave monotone out, or gather classes in two."
            )
        return tuple((name, asked[name]) for name in numbers if name in asked)

    def _in_order(self, learner: Learner, table: Table) -> Learner:
        """Return a linear learner with what it learns made monotone, where that is asked for."""
        signs = self._signs(table.schema)
        return MonotoneLearner(learner, signs) if signs else learner


@dataclass(frozen=True)
class MonotoneLearner(Wrapped):
    """A learner of linear scores, which are then made monotone in some numbers.

    Notes
    -----
    Privacy: releases what the learner does; what follows is a function of that and of public distributions.
    """

    signs: Monotone

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> Any:
        """Return the learner's scorer, projected; the noise of its effects stays as a bound."""
        scorer = self.learner.train(table, releases, generator)
        assert isinstance(scorer, LinearModel | LogisticModel | RankedModel)
        return replace(projected(scorer, table.schema, dict(self.signs)), noise=scorer.noise)
