"""Privacy accountant: every value computed from protected cells is charged, drawn and recorded here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from threading import Lock
from typing import NoReturn, TypeVar

from tacit.errors import ParameterError, PrivacyError
from tacit.privacy.assumptions import IDEAL_DRAWS, PARALLEL, assumptions_for, of_cells
from tacit.privacy.charge import ReservedCharge, reserved
from tacit.privacy.guarantee import CERTIFICATE_VERSION, Guarantee, Status
from tacit.privacy.limit import Limit, slices_of
from tacit.privacy.loss import ZCDP, Budget, Share
from tacit.privacy.mechanism import Mechanism, NoiseSource
from tacit.privacy.parameters import counting
from tacit.privacy.plan import Composition, Division, PlanEntry, PrivacyFilter, divide
from tacit.privacy.progress_events import tell_announced, tell_released
from tacit.privacy.random_runs import UNSEEN_RUNS, RandomRuns
from tacit.privacy.release import PendingRelease, ReleaseRecord, describe, interposed, observe, sample
from tacit.privacy.rounding import down
from tacit.privacy.statistic import Statistic
from tacit.privacy.unit import PrivacyUnit

StatisticT = TypeVar("StatisticT", bound=Statistic)
AnswerT = TypeVar("AnswerT")

INTERPOSED = "Answers were forced or recorded."
"""Why the certificate of a fit under ``interposing`` is void."""


class Accountant:
    """Spends one budget on announced releases, and records each.

    Privacy: pure losses add up; under zcdp composition rhos add up and are converted once. Both stay valid
    when a release is chosen by the answers to earlier ones, as only the limit is promised (privacy filters:
    Rogers and others 2016; Feldman and Zrnic 2021). Proof: ``proofs/privacy/composition.md``. An accountant
    cannot be pickled or copied, so that no budget is spent twice: never make it an estimator's parameter. Where a
    ledger has charged the fit (``paying``), it takes that charge, and spends no more.

    Raises ParameterError if delta >= 1/n_rows.

    Parameters
    ----------
    unit : PrivacyUnit
        Of every statistic that it will release.
    n_rows : int
        Public; of persons where the unit's identifier names them.
    composition : {"pure", "zcdp"}, optional
        The only one that its plan may have.
    charged : ReservedCharge, optional
        Of the whole, for an accountant of one of its slices or runs; else the charge of the context is taken.
    """

    def __init__(
        self,
        budget: Budget,
        unit: PrivacyUnit,
        noise: NoiseSource,
        *,
        n_rows: int,
        composition: Composition | None = None,
        charged: ReservedCharge | None = None,
    ) -> None:
        budget.check_rows(n_rows)
        self._in_secret = False
        self._charged = charged
        if charged is None and not unit.protects_nothing:
            self._charged = _taken(budget)
        self._budget, self._unit, self._noise, self._n_rows = budget, unit, noise, counting("n_rows", n_rows)
        self._filter = PrivacyFilter(divide(budget, [], "pure"))
        self._announced = False
        self._shares: tuple[Share, ...] = ()
        self._was_answered_for = False
        self._lines: list[ReleaseRecord] = []
        self._slices: tuple[Accountant, ...] = ()
        self._composition = composition
        self._runs: RandomRuns | None = None
        self._best: tuple[Accountant, ...] = ()
        self._lock = Lock()

    def split(self, plan: int | Sequence[PlanEntry], *, composition: Composition | None = None) -> list[Share]:
        """Announce all releases and divide the budget among them; may be called once, before any release.

        Raises PrivacyError on a second call, or ParameterError if the plan cannot be paid.

        Parameters
        ----------
        plan : int or sequence of PlanEntry
            An integer means that many noisy releases of equal share.
        composition : {"pure", "zcdp"}, optional
            By default the one that needs less noise for this plan; always pure if delta is zero.

        Returns
        -------
        list of PureDP or ZCDP
            A share for each release in order, each count written out; approximate releases get none, as
            theirs is in the plan. The shares' exact sum is within the budget.
        """
        announced = list(plan) if isinstance(plan, Sequence) else [PlanEntry("noise", counting("plan", plan))]
        if not all(isinstance(release, PlanEntry) for release in announced):
            raise ParameterError(f"Expected an integer or Planned releases, got plan={plan!r}. List them.")
        # Outside of the lock, as a plan that cannot be paid must leave the accountant as it was.
        charged = self._charged
        if charged:
            charged.check(announced)
        only = (charged and charged.composition) or self._composition
        # A ledger's rho and a slice's are added to others', so that they are counted as rho.
        exact_last = only is None and composition is None and self._unit.slice is None
        division = divide(self._budget, announced, only or composition, exact_last=exact_last)
        with self._lock:
            if self._announced:
                raise PrivacyError("Expected one split a fit, got a second. Announce all releases in the first.")
            self._filter, self._announced = PrivacyFilter(division), True
            self._shares = division.shares if division.composable else ()
        if not self._in_secret:
            tell_announced(sum(release.count for release in announced))
        return list(division.shares)

    def release(self, mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT) -> AnswerT:
        """Check the budget, charge it, sample, and record the release, in this order.

        Privacy: the answer is the mechanism's output, at the cost of ``mechanism.loss(statistic)``.

        Raises BudgetExceeded if the loss is above what is left; nothing is spent, or PrivacyError if the unit is
        another or protects nothing, no split was announced, the loss has no meaning under the chosen composition
        (nothing is spent), or the sampler fails (the budget stays spent).
        """
        self._admit(statistic)
        line = describe(mechanism, statistic, self._filter, self._noise)
        loss = mechanism.loss(statistic)
        if isinstance(loss, ZCDP) and loss.gaussian and line.sensitivity_kind != "l2":
            raise PrivacyError(f"Expected Gaussian noise for this share, got a {line.mechanism}. Announce its kind.")
        # Charged before anything is drawn: a sampler that fails half way may have shown something.
        if self._charged:
            self._charged.check_process()
        with self._lock:
            self._filter.charge(loss)
        answer = self._answer(line, mechanism, statistic)
        with self._lock:
            self._lines.append(replace(line, order=len(self._lines) + 1))
        if not self._in_secret:
            observe(line, answer)
            tell_released()
        return answer

    def _answer(self, line: ReleaseRecord, mechanism: Mechanism[StatisticT, AnswerT], statistic: StatisticT) -> AnswerT:
        """Return the mechanism's answer, or that of an audit, which voids the certificate."""
        answerer = interposed()
        if answerer is None:
            return sample(mechanism, statistic, self._noise)
        # Before the call: what the function sees is seen even if it fails.
        self._was_answered_for = True
        answer: AnswerT = answerer(PendingRelease(line, mechanism, statistic, self._noise))
        return answer

    def in_parallel(self, units: Sequence[PrivacyUnit], *, n_rows: Sequence[int]) -> tuple[Accountant, ...]:
        """Return an accountant for each of several disjoint slices of the rows, in place of a split.

        Each may spend this accountant's whole budget, and together they cost it once: neighbors differ in one row,
        which is in one slice, so the cost of all releases is the largest of the slices' and not their sum.

        Privacy: an accountant of a slice refuses statistics of other rows. Proof: ``proofs/privacy/composition.md``.

        Raises PrivacyError if slices were not made together or occur twice, or releases were announced or made before,
        or ParameterError if delta >= 1/n_rows of a slice.

        Parameters
        ----------
        units : sequence of PrivacyUnit
            Made together, by ``PrivacyUnit.divided`` of this accountant's unit.
        n_rows : sequence of int
            Of each slice; public.
        """
        slices = [unit.slice for unit in units]
        # Slices of two divisions may share rows, whose losses would add up.
        together = {id(each.partition) for each in slices if each}
        own = all(unit == replace(self._unit, slice=each) for unit, each in zip(units, slices, strict=True))
        inside = all(each is not None and each.parent is self._unit.slice for each in slices)
        if not own or not inside or len(together) != 1 or len(set(slices)) < len(slices):
            raise PrivacyError("Expected different slices of one division of these rows. Take them from one division.")
        accountants = tuple(
            self._inner(self._budget, unit, rows, self._composition) for unit, rows in zip(units, n_rows, strict=True)
        )
        self._hand_over("Expected slices before any plan, got a plan. Divide the rows first.")
        self._slices = accountants
        return accountants

    def in_runs(self, runs: RandomRuns) -> Callable[[], Accountant]:
        """Return a maker of accountants, one for each of a secret number of runs, in place of a split.

        Each may spend what one run may cost, so that the best of the runs, by a noisy score among its releases, is
        within this accountant's budget. Only ``keep_run`` puts a run's releases into the certificate.

        Privacy: the runs draw alike and apart; their number and all others stay secret. Proof:
        ``proofs/privacy/random_runs.md``.

        Raises PrivacyError if releases were announced or made before.
        """
        budget = runs.of_one(self._budget)
        # Not the better one for the plan: what one run may cost is an epsilon, or a rho.
        composition: Composition = "zcdp" if budget.delta else "pure"
        self._hand_over("Expected runs before any plan, got a plan. Begin with the runs.")
        self._runs = runs
        return lambda: self._inner(budget, self._unit, self._n_rows, composition, in_secret=True)

    def _inner(
        self,
        budget: Budget,
        unit: PrivacyUnit,
        n_rows: int,
        composition: Composition | None,
        *,
        in_secret: bool = False,
    ) -> Accountant:
        """Return the accountant of a slice or a run; neither observers nor progress see what is within a run."""
        inner = Accountant(budget, unit, self._noise, n_rows=n_rows, composition=composition, charged=self._charged)
        inner._in_secret = in_secret or self._in_secret
        return inner

    def keep_run(self, best: Accountant) -> None:
        """Take the best run's releases into the certificate; may be called once.

        Raises PrivacyError on a second call, or without runs.
        """
        with self._lock:
            if self._runs is None or self._best:
                raise PrivacyError("Expected the best of the runs once, got another. Keep one run, the best.")
            self._best = (best,)

    def _hand_over(self, refusal: str) -> None:
        """Leave the whole budget to other accountants: nothing is left for releases that would add up with theirs."""
        with self._lock:
            if self._announced:
                raise PrivacyError(refusal)
            nothing = Division("pure", Fraction(0), Fraction(0), Fraction(0), ())
            self._filter, self._announced = PrivacyFilter(nothing), True

    @property
    def budget(self) -> Budget:
        """What all releases may cost together."""
        return self._budget

    @property
    def remaining(self) -> float:
        """What is left for releases with a share, in epsilon or rho."""
        return down(self._filter.shared.left)

    @property
    def releases(self) -> tuple[ReleaseRecord, ...]:
        """All releases so far, those of slices one slice after the other."""
        return (*self._lines, *(line for each in self._inside for line in each.releases))

    @property
    def _inside(self) -> tuple[Accountant, ...]:
        """Those that the budget was left to, as far as the certificate shows them."""
        return (*self._slices, *self._best)

    def guarantee(
        self,
        *,
        assumptions: Sequence[str] = (),
        exact: Sequence[str] = (),
        reasons: Sequence[str] = (),
        searched: bool = False,
    ) -> Guarantee:
        """Return the certificate of everything released so far.

        It states the budget and not the sum spent, which may depend on answers and so promises less.

        Parameters
        ----------
        assumptions : sequence of str
            Beyond those that every certificate makes.
        exact : sequence of str
            What was computed without noise from public columns and labels.
        reasons : sequence of str
            Why it holds nothing; any makes the status void, as releases under ``interposing`` do.
        searched : bool
            Whether settings were chosen by releases of this accountant.
        """
        nothing = self._unit.protects_nothing
        composition, rho = self._composed()
        # Answers that were not the mechanisms' own, or were seen with what they answer.
        reasons = (*reasons, *((INTERPOSED,) if self._answered_for() else ()))
        guarantee = Guarantee(
            status=self._status(bool(reasons)),
            columns=self._unit.columns,
            label=self._unit.label,
            n_rows=self._n_rows,
            epsilon=0.0 if nothing else self._budget.epsilon,
            delta=0.0 if nothing else self._budget.delta,
            composition=composition,
            rho=rho,
            releases=self.releases,
            noise=self._noise.description,
            assumptions=(
                *assumptions_for(self._unit.persons, searched=searched, labeled_public=self._unit.labeled_public),
                *of_cells(self._unit),
                *self._taken_for_ideal(),
                *self._divided(),
                *((UNSEEN_RUNS,) if self._runs else ()),
                *assumptions,
            ),
            exact=tuple(exact),
            reasons=tuple(reasons),
            persons=self._unit.persons,
            charge=self._charged.charge if self._charged else None,
            runs=self._runs,
            gaussian=down(self._filter.gaussian) if self._filter.gaussian else None,
            labeled_public=self._unit.labeled_public,
            limits=() if nothing else self._limits(),
            version=CERTIFICATE_VERSION,
        )
        return guarantee.announcing(self._all_shares())

    def _limits(self) -> tuple[Limit, ...]:
        """Return what the releases of each set of rows may cost together."""
        own = Limit.of(self._filter, slices_of(self._unit.slice), len(self._lines), self._n_rows)
        return tuple(limit for each in self._inside for limit in each._limits()) or (own,)

    def _all_shares(self) -> tuple[tuple[Share, ...], ...]:
        """Return what each slice announced; nothing where that is not all that bounds its releases."""
        if self._runs:  # those that lost are not among its releases, and cost as well
            return ()
        if self._slices:
            each = [inner._all_shares() for inner in self._slices]
            return tuple(shares for found in each for shares in found) if all(each) else ()
        # Each share pays for one release; who calls ``release`` by hand may divide them otherwise, or add to integers.
        made = Counter((line.loss, line.mechanism == "discrete Gaussian") for line in self._lines)
        as_announced = made <= Counter((self._filter.amount(share), False) for share in self._shares)
        return (self._shares,) if self._shares and as_announced else ()

    def _composed(self) -> tuple[Composition, float | None]:
        """Return how the releases compose, and what rho they are within: for slices, that of the costliest."""
        composed = [each._composed() for each in self._inside]
        if not composed:
            zcdp = self._filter.composition == "zcdp"
            return self._filter.composition, down(self._filter.shared.limit) if zcdp else None
        rhos = [rho for _, rho in composed if rho is not None]
        # Each slice is within the budget by its own composition; a rho is stated only where it holds for all.
        return ("zcdp", max(rhos)) if len(rhos) == len(composed) else ("pure", None)

    def _divided(self) -> tuple[str, ...]:
        """Say why slices cost no more than one of them."""
        return (PARALLEL,) if self._slices or any(each._slices for each in self._best) else ()

    def _answered_for(self) -> bool:
        return self._was_answered_for or any(each._answered_for() for each in self._inside)

    def _taken_for_ideal(self) -> tuple[str, ...]:
        """Say what a distribution drawn in floating point is taken for; the noise source itself is exact."""
        return (IDEAL_DRAWS,) if any("floating-point" in line.sampler for line in self.releases) else ()

    def _status(self, void: bool) -> Status:
        if void:
            return "void"
        if self._unit.protects_nothing:
            return "public"
        return "private" if self._noise.is_private else "simulated"

    def _admit(self, statistic: Statistic) -> None:
        if statistic.unit != self._unit:
            raise PrivacyError(
                f"Expected a statistic of this accountant's unit, got query={statistic.query!r} of another. "
                "Ask it of the same table."
            )
        if self._unit.protects_nothing:
            raise PrivacyError(
                f"Expected a protected column or label, got query={statistic.query!r} of public cells only. "
                "Use the exact value."
            )
        if not self._announced:
            raise PrivacyError(
                f"Expected an announced plan, got query={statistic.query!r} before any. Call split first."
            )

    def __repr__(self) -> str:
        return f"Accountant({self._budget}, {self._unit}, n_rows={self._n_rows}, releases={len(self.releases)})"

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("Expected one accountant a fit: it cannot be pickled. Make it inside fit.")

    def __copy__(self) -> NoReturn:
        raise PrivacyError("Expected one accountant a fit: it cannot be copied. Make it inside fit.")

    def __deepcopy__(self, memo: dict[int, object]) -> NoReturn:
        raise PrivacyError("Expected one accountant a fit: it cannot be copied. Make it inside fit.")


def _taken(budget: Budget) -> ReservedCharge | None:
    """Return the charge that a ledger made for this fit, now taken."""
    charged = reserved()
    if charged:
        charged.take(budget)
    return charged
