"""Every learner of the package in every case of public and private cells, replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Any

from tacit.audit.findings import Claim, Finding
from tacit.audit.neighbors import Pair
from tacit.audit.person_pairs import with_identifier
from tacit.audit.recording import Fits
from tacit.audit.search import replay
from tacit.audit.units import claim_for, pairs_of_unit
from tacit.estimators import make_rados
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.schema.identifier import RowsOfPerson
from tacit.study.learners import private_learners

_TWO = ("no", "yes")


def _schema(classes: Sequence[str] = _TWO, *, columns: bool = True, label: bool = True) -> Schema:
    parts = [Numeric("a", -1, 1, cuts=(-0.5, 0.0, 0.5)), Numeric("b", 0, 10, private=columns)]
    return Schema([*parts, Categorical("c", ["x", "y", "z"])], label=Label("y", list(classes), private=label))


FOUR_CASES: dict[str, Schema] = {
    "everything private": _schema(),
    "a public column": _schema(columns=False),
    "a public label": _schema(label=False),
    "a public column and label": _schema(columns=False, label=False),
}
"""Small schemas by what is public: in small tables one row weighs most."""

_OF_MORE: dict[str, Schema] = {
    "three classes": _schema("abc"),
    "three classes, a public label": _schema("abc", label=False),
    "seven classes": _schema("abcdefg"),
}

_CATEGORIES = "three classes, categories alone"
CASES: dict[str, Schema] = {
    **FOUR_CASES,
    **_OF_MORE,
    _CATEGORIES: Schema([Categorical(name, ["x", "y"]) for name in "abcdef"], label=Label("y", ["a", "b", "c"])),
}
"""The four cases of two classes, some of more, for each learner's first settings, and one where columns are chosen."""

_FEW = {"rounds": 3}
SETTINGS: dict[str, tuple[Mapping[str, Any], ...]] = {
    "boosted-trees": (
        {"n_trees": 2, "structure": "oblivious"},
        {"n_trees": 2, "structure": "additive", "cut_points": "grid"},
        {"n_trees": 4, "structure": "mixed"},
        {"n_trees": 2, "class_weight": "balanced"},
    ),
    "brc": (_FEW, {**_FEW, "intercept": "selected", "encoding": "one-hot"}),
    "lazybb": (
        _FEW,
        {**_FEW, "weak_learner": "tree"},
        {**_FEW, "cut_points": "private"},
        {**_FEW, "explain_share": 0.3},
    ),
    "logistic": (
        {},
        {"encoding": "ranked", "cut_points": "private"},
        {"method": "k-norm", "encoding": "binned"},
        {"method": "mean-operator", "encoding": "binned"},
        {"method": "objective-perturbation"},
        {"method": "k-norm", "encoding": "binned", "cut_points": "private"},
        {"method": "k-norm", "class_weight": "balanced"},
        {"method": "k-norm", "explain_share": 0.3},
    ),
    "naive-bayes": ({}, {"cut_points": "private"}),
    "radoboost": ({"count": 40, "rounds": 10},),
    "svm": ({}, {"cut_points": "private"}, {"method": "k-norm", "explain_share": 0.3}),
    "tree": (
        {},
        {"criterion": "gini"},
        {"criterion": "counts", "growth": "level", "max_depth": 2},
        {"growth": "level"},
        {"cut_points": "private"},
        {"class_weight": "balanced"},
        {"explain_share": 0.3},
    ),
}
"""Settings that make different releases; few rounds, so that each has a large share. Learners that are not named are
audited with their defaults."""

_WITH_DELTA: dict[str, tuple[Mapping[str, Any], ...]] = {
    "logistic": ({"method": "gaussian-objective"}, {"encoding": "binned"}, {"encoding": "ranked"}),
    "radoboost": ({"protection": "edges", "count": 3, "rounds": 3},),
}


@dataclass
class _Rados:
    """Rados as a subject, as they may be handed over without a model."""

    schema: Schema
    claim: Claim
    random_state: int | None = None
    on_invalid: str = "coerce"
    rados: str = field(default="", init=False)

    def fit(self, X: Any, y: Any) -> _Rados:
        """Make them, and keep them as text."""
        made = make_rados(
            X,
            y,
            self.schema,
            epsilon=self.claim.epsilon,
            delta=self.claim.delta,
            count=40,
            on_invalid="coerce",
            ledger="none",
            random_state=self.random_state,
        )
        self.rados = f"{made.rados.tolist()} {made.description}"
        return self


@dataclass(frozen=True)
class Replayable:
    """A learner with its settings, in one case.

    Parameters
    ----------
    learner : str
        As ``tacit fit --learner`` has it, or "rados".
    case : str
        A key of ``CASES``.
    settings : dict
    claim : Claim
    """

    learner: str
    case: str
    settings: Mapping[str, Any]
    claim: Claim
    persons: RowsOfPerson | None = None
    """Where rows are of persons, what counts of them: neighbors then differ in all rows of one."""

    @property
    def schema(self) -> Schema:
        """What is public."""
        return CASES[self.case] if self.persons is None else with_identifier(CASES[self.case], self.persons)

    def pairs(self, seed: int) -> Iterator[Pair]:
        """Yield pairs of neighbors without end."""
        return pairs_of_unit(self.schema, seed=seed)

    @property
    def name(self) -> str:
        """Learner, settings and case, for a report."""
        settings = ", ".join(f"{key}={value}" for key, value in self.settings.items())
        delta = f", delta {self.claim.delta:g}" if self.claim.delta else ""
        persons = "" if self.persons is None else f", persons of rows {self.persons}"
        epsilon = "" if self.claim.epsilon == 1 else f", epsilon {self.claim.epsilon:g}"
        return f"{self.learner}{f' ({settings})' if settings else ''}, {self.case}{persons}{epsilon}{delta}"

    def make(self) -> Fits:
        """Return the unfitted object; invalid cells are coerced, so that every table can be fitted."""
        if self.learner == "rados":
            return _Rados(self.schema, self.claim)
        given = {"epsilon": self.claim.epsilon, "delta": self.claim.delta, "on_invalid": "coerce", **self.settings}
        given["ledger"] = "none"  # the rows are nobody's
        return private_learners()[self.learner](self.schema, **given)


def every_case(*, epsilon: float = 1.0, delta: float = 1e-3) -> Iterator[Replayable]:
    """Yield every learner and its settings in every case, at a pure claim and at one with delta.

    Of more than two classes its first settings alone; rados are of two.

    The delta is below one over the number of rows of the largest table that an audit tries.

    Examples
    --------
    >>> len({each.learner for each in every_case()}) > 8
    True
    """
    for learner in (*sorted(private_learners()), "rados"):
        settings = SETTINGS.get(learner, ({},))
        for case in FOUR_CASES:
            for each in settings:
                yield Replayable(learner, case, each, Claim(epsilon))
            for each in (*settings, *_WITH_DELTA.get(learner, ())):
                yield Replayable(learner, case, each, Claim(epsilon, delta))
        if learner == "auto":
            # At the full claim it takes a tree for one or two rows alone, too few for a question's largest loss.
            yield Replayable(learner, "everything private", {}, Claim(epsilon / 10, delta))
        if learner == "logistic":
            # Of 6 to 29 rows columns are chosen at this epsilon, from 18 on by released counts of the classes.
            yield Replayable(learner, _CATEGORIES, {"encoding": "ranked"}, Claim(15 * epsilon, delta))
        if learner != "rados":
            claims = Claim(epsilon), Claim(epsilon, delta)
            yield from (Replayable(learner, case, settings[0], claim) for case in _OF_MORE for claim in claims)


def every_case_of_persons(*, epsilon: float = 1.0, delta: float = 1e-3) -> Iterator[Replayable]:
    """Yield every learner that protects persons, where each person weighs one.

    Examples
    --------
    >>> sorted({each.learner for each in every_case_of_persons()})
    ['auto', 'boosted-trees', 'brc', 'lazybb', 'logistic', 'naive-bayes', 'radoboost', 'rados', 'svm', 'tree']
    """
    for one in every_case(epsilon=epsilon, delta=delta):
        if one.settings.get("protection") != "edges":  # it protects a row of each
            of_persons = replace(one, persons="mean")
            yield replace(of_persons, claim=claim_for(one.claim, of_persons.schema))


def replay_every_case(
    *,
    pairs: int = 40,
    search: int = 40,
    seed: int = 0,
    epsilon: float = 1.0,
    delta: float = 1e-3,
    persons: bool = False,
) -> Iterator[Finding]:
    """Replay all of them, and yield one finding after the other.

    Parameters
    ----------
    pairs : int
        Of each learner, settings and case.
    search : int
        Further pairs of a local search, for each release below 0.9 of its share.
    seed : int
    epsilon, delta : float
        Claims: (epsilon, 0) and (epsilon, delta).
    persons : bool
        Whether neighbors differ in all rows of one person.
    """
    listed = every_case_of_persons if persons else every_case
    for number, one in enumerate(listed(epsilon=epsilon, delta=delta)):
        offered = islice(one.pairs(seed + number), pairs)
        yield replay(partial(one.make), offered, claim=one.claim, subject=one.name, seed=seed + number, search=search)
