"""What a fitted estimator does with its model, whether it was trained alone or chosen by a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.estimators.evaluation import Evaluation, HasModel, evaluate
from tacit.estimators.tally import after_other_fits, warn_about_fitted_rows
from tacit.models import Model, RegressionModel, ReleasedModel, Threshold, write_model
from tacit.models.coefficients import Coefficients, coefficients
from tacit.table import Rows, opened_table, read_labels
from tacit.table.side_tables import Given, JoinedFrame

if TYPE_CHECKING:
    import polars as pl

_OF_MODELS = frozenset(
    name
    for model in (Model, RegressionModel)
    for name in (*dir(model), *model.__dataclass_fields__)
    if not name.startswith("_")
)
"""What people look for on a fitted estimator, and find on its model."""


_COMPUTED = ("feature_importances_", "coef_", "coef_names_", "intercept_")
"""Attributes that are computed of the model. Where there is none, Python asks ``__getattr__`` for it again."""


class FittedModel(HasModel):
    """Methods of whatever has a ``model_`` once it is fitted.

    All that take rows also take ``tables``: side tables of these people, as ``fit`` takes them.
    """

    model_: ReleasedModel

    def explain(self, X: Any = None, *, tables: Given | None = None) -> pl.DataFrame:
        """Return what each column adds to the scores: on average in each of its cells, or in each of some rows.

        As ``Model.explain``, which ``model_`` has. ``tables`` are side tables of these people, as ``fit`` takes them.
        """
        check_is_fitted(self)
        return self.model_.explain(None if X is None else self._given(X, tables))

    def importances(self) -> pl.DataFrame:
        """Return how far each column moves the scores of each class, as ``Model.importances``."""
        check_is_fitted(self)
        return self.model_.importances()

    @property
    def feature_importances_(self) -> np.ndarray:
        """Importances of the columns that a table has, in the schema's order, shape (``n_features_in_``,).

        Each is the standard deviation of what the column adds to a score, the mean over classes; zero where the model
        does not read it. Of a number with an indicator both count. They follow from released values, and their noise
        is in ``importances``.
        """
        check_is_fitted(self)
        return self.model_.feature_importances

    @property
    def coef_(self) -> np.ndarray:
        """Coefficients of the encoded features of a linear model, shape (n_scores, n_features).

        One score for two classes, else one a class. ``coef_names_`` says what each multiplies: a bin, a category, a
        number's rank. They are not of the columns' own units, and hold noise: `explain` says which effects are beyond
        it. No attribute of other models.
        """
        return self._coefficients().values

    @property
    def coef_names_(self) -> np.ndarray:
        """Names of the features that ``coef_`` multiplies, shape (n_features,)."""
        return np.asarray(self._coefficients().names, dtype=object)

    @property
    def intercept_(self) -> np.ndarray:
        """Intercepts of a linear model's scores, shape (n_scores,)."""
        return self._coefficients().intercepts

    def _coefficients(self) -> Coefficients:
        check_is_fitted(self)
        found = coefficients(self.model_)
        if found is None:
            raise AttributeError(f"Expected a linear model, got learner={self.model_.learner!r}. Use explain.")
        return found

    def evaluate(self, X: Any, y: Any = None, *, epsilon: float, **options: Any) -> Evaluation:
        """Return how good the model is on rows of other people, with a certificate of what that costs them.

        Parameters
        ----------
        X, y
            As ``fit`` takes them.
        epsilon : float
            Privacy to spend.
        **options
            As ``tacit.evaluate`` takes them: ``delta``, ``schema``, ``ledger``, ``other_people`` and others.

        Raises
        ------
        ParameterError
            As ``tacit.evaluate``.

        Notes
        -----
        Privacy: that of ``tacit.evaluate``, which costs the people of these rows ``epsilon`` and ``delta``.
        """
        return evaluate(self, X, y, epsilon=epsilon, **options)

    def save(self, path: str | Path, *, allow: str | None = None) -> None:
        """Write the model file; see ``tacit.load_model``.

        Where other fits of its columns were made before in this process, as a search of scikit-learn makes them, the
        certificate in the file says how many: a choice by their scores is not covered.

        Parameters
        ----------
        path, allow
            As for ``Model.save``, which raises what this does.

        Warns
        -----
        PrivacyWarning
            Once, where there were other fits.
        """
        check_is_fitted(self)
        write_model(after_other_fits(self, self.model_), path, allow=allow)

    if not TYPE_CHECKING:  # every name would be one of Any

        def __getattr__(self, name: str) -> Any:
            """Say where to find what a model has; an estimator has no attribute that nobody set."""
            if name in _COMPUTED:
                check_is_fitted(self)
                why = f"Expected a linear model for {name}, got learner={self.model_.learner!r}. Use explain."
                raise AttributeError(why)
            hint = f" The model has it: use model_.{name}." if name in _OF_MODELS else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}.{hint}")

    def _given(self, X: Any, tables: Given | None = None) -> Any:
        """Return what was passed, opened, once there is a model to read it, with the features of side tables."""
        check_is_fitted(self)
        warn_about_fitted_rows(self, X)
        if isinstance(X, Rows):
            return X
        joined = JoinedFrame.of(X, self.model_.schema, tables)
        if joined is not None:
            return joined.filled(self.model_.on_invalid)
        table = opened_table(X)
        # A frame goes by name and may have further columns, which scikit-learn would refuse; no rows have no width.
        if isinstance(table, np.ndarray) and table.shape != (0, 0):
            validate_data(self, table, reset=False, skip_check_array=True)
        return table


class FittedClassifier(FittedModel):
    """Methods of whatever has a classifier as its ``model_``."""

    model_: Model

    def predict(
        self, X: Any, *, threshold: Threshold = "majority", calibrated: bool = False, tables: Given | None = None
    ) -> np.ndarray:
        """Return the class of each row, shape (n_rows,); by a threshold as ``Model.predict`` takes it.

        ``tables`` are side tables of these people, as ``fit`` takes them.
        """
        table = self._given(X, tables)
        return self.model_.predict(table, threshold=threshold, calibrated=calibrated)

    def decision_function(self, X: Any, *, tables: Given | None = None) -> np.ndarray:
        """Return scores: shape (n_rows,), above zero for ``classes_[1]``; or (n_rows, n_classes).

        ``tables`` as for ``predict``.
        """
        table = self._given(X, tables)
        return self.model_.decision_function(table)

    def predict_proba(self, X: Any, *, calibrated: bool = False, tables: Given | None = None) -> np.ndarray:
        """Return class probabilities in the order of ``classes_``, shape (n_rows, n_classes).

        ``calibrated``, of a fit with a holdout: moved toward the classes of its rows, as ``Model.predict_proba`` does.
        ``tables`` as for ``predict``.
        """
        table = self._given(X, tables)
        return self.model_.predict_proba(table, calibrated=calibrated)

    def predict_set(
        self,
        X: Any,
        coverage: float = 0.9,
        *,
        confidence: float | None = None,
        by_class: bool = True,
        tables: Given | None = None,
    ) -> np.ndarray:
        """Return for each row a set of classes that holds the true one, booleans of shape (n_rows, n_classes).

        Of a fit with a holdout, as ``Model.predict_set``: by the counts of its held-out rows, at no further epsilon.
        ``tables`` as for ``predict``.
        """
        table = self._given(X, tables)
        return self.model_.predict_set(table, coverage, confidence=confidence, by_class=by_class)

    def to_onnx(self, *, calibrated: bool = False) -> Any:
        """Return the model as ``onnx.ModelProto``, as ``Model.to_onnx``."""
        check_is_fitted(self)
        return self.model_.to_onnx(calibrated=calibrated)

    def predict_log_proba(self, X: Any, *, calibrated: bool = False, tables: Given | None = None) -> np.ndarray:
        """Return the logarithms of what ``predict_proba`` returns, as that is asked, shape (n_rows, n_classes)."""
        table = self._given(X, tables)
        return self.model_.predict_log_proba(table, calibrated=calibrated)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, tables: Given | None = None) -> float:
        """Return the accuracy on rows and their labels, which the schema reads as in ``fit``; not private.

        Parameters
        ----------
        X : table
        y : array-like of shape (n_rows,)
            As ``fit`` takes them: where the schema's label has `positive`, the classes that a table has.
        sample_weight : array-like of shape (n_rows,), optional
        tables : mapping of str to path, query or data frame, optional
            As for ``predict``.
        """
        from sklearn.metrics import accuracy_score

        check_is_fitted(self)
        label = self.model_.schema.class_label
        if (label.positive, label.missing, label.replace) != (None, None, None):
            y = np.asarray(label.classes)[read_labels(y, label)]
        return float(accuracy_score(y, self.predict(X, tables=tables), sample_weight=sample_weight))


class FittedRegressor(FittedModel):
    """Methods of whatever has a regressor as its ``model_``."""

    model_: RegressionModel

    def to_onnx(self) -> Any:
        """Return the model as ``onnx.ModelProto``, as ``RegressionModel.to_onnx``."""
        check_is_fitted(self)
        return self.model_.to_onnx()

    def predict(self, X: Any, *, tables: Given | None = None) -> np.ndarray:
        """Return the number that is predicted for each row, within the target's bounds, shape (n_rows,).

        ``tables`` are side tables of these people, as ``fit`` takes them.
        """
        table = self._given(X, tables)
        return self.model_.predict(table)

    def predict_interval(
        self, X: Any, coverage: float = 0.9, *, confidence: float | None = None, tables: Given | None = None
    ) -> np.ndarray:
        """Return for each row an interval that holds its number, shape (n_rows, 2).

        Of a fit with a holdout, as ``RegressionModel.predict_interval``: by the counts of its held-out rows, at no
        further epsilon. ``tables`` as for ``predict``.
        """
        table = self._given(X, tables)
        return self.model_.predict_interval(table, coverage, confidence=confidence)

    def predict_quantiles(
        self, X: Any, quantiles: Sequence[float] | None = None, *, tables: Given | None = None
    ) -> np.ndarray:
        """Return quantiles of each row's number, shape (n_rows, n_quantiles), as ``RegressionModel.predict_quantiles``.

        Those of a quantile loss, or, of a fit with a holdout, those that are asked for. ``tables`` as for ``predict``.
        """
        table = self._given(X, tables)
        return self.model_.predict_quantiles(table, quantiles)

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, tables: Given | None = None) -> float:
        """Return R2, the share of the numbers' variance that predictions explain, on rows; not private.

        Parameters
        ----------
        X : table
        y : array-like of shape (n_rows,)
            As ``fit`` takes them.
        sample_weight : array-like of shape (n_rows,), optional
        tables : mapping of str to path, query or data frame, optional
            As for ``predict``.
        """
        from sklearn.metrics import r2_score

        check_is_fitted(self)
        numbers = read_labels(y, self.model_.schema.label)
        return float(r2_score(numbers, self.predict(X, tables=tables), sample_weight=sample_weight))


class StagedMixin(FittedClassifier):
    """For ensembles that grow vote by vote."""

    def staged_predict(self, X: Any, *, tables: Given | None = None) -> Iterator[np.ndarray]:
        """Yield the class of each row after each vote of the ensemble, each of shape (n_rows,)."""
        table = self._given(X, tables)
        return self.model_.staged_predict(table)
