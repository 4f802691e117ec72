"""External learners as a source of a study's learners: what each makes of a split's test rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reproductions.external.registry import find_external
from reproductions.external.session import session
from tacit.errors import ParameterError
from tacit.study.learners import Predicted, PredictedNumbers, Predictions, register_learners
from tacit.study.splits import Split


def external_predictions(
    name: str,
    split: Split,
    *,
    epsilon: float | None,
    delta: float | None,
    seed: int,
    parameters: Mapping[str, Any],
) -> Predicted:
    """Return what the learner, trained on the split's training rows in its own environment, says of its test rows.

    Parameters
    ----------
    name : str
        One of `reproductions.external.EXTERNAL`.
    split : Split
    epsilon, delta : float or None
        The row's budget; what the learner is asked for follows from it by ``relation``.
    seed : int
        Noise is simulated from it, so that a row can be computed again.
    parameters : mapping
        Of the learner.

    Raises
    ------
    ParameterError
        If there is no such learner, or it cannot have such parameters, such a budget or so many classes.
    MissingExtra
        If its environment is not installed.
    ExternalFailed
        If it fails.

    Notes
    -----
    Privacy: an external learner's rows are not private, and no certificate is made of what it promises. It is
    trained on all columns as if all were private.
    """
    learner = find_external(name)
    given = learner.complete(parameters)
    settings = learner.settings(given, epsilon, delta)
    if learner.of_numbers != bool(split.schema.target):
        has = "a number to predict" if learner.of_numbers else "classes"
        raise ParameterError(f"Expected a schema with {has} for external:{name}, got one without. Leave it out.")
    if learner.of_numbers:
        answer, numbers = session().fit_number(learner, split, given, {**settings, "seed": seed % 2**31})
        return PredictedNumbers(numbers, float(answer["fit_seconds"]), float(answer["predict_seconds"]))
    if learner.two_classes and len(split.classes) != 2:
        raise ParameterError(f"Expected two classes for external:{name}, got more. Leave it out.")
    answer, codes, scores = session().fit(learner, split, given, {**settings, "seed": seed % 2**31})
    return Predictions(codes, scores, float(answer["fit_seconds"]), float(answer["predict_seconds"]))


class ExternalLearners:
    """The learners that a study calls ``external:NAME``."""

    def check(self, name: str, parameters: Mapping[str, Any]) -> None:
        """Refuse a name that no external learner has, or a parameter that it does not take."""
        find_external(name).complete(parameters)

    def spends_budget(self, name: str) -> bool:
        """Tell whether the learner is a private one."""
        return find_external(name).private

    def unit(self, name: str, parameters: Mapping[str, Any]) -> str:
        """Return which neighbors the epsilon of a row is for, after what ``relation`` converts."""
        learner = find_external(name)
        unchanged = learner.complete(parameters)["relation"] == "theirs"
        return "add/remove one row" if unchanged and learner.neighbors == "add-remove" else "replace one row"

    def predictions(
        self,
        name: str,
        split: Split,
        *,
        epsilon: float | None,
        delta: float | None,
        seed: int,
        parameters: Mapping[str, Any],
    ) -> Predicted:
        """Return what `external_predictions` does."""
        return external_predictions(name, split, epsilon=epsilon, delta=delta, seed=seed, parameters=parameters)


register_learners("external", ExternalLearners())
