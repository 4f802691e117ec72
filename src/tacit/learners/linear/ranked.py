"""Logistic or linear regression by noisy gradients on ranks, of clipped rows and with a learned prior.

For small budgets. Of a number to predict, which is scaled before, the loss is squared; else logistic.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt, tanh
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacit.convex import LogisticLoss
from tacit.cut_points import RankCuts
from tacit.features import Cuts
from tacit.features.feature_encoding import named_encoding
from tacit.features.ranked_encoding import RankedEncoding
from tacit.learners.linear.coefficients import ranked_noise
from tacit.learners.linear.defaults import check_categories, share_of_choice
from tacit.learners.linear.known_shares import KnownShares
from tacit.learners.linear.linear import PUBLIC_BINS
from tacit.learners.linear.public_margin import PUBLIC_REGULARIZATION, has_public_margin, public_margin
from tacit.learners.linear.rank_moments import (
    expected_means,
    expected_squares,
    in_factors,
    independent_moments,
    rank_of,
    rows_a_person,
)
from tacit.learners.linear.shrinkage import (
    Hessian,
    LearnedPrior,
    OutputNoise,
    TrustRegion,
    quicker_in_factors,
    regressed,
)
from tacit.mechanisms import Releases
from tacit.models import LinearForm, LinearModel, RankedModel, on_grid
from tacit.privacy import Persons, PlanEntry, PrivacyUnit, in_part
from tacit.privacy.plan import Kind
from tacit.queries import Offset
from tacit.queries.class_sums import class_counts
from tacit.queries.column_scores import ColumnScores, plan_columns
from tacit.queries.ranked_gradients import (
    GRADIENT_STEPS,
    MOMENT_STEPS,
    RankedGradients,
    RankedScores,
    n_outputs,
    plan_gradients,
    plan_moments,
)
from tacit.rules.priors import CONSTANT, CUT_OF_CLASSES, NOISE_OF_WIDTHS, RADIUS
from tacit.rules.shared import GRADIENTS, SMALL_SHARE
from tacit.schema import Schema
from tacit.table import Table

_MIN_MARGIN = 1e-12
"""Squared. Down there the curvature is 1 / 4 to all digits, and below it would be a quotient of zeros."""


@dataclass(frozen=True)
class RankedLogistic:
    """Settings of the algorithm; ``train`` runs it.

    Parameters
    ----------
    schema : Schema
    cuts : RankCuts or None
        How cut points of numbers are released first; without, a number counts by its place within its bounds.
    moments : float
        Share of the budget for means and mean squares of features, of which the Hessian is made.
    steps : int
        How many noisy gradients are released.
    clip_norm : float
        Radius of rows over their usual length: a column's noise is paid for with the largest norm of a row, and
        clipped rows keep their direction.
    quadratic : bool
        Whether numbers have quadratic terms (Legendre's P2 of the rank) after their ranks.
    chosen : int
        How many columns are chosen first, so that features of others are short; 0 for no choice.
    classes : float
        Share of the budget for counts of the classes, where neither they nor their shares are public: columns are
        chosen by them, and of more than two classes gradients begin there.

    Notes
    -----
    All defaults are constants, chosen on synthetic tables: ``benchmarks/ranked_rules.py``.
    """

    schema: Schema
    cuts: RankCuts | None = None
    moments: float = SMALL_SHARE
    steps: int = GRADIENTS
    clip_norm: float = RADIUS
    quadratic: bool = True
    chosen: int = 0
    classes: float = 0.0

    multiclass: ClassVar[bool] = True

    def unsupported(self, persons: Persons) -> str | None:
        """Return None: sums of persons move as those of rows do."""
        return None

    def plan(self, unit: PrivacyUnit) -> list[PlanEntry]:
        """Return the releases: cut points, counts of the classes, choices of columns, moments, gradients."""
        if unit.protects_nothing:
            return []
        encoding, n_classes = self.encoding(), self.schema.n_classes
        asked = plan_moments(encoding, unit, self.moments)
        weight = (1 - self.moments) / self.steps
        asked = [*asked, *plan_gradients(encoding, unit, n_classes, count=self.steps, weight=weight)]
        asked = [*self._first(unit, asked, len(encoding.blocks)), *asked]
        own = self.cuts.plan(unit, asked) if self.cuts else []
        return [*in_part("cuts", own), *asked]

    def train(self, table: Table, releases: Releases, generator: np.random.Generator) -> RankedModel:
        """Return the classifier.

        Notes
        -----
        Privacy: releases what ``plan`` lists. Cut points of public columns are exact, and so are, with a public label,
        their margins. All else is computed from released answers and the size of their noise.
        """
        cuts = self.cuts.release(table, releases.part("cuts")) if self.cuts else ()
        if table.unit.protects_nothing and table.schema.target is None:
            public = _models(_public_margins(table, self.schema, cuts))
            return RankedModel((), ((0.0,),) * n_outputs(table.n_classes), CONSTANT, cuts, public)
        model, noise = self.learned(table, cuts, releases)
        return replace(model, noise=ranked_noise(model, noise, self.schema))

    def learned(
        self, table: Table, cuts: Cuts, releases: Releases, counted: KnownShares | None = None
    ) -> tuple[RankedModel, OutputNoise]:
        """Return the classifier on ranks between released cut points, and its coefficients' noise.

        ``counted`` are the classes' shares where they were released before.

        Privacy: as ``train`` after its cut points.
        """
        # Columns of a public number are learned with all others.
        is_margin = has_public_margin(table.schema) and table.schema.target is None
        public = _public_margins(table, self.schema, cuts) if is_margin else ()
        own = self._shares(table, releases)
        known = own or counted
        encoding = self._chosen(table, self.encoding(cuts), known, releases)
        weights, noise = self._descend(RankedGradients(table, encoding, public), known, releases)
        rows = tuple(tuple(row) for row in on_grid(weights.T).tolist())
        model = RankedModel(
            encoding.columns,
            rows,
            encoding.radius,
            cuts,
            _models(public),
            bends=self.quadratic,
            short=encoding.short,
            joined=encoding.joined,
            class_shares=own.of_rows if own and not own.declared else (),
        )
        return model, noise

    def _first(self, unit: PrivacyUnit, others: Sequence[PlanEntry], n_columns: int) -> list[PlanEntry]:
        """Return the releases before moments: counts of the classes, and choices of columns."""
        counted = self.classes and unit.label and self.schema.class_label.prevalence is None
        classes, share = self.classes if counted else 0.0, share_of_choice(self.chosen, n_columns)
        # Weights are relative: the other releases weigh what these two leave of the whole.
        whole = sum(one.weight * one.count for one in others) / (1 - share - classes)
        kind: Kind = "noise" if self.chosen else "last noise"
        counts = class_counts(self.schema).planned(unit, classes * whole, kind) if classes else []
        return [*in_part("classes", counts), *in_part("columns", plan_columns(self.chosen, share * whole))]

    def _shares(self, table: Table, releases: Releases) -> KnownShares | None:
        """Return what is known of the classes' shares, if that is wanted."""
        if self.schema.target is not None:
            return None
        if (declared := self.schema.class_label.sorted_prevalence) is not None:
            # Where rows have weights their shares are others.
            return None if not table.counts_rows else KnownShares(np.asarray(declared), declared=True)
        if not (self.chosen if has_public_margin(table.schema) else self.classes):
            return None
        return KnownShares.released(releases.part("classes").noisy(class_counts(table.schema).statistic(table)), table)

    def _chosen(
        self, table: Table, encoding: RankedEncoding, known: KnownShares | None, releases: Releases
    ) -> RankedEncoding:
        """Return the encoding with features of columns that are not chosen short; of all long without a choice."""
        if not self.chosen:
            return encoding
        left, choices = list(range(len(encoding.blocks))), releases.part("columns")
        scores = ColumnScores(table, encoding, known.weights if known else np.ones(table.n_classes))
        for _ in range(self.chosen):
            left.pop(choices.best(scores.best_of(left)))
        return self._clipped(replace(encoding, radius=inf, short=tuple(encoding.blocks[at] for at in left)))

    def _descend(
        self, gradients: RankedGradients, known: KnownShares | None, releases: Releases
    ) -> tuple[NDArray[np.float64], OutputNoise]:
        """Return coefficients, (n_features, n_outputs), and their noise."""
        n_rows, moments = self._second_moments(gradients, releases)
        rows = n_rows * sqrt(moments[0][0])
        # Public margins have the shares of a public label. Those of two classes, unless one is rare, would cut
        # residuals where most is learned.
        base = None if gradients.offsets else known
        if base and not (base.declared or gradients.n_outputs > 1 or base.is_rare):
            base = None
        prior, w = _prior(gradients, moments, base, self.clip_norm)
        trusted, points, noisy = TrustRegion(w), list[NDArray[np.float64]](), list[NDArray[np.float64]]()
        for step in range(1, self.steps + 1):
            released = releases.noisy(gradients.statistic(w))
            gradient, deviation = released.value / GRADIENT_STEPS, released.deviation / GRADIENT_STEPS
            if (
                base
                and base.declared
                and step == 1 < self.steps
                and base.refuted_by(gradient[0] / rows, deviation / rows, n_rows)
            ):
                # Rows of another population: from the second gradient on as if nothing were declared.
                prior, w = _prior(gradients, moments, None, self.clip_norm)
                trusted = TrustRegion(w)
                continue
            points.append(w)
            noisy.append(gradient)
            variance = deviation**2
            hessian = float(n_rows * _curvature(gradients.table, w, moments)) * moments
            told = regressed([each * prior.curved for each in points], noisy, variance, hessian)
            # Each time that there are twice as many: a decomposition a step would take most of the time.
            if step & (step - 1) == 0:
                prior.learn(told)
            trusted.judge(w, gradient, deviation)
            w = trusted.toward(prior.coefficients(told), hessian, prior.curved)
        return w, prior.noise(told, NOISE_OF_WIDTHS)

    def _second_moments(self, gradients: RankedGradients, releases: Releases) -> tuple[float, Hessian]:
        """Return what rows weigh together, and the mean of x x' were columns independent, from released moments."""
        encoding, table = gradients.encoding, gradients.table
        released = releases.noisy(gradients.moments())
        sums, at = released.value / MOMENT_STEPS, len(encoding.ranks)
        n_rows = table.n_persons * rows_a_person(encoding, sums[at:] / table.n_persons, table.unit.most_rows)
        deviation = released.deviation / MOMENT_STEPS / n_rows
        squares = expected_squares(encoding, sums[at:] / n_rows, deviation)
        means = expected_means(2 * sums[:at] / n_rows, 2 * deviation, squares[encoding.ranks - 1])
        moments, n_rows = independent_moments(encoding, means, squares), table.mean_weight * n_rows
        if quicker_in_factors(encoding.n_features, rank_of(encoding), self.steps):
            return n_rows, in_factors(encoding, moments, squares)
        return n_rows, moments

    def encoding(self, cuts: Cuts = ()) -> RankedEncoding:
        """Return the features, clipped, of numbers that are ranked between these cut points."""
        check_categories(self.schema, self.schema.names)
        # Of public columns, too, where their margin is known: beside other columns they may say something else.
        return self._clipped(RankedEncoding(self.schema, self.schema.names, inf, self.quadratic, released=cuts))

    def _clipped(self, whole: RankedEncoding) -> RankedEncoding:
        return replace(whole, radius=self.clip_norm * whole.longest)


def _prior(
    gradients: RankedGradients, moments: Hessian, known: KnownShares | None, clip_norm: float
) -> tuple[LearnedPrior, NDArray[np.float64]]:
    """Return the prior of coefficients, and its mean, (n_features, n_outputs), where gradients begin."""
    # Public margins have the base rate of a public label; of more classes, with residuals cut, synthetic tables lose.
    # Scaled numbers begin at their median.
    uneven = not gradients.offsets and gradients.table.n_classes == 2 and known is None
    # Most rows' constant is so long.
    base = known.margins / sqrt(moments[0][0]) if known else None
    curved = known.curved if known and (gradients.n_outputs > 1 or known.is_rare) else 1.0
    means, w = moments[0][1:] / moments[0][0], np.zeros((len(moments), gradients.n_outputs))
    w[0] = 0.0 if base is None else base
    usual = RADIUS / clip_norm  # of longer features coefficients are smaller
    blocks = _blocks(gradients.encoding)
    return LearnedPrior(blocks, means, uneven=uneven, base=base, curved=curved, usual=usual), w


def _curvature(table: Table, weights: NDArray[np.float64], moments: Hessian) -> float:
    """Return the curvature of the loss between no margin and the usual ones under these weights.

    Of one logistic margin it is a parabola's that lies above the loss and touches it there (Jaakkola and Jordan 2000):
    the curvature at the margins themselves would make steps too long where most are far from zero.
    """
    if table.n_classes == 1:
        return table.loss.usual
    if weights.shape[1] > 1:
        # Of the softmax at equal probabilities, across outputs, of residuals that are cut there.
        return float(CUT_OF_CLASSES / weights.shape[1])
    margin = sqrt(max(float(weights[:, 0] @ moments @ weights[:, 0]), _MIN_MARGIN))
    return tanh(margin / 2) / (2 * margin)


def _blocks(encoding: RankedEncoding) -> tuple[int, ...]:
    """Return where coefficients begin whose prior has its own width: a column's, and a quadratic term's."""
    return tuple(sorted({*encoding.starts, *(encoding.ranks + encoding.quadratic).tolist()}))


def _public_margins(table: Table, schema: Schema, cuts: Cuts) -> tuple[Offset, ...]:
    """Return the exact margins of public columns and a public label, one for each output."""
    encoding = named_encoding(schema, schema.public_columns, "binned", PUBLIC_BINS, cuts)
    targets = [table] if table.n_classes == 2 else [table.one_against_rest(k) for k in range(table.n_classes)]
    return tuple(public_margin(target, encoding, LogisticLoss(), PUBLIC_REGULARIZATION) for target in targets)


def _models(offsets: Sequence[Offset]) -> tuple[LinearModel, ...]:
    return tuple(
        LinearModel(
            (LinearForm(one.encoding.columns, tuple(on_grid(one.weights).tolist()), "binned", PUBLIC_BINS, "public"),)
            if one.encoding.columns
            else (),
            float(on_grid(np.asarray(one.intercept))),
        )
        for one in offsets
    )


def ranked_scores(model: RankedModel, schema: Schema) -> RankedScores:
    """Return what a model says of a table's rows."""
    nothing = named_encoding(schema, (), "binned", PUBLIC_BINS), np.zeros(0)
    offsets = tuple(Offset(*(one.encoded(schema) or [nothing])[0], one.intercept) for one in model.public_models())
    return RankedScores(model.encoding(schema), np.asarray(model.weights).T, offsets)
