"""An empty cell of a number as a category of its own, for reading, schemas, models and files."""

from math import sqrt

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tacit
from tacit.errors import SchemaError
from tacit.features import LinearEncoding
from tacit.models import RankedModel, from_json, to_json
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.simulate import simulate
from tacit.table import read_rows

NUMBER = Numeric("n", 0, 10, missing="indicator", missing_codes=[-99])
SCHEMA = Schema(
    [
        NUMBER,
        Categorical("c", ["x", "y"]),
        Numeric("d", "2020-01-01", "2020-01-03", missing="indicator", private=False),
    ],
    label=Label("y", [0, 1]),
)
MARK = "n is missing"


def test_a_schema_has_a_column_after_each_such_number_and_tables_have_none():
    assert SCHEMA.names == ("n", MARK, "c", "d", "d is missing")
    assert SCHEMA.input_names == ("n", "c", "d")
    assert SCHEMA.private_columns == ("n", MARK, "c")
    assert SCHEMA.with_private(["d"]).private_columns == ("d", "d is missing")
    assert SCHEMA.with_private([MARK]).private_columns == ()
    assert Schema(SCHEMA.columns, label=SCHEMA.label) == SCHEMA
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA
    assert MARK not in SCHEMA.to_toml()
    assert (NUMBER.middle, NUMBER.missing_value) == (5.0, 5.0)


@pytest.mark.parametrize("on_invalid", ["raise", "coerce"])
def test_a_cell_is_read_as_a_number_and_as_its_absence(on_invalid):
    cells = {"n": [0.0, None, -99.0, 12.0], "c": ["x"] * 4, "d": [None, "2020-01-02", "2020-01-03", None]}
    wide = [list(row) for row in zip(*cells.values(), strict=True)]
    for given in (pl.DataFrame(cells), pl.DataFrame(cells).lazy(), pd.DataFrame(cells), wide):
        rows = read_rows(given, SCHEMA, on_invalid=on_invalid).columns
        assert list(rows) == list(SCHEMA.names)
        assert rows["n"].tolist() == [0, 5, 5, 10]
        assert rows[MARK].tolist() == [0, 1, 1, 0]
        assert (rows["d"] - rows["d"].min()).tolist() == [0, 0, 1, 0]
        assert rows["d is missing"].tolist() == [1, 0, 0, 1]


def test_ordinal_features_are_zero_for_a_number_or_one_for_none():
    rows = read_rows(pl.DataFrame({"n": [0.0, None, 10.0], "c": ["x"] * 3, "d": ["2020-01-02"] * 3}), SCHEMA)
    features = LinearEncoding(SCHEMA, ("n", MARK)).transform(rows)
    assert features.tolist() == [[-1, 0], [0, 1], [1, 0]]


def test_what_no_schema_makes_is_refused():
    with pytest.raises(SchemaError, match="missing='indicator'"):
        Schema([Categorical("m", [False, True], indicates="n")], label=Label("y", [0, 1]))
    with pytest.raises(SchemaError, match="twice"):
        Schema([NUMBER, Numeric(MARK, 0, 1)], label=Label("y", [0, 1]))
    with pytest.raises(SchemaError, match="indicates"):
        Schema.from_toml(SCHEMA.to_toml().replace('name = "c"', 'name = "c"\nindicates = "n"'))
    with pytest.raises(SchemaError, match="missing of column 'n'"):
        Numeric("n", 0, 1, missing="mean")


def _rows(n_rows=400):
    draw = np.random.default_rng(3)
    empty = draw.random(n_rows) < 0.5
    frame = pl.DataFrame({"n": draw.uniform(0, 10, n_rows), "c": draw.choice(["x", "y"], n_rows)})
    frame = frame.with_columns(pl.when(pl.Series(empty)).then(None).otherwise(pl.col("n")).alias("n"))
    return frame, np.where(empty, 1, 0)


def test_a_model_learns_from_absence_and_survives_a_file():
    schema = Schema([NUMBER, Categorical("c", ["x", "y"])], label=Label("y", [0, 1]))
    frame, labels = _rows()
    fitted = tacit.LogisticClassifier(schema, epsilon=50.0, random_state=1).fit(frame, labels)
    assert (fitted.n_features_in_, list(fitted.feature_names_in_)) == (2, ["n", "c"])
    assert (fitted.predict(frame) == labels).mean() > 0.95
    again = from_json(to_json(fitted.model_, allow="simulated"))
    assert (again.predict_proba(frame) == fitted.predict_proba(frame)).all()
    assert set(again.explain()["column"]) == {"n", MARK, "c"}


@pytest.mark.parametrize(
    ("learner", "settings"),
    [
        ("LogisticClassifier", {}),
        ("LogisticClassifier", {"delta": 1e-5, "encoding": "ranked"}),
        ("BoostedTreesClassifier", {"delta": 1e-5, "n_trees": 10}),
        ("TreeClassifier", {}),
        ("NaiveBayesClassifier", {}),
    ],
)
def test_exported_models_see_the_same_absence(learner, settings):
    onnxruntime = pytest.importorskip("onnxruntime")
    schema = Schema([NUMBER, Categorical("c", ["x", "y"])], label=Label("y", [0, 1]))
    frame, labels = _rows()
    model = getattr(tacit, learner)(schema, epsilon=50.0, random_state=1, **settings).fit(frame, labels).model_
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    cells = np.asarray([[3.0], [np.nan], [-99.0], [20.0]])
    given = {"n": cells, "c": np.asarray([["x"]] * 4, dtype=object)}
    found = session.run(["probabilities"], given)[0]
    expected = model.predict_proba(pl.DataFrame({"n": cells[:, 0], "c": ["x"] * 4}))
    assert np.abs(found - expected).max() < 1e-6


def test_ranks_with_a_mark_survive_a_file_and_those_of_before_are_read_as_they_were():
    schema = Schema([NUMBER, Categorical("c", ["x", "y"])], label=Label("y", [0, 1]))
    frame, labels = _rows()
    ranked = tacit.LogisticClassifier(schema, epsilon=50.0, delta=1e-5, encoding="ranked", random_state=1)
    fitted = ranked.fit(frame, labels)
    assert (fitted.predict(frame) == labels).mean() > 0.95
    written = to_json(fitted.model_, allow="simulated")
    again = from_json(written)
    assert (again.predict_proba(frame) == fitted.predict_proba(frame)).all()
    [form] = fitted.model_.scorers
    assert form.joined and len(form.weights[0]) == 1 + 2 + 1 + 2
    assert f" {MARK}" in " ".join(form.words(schema)) and form.ranges(schema)[MARK] > form.ranges(schema)["c"]
    # Without the entry there is a coefficient for each of the mark's categories, centered, and the center has a rank.
    before = RankedModel(schema.names, ((0.0, 1.0, 0.0, 2.0, 0.0, 0.0),), 1.5)
    before.check(schema)
    rows = read_rows(pl.DataFrame({"n": [10.0, None], "c": ["x", "x"]}), schema)
    assert before.scores(rows, schema) == pytest.approx([1.5 / sqrt(2.5) * (1 - 0.25 * 2), 0.75 * 2], abs=1e-3)


def test_simulated_tables_have_empty_cells_and_no_indicator():
    frame, _ = simulate(SCHEMA, 400, seed=1)
    assert frame.columns == ["n", "c", "d"]
    assert 0 < frame["n"].null_count() < 80
    assert read_rows(frame, SCHEMA).columns[MARK].sum() == frame["n"].null_count()
