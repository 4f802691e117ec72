"""Survey weights of hand-written files: how they are read, what is refused, and what is said to be protected."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tacit import Label, Numeric, Schema, TreeClassifier, Weight, load_model
from tacit.report.page.card import model_card

SCHEMA = Schema([Numeric("a", 0, 9)], label=Label("y", ["no", "yes"]), weight=Weight("w", 8))
PUBLIC = replace(SCHEMA, weight=Weight("w", 8, private=False))
POINTS = ("0.5", "3.25", "8", "1200.5")

pytestmark = pytest.mark.filterwarnings("ignore::tacit.PrivacyWarning")


@pytest.fixture
def fit(tmp_path, run):
    """Run a fit of rows with these texts as weights, in turn; return what was said, and where the model is."""

    def invoke(weights, schema=SCHEMA, *options, code=0):
        table, out = written(tmp_path / "rows.csv", weights), tmp_path / "model.json"
        out.unlink(missing_ok=True)
        (tmp_path / "s.toml").write_text(schema.to_toml(), encoding="utf-8")
        given = ("--schema", tmp_path / "s.toml", "--epsilon", "1", "--learner", "tree", "--out", out)
        found = run("fit", table, *given, *options, code=code)
        assert out.exists() == (code == 0)
        return " ".join((found.stderr if code else found.stdout).split()), out

    return invoke


def written(path, weights):
    lines = [f"{at % 10};{'yes' if at % 3 else 'no'};{weights[at % len(weights)]}" for at in range(200)]
    path.write_text("\n".join(["a;y;w", *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("-1.5", "finite number of at least 0 as the weight 'w' of every row"),
        ("-1e9", "finite number of at least 0 as the weight 'w' of every row"),
        ("", "finite number of at least 0 as the weight 'w' of every row"),
        ("NA", "finite number of at least 0 as the weight 'w' of every row"),
        ("nan", "finite number of at least 0 as the weight 'w' of every row"),
        ("1e400", "finite number of at least 0 as the weight 'w' of every row"),
        ("heavy", "Expected a number in every cell of column 'w', got another text"),
        ("3,25", 'write decimal = ","'),
    ],
)
def test_a_cell_that_is_no_weight_is_one_error_that_does_not_show_it(cell, message, fit):
    said, _ = fit((*POINTS, cell), code=1)
    assert message in said
    assert len(cell) < 4 or cell not in said


def test_coerced_cells_and_weights_beyond_the_cap_are_fitted(fit):
    fit((*POINTS, "-1.5", "", "heavy"), SCHEMA, "--on-invalid", "coerce")
    fit(("1e6", "8"))


def test_marks_of_decimals_and_thousands_are_read_as_the_schema_says(tmp_path):
    german = replace(SCHEMA, weight=Weight("w", 8, decimal=",", thousands="."))
    files = {"points": POINTS, "commas": ("0,5", "3,25", "8", "1.200,5"), "other": ("8", "3,25", "8", "0,5")}
    paths = {name: written(tmp_path / f"{name}.csv", texts) for name, texts in files.items()}
    make = lambda schema: TreeClassifier(schema, epsilon=5.0, random_state=0)  # noqa: E731
    read = {name: make(german).fit(paths[name]).model_.scorers for name in ("commas", "other")}
    assert read["commas"] == make(SCHEMA).fit(paths["points"]).model_.scorers != read["other"]


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        (SCHEMA, "Protected: 1 of 1 columns, the weight 'w', and the label 'y'. "),
        (PUBLIC, "Protected: 1 of 1 columns, and the label 'y'. Public: the weight 'w'. "),
        (
            replace(PUBLIC, label=replace(SCHEMA.label, private=False)),
            "Protected: 1 of 1 columns. Public: the label 'y' and the weight 'w'. ",
        ),
        (replace(SCHEMA, weight=None), "Protected: 1 of 1 columns, and the label 'y'. "),
    ],
)
def test_a_fit_a_card_and_verify_say_whether_the_weight_is_protected(schema, line, fit, run):
    said, out = fit(POINTS, schema)
    assert line in said
    private = schema.weight is not None and schema.weight.private
    assert ("the label, and the row&#x27;s weight" in model_card(load_model(out))) == private
    assert json.loads(run("verify", out, "--json").stdout)["protected"]["weight"] == private


def test_compare_refuses_a_weight_before_a_row_is_read(tmp_path, run):
    (tmp_path / "s.toml").write_text(SCHEMA.to_toml(), encoding="utf-8")
    given = ("--schema", tmp_path / "s.toml", "--epsilons", "1", "--out", tmp_path / "study")
    said = run("compare", written(tmp_path / "rows.csv", POINTS), *given, code=1).stderr
    assert "Expected a schema without a weight for compare, got the weight 'w'" in said
    assert not (tmp_path / "study").exists()
