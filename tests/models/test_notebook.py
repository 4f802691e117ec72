"""What notebooks show of public objects: names as text, and what is promised."""

from __future__ import annotations

import numpy as np
import pytest

import tacit
from harness.messy_tables import HTML, RIGHT_TO_LEFT, messy_schema
from tacit import Categorical, Label, Schema

NAME = "<script>alert(1)</script>\u202e\"'&"
SCHEMA = Schema([Categorical(NAME, ["<b>", "c"])], label=Label("<i>", ["no", "yes"]))


@pytest.fixture(scope="module")
def fitted():
    cells = np.asarray([["<b>"], ["c"]] * 300)
    return tacit.NaiveBayesClassifier(SCHEMA, epsilon=2.0).fit(cells, ["no", "yes"] * 300)


def test_hostile_names_are_text(fitted):
    assert "<script>alert" not in fitted._repr_html_()
    for shown in (SCHEMA, fitted.privacy_, fitted.model_):
        html = shown._repr_html_()
        assert (
            "<script>" not in html
            and "&lt;script&gt;alert(1)" in html
            and "<i>" not in html
            and "<b>" not in html
            and "\u202e" not in html
        )


def test_a_schema_lists_its_columns_and_a_model_its_findings_and_certificate(fitted):
    html = messy_schema()._repr_html_()
    assert "&lt;script&gt;" in html and HTML not in html and RIGHT_TO_LEFT in html and "-99 to 300" in html
    model = fitted.model_._repr_html_()
    assert "CERTIFICATE OF DIFFERENTIAL PRIVACY" in model and "beyond the noise" in model
    assert model.index("beyond the noise") < model.index("CERTIFICATE")
    assert model in fitted._repr_html_()
