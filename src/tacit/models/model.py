"""What is published: scores of rows, and the certificate of what they cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError, ParameterError, TableError
from tacit.measures.held_out import HeldOut
from tacit.models.advisories import Advisory, advisories, check_version, this_version
from tacit.models.class_shares import check_shares
from tacit.models.contributions import contributions
from tacit.models.decisions import Threshold, bounds_of_sets, checked_threshold, in_sets, logarithms, shares_of, winners
from tacit.models.explanation import Explanation, caution, check_noise, explained
from tacit.models.links import unit_of
from tacit.models.profile import Profile
from tacit.models.scorer import Scorer, StagedScores, probabilities_of, scores_of
from tacit.notebook import as_lines, as_table, as_text
from tacit.privacy import Guarantee
from tacit.schema import Schema
from tacit.table import OnInvalid, Rows, read_rows, read_strips

if TYPE_CHECKING:
    import polars as pl

_LONGEST_WHY = 300
"""Characters: a sentence, as everything in a file is bounded."""


@dataclass(frozen=True)
class Model:
    """A released classifier with its schema and its guarantee; all of it is public.

    Parameters
    ----------
    learner : str
        Name of the learner that made it.
    schema : Schema
    scorers : tuple of Scorer
        One for two classes; for more, one for each of the sorted classes against the rest.
    guarantee : Guarantee
    on_invalid : {"raise", "coerce"}
        What predicting does with a value that the schema does not admit.
    fitted_with : str
        Version of this package that made it.
    why : str
        Why this learner, where a rule chose it; empty where a person did.
    held_out : HeldOut, optional
        What rows that were kept back from the fit say of it, with noise.
    class_weights : tuple of float, optional
        How much rows of each of the sorted classes counted in training, the most 1; None where all counted the same.
        Scores and probabilities are those of such weighed rows.
    profile : Profile, optional
        Noisy predictions and classes of the rows in each cell, on which ``explain`` then rests.
    released_shares : tuple of float, optional
        Of the rows, by sorted class: exact under a public label, else as released for class weights.
    """

    learner: str
    schema: Schema
    scorers: tuple[Scorer, ...]
    guarantee: Guarantee
    on_invalid: Literal["raise", "coerce"] = "raise"
    fitted_with: str = field(default_factory=this_version)
    why: str = ""
    held_out: HeldOut | None = None
    class_weights: tuple[float, ...] | None = None
    profile: Profile | None = None
    released_shares: tuple[float, ...] | None = None
    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}

    def __post_init__(self) -> None:
        n_classes = len(self.schema.label.classes)
        single = n_classes == 2 or (len(self.scorers) == 1 and self.scorers[0].multiclass)
        if len(self.scorers) != (1 if single else n_classes):
            raise ModelFileError("Expected one scorer for two classes, else one for each class. The file is damaged.")
        for scorer in self.scorers:
            scorer.check(self.schema)
            if getattr(scorer, "noise", ()):
                check_noise(scorer, self.schema)
        check_version(self.fitted_with)
        if len(self.why) > _LONGEST_WHY or not self.why.isprintable():
            raise ModelFileError("Expected a short reason for the learner, got another. The file is damaged.")
        if self.held_out is not None and self.held_out.n_classes != n_classes:
            raise ModelFileError("Expected counts of held-out rows for each class. The file is damaged.")
        if self.class_weights is not None and not self._are_class_weights(self.class_weights):
            raise ModelFileError("Expected a weight in (0, 1] for each class, got others. The file is damaged.")
        check_shares(self.released_shares, n_classes)
        if self.profile is not None:
            self.profile.check(self.schema, self.scorers)
        self._check_guarantee()

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: what was computed of them, such as effects in cells, is computed again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def _are_class_weights(self, weights: tuple[float, ...]) -> bool:
        return len(weights) == len(self.schema.label.classes) and all(0 < weight <= 1 for weight in weights)

    def _check_guarantee(self) -> None:
        """Refuse a certificate of another schema's cells, or one that rests on guesses and is not void."""
        promised = self.guarantee.columns, self.guarantee.label
        if promised != (self.schema.private_columns, self.schema.label.private):
            raise ModelFileError("Expected a certificate of what the schema protects. The file is damaged.")
        if self.schema.guessed and self.guarantee.status != "void":
            raise ModelFileError("Expected a void certificate for a guessed schema. The file is damaged.")

    @property
    def classes(self) -> NDArray[Any]:
        """The sorted classes."""
        return np.asarray(sorted(self.schema.label.classes))

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
            if tuple(frame.columns) != self.schema.names:
                raise TableError("Expected rows of the model's columns, got others. Read them with this model.")
            return frame
        return read_rows(frame, self.schema, on_invalid=on_invalid or self.on_invalid)

    def decision_function(self, frame: Any) -> NDArray[np.float64]:
        """Return scores: shape (n_rows,), above zero for the second class; or (n_rows, n_classes)."""
        return self._of_strips(scores_of, frame)

    @property
    def class_shares(self) -> NDArray[np.float64] | None:
        """Shares of the sorted classes, where they are public or were released; else None."""
        return shares_of(self.schema.label, self.scorers, self.held_out, self.class_weights, self.released_shares)

    def predict(self, frame: Any, *, threshold: Threshold = "majority", calibrated: bool = False) -> NDArray[Any]:
        """Return the class of each row, shape (n_rows,).

        Parameters
        ----------
        threshold : "majority", "balanced" or float
            The class that the scores favor; the class whose probability is the largest multiple of its share among
            all, for rare classes; or the least probability of the second of two classes that is enough for it.
        calibrated : bool
            Compare probabilities as ``predict_proba`` calibrates them; nothing to the class that the scores favor.

        Raises
        ------
        ParameterError
            If the classes' shares are neither public nor released, where they are needed; or as ``predict_proba``.

        Notes
        -----
        Privacy: post-processing of what was released; costs nothing. A threshold that was chosen on private rows does.
        """
        threshold = checked_threshold(threshold, len(self.classes))
        if threshold == "majority":
            return self.decide(self.decision_function(frame))
        shares = self.class_shares
        if shares is not None and self.class_weights is not None and not calibrated:
            # Probabilities are of weighed rows, and so are the shares that they are compared with; held-out rows weigh
            # the same.
            shares = shares * np.asarray(self.class_weights)
        return np.asarray(self.classes[winners(self.predict_proba(frame, calibrated=calibrated), threshold, shares)])

    def predict_set(self, frame: Any, coverage: float = 0.9, *, confidence: float | None = None) -> NDArray[np.bool_]:
        """Return for each row a set of classes that holds the true one, shape (n_rows, n_classes), as ``classes``.

        Of each class the share of rows whose set lacks it is at most 1 - coverage: on average over held-out rows and
        noise, for rows exchangeable with them. A set has the predicted class, and each that noise hides.

        Parameters
        ----------
        confidence : float, optional
            Probability over independent held-out rows and noise that the share is at most that for this very model.

        Raises
        ------
        ParameterError
            If the model has no held-out rows, or their schema an identifier.

        Notes
        -----
        Privacy: post-processing; costs nothing. Vovk (2012), Mondrian; proof ``proofs/queries/prediction_sets.md``.
        """
        bounds = bounds_of_sets(self.held_out, self.guarantee.counted, coverage, confidence)
        rows = self.read(frame)
        favored = np.searchsorted(self.classes, self.predict(rows))
        return in_sets(self.predict_proba(rows), favored, bounds)

    def predict_proba(self, frame: Any, *, calibrated: bool = False) -> NDArray[np.float64]:
        """Return class probabilities, shape (n_rows, n_classes).

        Parameters
        ----------
        calibrated : bool
            Calibrate them on the held-out rows, as far as their noisy counts tell, in a model with a
            holdout. Of two classes rows keep their order.

        Raises
        ------
        ParameterError
            If they are to be calibrated without a holdout, or, of many classes, where noise hides each one's scores.
        """
        if not calibrated:
            return self._of_strips(probabilities_of, frame)
        return self._calibration.calibrated(self._of_strips(probabilities_of, frame))

    def predict_log_proba(self, frame: Any, *, calibrated: bool = False) -> NDArray[np.float64]:
        """Return the logarithms of what ``predict_proba`` returns, shape (n_rows, n_classes); minus infinity of 0."""
        return logarithms(self.predict_proba(frame, calibrated=calibrated))

    @property
    def _calibration(self) -> HeldOut:
        if self.held_out is None:
            raise ParameterError("Expected held-out rows to calibrate by, got none. Fit with holdout=0.1.")
        return self.held_out

    def _of_strips(self, function: Callable[..., NDArray[np.float64]], frame: Any) -> NDArray[np.float64]:
        """Return what a function of scorers, schema and rows makes of each row, computed for some rows at a time."""
        if isinstance(frame, Rows):
            return function(self.scorers, self.schema, self.read(frame))
        strips = read_strips(frame, self.schema, on_invalid=self.on_invalid)
        found = [function(self.scorers, self.schema, rows) for rows in strips]
        return found[0] if len(found) == 1 else np.concatenate(found)

    @cached_property
    def explanation(self) -> Explanation:
        """All effects, by the counts that explain it where it has such, else by what its columns add to the scores."""
        if self.profile is None:
            return explained(self.scorers, self.schema)
        return Explanation(tuple(self.profile.effects(self.schema, self.scorers)), of="probability")

    @property
    def caution(self) -> str:
        """What is to be known beside its explanation, as sentences; empty where it needs none."""
        return "" if self.profile is not None else caution(self.learner, self.importances())

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
        return contributions(self.scorers, self.schema, self.read(frame))

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

    def to_onnx(self, *, calibrated: bool = False) -> Any:
        """Return the model as ``onnx.ModelProto``, to be served without this package; needs the extra ``onnx``.

        Each column is an input of shape (n_rows, 1): text for categories that are texts (an empty one is missing), else
        double (NaN is missing; dates are days since 1970-01-01). Outputs are ``label``, as ``predict`` with the usual
        threshold, and ``probabilities``. Invalid cells are coerced, whatever the model does with them here.

        Parameters
        ----------
        calibrated : bool
            Probabilities as ``predict_proba`` calibrates them; labels stay.

        Raises
        ------
        ParameterError
            If the learner is none of logistic regression on bins, naive Bayes, tree, LazyBB and boosted trees; or as
            ``predict_proba``.
        MissingExtra
            If the extra is not installed.
        """
        from tacit.models.onnx_export import exported

        metadata = {"learner": self.learner, "fitted_with": self.fitted_with, "certificate": str(self.guarantee)}
        lines = self._calibration.slopes_and_intercepts if calibrated else None
        return exported(self.schema, self.classes.tolist(), self.scorers, metadata, lines)

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

    def _repr_html_(self) -> str:
        importances = self.importances().filter("has_findings")
        lines = [
            (row["column"], row["class"], f"{row['importance']:.2g} ({row['low']:.2g} to {row['high']:.2g})")
            for row in importances.head(10).iter_rows(named=True)
        ]
        said = as_table("What moves the scores most, beyond the noise", ("column", "class", "by, with 95 %"), lines)
        of_whom = tuple(self.classes.tolist()), self.guarantee.counted, self.class_weights
        score = as_lines("\n".join(self.held_out.lines(*of_whom))) if self.held_out else ""
        head = f"<p>{as_text(self.learner)}: {as_text(self.schema.label.name)}</p>"
        return f"{head}{score}{said}{as_lines(str(self.guarantee))}"

    def staged_predict(self, frame: Any) -> Iterator[NDArray[Any]]:
        """Yield the predicted classes after each vote, each of shape (n_rows,)."""
        rows = self.read(frame)
        stages = [s.staged_scores(rows, self.schema) for s in self.scorers if isinstance(s, StagedScores)]
        if len(stages) != len(self.scorers):
            raise ParameterError(f"Expected a learner that grows in stages, got {self.learner}. Use predict.")
        latest = [np.zeros(rows.n_rows)] * len(stages)
        for scores in zip_longest(*stages):
            # A scorer of fewer votes than another has cast them all.
            latest = [old if new is None else new for old, new in zip(latest, scores, strict=True)]
            if len(latest) == 1:
                yield self.decide(latest[0])
            else:
                compared = [score / unit_of(s) for score, s in zip(latest, self.scorers, strict=True)]
                yield self.decide(np.column_stack(compared))

    def decide(self, scores: NDArray[np.float64]) -> NDArray[Any]:
        """Return the class that each row's scores speak for, shape (n_rows,)."""
        winners = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes[winners])
