"""Losses: slopes and curvatures are derivatives within their bounds; parameters are checked."""

from __future__ import annotations

import numpy as np
import pytest

from harness.linear_problems import LOSSES
from tacit.convex import HuberLoss
from tacit.errors import ParameterError


@LOSSES
def test_slopes_and_curvatures_are_derivatives(loss):
    margins, step = np.linspace(-3, 3, 97) + 0.0037, 1e-6
    slope = -(loss.value(margins + step) - loss.value(margins - step)) / (2 * step)
    assert loss.slope(margins) == pytest.approx(slope, abs=1e-8)
    curvature = -(loss.slope(margins + step) - loss.slope(margins - step)) / (2 * step)
    assert loss.curvature(margins) == pytest.approx(curvature, abs=1e-6)
    assert (loss.slope(margins) >= 0).all() and (loss.slope(margins) <= 1).all()
    assert loss.curvature(margins).max() <= loss.curvature_bound
    if loss.self_bounded:
        assert loss.curvature(margins) == pytest.approx(loss.slope(margins) * (1 - loss.slope(margins)))


def test_a_huber_width_is_checked():
    for width in (0.0, -1.0, 2.0, "wide"):
        with pytest.raises(ParameterError, match="huber"):
            HuberLoss(width)
