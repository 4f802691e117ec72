"""What private fits in this process have spent on the same protected columns; each fit is a release of its own."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from multiprocessing import parent_process
from threading import Lock
from typing import Any, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary, ref

from tacit.errors import PrivacyWarning
from tacit.models import ReleasedModel
from tacit.privacy import Budget, interposed, reserved
from tacit.schema import Schema


@dataclass(frozen=True)
class Spent:
    """What fits have spent by basic composition, if all saw the same people.

    Attributes
    ----------
    fits : int
    epsilon, delta : float
    """

    fits: int = 0
    epsilon: float = 0.0
    delta: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.fits + other.fits, self.epsilon + other.epsilon, self.delta + other.delta)


_NOTHING = Spent()
_spent: dict[str, Spent] = {}
"""By protected column or label: two schemas that share one may describe the same people."""
_said: dict[str, Spent] = {}
"""What the last warning said, by the same names."""
_lock = Lock()

_fitted_rows: WeakKeyDictionary[Any, ref[Any]] = WeakKeyDictionary()
"""The table that each living estimator was fitted on: which object it was, nothing of what is in it."""

_made_here: set[str] = set()
"""Names of the fits, and certificates of the learned schemas, that are in the tally."""


ModelT = TypeVar("ModelT", bound=ReleasedModel)


def count_fit(schema: Schema, budget: Budget, *, stacklevel: int = 3) -> None:
    """Note one more private fit; warn at the second, and again whenever the sum has doubled, with the new sum.

    A worker process sees its own fits only, and says so at its first one. A fit whose answers an audit forces or
    records does not count, as its model is not for publication. One that a ledger paid for adds to the sum and says
    nothing, as its ledger holds the sum over all processes. The learning of its schema is in its own certificate.
    """
    if interposed() is not None:
        return
    in_ledger = reserved() is not None
    in_worker = parent_process() is not None
    with _lock:
        names = _protected(schema)
        first = not _spent
        for name in names:
            _spent[name] = _spent.get(name, _NOTHING) + Spent(1, budget.epsilon, budget.delta)
        worst = max(names, key=lambda name: (_spent[name].epsilon, _spent[name].delta, _spent[name].fits))
        total = _spent[worst]
        # Doubling: a search of a thousand fits gives ten warnings, and the last is off by a factor of two at most.
        said = _said.get(worst, _NOTHING)
        grown = total.epsilon >= 2 * said.epsilon or (total.delta > 0 and total.delta >= 2 * said.delta)
        due = total.fits > 1 + (worst in _learned_here(schema)) and grown and not in_ledger
        if due:
            _said.update({name: _spent[name] for name in names})
    if due:
        warnings.warn(_sum_in_words(total, in_worker), PrivacyWarning, stacklevel=stacklevel)
    elif in_worker and first and not in_ledger:
        warnings.warn(
            "This is a worker process: it counts its own private fits, and neither those of other workers nor those "
            "of the process that started it. tacit.search_cost tells beforehand what all of them spend together.",
            PrivacyWarning,
            stacklevel=stacklevel,
        )


def spent(schema: Schema) -> Spent:
    """Return what fits in this process have spent on a column or label that the schema protects; the largest sum.

    Examples
    --------
    >>> from tacit.schema import Label, Numeric
    >>> spent(Schema([Numeric("height of a tower", 0, 900)], label=Label("falls", ["no", "yes"])))
    Spent(fits=0, epsilon=0.0, delta=0.0)
    """
    with _lock:
        sums = [_spent.get(name, _NOTHING) for name in _protected(schema)]
    return max(sums, key=lambda each: (each.epsilon, each.delta, each.fits), default=_NOTHING)


def forget_fits() -> None:
    """Start counting from zero, as in a new process."""
    with _lock:
        _spent.clear()
        _said.clear()
        _made_here.clear()


def remember_fit(estimator: Any) -> None:
    """Note that this estimator's own fit is one of the tally's; its copies, and those that were pickled, keep its name.

    A fit that could be repeated, whose certificate says so when it is saved, has none: its estimator stays the same.
    """
    estimator.__dict__.pop("_fit_name", None)  # of an earlier fit
    if estimator.privacy_.status == "private":
        estimator._fit_name = uuid4().hex
        _made_here.add(estimator._fit_name)


def remember_learning(schema: Schema) -> None:
    """Note that what a schema was learned by is in the tally: the certificate of each fit under it covers that."""
    if schema.learned is not None:
        _made_here.add(schema.learned.certificate)


def after_other_fits(estimator: Any, model: ModelT, *, stacklevel: int = 3) -> ModelT:
    """Return the model as it is to be saved: with its certificate saying how many other fits of its columns there were.

    Warns once a call where there were any: a choice by their scores is what no certificate covers. Fits in other
    processes are not known. A certificate that promises nothing stays as it is.
    """
    protected = _protected(model.schema)
    with _lock:
        learned = _learned_here(model.schema)
        fits = max((_spent.get(name, _NOTHING).fits - (name in learned) for name in protected), default=0)
        others = fits - (estimator.__dict__.get("_fit_name") in _made_here)
    if model.guarantee.status != "private" or others <= 0:
        return model
    warnings.warn(
        f"{others} other private fit{'s' if others > 1 else ''} of these columns came before in this process. If their "
        "scores chose this model or its settings, its certificate does not cover the choice, and says so in what it "
        "takes for granted. tacit.PaidSearch chooses under one certificate.",
        PrivacyWarning,
        stacklevel=stacklevel,
    )
    return replace(model, guarantee=model.guarantee.after_fits(others))


def remember_rows(estimator: Any, rows: Any) -> None:
    """Note which table the estimator was fitted on, without keeping it alive; lists cannot be noted."""
    try:
        _fitted_rows[estimator] = ref(rows)
    except TypeError:
        _fitted_rows.pop(estimator, None)


def warn_about_fitted_rows(estimator: Any, rows: Any, *, stacklevel: int = 4) -> None:
    """Warn once if these are the very rows that the estimator was fitted on.

    Predictions of private rows are made from their cells without noise, and so is whatever is computed from them.
    """
    noted = _fitted_rows.get(estimator)
    if noted is None or noted() is not rows:
        return
    del _fitted_rows[estimator]
    warnings.warn(
        "These are the rows that the model was fitted on. Their predictions, and what is computed from them and the "
        "labels (scores, calibration, thresholds, permutation importance), are answers without noise, which no "
        "certificate covers. Keep them to yourself, or use public rows.",
        PrivacyWarning,
        stacklevel=stacklevel,
    )


def _learned_here(schema: Schema) -> tuple[str, ...]:
    """Return the entries of a schema whose learning is in the tally."""
    learned = schema.learned
    return learned.entries if learned is not None and learned.certificate in _made_here else ()


def _protected(schema: Schema) -> tuple[str, ...]:
    return (*schema.full.private_columns, *([schema.label.name] if schema.label.private else []))


def _sum_in_words(total: Spent, in_worker: bool) -> str:
    where = "this worker process alone" if in_worker else "this process"
    return (
        f"{total.fits} private fits in {where} had protected columns in common. If they saw the same people, together "
        f"they have spent epsilon {total.epsilon:g} and delta {total.delta:g}, which no certificate of a single fit "
        "covers. Fits in other processes are not counted; scores, calibration and thresholds computed from private "
        "rows are answers without noise, which no sum covers. tacit.search_cost says beforehand what a search spends. "
        "tacit.PaidSearch chooses settings under one certificate. A ledger (`tacit ledger new --schema`, then ledger= "
        "or --ledger) keeps the sum over all processes, and within a limit."
    )
