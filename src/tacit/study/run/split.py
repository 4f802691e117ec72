"""Training and test rows of one task, read once and kept where they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.errors import PrivacyError
from tacit.schema import Schema
from tacit.table import OnInvalid, Rows, Table


@dataclass(frozen=True, eq=False, repr=False)
class Split:
    """What a learner is trained on and tested with.

    Attributes
    ----------
    schema : Schema
        With the columns and the label protected as the task says.
    table : Table
        The training rows; fits of it share its encodings.
    train, test : Rows
    train_labels, test_labels : array of shape (n_rows,)
        Positions among the sorted classes.
    train_index, test_index : array of shape (n_rows,)
        Positions in the whole table, ascending.
    on_invalid : {"raise", "coerce"}
        How the rows were read.

    Notes
    -----
    Privacy: for studies, which are not private. Rows and labels stand here in the open, and cannot be pickled.
    """

    schema: Schema
    table: Table
    train: Rows
    test: Rows
    train_labels: NDArray[np.integer]
    test_labels: NDArray[np.integer]
    train_index: NDArray[np.intp]
    test_index: NDArray[np.intp]
    on_invalid: OnInvalid = "raise"

    @property
    def classes(self) -> NDArray[np.generic]:
        """The sorted classes."""
        return np.asarray(sorted(self.schema.label.classes))

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected rows to stay where they are, got a request to copy or pickle them.")
