"""Base of the linear classifiers: their parameters, and which method learns the coefficients."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from tacit.convex import Loss
from tacit.cut_points import CutPoints, RankCuts, chosen_cuts, cuts_of_ranks
from tacit.errors import ParameterError
from tacit.estimators.base import PrivateFit
from tacit.estimators.monotone import MonotoneFit
from tacit.estimators.profiles import ProfileSettings, profile_settings
from tacit.learners.learner import Learner
from tacit.learners.linear import (
    GaussianObjectivePerturbation,
    Linear,
    LinearMethod,
    MeanOperator,
    NoisyGradient,
    PureObjective,
)
from tacit.learners.linear.defaults import gradient_bins, objective_bins, pure_method
from tacit.learners.linear.linear import protected_encoding
from tacit.learners.linear.public_margin import PUBLIC_REGULARIZATION
from tacit.rules.shared import MAX_LEVELS
from tacit.table import Table

MethodName = Literal[
    "auto", "k-norm", "noisy-gradient", "objective-perturbation", "gaussian-objective", "mean-operator"
]


@dataclass(kw_only=True, eq=False, repr=False)
class LinearFit(MonotoneFit, PrivateFit):
    """A private linear classifier; subclasses name the loss.

    Parameters
    ----------
    encoding : {"binned", "ranked", "one-hot", "ordinal"}
        How columns become features: everything one-hot, numbers by bins; numbers by their ranks between cut points,
        from -1 to 1, or without any by their places within the bounds, and categories one-hot; the same by places
        alone; everything in [-1, 1], categories by integer codes.
    n_bins : int or "auto"
        Bins of a private number without cut points in the schema; by default 8 to 32, by rows and
        budget.
    cut_points : {"auto", "private", "grid"}
        Of binned and ranked numbers without cut points in the schema: quantiles released at a tenth of the budget, for
        a power of two of bins, or three of them for ranks, at up to three tenths; or a public grid of equal bins, and
        none for ranks; ``"auto"``: quantiles where that share pays for enough of them.
    intercept : bool or "auto"
        A constant feature among the private ones, regularized and counted in the norm; ``"auto"``: where features do
        not add up to one anyway.
    explain_share : float
        Of the budget, for what the model predicts by bin and category, on which explanations then rest; 0 for none,
        else 0.001 to 0.5.
    """

    method: MethodName = "auto"
    # Any, as subclasses admit further ones; ``_parameters`` says which.
    encoding: Any = "binned"
    n_bins: int | Literal["auto"] = "auto"
    cut_points: CutPoints = "auto"
    regularization: float | Literal["auto"] = "auto"
    intercept: bool | Literal["auto"] = "auto"
    explain_share: float = 0.0

    _methods: ClassVar[tuple[str, ...]] = get_args(MethodName)

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss that is minimized."""

    def _profile(self, n_classes: int) -> ProfileSettings | None:
        return profile_settings(self.explain_share, n_classes)

    def _has_rho(self) -> bool:
        gradients = "noisy-gradient" in self._methods and self.encoding in ("binned", "auto", "ranked")
        return gradients if self.method == "auto" else self.method == "noisy-gradient"

    def _settings(self, table: Table) -> Learner:
        asked = None if self.regularization == "auto" else float(self.regularization)
        name = self._automatic(table) if self.method == "auto" else self.method
        n_bins = self._n_bins(name, table)
        cuts = self._cuts(name, table, n_bins) if self.encoding in ("binned", "ranked") else None
        learner = Linear(
            schema=table.schema,
            loss=self._loss(),
            method=self._method(name, table, asked, cuts),
            encoding=self.encoding,
            n_bins=n_bins,
            intercept=self.intercept,
            public_regularization=PUBLIC_REGULARIZATION if asked is None else asked,
            cuts=cuts,
        )
        if asked is not None:
            learner.check(asked, table)
        return self._in_order(learner, table)

    def _automatic(self, table: Table) -> str:
        """Return the method by rows, budget and number of coefficients alone."""
        if self._delta > 0:
            # Gradients are histograms of bins: other encodings have none.
            gradients = "noisy-gradient" in self._methods and self.encoding == "binned"
            if gradients:
                return "noisy-gradient"
            return "gaussian-objective"
        if not self._loss().self_bounded:
            return "k-norm"
        if table.unit.most_rows > 1:
            # Objectives are for persons who weigh one; a sum costs so many times as much.
            return "mean-operator"
        encoding = protected_encoding(table.schema, table.unit, self.encoding, self._n_bins("k-norm", table))
        epsilon, _ = self._budget_of_one(table)
        return pure_method(table.n_persons, epsilon, encoding.n_features, private_label=table.unit.label)

    def _cuts(self, method: str, table: Table, n_bins: int) -> RankCuts | None:
        epsilon, delta = self._budget_of_one(table)
        # A loss without a rho spends the whole delta; what is left is a pure epsilon.
        delta = 0.0 if method == "gaussian-objective" else delta
        if self.encoding == "ranked":
            return cuts_of_ranks(table.schema, table.unit, table.n_persons, epsilon, delta, asked=self.cut_points)
        most = min(n_bins.bit_length() - 1, MAX_LEVELS)
        return chosen_cuts(self.cut_points, table, epsilon, delta, most=most)

    def _method(self, name: str, table: Table, regularization: float | None, cuts: RankCuts | None) -> LinearMethod:
        """Return the settings of the method of that name."""
        loss = self._loss()
        if name == "mean-operator":
            return MeanOperator()
        if name == "noisy-gradient":
            if not loss.self_bounded or self.encoding != "binned":
                raise ParameterError("Expected encoding='binned' for method 'noisy-gradient'. Choose it, or 'k-norm'.")
            return NoisyGradient()
        if name == "gaussian-objective":
            epsilon, delta = self._budget_of_one(table)
            epsilon *= 1 - (cuts.spends(table.unit) if cuts else 0.0)
            return GaussianObjectivePerturbation(loss, epsilon, delta, regularization)
        return PureObjective(loss, "k-norm" if name == "k-norm" else "sphere", regularization)

    def _n_bins(self, method: str, table: Table) -> int:
        if self.n_bins != "auto":
            return self.n_bins
        if method == "noisy-gradient":
            # The rule was fitted to two classes; with more, each training has less than this budget.
            assert self.epsilon is not None
            return gradient_bins(table.n_persons, self.epsilon, self._delta)
        return objective_bins(table.n_persons, self._budget_of_one(table)[0])
