"""What logistic regression and the support vector machine share: parameters, and the choice of a method."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import Any, ClassVar, Literal, get_args

from tacit.convex import Loss
from tacit.errors import ParameterError
from tacit.estimators.base import PrivateClassifier
from tacit.learners.linear import (
    GaussianObjectivePerturbation,
    Linear,
    LinearMethod,
    MeanOperator,
    PureObjective,
)
from tacit.learners.linear.noisy_gradient import NoisyGradient
from tacit.learners.linear.public_margin import PUBLIC_REGULARIZATION
from tacit.learners.linear.suited_parts import gradient_parts, objective_parts
from tacit.privacy.rounding import down
from tacit.table import Table
from tacit.table.feature_encoding import named_encoding

MethodName = Literal[
    "auto", "k-norm", "noisy-gradient", "objective-perturbation", "gaussian-objective", "mean-operator"
]


FEW = 8
"""Least n_rows * epsilon for each coefficient at which a solver beats one noisy sum: ``benchmarks/linear_rules.py``."""


class LinearClassifier(PrivateClassifier):
    """A private linear classifier; subclasses name the loss."""

    _methods: ClassVar[tuple[str, ...]] = get_args(MethodName)
    method: str
    encoding: Any
    parts: int | str
    regularization: Any
    intercept: Any

    @abstractmethod
    def _loss(self) -> Loss:
        """Return the loss that is minimized."""

    def _settings(self, table: Table) -> Linear:
        asked, parts = self._regularization(), self._parts(table)
        if not (isinstance(self.intercept, bool) or self.intercept == "auto"):
            raise ParameterError(f"Expected intercept True, False or 'auto', got intercept={self.intercept!r}.")
        learner = Linear(
            schema=table.schema,
            loss=self._loss(),
            method=self._method(table, asked),
            encoding=self.encoding,
            parts=parts,
            intercept=self.intercept,
            public_regularization=PUBLIC_REGULARIZATION if asked is None else asked,
        )
        if asked is not None:
            learner.check(asked, table)
        return learner

    def _parts(self, table: Table) -> int:
        """Return the number of bins: few, and by a rule where noise is smoothed."""
        if isinstance(self.parts, str) and self.parts == "auto":
            chosen = self._automatic(table) if self.method == "auto" else self.method
            if chosen == "noisy-gradient":
                assert self.epsilon is not None
                return gradient_parts(table.n_rows, self.epsilon, self.delta)
            return self._pure_parts(table)
        if isinstance(self.parts, bool) or not isinstance(self.parts, int):
            raise ParameterError(f"Expected a number of parts or 'auto', got parts={self.parts!r}.")
        return self.parts

    def _regularization(self) -> float | None:
        if isinstance(self.regularization, str) and self.regularization == "auto":
            return None
        value = self.regularization
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise ParameterError(
                f"Expected a regularization above 0 or 'auto', got regularization={value!r}. It belongs to the sum "
                "over rows: n times that of a mean."
            )
        return float(value)

    def _method(self, table: Table, regularization: float | None) -> LinearMethod:
        if self.method not in self._methods:
            raise ParameterError(
                f"Expected one of the methods {', '.join(self._methods)}, got method={self.method!r}. Choose one."
            )
        loss, name = self._loss(), self.method
        if name == "auto":
            name = self._automatic(table)
        if name == "mean-operator":
            return MeanOperator()
        if name == "noisy-gradient":
            if not loss.logistic or self.encoding != "binned":
                raise ParameterError("Expected encoding='binned' for method 'noisy-gradient'. Choose it, or 'k-norm'.")
            return NoisyGradient()
        if name == "gaussian-objective":
            epsilon, delta = self._budget_of_one(table)
            return GaussianObjectivePerturbation(loss, epsilon, delta, regularization)
        return PureObjective(loss, "k-norm" if name == "k-norm" else "sphere", regularization)

    def _pure_parts(self, table: Table) -> int:
        epsilon, _ = self._budget_of_one(table)
        return objective_parts(table.n_rows, epsilon)

    def _automatic(self, table: Table) -> str:
        """Return the method by rows, budget and number of coefficients alone."""
        if self.delta == 0:
            few = self._loss().logistic and self._rows_for_each_coefficient(table) < FEW
            # Under a public label a public model comes first: to shrink toward it is safer than one noisy sum.
            return "mean-operator" if few and table.unit.label else "k-norm"
        gradients = "noisy-gradient" in self._methods and self.encoding == "binned"
        return "noisy-gradient" if gradients else "gaussian-objective"

    def _rows_for_each_coefficient(self, table: Table) -> float:
        columns = table.schema.names if table.unit.label else table.unit.columns
        parts = self._pure_parts(table) if isinstance(self.parts, str) else self.parts
        n_features = named_encoding(table.schema, columns, self.encoding, parts).n_features if columns else 1
        return table.n_rows * self._budget_of_one(table)[0] / n_features

    def _budget_of_one(self, table: Table) -> tuple[float, float]:
        """Return epsilon and delta of one training: one for two classes, else one for each class."""
        trainings = 1 if table.n_classes == 2 else table.n_classes
        assert self.epsilon is not None
        return down(Fraction(self.epsilon) / trainings), down(Fraction(self.delta) / trainings)
