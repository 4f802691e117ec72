"""What a model says, from released values and public distributions: effects, their noise, importances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

# What registers the kinds of scorer.
from tacit.models import tree_attribution, vote_attribution  # noqa: F401
from tacit.models.attribution import Attribution, attribution
from tacit.models.cells import Distribution, signed
from tacit.models.effect_groups import EffectGroup, effect_groups
from tacit.models.effects import DEVIATIONS, ColumnEffects
from tacit.models.noise import ColumnNoise
from tacit.schema.columns import indicated

if TYPE_CHECKING:
    import polars as pl

    from tacit.schema import Schema

Floats = NDArray[np.float64]

FALSE_SHARE: Final = 0.05
"""Of the findings: how many may be noise on average, by Benjamini and Hochberg (1995)."""

CAUTIONS: Final = {
    "brc": "Another fit draws other random classifiers, and may list other columns; with rounds=300 fewer of them.",
    "lazybb": "How sure votes are does not follow from them alone. Fit with explain_share=0.2 to list more.",
    "tree": "Another fit may ask about other columns. Fit with explain_share=0.3 to list what fits have in common.",
}
"""By learner, what its effects do not say unless a share of the budget was paid for them."""

NOTHING_FOUND: Final = "Nothing is beyond the noise as far as it is known. Fit with explain_share=0.2 to know more."

Verdict = Literal["finding", "indistinguishable from noise", "noise not known"]


def is_explained(scorer: object) -> bool:
    """Return whether it is known how scorers of this kind share their scores among the columns."""
    return attribution.dispatch(type(scorer)) is not attribution.dispatch(object)


def caution(learner: str, columns: pl.DataFrame) -> str:
    """Return what is to be known beside the importances of a learner's columns, as sentences; empty for nothing."""
    if learner in ("logistic", "svm") and not columns["has_findings"].any():
        return NOTHING_FOUND
    # A tree that asks no question will ask none in another fit.
    return "" if learner == "tree" and not len(columns) else CAUTIONS.get(learner, "")


@dataclass(frozen=True)
class Explanation:
    """All effects of a model.

    Parameters
    ----------
    columns : tuple of ColumnEffects
        For each class that has scores of its own (of two the second), the columns that the model reads.
    of : {"score", "probability"}
        What effects are parts of: the score, to which a column adds, or the mean probability of rows.
    """

    columns: tuple[ColumnEffects, ...]
    of: Literal["score", "probability"] = "score"

    @property
    def averaged_over(self) -> str:
        """What means and standard deviations of effects are over, in words."""
        released = {each.released for each in self.columns}
        cells = "equally weighted bins and categories"
        if released == {True, False}:
            return f"the rows, where their shares were released, else over {cells}"
        return "the rows" if released == {True} else cells

    @cached_property
    def verdicts(self) -> tuple[tuple[Verdict, ...], ...]:
        """For each column, what is to be said of each cell's effect.

        A finding is beyond two standard deviations of its noise, and among those that Benjamini's and Hochberg's
        procedure admits at 5 %: of a thousand effects of nothing some fifty are beyond two deviations. A cell that has
        no rows, as far as was released, is none.
        """
        known = [each for each in self.columns if each.deviations is not None]
        far = [each.deviations_off for each in known]
        least = max(DEVIATIONS, _threshold(np.concatenate(far))) if far else np.inf
        # A cell without rows, as far as was released, shows where the model started, not what rows said.
        found = {
            id(each): (own > least) & ~(each.released & (each.shares <= 0))
            for each, own in zip(known, far, strict=True)
        }
        return tuple(
            tuple("finding" if one else "indistinguishable from noise" for one in found[id(each)])
            if id(each) in found
            else ("noise not known",) * len(each.effects)
            for each in self.columns
        )

    def frame(self) -> pl.DataFrame:
        """Return a row for each class, column and cell; findings first.

        In the order of how far they surely move the scores: by the effect, or its geometric mean with what the rows'
        classes show of it, beyond two deviations of its noise, times the root of the cell's share.
        """
        import polars as pl

        rows = [row for each, said in zip(self.columns, self.verdicts, strict=True) for row in _rows(each, said)]
        frame = pl.DataFrame(rows, schema=_EFFECTS, orient="row", strict=False)
        sure = pl.Series([value for each in self.columns for value in each.surely.tolist()], dtype=pl.Float64)
        order = [pl.col("verdict") != "finding", -(sure * frame["share"].sqrt())]
        return frame.sort(order, maintain_order=True)

    @cached_property
    def groups(self) -> tuple[EffectGroup, ...]:
        """The findings, cells of a column that add the same together, in the order of ``frame``."""
        found = zip(self.columns, (np.asarray(said) == "finding" for said in self.verdicts), strict=True)
        groups = [one for each, own in found for one in effect_groups(each, own)]
        return tuple(sorted(groups, key=lambda one: -one.surely))

    def listed(self) -> pl.DataFrame:
        """Return a row for each of the ``groups``, with the columns of ``frame``: what a person is to read.

        A column of two cells has one row, whose cell names the other with its effect.
        """
        import polars as pl

        rows, pairs = [], dict[int, EffectGroup]()
        for each in self.groups:
            other = _other_cell(each, self.groups)
            if other is None or pairs.setdefault(id(each.column), each) is each:
                rows.append(_row_of_group(each, other))
        return pl.DataFrame(rows, schema=_EFFECTS, orient="row", strict=False)

    def importances(self) -> pl.DataFrame:
        """Return a row for each class and column, those first that are important for sure."""
        import polars as pl

        rows = [
            (written(each.towards), each.cells.column.name, *each.importance, "finding" in said)
            for each, said in zip(self.columns, self.verdicts, strict=True)
        ]
        frame = pl.DataFrame(rows, schema=_IMPORTANCES, orient="row", strict=False).fill_nan(None)
        order = [~pl.col("has_findings"), -pl.col("low").fill_null(0.0), -pl.col("importance")]
        return frame.sort(order, maintain_order=True)

    def by_input(self, schema: Schema) -> Floats:
        """Return the importances of the columns that a table has, in the schema's order, zero if not read.

        Of a number with an indicator of empty cells both count, as the root of the sum of their squares.
        """
        owner = {column.name: indicated(column) or column.name for column in schema.columns}
        found, squares = self.importances(), dict.fromkeys(schema.input_names, 0.0)
        n_scores = max(found["class"].n_unique(), 1)
        sums = dict.fromkeys(owner, 0.0)
        for name, importance in zip(found["column"], found["importance"], strict=True):
            sums[name] += importance / n_scores
        for name, mean in sums.items():
            squares[owner[name]] += mean**2
        return np.sqrt(list(squares.values()))


_EFFECTS = {
    **dict.fromkeys(("class", "column", "cell"), str),
    **dict.fromkeys(("share", "effect", "deviation"), float),
    "verdict": str,
    "share_released": bool,
}
_IMPORTANCES = {**dict.fromkeys(("class", "column"), str), **dict.fromkeys(("importance", "low", "high"), float)}
_IMPORTANCES |= {"has_findings": bool}


def explained(scorers: Sequence[Any], schema: Schema) -> Explanation:
    """Return the effects of a model's scorers; see ``Model.explain``.

    Raises ParameterError if a public classifier in the model is not written down.
    """
    found = [one for at, scorer in enumerate(scorers) for one in _of_scorer(scorer, schema, at, len(scorers))]
    return Explanation(tuple(found))


def check_noise(scorer: Any, schema: Schema) -> None:
    """Raise ModelFileError unless a scorer's noise is of its columns' cells and scores."""
    how = attribution(scorer, schema)
    cells = {each.column.name: each for each in how.cells}
    ColumnNoise.check_names(scorer.noise, cells)
    for each in scorer.noise:
        each.check(cells[each.column].n_cells, how.n_scores)


def _of_scorer(scorer: Any, schema: Schema, at: int, n_scorers: int) -> Iterator[ColumnEffects]:
    how = attribution(scorer, schema)
    distribution, noise = distribution_of(how, scorer), {each.column: each for each in getattr(scorer, "noise", ())}
    for name, effects in how.effects(distribution).items():
        own = noise.get(name)
        # What is common to all classes decides nothing.
        contrasts = effects - effects.mean(axis=0) if len(effects) > 1 else effects
        for score, effect in enumerate(contrasts):
            towards = class_of(schema, at if n_scorers > 1 else score, max(n_scorers, how.n_scores))
            deviations = np.asarray(own.deviations[score]) if own else None
            released = own is not None and own.released
            yield ColumnEffects(
                towards, distribution.cells[name], distribution.shares[name], effect, deviations, released
            )


def distribution_of(how: Attribution, scorer: Any) -> Distribution:
    """Return how frequent a scorer's cells are taken to be."""
    return Distribution.of(how.cells, getattr(scorer, "noise", ()))


def class_of(schema: Schema, at: int, n_scores: int) -> Any:
    """Return the class that a score is for: of two classes the second; of a number its name."""
    if n_scores == 1:
        return schema.score_names[-1]
    return sorted(schema.classes)[at]


def _threshold(far: Floats) -> float:
    """Return the deviations beyond which Benjamini's and Hochberg's procedure admits an effect; exact ones aside."""
    noisy = np.sort(far[np.isfinite(far)])[::-1]
    admitted = 2 * ndtr(-noisy) <= FALSE_SHARE * np.arange(1, len(noisy) + 1) / max(len(noisy), 1)
    # Nothing beyond the last that is admitted; if none is, only exact effects remain.
    return (
        float(np.nextafter(noisy[np.flatnonzero(admitted)[-1]], 0.0)) if admitted.any() else float(np.finfo(float).max)
    )


def _rows(effects: ColumnEffects, said: tuple[Verdict, ...]) -> Iterator[tuple[Any, ...]]:
    name, towards = effects.cells.column.name, written(effects.towards)
    deviations = [None] * len(said) if effects.deviations is None else effects.deviations.tolist()
    for at, label in enumerate(effects.cells.labels):
        share, effect = float(effects.shares[at]), float(effects.effects[at])
        yield towards, name, label, share, effect, deviations[at], said[at], effects.released


def _other_cell(one: EffectGroup, groups: Sequence[EffectGroup]) -> EffectGroup | None:
    """Return the finding of the other cell, where a column has two."""
    if one.column.cells.n_cells != 2 or len(one.cells) != 1:
        return None
    return next((each for each in groups if each.column is one.column and each is not one), None)


def _row_of_group(one: EffectGroup, other: EffectGroup | None) -> tuple[Any, ...]:
    column, towards = one.column, written(one.column.towards)
    numbers = one.share, one.effect, one.deviation
    cell = one.label if other is None else f"{one.label} ({other.label}: {signed(other.effect)})"
    return towards, column.cells.column.name, cell, *numbers, "finding", column.released


def written(value: Any) -> str:
    """Return a class as frames of effects name it."""
    return str(value)
