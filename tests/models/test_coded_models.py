"""Models of columns with buckets and prefixes: unseen codes, files, words, pages, made-up rows, audits."""

from __future__ import annotations

import polars as pl
import pytest

from tacit import Categorical, Label, NaiveBayesClassifier, Schema
from tacit.audit.findings import Claim
from tacit.audit.neighbors import values
from tacit.audit.table_pairs import pairs_of_schema
from tacit.errors import ParameterError
from tacit.models import to_json
from tacit.models.file import from_json
from tacit.report.page.card import model_card
from tacit.study.simulate import simulate
from tacit.table.codebook import codebook

ZIP = Categorical("zip", buckets=16, salt="s")
CODE = Categorical("code", ["I", "I21"], match="prefix", other=True)
SCHEMA = Schema([ZIP, CODE], label=Label("y", ["no", "yes"]))


@pytest.fixture(scope="module")
def model():
    rows = pl.DataFrame({"zip": [f"{at:05d}" for at in range(400)], "code": ["I21.4", "I63", "J45", "I2"] * 100})
    labels = ["yes", "no", "no", "no"] * 100
    with pytest.warns():
        return NaiveBayesClassifier(SCHEMA, epsilon=20.0, random_state=1).fit(rows, labels).model_


def test_codes_that_no_row_had_are_predicted_as_their_bucket_and_prefix(model):
    again = from_json(to_json(model, allow="simulated"))
    assert again == model
    unseen = pl.DataFrame({"zip": ["new", None, "02139"], "code": ["I21.999", "I99", "Z"]})
    assert again.predict(unseen).tolist() == ["yes", "no", "no"]
    alike = next(text for text in map(str, range(10_000)) if codebook(ZIP).code(text) == codebook(ZIP).code("new"))
    both = again.decision_function(pl.DataFrame({"zip": ["new", alike], "code": ["I", "I"]}))
    assert both[0] == both[1]


def test_words_name_buckets_and_prefixes(model):
    words = "\n".join(model.scorers[0].words(SCHEMA))
    assert "zip is bucket 3:" in words
    assert "zip is missing:" in words
    assert "code is I21*:" in words
    assert "I21*" in model_card(model)


def test_onnx_refuses_what_it_has_no_operator_for(model):
    pytest.importorskip("onnx")
    with pytest.raises(ParameterError, match="column 'zip' with buckets"):
        model.to_onnx()


def test_made_up_rows_and_extreme_ones_fit_the_schema():
    frame, _ = simulate(SCHEMA, 200, seed=1)
    codes = {codebook(CODE).code(cell) for cell in frame["code"]}
    assert codes == {0, 1, -1}
    assert len({codebook(ZIP).code(text) for text in values(ZIP)}) == 4
    pairs = pairs_of_schema(SCHEMA, Claim(1.0, 0.0), cells="codes")
    assert pairs[0].first[0].min() >= 0
