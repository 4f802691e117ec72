"""Figures 4a to 4c of Shen and others (2022): BRC beside other boosters, PATE, and boosting without privacy."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from reproductions.framework.apart import lines_again
from reproductions.framework.artefact import Artefact, Axis
from reproductions.framework.comparison import Place, averaged
from reproductions.shen2022.comparators import comparators
from reproductions.shen2022.differences import CONVERGENCE, INTERCEPTS, PATE_DIFFERS, PEOPLE_DIFFERS
from reproductions.shen2022.figure1 import PAPER
from reproductions.shen2022.figures2_3 import BALANCED, FIGURE_4D, QUICK_REPEATS, REPEATS
from reproductions.shen2022.series import (
    ALL_COLUMNS,
    BRC,
    PUBLIC_COLUMNS,
    ROUNDS,
    Setting,
    brc,
    intercepts,
    lines,
    private_baseline,
)
from reproductions.shen2022.settings import EPSILONS, PUBLISHED_REFERENCES
from tacit.study.run import Task

ADULT = Setting("adult", "as-declared", panel=BALANCED)

STAGED_EPSILON, BASELINE_EPSILON = 0.1, 0.01
"""Section 7: of BRC, and of the private baseline in the same plot."""

RANDOM_ADABOOST = "AdaBoost over random classifiers, no privacy"
TRAINED_ADABOOST = "AdaBoost with a trained weak learner, no privacy"


def _repeats(quick: bool) -> range:
    return range(QUICK_REPEATS if quick else REPEATS)


def _beside(family: str, quick: bool) -> list[Task]:
    return _beside_references(quick) + [one for at in _repeats(quick) for one in comparators(ADULT, at, family)]


def _intercepts(quick: bool) -> list[Task]:
    return [one for at in _repeats(quick) for one in intercepts(ADULT, at, EPSILONS)]


def _beside_references(quick: bool) -> list[Task]:
    curve = [brc(ADULT, repeat, epsilon) for repeat in _repeats(quick) for epsilon in EPSILONS]
    kept = (ALL_COLUMNS, PUBLIC_COLUMNS)
    return curve + [task for at in _repeats(quick) for task in lines(ADULT, at) if task.labels["series"] in kept]


def _convergence(quick: bool) -> list[Task]:
    return [task for repeat in _repeats(quick) for task in _one_repeat(repeat)]


def _one_repeat(repeat: int) -> Iterator[Task]:
    for series, learner, epsilon in (
        (BRC, "brc", STAGED_EPSILON),
        (RANDOM_ADABOOST, "random-adaboost", None),
        (TRAINED_ADABOOST, "trained-adaboost", None),
    ):
        fit = {
            "data": ADULT.data,
            "file": None,
            "privacy": ADULT.privacy,
            "split": ADULT.split(repeat),
            "seed": 0,
            "learner": learner,
            "epsilon": epsilon,
            "rounds": ROUNDS,
        }
        for done in range(1, ROUNDS + 1):
            labels = {"panel": BALANCED, "series": series, "x": float(done), "value": f"round {done}"}
            yield Task("shen2022-staged", fit, labels)
    yield private_baseline(ADULT, repeat, BASELINE_EPSILON).labeled(x=None)


_STATED: dict[Place, float] = {
    (BALANCED, ALL_COLUMNS, None): PUBLISHED_REFERENCES["adult"]["all columns"],
    (BALANCED, PUBLIC_COLUMNS, None): PUBLISHED_REFERENCES["adult"]["public columns"],
}


def _comparison(letter: str, family: str, title: str, differences: tuple[str, ...]) -> Artefact:
    return Artefact(
        name=f"shen2022-figure4{letter}",
        title=title,
        paper=PAPER,
        setting="Section 7: the table, columns and epsilons of figure 2a, balanced; 25 rounds, 100 teachers.",
        differences=differences,
        hours=0.05,
        quick="5 of 10 random splits",
        full="10 random splits",
        axis=Axis("epsilon", "accuracy", "curve", log=True),
        tasks=partial(_beside, family),
        compare=partial(averaged, published=_STATED),
        data=("adult",),
        apart=lines_again,
    )


ARTEFACTS = (
    _comparison("a", "people", "BRC beside Boosting for People on adult", PEOPLE_DIFFERS),
    _comparison("b", "pate", "BRC beside PATE on split features on adult", PATE_DIFFERS),
    Artefact(
        name="shen2022-figure4c",
        title="How fast BRC converges on adult",
        paper=PAPER,
        setting=(
            "Section 7: 25 rounds on the balanced table; BRC at epsilon 0.1 with the columns of figure 2a private; "
            "AdaBoost over random classifiers of all columns, without privacy; private logistic regression as "
            "published at epsilon 0.01. Random classifiers have intercept zero."
        ),
        differences=CONVERGENCE,
        hours=0.01,
        quick="5 of 10 random splits",
        full="10 random splits",
        axis=Axis("round", "accuracy", "curve"),
        tasks=_convergence,
        compare=averaged,
        data=("adult",),
    ),
    FIGURE_4D,
    Artefact(
        name="shen2022-intercepts",
        title="BRC with three ways to find an intercept on adult",
        paper=PAPER,
        setting="Section 6: zero intercepts or random ones, or such as are selected. The setting is figure 2a's.",
        differences=INTERCEPTS,
        hours=0.01,
        quick="5 of 10 random splits",
        full="10 random splits",
        axis=Axis("epsilon", "accuracy", "curve", log=True),
        tasks=_intercepts,
        compare=averaged,
        data=("adult",),
    ),
)
