"""Which learners refuse a schema, and why, before any row is read."""

from __future__ import annotations

import warnings

from tacit.errors import ParameterError, SchemaError, TableError
from tacit.estimators.beforehand import made_up
from tacit.estimators.classifiers import PrivateClassifier
from tacit.estimators.regressors import PrivateRegressor
from tacit.schema import Schema
from tacit.study.learners import private_learners, private_regressors
from tacit.table import Table


def refusals(schema: Schema) -> dict[str, str]:
    """Return the message of each learner that refuses the schema with its default settings, by learner.

    Rows are made up from the schema alone, so that levels of categories, classes, features and persons are what is
    refused; epsilon is 1 and delta 1e-6. A learner that is not named takes the schema.

    Parameters
    ----------
    schema : Schema

    Examples
    --------
    >>> from tacit.schema import Categorical, Label
    >>> found = refusals(Schema([Categorical("code", buckets=60_000)], label=Label("y", ["no", "yes"])))
    >>> "tree" in found, "lazybb" in found
    (False, False)
    """
    table = made_up(schema)
    offered = private_regressors() if schema.target else private_learners()
    found = {name: _message(learner, table) for name, learner in offered.items()}
    return {name: message for name, message in found.items() if message}


def _message(learner: type[PrivateClassifier | PrivateRegressor], table: Table) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            learner(table.schema, epsilon=1.0, delta=1e-6, ledger="none", random_state=0)._checked()._refuse(table)
        except (ParameterError, SchemaError, TableError) as error:
            return str(error)
    return ""
