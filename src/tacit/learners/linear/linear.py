"""Linear classifiers: public columns are fitted exactly, protected ones by a private method."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, Protocol

import numpy as np

from tacit.convex import LogisticLoss, Loss
from tacit.cut_points import RankCuts
from tacit.features import Cuts
from tacit.features.feature_encoding import EncodingName, FeatureEncoding, named_encoding
from tacit.learners.linear.coefficients import Coefficients, exact_noise
from tacit.learners.linear.defaults import check_categories
from tacit.learners.linear.public_margin import PUBLIC_REGULARIZATION, public_margin
from tacit.mechanisms import Releases
from tacit.models import LinearForm, LinearModel, LogisticModel, on_grid
from tacit.models.noise import Noise
from tacit.privacy import Persons, PlanEntry, PrivacyUnit
from tacit.queries import Design, LinearProblem, Offset, check_solvable
from tacit.schema import Schema
from tacit.table import Table

PUBLIC_BINS = 32
"""Of a public number without cut points: exact counts need no wide bins."""


class LinearMethod(Protocol):
    """A private way to the coefficients of one linear form; a frozen dataclass of its settings.

    Settings come from rules that know the number of rows, epsilon, delta and the design alone.
    """

    def unsupported(self, persons: Persons) -> str | None:
        """Return why persons with several rows are not protected, as a clause, or None if they are."""

    def plan(self, design: Design, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases of one training."""

    def coefficients(self, problem: LinearProblem, releases: Releases) -> Coefficients:
        """Return coefficients with the covariances of their noise.

        Privacy: what is released on the way is in ``plan``; the unit is that of ``problem.table``.
        """


@dataclass(frozen=True)
class Linear:
    """Settings of the algorithm; ``train`` runs it."""

    schema: Schema
    loss: Loss
    method: LinearMethod
    encoding: EncodingName = "binned"
    n_bins: int = 8
    """Bins of a number without cut points, of what is learned privately."""
    intercept: bool | Literal["auto"] = "auto"
    """A constant feature among those learned privately; ``"auto"``: only where no column is binned or one-hot, as the
    features of such a column add up to one."""
    public_regularization: float = PUBLIC_REGULARIZATION
    """Lambda of the exact fit to public cells."""
    cuts: RankCuts | None = None
    """Release cut points of numbers first."""

    multiclass: ClassVar[bool] = False

    def unsupported(self, persons: Persons) -> str | None:
        """Return why persons with several rows are not protected: the method's reason."""
        return self.method.unsupported(persons)

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases of one training."""
        if not unit.label:
            self._public_encoding()  # refused before cut points are released
        if unit.protects_nothing:
            return []
        method = self.method.plan(self.design(unit), unit)
        return self.cuts.before(method, unit) if self.cuts else method

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> LinearModel | LogisticModel:
        """Return the classifier.

        Privacy: with a public label, public columns are fitted exactly, first and once, and their margin is a fixed
        offset; protected columns, or all under a protected label, are learned by the method.
        """
        cuts = self.cuts.release(table, releases.part("cuts")) if self.cuts else ()
        offset = None if table.unit.label else self._public(table, cuts)
        forms: list[LinearForm] = []
        intercept, noise = 0.0, Noise()
        if offset is not None:
            forms, intercept = [self._form(offset.encoding, offset.weights, "public")], offset.intercept
            noise = exact_noise(offset.encoding)
        if not table.unit.protects_nothing:
            design = self.design(table.unit, cuts)
            found = self.method.coefficients(LinearProblem(table, design, offset), releases)
            weights, noise = found.weights, (*noise, *found.noise(design.encoding))
            forms = [*forms, self._form(design.encoding, weights[: design.encoding.n_features], "private")]
            intercept += float(weights[-1]) if design.intercept else 0.0
        kind = LogisticModel if isinstance(self.loss, LogisticLoss) else LinearModel
        forms = [form for form in forms if form.columns]
        return kind(tuple(forms), float(on_grid(np.asarray(intercept))), cuts, noise)

    def design(self, unit: PrivacyUnit, cuts: Cuts = ()) -> Design:
        """Return what is learned privately: protected columns, all of them under a protected label."""
        encoding = protected_encoding(self.schema, unit, self.encoding, self.n_bins, cuts)
        return Design(encoding, self._has_intercept(encoding) if self.intercept == "auto" else self.intercept)

    def check(self, regularization: float, table: Table) -> None:
        """Refuse a lambda with which a fit of public or of private columns might run for days; reads no row."""
        designs = [] if table.unit.protects_nothing else [self.design(table.unit)]
        if not table.unit.label:
            designs.append(Design(self._public_encoding(), intercept=True))
        for design in designs:
            check_solvable(regularization, table.n_persons, design, self.loss)

    def _has_intercept(self, encoding: FeatureEncoding) -> bool:
        return encoding.n_features == len(encoding.columns)

    def _public(self, table: Table, cuts: Cuts) -> Offset:
        return public_margin(table, self._public_encoding(cuts), self.loss, self.public_regularization)

    def _public_encoding(self, cuts: Cuts = ()) -> FeatureEncoding:
        if self.encoding != "ordinal":
            check_categories(self.schema, self.schema.public_columns)
        return named_encoding(self.schema, self.schema.public_columns, self._encodings["public"], PUBLIC_BINS, cuts)

    @property
    def _encodings(self) -> dict[Literal["private", "public"], EncodingName]:
        # Ranks spare noise, of which public columns have none: bins say more.
        return {"private": self.encoding, "public": "binned" if self.encoding == "ranked" else self.encoding}

    def _form(self, encoding: FeatureEncoding, weights: np.ndarray, source: Literal["private", "public"]) -> LinearForm:
        n_bins = self.n_bins if source == "private" else PUBLIC_BINS
        # The schema's own names in a new tuple: those of an encoding that an earlier fit has kept are equal but other
        # objects, by which a pickle of the model would tell of that fit.
        learned = set(encoding.columns)
        columns = tuple([name for name in self.schema.names if name in learned])
        return LinearForm(columns, tuple(on_grid(weights).tolist()), self._encodings[source], n_bins, source)


@lru_cache(maxsize=8, typed=True)
def protected_encoding(
    schema: Schema, unit: PrivacyUnit, name: EncodingName, n_bins: int, cuts: Cuts = ()
) -> FeatureEncoding:
    """Return the features of protected columns, all columns under a protected label.

    Kept, as the choice of a method, the plan and each training ask for the same one.
    """
    columns = tuple(each for each in schema.names if unit.label or each in unit.columns)
    if name != "ordinal":
        check_categories(schema, columns)
    return named_encoding(schema, columns, name, n_bins, cuts)
