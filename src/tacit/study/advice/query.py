"""What advice is asked about: a schema's meta-features, a number of rows and a budget, all of them public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log

import polars as pl

from tacit.errors import ParameterError
from tacit.estimators.auto import Choice, choose
from tacit.estimators.base import PrivateFit
from tacit.estimators.regression import choose_regressor
from tacit.estimators.regression_fit import RegressionFit
from tacit.features import BinEncoding
from tacit.features.feature_encoding import named_encoding
from tacit.features.literals import literals
from tacit.privacy import Budget, zcdp_epsilon, zcdp_rho
from tacit.privacy.parameters import Whole
from tacit.schema import Categorical, Schema
from tacit.study.advice.past_studies import Outcome

AnyChoice = Choice[PrivateFit] | Choice[RegressionFit]
"""Of a classifier or a regressor."""

MAX_ROWS = 10**12
"""More rows than any table has: larger numbers are typing errors, and would overflow 64 bits in products."""


@dataclass(frozen=True)
class MetaFeatures:
    """Meta-features of a schema: what it says about how hard a table is to learn under privacy.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 90), Categorical("sex", ["F", "M"])], label=Label("ill", ["no", "yes"]))
    >>> found = MetaFeatures.of(schema)
    >>> found.protected_columns, found.categorical_columns, found.width
    (2, 1, 10)
    """

    columns: int
    private_columns: int
    protected_columns: int
    """Columns that cost privacy: the private ones, and under a private label all, as a public column is then released
    jointly with the label."""
    public_label: bool
    classes: int
    """1 where a number is predicted."""
    categorical_columns: int
    """Of the protected ones."""
    width: int
    """One-hot features of the protected columns: every category, and every bin of a number."""
    literals: int
    """Conditions (thresholds and categories) on the protected columns."""

    @classmethod
    def of(cls, schema: Schema) -> MetaFeatures:
        """Return the meta-features of a schema."""
        protected = schema.names if schema.label.private else schema.private_columns
        return cls(
            columns=len(schema.columns),
            private_columns=len(schema.private_columns),
            protected_columns=len(protected),
            public_label=not schema.label.private,
            classes=schema.n_classes,
            categorical_columns=sum(isinstance(schema.column(name), Categorical) for name in protected),
            width=named_encoding(schema, protected, "binned").n_features,
            literals=_n_literals(schema, protected),
        )

    @property
    def protects_nothing(self) -> bool:
        """True if every cell is public."""
        return self.public_label and self.protected_columns == 0


def _n_literals(schema: Schema, columns: tuple[str, ...]) -> int:
    # `literals` refuses a schema without any condition: one where each column has a single category.
    varies = any(not isinstance(each, Categorical) or each.n_codes > 1 for each in map(schema.column, columns))
    return len(literals(BinEncoding(schema, columns))) if varies else 0


@dataclass(frozen=True)
class Query:
    """Meta-features of a table, its number of rows, and a privacy budget.

    Raises
    ------
    ParameterError
        If a number is out of range, delta is not below 1/rows, or nothing is protected.
    """

    meta_features: MetaFeatures
    rows: int
    """Training rows."""
    epsilon: float
    delta: float = 0.0
    schema: Schema | None = None
    """Of which the meta-features are, if known: it names the learner that is taken by default."""

    def __post_init__(self) -> None:
        Whole(1, MAX_ROWS, "Give the number of people.").check("rows", self.rows)
        if self.meta_features.protects_nothing:
            raise ParameterError(
                "Expected something to protect, got a schema in which every column and the label are public. "
                "Nothing is paid for then: take any learner."
            )
        budget = Budget(self.epsilon, self.delta)
        budget.check_rows(self.rows)
        object.__setattr__(self, "epsilon", budget.epsilon)
        object.__setattr__(self, "delta", budget.delta)

    @classmethod
    def of(cls, schema: Schema, *, rows: int, epsilon: float, delta: float = 0.0) -> Query:
        """Return the query for a table with this schema."""
        return cls(MetaFeatures.of(schema), rows, epsilon, delta, schema)

    @property
    def outcome(self) -> Outcome:
        """What is predicted."""
        return "number" if self.meta_features.classes == 1 else "class"

    @property
    def choice(self) -> AnyChoice | None:
        """What ``AutoClassifier`` or ``AutoRegressor`` takes for it; None where the schema is not known."""
        return usual_choice(self.schema, Budget(self.epsilon, self.delta), self.rows) if self.schema else None

    def frame(self, deltas: Sequence[float] = ()) -> pl.DataFrame:
        """Return one row, with the columns by which past experiments are described.

        Parameters
        ----------
        deltas : sequence of float
            Those of past experiments. A budget of another delta is described by the epsilon of the same rho at the
            nearest of these: rho decides about the noise.
        """
        epsilon, delta = self.epsilon, self.delta
        if delta and deltas and delta not in deltas:
            rho, delta = zcdp_rho(epsilon, delta), min(deltas, key=lambda each: abs(log(each / self.delta)))
            epsilon = zcdp_epsilon(rho, delta)
        return pl.DataFrame(
            [asdict(self.meta_features) | {"rows": self.rows, "epsilon": epsilon, "delta": delta}],
            schema_overrides={"rows": pl.Int64, "epsilon": pl.Float64, "delta": pl.Float64},
        )


def usual_choice(schema: Schema, budget: Budget, rows: int) -> AnyChoice:
    """Return what ``tacit fit`` takes by itself, and why."""
    return (choose_regressor if schema.target else choose)(schema, budget, rows)
