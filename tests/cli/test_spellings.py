"""Errors of the command line name its options, and not parameters of Python; what costs nothing comes first."""

from __future__ import annotations

import pytest

from tacit.cli.spellings import as_options


@pytest.mark.parametrize(
    ("python", "options"),
    [
        ("or pass on_invalid='coerce'.", "or pass --on-invalid coerce."),
        ("choose another learner or predict(threshold=)", "choose another learner or tacit predict --threshold"),
        ("got threshold=1.5. A number", "got --threshold 1.5. A number"),
        ("Fit with holdout=0.1.", "Fit with --holdout 0.1."),
        ("Expected class_weight=None for Tree, got", "Expected no --class-weight for Tree, got"),
        ("with class_weight='balanced' or", "with --class-weight balanced or"),
        ("for loss='quantile', got none.", "for --loss quantile, got none."),
        ("Write quantiles=(0.05, 0.5).", "Write --quantile 0.05 --quantile 0.5."),
        ("Expected None or up to 16 numbers", "Expected up to 16 numbers"),
        ("got quantiles=a tuple. Take", "got others with --quantile. Take"),
        ("got n_bins=3, a 'thing'. Take fewer.", "got n_bins=3, a 'thing'. Take fewer."),
    ],
)
def test_parameters_are_the_options_that_set_them(python, options):
    assert as_options(python) == options


def test_a_category_that_was_not_seen_asks_for_no_other_fit(run, table, schema, tmp_path):
    model, odd = tmp_path / "model.json", tmp_path / "odd.csv"
    run("fit", table, "--schema", schema, "--epsilon", 1, "--learner", "naive-bayes", "--out", model)
    first, *rest = table.read_text().splitlines()
    column = first.split(",").index("code")
    cells = rest[0].split(",")
    cells[column] = "77"
    odd.write_text("\n".join([first, ",".join(cells)]) + "\n")
    said = run("predict", model, odd, code=1).stderr
    assert "on_invalid" not in said
    assert said.index("--on-invalid coerce") < said.index("before a fit, complete `categories`")
    assert len(run("predict", model, odd, "--on-invalid", "coerce").stdout.splitlines()) == 2


def test_a_balanced_threshold_needs_no_more_than_naive_bayes_released(run, table, schema, tmp_path):
    model = tmp_path / "model.json"
    run("fit", table, "--schema", schema, "--epsilon", 1, "--learner", "naive-bayes", "--out", model)
    balanced = run("predict", model, table, "--threshold", "balanced").stdout.splitlines()
    assert len(balanced) == len(table.read_text().splitlines())
    given = ("--schema", schema, "--epsilon", 1, "--learner", "logistic", "--delta", 0)
    run("fit", table, *given, "--out", model, "--force")
    said = run("predict", model, table, "--threshold", "balanced", code=1).stderr
    assert "--threshold balanced" in said and "--class-weight balanced or --holdout 0.1" in said
