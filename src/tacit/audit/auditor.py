"""Auditor: one claim, and the attempts to refute it, by replay, by redraws or by sampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice

from sklearn.base import clone

from tacit.audit.findings import AuditReport, Claim, Finding
from tacit.audit.neighbors import protected
from tacit.audit.objects import Maker, audit_object, versions
from tacit.audit.parts import is_strong, merged
from tacit.audit.recording import Fits
from tacit.audit.redraws import redraw
from tacit.audit.replay import Key
from tacit.audit.runs import RunStore
from tacit.audit.sampling import Effort, Progress
from tacit.audit.search import replay
from tacit.audit.table_pairs import TablePair
from tacit.audit.units import claim_for, object_pairs, pairs_of_unit, small_pairs_of_unit
from tacit.errors import ParameterError
from tacit.estimators.estimator import PrivateEstimator
from tacit.estimators.usual_delta import largest_delta
from tacit.privacy.parameters import MAX_SEED, Number, Whole
from tacit.schema import Label, Numeric, Schema

PAIRS_OF_A_PART, SEARCHED = 50, 10
"""Replayed before what was found is kept, and tried next to the worst of them for each release that is not close."""

STANDARD = Schema([Numeric("first", 0, 1), Numeric("second", 0, 1)], label=Label("label", [0, 1]))
"""Of objects that come without a schema: two numbers from 0 to 1, and labels 0 and 1."""

REPLAYED = 0.75
"""Of the minutes, at most; the others are for draws."""

MIN_PAIRS = 200
"""Replayed even where every release has come close to its share before."""

MINUTES = Number(1e-3, 1e5, "Give how long to try, such as 5.")
SEED = Whole(0, MAX_SEED, "Give one such as 0.")


@dataclass
class Auditor:
    """Attempts to refute one claim; ``refute``, ``replay``, ``redraw`` and ``sample`` add findings to its report.

    Parameters
    ----------
    claim : Claim
    schema : Schema, optional
        From which neighbors are made; where its rows are of persons, they differ in all rows of one.
    seed : int
    minutes : float
        Of each attempt.

    Raises
    ------
    ParameterError
        If minutes or seed are out of range, or the claim is about other neighbors than the schema.

    Examples
    --------
    >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    >>> auditor = Auditor(Claim(1.0), schema, minutes=0.05)
    >>> auditor.replay(lambda: NaiveBayesClassifier(schema, epsilon=1.0)).method
    'replay'
    >>> auditor.report.refuted
    False
    """

    claim: Claim
    schema: Schema | None = None
    seed: int = 0
    minutes: float = 1.0
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.minutes = MINUTES.check("minutes", self.minutes)
        self.seed = SEED.check("seed", self.seed)
        self.claim = claim_for(self.claim, self.schema)

    @property
    def report(self) -> AuditReport:
        """Everything found so far."""
        return AuditReport(tuple(self.findings))

    def replay(
        self,
        make: Callable[[], Fits],
        *,
        subject: str = "",
        done: Sequence[Finding] = (),
        keep: Callable[[Sequence[Finding]], None] | None = None,
    ) -> Finding:
        """Replay neighbors until the minutes are over, or every release came close to its share on enough of them.

        Parameters
        ----------
        make : callable
            Returns an unfitted estimator of the schema; with ``on_invalid="coerce"``, as some neighbors hold odd cells
            and a failed fit is no private output.
        subject : str
        done : sequence of Finding
            Parts of an earlier call with the same arguments.
        keep : callable, optional
            Gets all parts after each one.
        """
        schema, parts = self._protected_schema(), list(done)
        while not parts or not self._is_enough(merged(parts)):
            seed = self.seed + len(parts) * PAIRS_OF_A_PART
            pairs = islice(pairs_of_unit(schema, seed=seed), PAIRS_OF_A_PART)
            left = 60 * self.minutes - sum(part.seconds for part in parts)
            found = replay(make, pairs, claim=self.claim, subject=subject, seed=seed, seconds=left, search=SEARCHED)
            made = datetime.now(UTC).isoformat(timespec="seconds")
            parts.append(replace(found, versions=versions(make), made=made))
            if keep:
                keep(parts)
        return self._found(replace(merged(parts), seed=self.seed))

    def refute(
        self,
        make: Callable[[], Fits],
        *,
        subject: str = "",
        done: Sequence[Finding] = (),
        keep: Callable[[Sequence[Finding]], None] | None = None,
    ) -> None:
        """Replay for most of the minutes, and draw each release many times in what is left of them.

        Parameters are those of ``replay``; a claim that replay refutes is not redrawn.
        """
        replays, drawn = ([part for part in done if part.method == method] for method in ("replay", "sampling"))

        def kept(parts: Sequence[Finding]) -> None:
            replays[:] = parts
            if keep:
                keep([*parts, *drawn])

        replaying = replace(self, minutes=REPLAYED * self.minutes)
        found = replaying.replay(make, subject=subject, done=replays, keep=kept)
        if found.verdict != "refuted":
            left = self.minutes - min(found.seconds / 60, REPLAYED * self.minutes)
            # What was too weak is tried again if there is more time than it had.
            if not drawn or (drawn[0].verdict == "too weak to say" and drawn[0].seconds < 0.9 * 60 * left):
                drawn = [replace(self, minutes=left).redraw(make, subject=f"{subject}, its samplers".lstrip(", "))]
                kept(replays)
            else:
                self._found(drawn[0])

    def sample(
        self,
        make: Maker,
        pairs: Sequence[TablePair] = (),
        *,
        subject: str = "",
        store: RunStore | None = None,
        progress: Callable[[str, Progress], None] | None = None,
    ) -> Finding:
        """Run an object many times on two neighbors; see ``audit_object``.

        Parameters
        ----------
        make : callable
            Returns an unfitted object; may take ``epsilon`` and ``seed``.
        pairs : sequence of TablePair
            Neighbors; if there are none, arrays of the schema's corners, or of numbers from 0 to 1 without a schema;
            frames where an identifier names persons.
        subject : str
        store : RunStore, optional
            Holds the runs of an earlier call.
        progress : callable, optional
        """
        effort = Effort(minutes=self.minutes, seed=self.seed)
        pairs = pairs or object_pairs((self.schema or STANDARD).full, self.claim)
        found = audit_object(make, self.claim, pairs, subject=subject, effort=effort, store=store, progress=progress)
        return self._found(found)

    def redraw(self, make: Callable[[], Fits], *, subject: str = "", releases: Sequence[Key] = ()) -> Finding:
        """Draw each release many times on two neighbors' statistics, to test the samplers, which replay does not see.

        Parameters
        ----------
        make : callable
            As for ``replay``.
        subject : str
        releases : sequence of (query, mechanism)
            That alone are drawn, as a finding's releases name them; all of them by default.
        """
        pairs = small_pairs_of_unit(self._protected_schema())
        effort = Effort(minutes=self.minutes, seed=self.seed)
        found = redraw(make, pairs, claim=self.claim, subject=subject, releases=releases, effort=effort)
        made = datetime.now(UTC).isoformat(timespec="seconds")
        return self._found(replace(found, versions=versions(make), made=made))

    def _protected_schema(self) -> Schema:
        if self.schema is None:
            raise ParameterError("Expected a schema to make neighbors from, got schema=None. Pass the estimator's.")
        if not any(protected(self.schema.full)):
            raise ParameterError("Expected a protected column or label, got a schema without. No neighbors differ.")
        return self.schema.full

    def _is_enough(self, finding: Finding) -> bool:
        over = finding.seconds >= 60 * self.minutes
        return over or finding.verdict == "refuted" or (finding.tried >= MIN_PAIRS and is_strong(finding))

    def _found(self, finding: Finding) -> Finding:
        self.findings.append(finding)
        return finding


def audit(
    subject: PrivateEstimator | Maker,
    claim: Claim | None = None,
    *,
    schema: Schema | None = None,
    minutes: float = 1.0,
    seed: int = 0,
) -> AuditReport:
    """Try to refute a guarantee: of one of our estimators by replay and redraws, of anything else by sampling.

    Estimators are replayed with ``on_invalid="coerce"``, as neighbors hold odd cells, and failed fits are not private.

    Parameters
    ----------
    subject : estimator or callable
        An unfitted estimator of this package; or a callable that returns an unfitted object with ``fit(X, y)``, and may
        take ``epsilon`` and ``seed``.
    claim : Claim, optional
        The estimator's own by default; of anything else it must be named.
    schema : Schema, optional
        As for ``Auditor``; the estimator's own by default.
    minutes : float
    seed : int

    Raises
    ------
    ParameterError
        If no claim is given for a callable, or the estimator has no schema or no epsilon.

    Examples
    --------
    >>> from tacit import Label, NaiveBayesClassifier, Numeric, Schema
    >>> schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    >>> audit(NaiveBayesClassifier(schema, epsilon=1.0), minutes=0.05).findings[0].verdict
    'not refuted'
    """
    if isinstance(subject, PrivateEstimator):
        if not isinstance(subject.schema, Schema) or subject.epsilon is None:
            raise ParameterError("Expected an estimator with a schema and an epsilon, got one without. Set both.")
        auditor = Auditor(
            claim or Claim(subject.epsilon, largest_delta(subject.delta)), schema or subject.schema, seed, minutes
        )
        total = clone(subject).set_params(on_invalid="coerce")
        auditor.refute(lambda: clone(total), subject=subject._learner)
        return auditor.report
    if claim is None:
        raise ParameterError("Expected a claim for an object of another library, got none. Pass a Claim.")
    auditor = Auditor(claim, schema, seed, minutes)
    auditor.sample(subject)
    return auditor.report
