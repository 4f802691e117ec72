"""What is published: scores of rows, and the certificate of what they cost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError, TableError
from tacit.models.advisories import Advisory, advisories, check_version, this_version
from tacit.models.document import as_plain, schema_as_plain
from tacit.models.explanation import Explanation, check_noise
from tacit.models.scorer import Scorer
from tacit.privacy import Guarantee
from tacit.schema import Schema
from tacit.table import OnInvalid, Rows, read_rows, read_strips

if TYPE_CHECKING:
    import polars as pl

    from tacit.measures.held_out import HeldOut
    from tacit.measures.held_out_residuals import HeldOutResiduals

Monotone = tuple[tuple[str, int], ...]
"""Numeric columns with 1 where scores never fall as the number rises, and -1 where they never rise."""

NOISE_BEFORE = "Of numbers along which scores are monotone, the noise is stated as it was before they were made so."
"""Said with effects: projecting released curves is no linear map, so that no covariance of what comes out is known."""

_LONGEST_WHY = 300
"""Characters: a sentence, as everything in a file is bounded."""


@dataclass(frozen=True)
class ReleasedModel(ABC):
    """Scorers with their schema and their guarantee; all of it is public.

    Parameters
    ----------
    learner : str
        Name of the learner that made it.
    schema : Schema
    scorers : tuple of Scorer
    guarantee : Guarantee
    on_invalid : {"raise", "coerce"}
        What predicting does with a value that the schema does not admit.
    fitted_with : str
        Version of this package that made it.
    why : str
        Why this learner, where a rule chose it; empty where a person did.
    monotone : tuple of (str, int)
        Numbers along which scores never fall (1), or never rise (-1), all other cells staying the same.
    """

    learner: str
    schema: Schema
    scorers: tuple[Scorer, ...]
    guarantee: Guarantee
    on_invalid: Literal["raise", "coerce"] = "raise"
    fitted_with: str = field(default_factory=this_version)
    why: str = ""
    monotone: Monotone = ()
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    kind: ClassVar[Literal["classifier", "regressor"]]

    def __post_init__(self) -> None:
        for scorer in self.scorers:
            scorer.check(self.schema)
            if getattr(scorer, "noise", ()):
                check_noise(scorer, self.schema)
        check_version(self.fitted_with)
        if len(self.why) > _LONGEST_WHY or not self.why.isprintable():
            raise ModelFileError("Expected a short reason for the learner, got another. The file is damaged.")
        self._check_guarantee()
        if self.monotone:
            from tacit.models.monotone import check_monotone

            for scorer in self.scorers:
                check_monotone(scorer, self.schema, dict(self.monotone))

    @property
    @abstractmethod
    def outcome(self) -> str:
        """What is predicted, by its name, with its classes or bounds."""

    @property
    @abstractmethod
    def measured(self) -> tuple[str, ...]:
        """How good it is on held-out rows, as released with noise, in sentences; empty where none were held out."""

    @property
    @abstractmethod
    def explanation(self) -> Explanation:
        """All effects."""

    @property
    def unexplained(self) -> str:
        """Why effects are not known, as a sentence; empty where they are."""
        from tacit.models.explanation import is_explained

        odd = [each.kind for each in self.scorers if not is_explained(each)]
        return f"No effects: how a scorer of kind {odd[0]!r} adds up columns is not known." if odd else ""

    @abstractmethod
    def to_onnx(self) -> Any:
        """Return the model as ``onnx.ModelProto``."""

    @abstractmethod
    def _repr_html_(self) -> str:
        """Return what notebooks show."""

    @abstractmethod
    def _contributions(self, rows: Rows) -> pl.DataFrame:
        """Return what each column adds to each row's scores."""

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: what was computed of them, such as effects in cells, is computed again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def body(self) -> dict[str, Any]:
        """Return what a file has of it, as JSON can hold it."""
        found: dict[str, Any] = as_plain(self)
        # Readers of before do not know what is empty in most models.
        scorers = [_without(each, "curved") for each in found["scorers"]]
        scorers = [
            each | {"first": _without(each["first"], "curved")} if each.get("first") else each for each in scorers
        ]
        return _without(found, "monotone") | {"schema": schema_as_plain(found["schema"]), "scorers": scorers}

    def _check_held_out(self, held_out: HeldOut | HeldOutResiduals | None) -> None:
        """Refuse counts of rows that were not held out, or that count otherwise than the schema says."""
        if held_out is None:
            return
        if held_out.origin != "holdout":
            raise ModelFileError(
                "Expected counts of rows that were held out, got those of others. The file is damaged."
            )
        if held_out.weighed != (self.schema.weight is not None):
            raise ModelFileError("Expected held-out rows that count as the schema says. The file is damaged.")

    def _check_guarantee(self) -> None:
        """Refuse a certificate of another schema's cells, or one that rests on guesses and is not void."""
        promised = self.guarantee.columns, self.guarantee.label
        if promised != (self.schema.full.private_columns, self.schema.label.private):
            raise ModelFileError("Expected a certificate of what the schema protects. The file is damaged.")
        if self.schema.guessed and self.guarantee.status != "void":
            raise ModelFileError("Expected a void certificate for a guessed schema. The file is damaged.")

    @property
    def monotone_words(self) -> str:
        """How scores, or predictions, go with the numbers in which they are monotone, as a sentence; or nothing."""
        what = "prediction" if self.schema.target else f"score of {max(self.schema.classes)}"
        named = {sign: [name for name, own in self.monotone if own == sign] for sign in (1, -1)}
        verbs = {1: "falls as {} rises", -1: "rises as {} rises"}
        said = [f"never {verbs[sign].format(each)}" for sign, names in named.items() for each in names]
        return f"All else equal, the {what} {', and '.join(said)}." if said else ""

    @property
    def advisories(self) -> tuple[Advisory, ...]:
        """Known flaws of the version that fitted it, which may make the certificate false."""
        return advisories(self.fitted_with, self.guarantee)

    def read(self, frame: Any, on_invalid: OnInvalid | None = None) -> Rows:
        """Return the rows of a data frame or array as the schema reads them.

        All that predicts also takes such rows, so that several models of the same columns read a frame once.

        Raises
        ------
        TableError
            If rows and schema do not fit.
        """
        if isinstance(frame, Rows):
            names = self.schema.names
            # Columns for groups come behind, and are not read.
            if tuple(frame.columns)[: len(names)] != names:
                raise TableError("Expected rows of the model's columns, got others. Read them with this model.")
            return frame
        return read_rows(frame, self.schema, on_invalid=on_invalid or self.on_invalid)

    def _of_strips(self, function: Callable[..., NDArray[np.float64]], frame: Any) -> NDArray[np.float64]:
        """Return what a function of scorers, schema and rows makes of each row, computed for some rows at a time."""
        if isinstance(frame, Rows):
            return function(self.scorers, self.schema, self.read(frame))
        strips = read_strips(frame, self.schema, on_invalid=self.on_invalid)
        found = [function(self.scorers, self.schema, rows) for rows in strips]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def explain(self, frame: Any = None) -> pl.DataFrame:
        """Return what each column adds to the scores: on average in each of its cells, or in each of some rows.

        Parameters
        ----------
        frame : data frame, array or Rows, optional
            Rows to explain.

        Returns
        -------
        polars.DataFrame
            Without rows, one row for each class (of two the second), column and cell (a bin of a number, a category):
            ``share`` of the rows, by released counts or the public distribution that cells are equally frequent
            (``share_released``); ``effect``, what the cell adds to the score, less the column's mean; ``deviation``,
            the standard deviation of the noise in it; ``verdict``: "finding", "indistinguishable from noise" (within
            two deviations of zero, or one of as many as noise alone would give), or "noise not known".
            Findings come first, those that move the scores most at the top.

            With a ``profile`` the effect is the mean probability that the model predicts for the cell's rows, less that
            of all rows, whichever columns it comes from, and a finding is one that the rows' own classes confirm.

            With rows, the ``contribution`` of each ``column`` in each ``row`` for each ``class``; where the column is
            null, the mean score. They add up to `decision_function`, in one-vs-rest models in its units. ``deviation``
            is that of the effect of the row's cell, null where it is not known.

        Raises
        ------
        ParameterError
            If a public classifier in the model is one that only its own library can write down.
        TableError
            If rows and schema do not fit.

        Notes
        -----
        Privacy: computed from the model, which is public. Contributions of rows are as private as the rows.

        Other columns are taken to be independent where a model is no sum of functions of one column each.

        Examples
        --------
        >>> import numpy as np
        >>> from tacit import NaiveBayesClassifier, Numeric, Label
        >>> schema = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("ill", ["no", "yes"]))
        >>> ages = np.random.default_rng(0).uniform(0, 90, (2000, 1))
        >>> ill = np.where(ages[:, 0] > 60, "yes", "no")
        >>> model = NaiveBayesClassifier(schema, epsilon=1.0).fit(ages, ill).model_
        >>> model.explain()["cell"][0], model.explain()["verdict"][0]
        ('above 60', 'finding')
        """
        if frame is None:
            return self.explanation.frame()
        return self._contributions(self.read(frame))

    def importances(self) -> pl.DataFrame:
        """Return how far each column moves the scores of each class, with an interval that holds the noise.

        ``importance``: standard deviation of effects over rows, or over cells without released shares, less noise's;
        ``low`` and ``high``: 95 %; null where the noise is not known; ``has_findings``: whether `explain` lists one.
        """
        return self.explanation.importances()

    @property
    def feature_importances(self) -> NDArray[np.float64]:
        """Importances of a table's columns, in the schema's order: the mean over classes, with a number's indicator."""
        return self.explanation.by_input(self.schema)

    def save(self, path: str | Path, *, allow: str | None = None) -> None:
        """Write the model file, whole or not at all; ``tacit.load_model`` reads it.

        Parameters
        ----------
        path : str or Path
        allow : {"simulated", "void"}, optional
            Must name the certificate's status where it promises nothing.

        Raises
        ------
        PrivacyError
            If the certificate is simulated or void and ``allow`` does not say so.
        ModelFileError
            If a public classifier in the model cannot be written down.

        Notes
        -----
        Privacy: a fitted classifier's ``save`` notes other fits of its columns in the certificate, which this cannot.
        """
        from tacit.models.writing import write_model

        write_model(self, path, allow=allow)


def _without(entries: dict[str, Any], name: str) -> dict[str, Any]:
    """Return entries without one of them that is empty."""
    return {key: value for key, value in entries.items() if key != name or value}
