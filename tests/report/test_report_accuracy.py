"""The picture of accuracy over epsilon."""

from __future__ import annotations

import io
import sys

import numpy as np
import pytest

from tacit.errors import MissingExtra
from tacit.report import Curve, Reference, draw_accuracy
from tacit.report.accuracy import spread
from tacit.report.extra import drawing

CURVES = [
    Curve("some", (0.5, 1.0, 2.0), ((0.6, 0.8), (0.7, 0.9), (0.8, 1.0))),
    Curve("all", (0.5, 1.0, 2.0), ((0.5, 0.7), (0.6, 0.8), (0.8, 0.9))),
]


def pixels(content):
    from matplotlib.image import imread

    return imread(io.BytesIO(content), format="png")


def test_means_are_over_repetitions():
    assert CURVES[0].means == pytest.approx((0.7, 0.8, 0.9))


def test_the_picture_shows_curves_and_lines():
    bare = pixels(draw_accuracy(CURVES[:1], [], title="t", caption="c"))
    full = pixels(draw_accuracy(CURVES, [Reference("none", 0.95)], title="t", caption="c"))
    assert full.shape == bare.shape
    orange = np.array([0xD5, 0x5E, 0x00]) / 255

    def of_color(image, color):
        return int((np.abs(image[..., :3] - color).max(axis=2) < 0.02).sum())

    assert of_color(bare, orange) == 0
    assert of_color(full, orange) > 500


def test_the_picture_is_the_same_each_time():
    assert draw_accuracy(CURVES, [], title="t", caption="c") == draw_accuracy(CURVES, [], title="t", caption="c")


def test_names_do_not_touch():
    assert spread([0.9, 0.89, 0.1], 0.05) == pytest.approx([0.94, 0.89, 0.1])


def test_the_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtra, match=r"tacit\[report\]"):
        drawing("matplotlib.figure")


def test_importing_the_room_needs_no_matplotlib():
    import subprocess

    code = "import sys, tacit.report, tacit.cli.app; sys.exit('matplotlib' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
