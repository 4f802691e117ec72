"""What is published: scores of rows, and the certificate of what they cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ModelFileError, ParameterError
from tacit.measures.group_measures import GroupMeasures
from tacit.measures.held_out import HeldOut
from tacit.measures.set_measures import SetMeasures, set_measures
from tacit.models.class_shares import check_shares
from tacit.models.contributions import contributions
from tacit.models.decisions import (
    Threshold,
    bounds_of_sets,
    checked_confidence,
    checked_threshold,
    in_sets,
    logarithms,
    shares_of,
    winners,
)
from tacit.models.explanation import Explanation, caution, explained
from tacit.models.links import unit_of
from tacit.models.profile import Profile
from tacit.models.released import NOISE_BEFORE, ReleasedModel
from tacit.models.scorer import StagedScores, probabilities_of, scores_of
from tacit.notebook import as_lines, as_table, as_text
from tacit.table import Rows

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Model(ReleasedModel):
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
    monotone : tuple of (str, int)
        Numbers along which scores never fall (1), or never rise (-1), all other cells staying the same.
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

    kind = "classifier"

    held_out: HeldOut | None = None
    class_weights: tuple[float, ...] | None = None
    profile: Profile | None = None
    released_shares: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        n_classes = len(self.schema.classes)
        single = n_classes == 2 or (len(self.scorers) == 1 and self.scorers[0].multiclass)
        if len(self.scorers) != (1 if single else n_classes):
            raise ModelFileError("Expected one scorer for two classes, else one for each class. The file is damaged.")
        super().__post_init__()
        if self.held_out is not None and self.held_out.n_classes != n_classes:
            raise ModelFileError("Expected counts of held-out rows for each class. The file is damaged.")
        self._check_held_out(self.held_out)
        if self.class_weights is not None and not self._are_class_weights(self.class_weights):
            raise ModelFileError("Expected a weight in (0, 1] for each class, got others. The file is damaged.")
        check_shares(self.released_shares, n_classes)
        if self.profile is not None:
            self.profile.check(self.schema, self.scorers)

    def _are_class_weights(self, weights: tuple[float, ...]) -> bool:
        return len(weights) == len(self.schema.classes) and all(0 < weight <= 1 for weight in weights)

    @property
    def classes(self) -> NDArray[Any]:
        """The sorted classes."""
        return np.asarray(sorted(self.schema.classes))

    @property
    def outcome(self) -> str:
        """What is predicted: the label's name and its classes."""
        return f"{self.schema.label.name}: {', '.join(map(str, self.classes.tolist()))}"

    @property
    def measured(self) -> tuple[str, ...]:
        """How good it is on held-out rows, as released with noise, in sentences; empty where none were held out."""
        if self.held_out is None:
            return ()
        return tuple(self.held_out.lines(tuple(self.classes.tolist()), self.guarantee.counted, self.class_weights))

    def decision_function(self, frame: Any) -> NDArray[np.float64]:
        """Return scores: shape (n_rows,), above zero for the second class; or (n_rows, n_classes)."""
        return self._of_strips(scores_of, frame)

    @property
    def class_shares(self) -> NDArray[np.float64] | None:
        """Shares of the sorted classes, where they are public or were released; else None."""
        return shares_of(self.schema.class_label, self.scorers, self.held_out, self.class_weights, self.released_shares)

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

    def predict_set(
        self, frame: Any, coverage: float = 0.9, *, confidence: float | None = None, by_class: bool = True
    ) -> NDArray[np.bool_]:
        """Return for each row a set of classes that holds the true one, shape (n_rows, n_classes), as ``classes``.

        Of each class the share of rows whose set lacks it is at most 1 - coverage: on average over held-out rows and
        noise, for rows exchangeable with them: of new persons, where persons count one; of the population that weights
        stand for. A set has the predicted class, and each that noise hides.

        Parameters
        ----------
        confidence : float, optional
            Probability over independent held-out rows and noise that the share is at most that for this very model.
        by_class : bool
            False, marginal coverage: the share is that of all rows, of whichever class. Sets are smaller, and rare
            classes may be covered less.

        Raises
        ------
        ParameterError
            If the model has no held-out rows, or several rows of one person count one each; of a confidence, if the
            schema was learned from rows.

        Notes
        -----
        Privacy: post-processing; costs nothing. Vovk (2012), Mondrian; proof ``proofs/queries/prediction_sets.md``.
        """
        confidence = checked_confidence(confidence, self.schema)
        bounds = bounds_of_sets(self.held_out, self.guarantee.counted, coverage, confidence, by_class=by_class)
        rows = self.read(frame)
        favored = np.searchsorted(self.classes, self.predict(rows))
        return in_sets(self.predict_proba(rows), favored, bounds)

    def sets(self, coverage: float = 0.9) -> SetMeasures | None:
        """Return how often sets of a coverage hold each class, and how large they are, by the held-out rows.

        These rows chose the sets, so that it is a little better than of others; ``tacit.evaluate`` counts others. None
        without held-out rows, and where several rows of a person count one each.
        """
        if self.held_out is None or self.held_out.rows_of_person > 1:
            return None
        bounds = bounds_of_sets(self.held_out, self.guarantee.counted, coverage)
        return set_measures(self.held_out, bounds, coverage, self.classes.tolist())

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

    def groups(self, column: str | None = None) -> GroupMeasures:
        """Return measures by group of the held-out rows, with intervals, and how far groups differ.

        Parameters
        ----------
        column : str, optional
            By which the fit grouped them.

        Raises
        ------
        ParameterError
            If the model has no held-out rows by group, or by another column.

        Notes
        -----
        Privacy: post-processing of the counts; costs nothing. Proof: ``proofs/queries/held_out_scores.md``.
        """
        by_group = self.held_out.by_group if self.held_out else None
        if self.held_out is None or by_group is None or column not in (None, by_group.column):
            there = "by none" if by_group is None else f"by {by_group.column!r}"
            raise ParameterError(
                f"Expected held-out rows counted by {column or 'a column'!r}, got rows counted {there}. Fit with "
                "holdout=0.2 and holdout_by= this column, or evaluate on other rows by it."
            )
        return GroupMeasures(self.held_out, tuple(self.classes.tolist()), self.guarantee.counted == "persons")

    @property
    def _calibration(self) -> HeldOut:
        if self.held_out is None:
            raise ParameterError("Expected held-out rows to calibrate by, got none. Fit with holdout=0.1.")
        return self.held_out

    @cached_property
    def explanation(self) -> Explanation:
        """All effects, by the counts that explain it where it has such, else by what its columns add to the scores."""
        if self.profile is None:
            return explained(self.scorers, self.schema)
        return Explanation(tuple(self.profile.effects(self.schema, self.scorers)), of="probability")

    def _contributions(self, rows: Rows) -> pl.DataFrame:
        return contributions(self.scorers, self.schema, rows)

    @property
    def caution(self) -> str:
        """What is to be known beside its explanation, as sentences; empty where it needs none."""
        if self.profile is not None:
            return ""
        own, before = caution(self.learner, self.importances()), NOISE_BEFORE if self.monotone else ""
        return " ".join(filter(None, (own, before)))

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

    def _repr_html_(self) -> str:
        importances = self.importances().filter("has_findings")
        lines = [
            (row["column"], row["class"], f"{row['importance']:.2g} ({row['low']:.2g} to {row['high']:.2g})")
            for row in importances.head(10).iter_rows(named=True)
        ]
        said = as_table("What moves the scores most, beyond the noise", ("column", "class", "by, with 95 %"), lines)
        score = as_lines("\n".join(self.measured)) if self.measured else ""
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
