"""What scikit-learn asks of an estimator, for any private fit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Never, Self

from sklearn.base import BaseEstimator

from tacit.estimators.charging import commit
from tacit.estimators.inputs import opened_rows, read_table
from tacit.estimators.paid_fit import PaidFit
from tacit.estimators.row_weights import taken_weights
from tacit.estimators.tally import remember_rows
from tacit.estimators.usual_delta import count_given
from tacit.table import Place
from tacit.table.side_tables import Given


class PrivateEstimator(PaidFit, BaseEstimator):
    """An estimator that pays for what it learns from protected cells."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        storage: Place = "auto",
        client: Any = None,
        tables: Given | None = None,
        **further: Never,
    ) -> Self:
        """Train on rows X and labels y, spending the budget.

        Parameters
        ----------
        X : pandas, polars or Arrow data frame, array of shape (n_rows, n_columns), or list of rows
            A data frame goes by column name and its further columns are ignored, whatever library it is of; the
            others go by position. Lists and arrays of objects are read cell by cell. Without y also a path, a pattern
            or a folder of CSV, Parquet or Arrow files, a polars LazyFrame, a pyarrow dataset, a DuckDB relation or a
            reader of Arrow's batches, with the label in the column that the schema names: it is read once, some rows
            at a time. A Dask data frame, too, whose partitions are then read one by one, or by the workers of
            ``client``.
        y : array-like of shape (n_rows,)
        storage : {"auto", "memory", "disk"}
            Where rows are kept; the model is the same. ``"auto"``: frames and arrays in memory, queries on disk, files
            by their size and the memory that is left. The folder is in ``TACIT_SCRATCH``, else the user's cache.
        client : distributed.Client, optional
            Of a Dask cluster, whose workers read files or a Dask data frame, and keep the rows; the model is the same.
        tables : mapping of str to path, query or data frame, optional
            The schema's side tables by name; those that are left out are read from the ``file`` that the schema names.
            A frame of ``tacit.joined`` needs none.
        **further
            Only ``sample_weight``, an array of shape (n_rows,), and only where the schema has a ``weight``: in place of
            that column. A weight that follows from other rows voids what the certificate assumes.

        Returns
        -------
        self

        Raises
        ------
        ParameterError
            If a parameter is missing or outside its range, or there is a further one; nothing is spent.
        TableError
            If rows and schema do not fit; nothing is spent, but what a ledger was charged before rows were read.
        AccountExceeded, LedgerError
            If the ledger does not admit the fit; no row was read, and nothing is spent.
        ClusterError
            If the cluster is not there, or is lost; what a ledger was charged stays charged.

        Notes
        -----
        Privacy: what it cost and what that assumes is in ``privacy_``. A failed fit is not a private output.
        """
        weights = taken_weights(further, self.get_params(deep=False), self.schema)
        checked = self._checked()
        rows = opened_rows(X, y, checked.schema, tables)
        with checked.charging(partial(count_given, rows, y, checked.schema)) as payment:
            given: dict[str, Any] = {"reader": type(self).__name__, "payment": payment}
            given |= {"storage": storage, "client": client, "of_number": self._of_number, "weights": weights}
            table, named = read_table(rows, y, checked.schema, checked.on_invalid, **given)
            model = checked._paid(payment, table)._train(table)
            commit(payment, model.guarantee)
        self._keep(model, named=named)
        if model.guarantee.protects:
            # The object that was passed, not what it became: predict is asked about the former.
            remember_rows(self, X)
        return self

    @property
    def _repr_html_(self) -> Callable[[], str]:
        # What scikit-learn shows of any estimator, and what the fitted model is.
        shown = super()._repr_html_
        return lambda: f"{shown()}{self.model_._repr_html_() if hasattr(self, 'model_') else ''}"
