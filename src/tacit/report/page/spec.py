"""How a study was run, in words."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from tacit.report.page.tables import html_list

if TYPE_CHECKING:
    from tacit.study.study import LearnerSpec, Study


def spec_section(spec: Study | str | None) -> str:
    """Return a section of the page, in HTML: the study's settings, or the text of its file."""
    if spec is None:
        return ""
    said = f"<pre>{escape(spec)}</pre>" if isinstance(spec, str) else html_list(_settings(spec))
    return f'<section aria-labelledby="spec-title"><h2 id="spec-title">How it was run</h2>{said}</section>'


def _settings(study: Study) -> Iterator[tuple[str, str]]:
    yield "Data sets", ", ".join(each if isinstance(each, str) else each.called for each in study.datasets)
    yield "Learners", "; ".join(map(_learner, study.learners))
    yield "Epsilon", ", ".join(f"{epsilon:g}" for epsilon in study.epsilons)
    yield "Delta", ", ".join(f"{delta:g}" for delta in study.deltas)
    yield "Splits", _splits(study)
    yield (
        "Seed",
        f"{study.seed}. Noise is simulated, and the same for the same seed: a study makes no model to publish.",
    )


def _learner(learner: LearnerSpec) -> str:
    settings = ", ".join(f"{name}={value!r}" for name, value in learner.parameters.items())
    return learner.called + (f" ({settings})" if settings else "")


def _splits(study: Study) -> str:
    if study.cv is not None:
        said = f"{study.cv} folds, {study.repeats} times"
    elif study.split == "official":
        said = f"the data sets' own, {study.repeats} times"
    else:
        said = f"{study.test_share:.0%} of the rows drawn for testing, {study.repeats} times"
    return said + (", classes made equal in size by deleting rows" if study.balanced else "")
