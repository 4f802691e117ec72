"""The series of Salamatian (2021) as tasks: one-rules and trees, at the published and the corrected cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import reproductions.salamatian2021.measures  # noqa: F401  registers "salamatian2021-fit" and others
from reproductions.framework.readings import second
from reproductions.salamatian2021.printed import NAMES, TRAINING_ROWS
from reproductions.salamatian2021.settings import settings
from tacit.study.fit import fit_task
from tacit.study.run import Task

FOLDS = 10


@dataclass(frozen=True)
class Series:
    """A weak learner and how its cost is counted.

    Attributes
    ----------
    name : str
    numbers : {"ten parts", "packaged"}
    parameters : mapping
        Of LazyBBClassifier.
    noise, rate : float
        What the stated noise and the stated learning rate are multiplied by.
    """

    name: str
    numbers: str
    cost: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    noise: float = 1.0
    rate: float = 1.0

    def settings(self, data: str, epsilon: float) -> dict[str, Any]:
        """Return the thesis's settings as this series reads them."""
        stated = settings(data, epsilon)
        return stated | {"learning_rate": self.rate * stated["learning_rate"]}


def _series(weak_learner: str, words: str) -> tuple[Series, Series]:
    published = {"weak_learner": weak_learner, "literals": "bins"}
    corrected = {"weak_learner": weak_learner, "literals": "thresholds"}
    return (
        Series(f"{words}, published cost, bins", "ten parts", "published", published),
        Series(f"{words}, corrected cost, thresholds", "packaged", "corrected", corrected),
    )


RULES = _series("one-rule", "one-rules")
TREES = _series("tree", "trees")

AS_RUN = Series(
    second(RULES[0].name, "half the noise, half of lambda, ten uniform bins"),
    "uniform",
    "published",
    RULES[0].parameters,
    noise=0.5,
    rate=0.5,
)
"""What the thesis seems to have run: sensitivity zeta in a mechanism that halves it already, and the exponent -lambda
for a right answer and 0 for a wrong one, which is half of lambda for each unit of margin."""

BINS = (
    "At the published cost, numbers are cut as the thesis's table 5.3 suggests: ten parts between the rows' extremes, "
    "the least value apart; that reads the rows, and the certificate is void anyway. At the corrected cost, rules ask "
    "for thresholds of the packaged schema: 32 equal parts between public bounds."
)
RAN = (
    "The second reading has half of the stated noise, half of lambda for each unit of margin, and ten uniform bins: "
    "with all three the thesis's counts of features and its accuracies come out, and its 162 and 80 columns exactly. "
    "It is not what the text states, and its certificate is void."
)
UNSTATED = "The thesis prints few accuracies, those of tables 5.3 and 5.4; its figures are pictures without numbers."


def own_split(data: str, repeat: int) -> dict[str, Any]:
    """Return what the thesis tests on: Adult's own test rows, else one of ten folds."""
    return {"kind": "official"} if data == "adult" else fold_split(data, repeat)


def fold_split(data: str, fold: int) -> dict[str, Any]:
    """Return a fold of the training rows."""
    return {"kind": "fold", "folds": FOLDS, "fold": fold, "repeat": 0, "first": TRAINING_ROWS[data]}


def task(measure: str, data: str, split: Mapping[str, Any], series: Series, repeat: int = 0, **inputs: Any) -> Task:
    """Return the task of one series on a split; further inputs are ``epsilon`` and what the measure asks for."""
    parameters = {**series.parameters, **inputs.pop("parameters", {})}
    known = {
        "data": data,
        "privacy": "all-private",
        "numbers": series.numbers,
        "cost": series.cost,
        "parameters": parameters,
        "delta": 0.0,
        "split": dict(split),
        "repeat": repeat,
        "fold": split.get("fold"),
        "seed": 0,
    }
    return Task(measure, {**known, **inputs}, {"series": series.name})


def tuned(data: str, epsilon: float, series: Series, repeat: int, measure: str = "salamatian2021-fit") -> Task:
    """Return the task at the settings of tables B.1 to B.3."""
    return task(
        measure,
        data,
        own_split(data, repeat),
        series,
        repeat,
        epsilon=epsilon / series.noise,
        parameters=series.settings(data, epsilon),
    ).labeled(panel=data, x=epsilon)


def reference(data: str, learner: str, name: str, split: Mapping[str, Any], repeat: int, panel: str) -> Task:
    """Return the task of a learner without privacy: a line across."""
    return fit_task(
        data=data,
        learner=learner,
        split=split,
        privacy="all-private",
        repeat=repeat,
        name=name,
        panel=panel,
        series=name,
        x=None,
    )


def single_rule(data: str, split: Mapping[str, Any]) -> Task:
    """Return the task of the best single bin of the second reading, on the training rows."""
    one = task("salamatian2021-one-rule", data, split, AS_RUN)
    return one.labeled(panel=data, series=second(ONE_RULE[1], "ten uniform bins, training rows"), x=None)


BOOSTED_TREES = ("baseline:hist-gradient-boosting", "boosted trees, no privacy")
ONE_RULE = ("baseline:one-rule", "a single one-rule, no privacy")


def references(data: str, repeat: int) -> Iterator[Task]:
    """Yield both lines of figure 5.2."""
    for learner, name in (BOOSTED_TREES, ONE_RULE):
        yield reference(data, learner, name, own_split(data, repeat), repeat, data)
    yield single_rule(data, own_split(data, repeat))


def everywhere(epsilons: tuple[float, ...], series: Series, repeats: int) -> Iterator[Task]:
    """Yield the fits of figure 5.2 for one series."""
    for data in NAMES:
        for repeat in range(repeats):
            for epsilon in epsilons:
                yield tuned(data, epsilon, series, repeat)
