"""What a schema says about how hard a table is to learn under privacy, in a few numbers."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.schema import Categorical, Schema
from tacit.table import BinEncoding
from tacit.table.feature_encoding import named_encoding
from tacit.table.literals import literals


@dataclass(frozen=True)
class Shape:
    """A schema in numbers.

    Attributes
    ----------
    columns : int
    private_columns : int
    charged_columns : int
        Columns that cost privacy: the private ones, and under a private label all, as a public column tells
        something about a private label.
    public_label : bool
    classes : int
    categorical_columns : int
        Of the charged ones.
    width : int
        Features of the charged columns, every category and every bin of a number counted.
    literals : int
        Yes-or-no questions about the charged columns.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> schema = Schema([Numeric("age", 0, 90), Categorical("sex", ["F", "M"])], label=Label("ill", ["no", "yes"]))
    >>> shape = Shape.of(schema)
    >>> shape.charged_columns, shape.categorical_columns, shape.width
    (2, 1, 10)
    """

    columns: int
    private_columns: int
    charged_columns: int
    public_label: bool
    classes: int
    categorical_columns: int
    width: int
    literals: int

    @classmethod
    def of(cls, schema: Schema) -> Shape:
        """Return the shape of a schema.

        Raises
        ------
        ParameterError
            If a column has more categories than learners count; the message names it.
        """
        charged = schema.names if schema.label.private else schema.private_columns
        return cls(
            columns=len(schema.columns),
            private_columns=len(schema.private_columns),
            charged_columns=len(charged),
            public_label=not schema.label.private,
            classes=len(schema.label.classes),
            categorical_columns=sum(isinstance(schema.column(name), Categorical) for name in charged),
            width=named_encoding(schema, charged, "binned").n_features,
            literals=_n_literals(schema, charged),
        )

    @property
    def protects_nothing(self) -> bool:
        """True if every cell is public."""
        return self.public_label and self.charged_columns == 0


def _n_literals(schema: Schema, columns: tuple[str, ...]) -> int:
    tells = any(not isinstance(each, Categorical) or each.n_codes > 1 for each in map(schema.column, columns))
    return len(literals(BinEncoding(schema, columns))) if tells else 0
