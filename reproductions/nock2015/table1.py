"""Table 1 of Nock, Patrini and Friedman (2015): RadoBoost beside AdaBoost, without privacy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from scipy import stats

import reproductions.nock2015.measures  # noqa: F401  registers "nock2015-plain" and others
from reproductions.framework.artefact import Artefact, Axis, Paper, compared
from reproductions.framework.comparison import Place, averaged
from reproductions.nock2015.settings import FOLDS, ROUNDS
from tacit.study.run import Task

PAPER = Paper(
    "nock2015", "R. Nock, G. Patrini, A. Friedman: Rademacher Observations, Private Data, and Boosting. ICML 2015."
)

PRINTED = ("abalone", "wine-white", "magic-gamma", "eeg-eye-state")
FURTHER = (
    "wine-red",
    "blood-transfusion",
    "ionosphere",
    "sonar",
    "banknote",
    "fertility",
    "haberman",
    "german-credit",
    "breast-cancer-wisconsin",
)
"""Small tables whose numbers, where the paper has them, are in its supplement."""

LARGE = ("hardware", "twitter", "susy", "higgs")
"""Printed; run where their files are, and never downloaded for this."""

LEARNERS = {"AdaBoost": "adaboost", "AdaBoost(n)": "adaboost(n)", "RadoBoost": "radoboost"}

ERRORS: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "abalone": ((22.96, 1.44), (23.20, 1.44), (25.14, 1.83)),
    "wine-white": ((30.93, 3.42), (30.44, 3.25), (32.48, 3.55)),
    "magic-gamma": ((21.07, 0.98), (20.91, 0.99), (22.75, 1.51)),
    "eeg-eye-state": ((46.04, 1.38), (44.36, 1.99), (44.23, 1.73)),
    "hardware": ((16.82, 0.72), (16.76, 0.73), (7.61, 3.24)),
    "twitter": ((53.75, 1.48), (53.09, 11.23), (6.00, 0.77)),
    "susy": ((27.76, 0.14), (27.43, 0.19), (27.26, 0.55)),
    "higgs": ((42.55, 0.19), (45.39, 0.28), (47.86, 0.06)),
}
"""Errors in percent, mean and deviation over ten folds, in the order of ``LEARNERS``."""

TESTS: dict[str, dict[str, float]] = {
    "abalone": {},
    "wine-white": {},
    "magic-gamma": {"AdaBoost(n)": 0.01},
    "eeg-eye-state": {"AdaBoost(n)": 0.86},
    "hardware": {},
    "twitter": {},
    "susy": {"AdaBoost": 0.02, "AdaBoost(n)": 0.39},
    "higgs": {},
}
"""p (against AdaBoost) and p' (against AdaBoost(n)); what is left out is printed as "below 0.01"."""

AGAINST = ("AdaBoost", "AdaBoost(n)")

OUTLIERS = {"wine-white": 1, "eeg-eye-state": 14, "twitter": 44}
"""Features beyond 100 deviations; none in the other printed domains."""

ERROR, TEST, OUTLIER = "test error, %", "p-value of RadoBoost against", "features beyond 100 deviations"

BESIDE = {"RadoBoost, iterate by rado risk": "radoboost, by rado risk"}
"""Not in the paper: what can be chosen without reading the examples again."""


def _tasks(quick: bool) -> list[Task]:
    return [task for name in (*PRINTED, *FURTHER, *(() if quick else LARGE)) for task in _of_table(name)]


def _of_table(name: str) -> Iterator[Task]:
    for series, value in (LEARNERS | BESIDE).items():
        for fold in range(FOLDS):
            inputs = {"data": name, "fold": fold, "folds": FOLDS, "rounds": ROUNDS, "protect": False}
            yield Task("nock2015-plain", inputs, {"panel": ERROR, "series": series, "x": name, "value": value})
    yield Task("nock2015-outliers", {"data": name}, {"panel": OUTLIER, "series": "features", "x": name})


SAMPLE, SAMPLE_FOLDS = "higgs-sample", 4


def _sample_tasks(quick: bool) -> list[Task]:
    return [
        Task(
            "nock2015-plain",
            {"data": SAMPLE, "fold": fold, "folds": SAMPLE_FOLDS, "rounds": ROUNDS, "protect": False},
            {"panel": ERROR, "series": series, "x": SAMPLE, "value": value},
        )
        for series, value in LEARNERS.items()
        for fold in range(SAMPLE_FOLDS)
    ]


def _compare_sample(rows: pl.DataFrame) -> pl.DataFrame:
    whole = dict(zip(LEARNERS, ERRORS["higgs"], strict=True))
    notes = {(ERROR, series, SAMPLE): f"of all 11,000,000 rows: {mean:g}" for series, (mean, _) in whole.items()}
    return averaged(rows, notes=notes)


def _compare(rows: pl.DataFrame) -> pl.DataFrame:
    errors, outliers = (rows.filter(pl.col("panel") == panel) for panel in (ERROR, OUTLIER))
    printed = {(OUTLIER, "features", name): float(OUTLIERS.get(name, 0)) for name in ERRORS}
    return pl.concat(
        [
            _said(averaged(errors, published=_printed_errors(), notes=_notes())),
            compared(_test(errors, name, against) for name in (*PRINTED, *FURTHER, *LARGE) for against in AGAINST),
            averaged(outliers, "features", published=printed),
        ]
    )


def _said(found: pl.DataFrame) -> pl.DataFrame:
    """Say of each large table that was not run why: its file is downloaded for nobody who did not ask."""
    absent = pl.col("x").is_in(LARGE) & (pl.col("runs") == 0) & ~pl.col("note").str.contains("not run")
    return found.with_columns(
        note=pl.when(absent).then(pl.col("note") + "; not run: file not at hand").otherwise(pl.col("note"))
    )


def _printed_errors() -> dict[Place, float]:
    return {(ERROR, series, name): mean for name, series, mean, _ in _printed()}


def _notes() -> dict[Place, str]:
    return {(ERROR, series, name): f"published deviation {deviation:g}" for name, series, _, deviation in _printed()}


def _printed() -> Iterator[tuple[str, str, float, float]]:
    for name, errors in ERRORS.items():
        for series, (mean, deviation) in zip(LEARNERS, errors, strict=True):
            yield name, series, mean, deviation


def _test(rows: pl.DataFrame, name: str, against: str) -> dict[str, Any]:
    """Return a two-sided paired t-test over the folds that are done."""
    kept = [row for row in rows.iter_rows(named=True) if row["x"] == name and row["status"] == "done"]
    theirs = [row[LEARNERS[against]] for row in kept if row["series"] == against]
    ours = [row["radoboost"] for row in kept if row["series"] == against]
    printed = TESTS.get(name, {}).get(against)
    return {
        "panel": TEST,
        "series": against,
        "x": name,
        "ours": _p_value([a - b for a, b in zip(theirs, ours, strict=True)]),
        "runs": len(ours),
        "published": printed,
        "note": _note_of_test(name, printed, len(ours)),
    }


def _note_of_test(name: str, printed: float | None, folds: int) -> str:
    if printed is None:
        return "published as below 0.01" if name in TESTS else ""
    return "not run: file not at hand" if name in LARGE and folds == 0 else ""


def _p_value(differences: list[float]) -> float | None:
    """Return the p-value of a two-sided t-test; None where it is undefined, as all differences are the same."""
    if len(set(differences)) < 2:
        return None
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


ARTEFACTS = (
    Artefact(
        name="nock2015-table1",
        title="RadoBoost and AdaBoost without privacy",
        paper=PAPER,
        setting=(
            "Stratified 10-fold cross-validation, features standardized on the training fold, 1,000 rounds, the "
            "iterate with the least training error; n = min(1000, half of the training fold) rados or, for "
            "AdaBoost(n), rows. Errors in percent; two-sided paired t-tests over folds, the paper's p and p'."
        ),
        differences=(
            "The labels of abalone and the wines are not stated; rings >= 10 and quality >= 6 give the paper's errors.",
            "Errors are within half of the paper's deviations but for AdaBoost(n) on eeg-eye-state, 39.5 against "
            "44.36: a thousand rows mostly miss the few absurd voltages. With those in the sample it is 45.2, with "
            "features divided by their largest size in the whole fold 46.6; the paper says neither. Its p-value "
            "follows, 0.001 against 0.86.",
            "Counted on the whole table, 7 features of eeg-eye-state are beyond 100 deviations and none of wine-white; "
            "the paper has 14 and 1, and does not say of which rows the deviations are.",
            "Hardware, Twitter, SuSy and Higgs run where their files are (`python -m reproductions --fetch susy` "
            "downloads one), not in the quick form, and were never run by us. The class of hardware and Twitter is a "
            "guess, a score of 500 or more; of hardware and SuSy the paper has one feature fewer than documented.",
            "Numbers of the smaller tables are in the paper's supplement, and not here.",
        ),
        hours=0.01,
        quick="all but the large tables: ten folds, 1,000 rounds",
        full="ten folds, 1,000 rounds",
        axis=Axis("data set", "test error, %", "table"),
        tasks=_tasks,
        compare=_compare,
        data=(*PRINTED, *FURTHER, *LARGE),
        large=LARGE,
        tried=(
            "AdaBoost(n) on eeg-eye-state: the few absurd voltages in the sample of a thousand rows give 45.2, "
            "features divided by their largest size 46.6 (44.36; 39.5 at random); its p-value follows. Features beyond "
            "100 deviations are counted on the whole table alone."
        ),
    ),
    Artefact(
        name="nock2015-table1-sample",
        title="RadoBoost and AdaBoost on a sample of Higgs",
        paper=PAPER,
        setting=(
            "10,984 of Higgs's 11,000,000 rows, picked nobody knows how: a sample, and not table 1. Four stratified "
            "folds, else as table 1."
        ),
        differences=(
            "The paper has 42.55, 45.39 and 47.86 on all rows: RadoBoost last, where it is first on this sample. "
            "A thousandth of the rows cannot say why.",
        ),
        hours=0.02,
        quick="all of it: four folds, 1,000 rounds",
        full="four folds, 1,000 rounds",
        axis=Axis("data set", "test error, %", "table"),
        tasks=_sample_tasks,
        compare=_compare_sample,
        data=(SAMPLE,),
    ),
)
