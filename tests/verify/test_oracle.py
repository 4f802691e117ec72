"""dp-accounting says of listed noise what verification says of it, where it has the distribution."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.verify_oracle import Compared, compared


@pytest.fixture(scope="module")
def figures(models):
    kept = {kind: model.guarantee for kind, model in models.items() if model.guarantee.status != "void"}
    return {kind: list(compared(guarantee)) for kind, guarantee in kept.items()}


def test_dp_accounting_agrees_where_it_has_the_distribution(figures):
    found = [each for own in figures.values() for each in own]
    assert {each.kind for each in found if each.spent} >= {"pure", "rho", "last"}
    assert [each for each in found if each.differs] == []


def test_less_noise_than_the_epsilon_says_would_be_seen(models, figures):
    """A certificate that states nine tenths of its limits, its noise as it was: the figures are too small."""
    for kind, own in figures.items():
        if not any(each.spent and each.kind in ("pure", "rho", "last") for each in own):
            continue
        part = models[kind].guarantee
        limits = [replace(each, loss=0.9 * each.loss, gaussian=0.9 * each.gaussian) for each in part.limits]
        assert any(each.differs for each in compared(replace(part, limits=tuple(limits)))), kind


@pytest.mark.parametrize(("ours", "differs"), [(1.0, False), (0.999, True), (1.01, True)])
def test_figures_that_should_agree_may_differ_by_rounding_alone(ours, differs):
    assert Compared("last", ours, 1.0, 1, spent=True).differs == differs
    assert not Compared("last", 1.01, 1.0, 1, spent=False).differs
