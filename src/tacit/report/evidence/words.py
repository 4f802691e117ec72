"""Facts of a certificate as sentences: how losses add up, what noise there is, which tables could have been."""

from __future__ import annotations

from collections import Counter
from datetime import date

from tacit.models import Model, RegressionModel
from tacit.models.merged import MergedParts
from tacit.privacy import Guarantee, MergedGuarantee
from tacit.privacy.merged import fits_of
from tacit.report.evidence.subject import Subject
from tacit.schema import Categorical, Numeric


def composition(guarantee: Guarantee) -> list[str]:
    """Return how (epsilon, delta) follows from the losses of all releases, or from what the parts claim."""
    if isinstance(guarantee, MergedGuarantee):
        said = [words for _, fit in fits_of(guarantee) for words in composition(fit)]
        return [guarantee.how_combined, *dict.fromkeys(said)]
    found = {limit.composition for limit in guarantee.limits}
    facts = {
        "pure" in found: "Losses in epsilon add up (basic composition).",
        "zcdp" in found: "Losses in rho of zero-concentrated differential privacy add up, and are converted to epsilon "
        "and delta (Canonne, Kamath and Steinke 2020).",
    }
    rest = (
        (bool(guarantee.gaussian), "Gaussian noise that comes last is counted by its exact distribution."),
        (any(limit.epsilon for limit in guarantee.limits), "Approximate releases add their epsilon and delta."),
        (
            len(guarantee.limits) > 1,
            "Slices of the rows are disjoint, so that the one that costs most counts (parallel).",
        ),
        (guarantee.runs is not None, "It is the best of a secret number of runs, all of which the budget covers."),
        (guarantee.learned is not None, "What learning the schema cost is added (basic composition)."),
    )
    limits = "Limits were fixed before a row was read, and the claim is about them."
    return [*(said for holds, said in facts.items() if holds), *(said for holds, said in rest if holds), limits]


def mechanisms(guarantee: Guarantee) -> list[str]:
    """Return each mechanism with how often it was used, and what drew the noise."""
    releases = [line for _, fit in fits_of(guarantee) for line in fit.releases]
    counted = Counter(line.mechanism for line in releases)
    samplers = dict.fromkeys(line.sampler for line in releases)
    used = ", ".join(f"{count:,} x {name}" for name, count in counted.items())
    return [f"{used}.", f"Noise: {guarantee.noise}.", f"Samplers: {', '.join(samplers)}."]


def tuning(subject: Subject) -> list[str]:
    """Return how settings and the schema came about, and whether that was paid for."""
    fits = [fit for _, fit in fits_of(subject.guarantee)]
    learned = next((fit.learned for fit in fits if fit.learned), None)
    runs = any(fit.runs for fit in fits)
    schema = (
        f"Bounds and categories were learned from the rows at epsilon {learned.epsilon:g}, which the claim includes."
        if learned
        else "Bounds and categories were declared, not taken from the rows."
    )
    chosen = f"Learner and settings: {subject.model.why}." if subject.model.why else "The learner was chosen by hand."
    if isinstance(subject.model, MergedParts):
        learners = ", ".join(dict.fromkeys(part.learner for part in subject.model.parts))
        chosen = f"Each site chose its own learner: {learners}. Their mean is weighted by public numbers."
    search = "The best of a secret number of runs was chosen; the claim includes all of them." if runs else ""
    return [each for each in (schema, chosen, search) if each]


def domain(model: Model | RegressionModel) -> str:
    """Return which tables could have been in place of the one that was learned from."""
    return f"All tables of {model.guarantee.n_rows:,} {model.guarantee.counted} with: {'; '.join(columns(model))}."


def columns(model: Model | RegressionModel) -> list[str]:
    """Return each column with the values that it may have, and the label with its classes or bounds."""
    schema = model.schema.full
    return [*(f"{name}{_values(schema.column(name))}" for name in schema.input_names), f"label {model.outcome}"]


def _values(column: object) -> str:
    if isinstance(column, Numeric):
        low, high = (each if isinstance(each, date) else f"{each:g}" for each in (column.low, column.high))
        return f" from {low} to {high}"
    return f", one of {len(column.words)} categories" if isinstance(column, Categorical) else ""
