"""What an attacker gains: hand-worked bounds, rounded outward, and the curve of the picture."""

from __future__ import annotations

import re
from dataclasses import replace
from math import log
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from tacit.privacy import Guarantee
from tacit.report.odds import detections
from tacit.report.page.attacker import attacker_picture, gain_sentences, trade_off_corners


def promise(epsilon, delta=0.0, status="private"):
    reasons = ("guessed",) if status == "void" else ()
    return Guarantee(status, ("age",), True, 100, epsilon, delta, "pure", None, (), "exact", (), (), reasons)


def test_a_stated_prior_of_a_half_and_of_a_tenth_at_odds_of_three():
    # Odds of 1 become at most 3 and at least 1/3; odds of 1/9 at most 1/3 and at least 1/27.
    half = gain_sentences(promise(log(3)), 0.5)[1].replace("\N{NO-BREAK SPACE}", " ")
    assert half == (
        "Stated prior: a guess that seemed 50 % probable seems at least 25.0 % and at most 75.0 % probable afterwards."
    )
    tenth = gain_sentences(promise(log(3), 1e-6), 0.1)[1].replace("\N{NO-BREAK SPACE}", " ")
    # With a delta odds are 1.1 times as wide: 3.3 / 9 and 1 / (9 x 3.3), and 21 times delta is the exception.
    assert "at least 3.2 % and at most 26.9 %" in tenth and tenth.endswith("except with a probability of 2.1e-05.")


def test_without_a_prior_there_is_no_such_sentence():
    assert not any(each.startswith("Stated") for each in gain_sentences(promise(1.0)))


@pytest.mark.parametrize("prior", [1e-320, 1e-17, 1 - 1e-16])
def test_extreme_priors_are_sentences(prior):
    assert gain_sentences(promise(700.0), prior)


def test_nothing_is_said_where_nothing_is_promised():
    public = replace(promise(0.0), status="void", reasons=("guessed",), columns=(), label=False)
    for without in (promise(1.0, status="void"), replace(public, status="public", reasons=())):
        assert gain_sentences(without) == () and attacker_picture(without) == ""
    assert gain_sentences(promise(1e9)) == ()


def test_what_is_shown_is_never_below_the_bound():
    for epsilon in np.linspace(0.01, 8, 50):
        said = gain_sentences(promise(float(epsilon), 1e-5))[-1]
        shown = float(re.search(r"at most ([0-9.]+)", said)[1]) / 100
        assert 0 <= shown - detections(float(epsilon), 1e-5) <= 0.0011


@given(some.floats(0, 20), some.floats(0, 0.5), some.floats(0, 1))
def test_the_curve_is_the_bound_of_tests(epsilon, delta, false_alarms):
    corners = np.asarray(trade_off_corners(epsilon, delta))
    assert np.interp(false_alarms, *corners.T) == pytest.approx(detections(epsilon, delta, false_alarms), abs=1e-9)


def test_the_corner_at_odds_of_three_is_at_a_quarter():
    assert trade_off_corners(log(3), 0.0)[1] == pytest.approx((0.25, 0.75))


def test_the_picture_draws_corners_and_the_test_with_five_in_a_hundred_false_alarms():
    drawn = attacker_picture(promise(log(3)), alone=True)
    parsed = ElementTree.fromstring(drawn)
    assert parsed.tag == "{http://www.w3.org/2000/svg}svg"
    points = parsed.find("{*}polyline").get("points").split()
    assert points == ["50.00,170.00", "90.00,50.00", "210.00,10.00", "210.00,10.00"]
    dot = parsed.find("{*}circle")
    assert (dot.get("cx"), dot.get("cy")) == ("58.00", "146.00")  # 5 % and 15 %
    assert "at most 15.0" in parsed.get("aria-label")
    assert "xmlns" not in attacker_picture(promise(log(3)))


def test_simulated_noise_has_the_numbers_that_secure_noise_would_have():
    assert gain_sentences(replace(promise(1.0), status="simulated")) == gain_sentences(promise(1.0))
