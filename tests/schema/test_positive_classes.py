"""Several classes of a table that are one class together."""

import numpy as np
import polars as pl
import pytest

import tacit
from tacit.audit.neighbors import values, worst_pairs
from tacit.errors import SchemaError, TableError
from tacit.models import from_json, to_json
from tacit.schema import Label, Numeric, Schema
from tacit.schema.drafted import entries_of
from tacit.study.simulate import simulate
from tacit.table import read_labels
from tacit.table.files import read_with_labels

OUTCOME = Label("outcome", ["relapse", "cured", "death"], positive=["relapse", "death"])
SCHEMA = Schema([Numeric("x", 0, 1)], label=OUTCOME)
CELLS = np.asarray(["cured", "cured", "relapse", "death"])


def _rows(n_rows=400):
    x = np.random.default_rng(2).random(n_rows)
    return pl.DataFrame({"x": x}), CELLS[np.minimum((x * 4).astype(int), 3)]


def test_the_classes_are_false_and_true():
    assert OUTCOME.classes == (False, True)
    assert OUTCOME.cells == ("cured", "relapse", "death")
    assert [OUTCOME.class_of(cell) for cell in OUTCOME.cells] == [False, True, True]
    assert repr(OUTCOME) == "Label('outcome', ['relapse', 'cured', 'death'], positive=['relapse', 'death'])"
    assert eval(repr(OUTCOME)) == OUTCOME
    assert (Label("y", [1, 2]).cells, Label("y", [1, 2]).class_of(2)) == ((1, 2), 2)
    assert Label("y", ["a", "b"], positive=["a"], prevalence=[0.9, 0.1]).prevalence == (0.9, 0.1)


def test_labels_are_read_as_the_table_has_them():
    assert read_labels(list(CELLS), OUTCOME).tolist() == [0, 0, 1, 1]
    numbers = Label("y", [3, 0, 1], positive=[0])
    assert read_labels([0, 1, 3], numbers).tolist() == [1, 0, 0]
    assert read_labels(["other", None], OUTCOME, on_invalid="coerce").tolist() == [1, 1]  # relapse is listed first
    for wrong in (["other"], [True], ["True"]):
        with pytest.raises(TableError, match="among the schema's classes"):
            read_labels(wrong, OUTCOME)


def test_schemas_and_drafts_write_what_people_wrote():
    text = SCHEMA.to_toml()
    assert 'classes = ["relapse", "cured", "death"]' in text
    assert 'positive = ["relapse", "death"]' in text
    assert "listed" not in text
    assert Schema.from_toml(text) == SCHEMA
    assert SCHEMA.with_private([], label=False).label.cells == OUTCOME.cells
    assert 'positive = ["relapse", "death"]' in entries_of(SCHEMA)[0].toml


@pytest.mark.parametrize("positive", [[], ["relapse", "cured", "death"], ["gone"], ["death", "death"], "death", [True]])
def test_wrong_positive_classes_are_refused(positive):
    with pytest.raises(SchemaError, match="positive"):
        Label("outcome", ["relapse", "cured", "death"], positive=positive)
    with pytest.raises(SchemaError):
        Label("outcome", ["a", "b"], listed=["a", "b"])
    with pytest.raises(SchemaError, match="False and True"):
        Label("outcome", ["a", "b"], positive=["a"], listed=["a", "b"])


def test_fit_score_files_and_evaluation_understand_them(tmp_path):
    frame, labels = _rows()
    fitted = tacit.LogisticClassifier(SCHEMA, epsilon=50.0, random_state=1).fit(frame, labels)
    assert fitted.classes_.tolist() == [False, True]
    likely = fitted.predict(frame)
    assert fitted.score(frame, labels) == (likely == np.isin(labels, ["relapse", "death"])).mean() > 0.9
    again = from_json(to_json(fitted.model_, allow="simulated"))
    assert again.schema == SCHEMA
    assert (again.predict(frame) == likely).all()
    found = tacit.evaluate(again, frame, labels, epsilon=50.0, random_state=1)
    assert found.measured.measures()["accuracy"]["value"] > 0.9
    path = tmp_path / "t.csv"
    frame.with_columns(pl.Series("outcome", labels)).write_csv(path)
    _, read = read_with_labels(path, SCHEMA, "raise")
    assert (read_labels(read, OUTCOME) == likely).mean() > 0.9


def test_simulations_and_audits_hand_over_cells_of_the_table():
    _, labels = simulate(SCHEMA, 200, seed=3)
    assert set(labels) == {"cured", "relapse"}
    assert values(OUTCOME) == ["cured", "relapse", "death"]
    ends = {(pair.first[0][-1], pair.second[0][-1]) for pair in worst_pairs(SCHEMA, n_rows=3)}
    assert ("cured", "death") in ends
