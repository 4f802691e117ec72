"""Sampling audits of any object with fit and predict: its maker is called for each run, on either of two tables."""

from __future__ import annotations

import inspect
import platform
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, packages_distributions
from importlib.metadata import version as version_of
from math import inf
from typing import Any, TypedDict, Unpack

import numpy as np

from tacit.audit.findings import Claim, Control, Finding
from tacit.audit.outputs import as_outputs, fitted_numbers
from tacit.audit.runs import RunStore
from tacit.audit.samplers import Outputs, RandomizedResponse, Sampler
from tacit.audit.sampling import Effort, Evidence, Progress, lower_bound
from tacit.audit.table_pairs import TablePair
from tacit.audit.trade_offs import ApproximateTradeOff, TradeOff
from tacit.errors import ParameterError
from tacit.version import __version__

Maker = Callable[..., Any]
"""Returns an unfitted object; may take ``epsilon`` and ``seed`` by keyword."""


class How(TypedDict, total=False):
    """How a sampling audit runs, whatever is sampled.

    ``effort``: its minutes are shared by all parts of the audit. ``store``: an audit that was interrupted goes on from
    there. ``progress``: gets the part's name and its progress.
    """

    effort: Effort | None
    store: RunStore | None
    progress: Callable[[str, Progress], None] | None


NOT_SEEN = (
    "Other neighbors than those that were tried, and other settings.",
    "What the outputs show beyond the numbers that were looked at: predictions of chosen rows, public attributes.",
    "Leaks of small probability: fewer than a few in the runs made.",
    "Running time, memory, messages.",
)
"""What no sampling audit sees."""


@dataclass(frozen=True, eq=False)
class Fits:
    """A sampler whose runs are fits; a fit that fails shows the type of its error.

    Parameters
    ----------
    make : callable
    pair : TablePair
    knobs : dict
        For the maker, such as epsilon.
    """

    make: Maker
    pair: TablePair
    knobs: dict[str, float]

    def draw(self, side: int, count: int, seed: int) -> Outputs:
        """Return what so many fits of one table show."""
        seeds = np.random.SeedSequence(seed).generate_state(count).tolist()
        return as_outputs([self._run(side, each) for each in seeds])

    def _run(self, side: int, seed: int) -> dict[str, float]:
        knobs: dict[str, Any] = dict(self.knobs)
        if "seed" in inspect.signature(self.make).parameters:
            knobs["seed"] = seed
        X, y = (self.pair.first, self.pair.second)[side]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                fitted = self.make(**knobs).fit(X, y)
            except Exception as error:  # noqa: BLE001  that a fit fails is an output as well, seen by who waits for it
                return {f"raised {type(error).__name__}": 1.0}
            return fitted_numbers(fitted, self.pair.probes, self.pair.classes)


def load_maker(name: str) -> Maker:
    """Return the function that ``package.module:function`` names.

    Raises
    ------
    ParameterError
        If the text has another form, the module cannot be imported, or has no such callable.

    Examples
    --------
    >>> load_maker("sklearn.naive_bayes:GaussianNB").__name__
    'GaussianNB'
    """
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ParameterError(f"Expected module:function, got object={name!r}. Name it as my_package.my_module:make.")
    try:
        found: Any = getattr(import_module(module), attribute, None)
    # Whatever an import raises, SystemExit as well: the module is another's, and holds no rows.
    except (Exception, SystemExit) as error:  # noqa: BLE001
        raise ParameterError(
            f"Expected a module that can be imported, got object={name!r}: {type(error).__name__}: {error}. "
            "Check it and PYTHONPATH."
        ) from None
    try:
        inspect.signature(found)
    except (TypeError, ValueError):
        raise ParameterError(
            f"Expected a function of {module}, got object={name!r}. Name one that makes the object."
        ) from None
    return found  # type: ignore[no-any-return]


def audit_object(
    make: Maker,
    claim: Claim,
    pairs: Sequence[TablePair],
    *,
    subject: str = "",
    trade_off: TradeOff | None = None,
    **how: Unpack[How],
) -> Finding:
    """Return what sampling finds about an object's claim, and about the same object at half the noise.

    Parameters
    ----------
    make : callable
        Returns an unfitted object with ``fit(X, y)``. Where it takes ``epsilon``, it is called with the claim's and,
        for half the noise, with twice that; where it takes ``seed``, with one of each run's own.
    claim : Claim
    pairs : sequence of TablePair
        Neighbors under the claim's relation.
    subject : str
    trade_off : TradeOff, optional
        What the claim says of events; that of (epsilon, delta) by default.
    **how
        Effort, store of runs and progress: ``How``.

    Raises
    ------
    ParameterError
        If no pair is given, or the object fits neither table of any.
    """
    if not pairs:
        raise ParameterError("Expected at least one pair of neighbors, got none. Pass two tables or a schema.")
    knob = "epsilon" in inspect.signature(make).parameters
    claimed, doubled = ({"epsilon": factor * claim.epsilon} if knob else {} for factor in (1, 2))
    _check_fits(make, pairs, claimed)
    return audit_samplers(
        [Fits(make, pair, claimed) for pair in pairs],
        [Fits(make, pair, doubled) for pair in pairs] if knob else (),
        claim,
        subject=subject or getattr(make, "__qualname__", type(make).__name__),
        trade_off=trade_off,
        source=make,
        **how,
    )


def audit_samplers(
    claimed: Sequence[Sampler],
    halved: Sequence[Sampler],
    claim: Claim,
    *,
    subject: str,
    trade_off: TradeOff | None = None,
    source: Maker | None = None,
    stop_above: float | None = None,
    **how: Unpack[How],
) -> Finding:
    """Return what sampling finds about a claim, with half the noise and exact mechanisms as controls.

    Parameters
    ----------
    claimed : sequence of Sampler
        One for each pair of neighbors.
    halved : sequence of Sampler
        The same pairs at half the noise; none where it cannot be had.
    claim : Claim
    subject : str
    trade_off : TradeOff, optional
    source : callable, optional
        Of the library whose version is recorded.
    stop_above : float, optional
        The audit of the claim ends at a larger bound; at the claim's epsilon by default.
    **how
        Effort, store of runs and progress: ``How``.
    """
    effort, trade_off = how.get("effort") or Effort(), trade_off or ApproximateTradeOff(claim.delta)
    start, half = time.perf_counter(), None
    bench = _Bench(claim, trade_off, effort, how.get("store") or RunStore(), how.get("progress"), subject)
    if halved:
        # First, as a larger loss shows sooner which pair is the best, and what it saves goes to the claim.
        half = bench.run("half the noise", halved, 0.4, stop_above=claim.epsilon)
        claimed = [claimed[half.pair]]
    enough = claim.epsilon if stop_above is None else stop_above
    main = bench.run("the claim", claimed, 1.0, stop_above=enough)
    return Finding(
        subject=subject,
        claim=claim,
        method="sampling",
        bound=main.bound,
        confidence=effort.confidence,
        tried=main.runs,
        seed=effort.seed,
        half_noise=half.bound if half else None,
        controls=bench.controls(main.runs // 2, half),
        not_seen=NOT_SEEN,
        versions=versions(source),
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=time.perf_counter() - start,
    )


@dataclass
class _Bench:
    """Runs the parts of one audit, each with its share of the time that is left."""

    claim: Claim
    trade_off: TradeOff
    effort: Effort
    store: RunStore
    progress: Callable[[str, Progress], None] | None
    name: str
    spent: float = 0.0

    def run(self, part: str, samplers: Sequence[Sampler], share: float, *, stop_above: float = inf) -> Evidence:
        """Audit one part with a share of the time that is left."""
        left = max(self.effort.minutes - self.spent / 60, 0.0)
        tell = self.progress
        shown = (lambda progress: tell(part, progress)) if tell else None
        found = lower_bound(
            samplers,
            self.trade_off,
            replace(self.effort, minutes=share * left),
            stop_above=stop_above,
            name=f"{self.name}/{self.claim}/{part}",
            store=self.store,
            progress=shown,
        )
        self.spent += found.seconds
        return found

    def controls(self, runs: int, half: Evidence | None) -> tuple[Control, ...]:
        """Audit an exact mechanism at the claim and at twice its epsilon, with as many runs."""
        epsilon, found = self.claim.epsilon, []
        if half:
            found.append(Control("half the noise", half.bound, True, half.bound > epsilon))
        for name, factor in (("randomized response", 1), ("randomized response, twice the epsilon", 2)):
            effort = replace(self.effort, most=max(runs, 1000), minutes=1.0)
            seen = lower_bound(
                [RandomizedResponse(factor * epsilon)], ApproximateTradeOff(self.claim.delta), effort, name=name
            )
            found.append(Control(name, seen.bound, factor > 1, seen.bound > epsilon))
        return tuple(found)


def versions(make: Maker | None) -> dict[str, str]:
    """Return the versions of Python, of this package, and of the library that the maker comes from."""
    found = {"python": platform.python_version(), "tacit": __version__, "numpy": np.__version__}
    package = getattr(make, "__module__", "").partition(".")[0]
    for distribution in packages_distributions().get(package, ()):
        try:
            found[distribution] = version_of(distribution)
        except PackageNotFoundError:
            continue
    return found


def _check_fits(make: Maker, pairs: Sequence[TablePair], knobs: dict[str, float]) -> None:
    """Raise where an audit would only see failures."""
    raised = []
    for pair in pairs:
        for side in (0, 1):
            shown = Fits(make, pair, knobs).draw(side, 1, 0)
            if not all(name.startswith("raised ") for name in shown):
                return
            raised += list(shown)
    raise ParameterError(
        f"Expected an object that can be fitted to the tables, got one that {raised[0]} on both. Check the tables."
    )
