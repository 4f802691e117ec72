"""Lines of a list of findings: cells that add the same are one, on the terminal and on the card."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from tacit import BoostedTreesClassifier, Label, NaiveBayesClassifier, Numeric, Schema, TreeClassifier
from tacit.cli.explanation_words import explanation_lines
from tacit.models.cells import ColumnCells
from tacit.models.effect_groups import effect_groups
from tacit.models.explanation import ColumnEffects, Explanation
from tacit.report.page.card import model_card
from tacit.schema import Categorical

AGE = ColumnCells(Numeric("age", 0, 90, cuts=[20, 40, 60, 80]))
SKY = ColumnCells(Categorical("sky", ["clear", "gray", "red", "black", "white"]))
ALL = np.full(5, True)


def column(effects, deviations, *, cells=AGE, shares=(0.2,) * 5):
    known = None if deviations is None else np.broadcast_to(np.asarray(deviations, dtype=float), 5)
    return ColumnEffects("yes", cells, np.asarray(shares), np.asarray(effects, dtype=float), known, released=True)


def cells_of(*given, found=ALL, **more):
    return [each.cells for each in effect_groups(column(*given, **more), found)]


def test_neighbors_within_two_deviations_of_their_difference_are_one_line():
    # Two deviations of a difference are 2 * 0.05 * sqrt(2) = 0.141.
    assert cells_of([-1, -0.9, 0.5, 0.64, 0.66], 0.05) == [(0, 1), (2, 3), (4,)]
    assert cells_of([-1, -0.9, 0.5, 0.64, 0.66], 0.005) == [(0,), (1,), (2,), (3,), (4,)]
    # Each is near the next, but the ends are not alike.
    assert cells_of([0.5, 0.6, 0.7, 0.8, 0.9], 0.05) == [(0, 1), (2, 3), (4,)]


def test_cells_of_one_leaf_are_one_line_whatever_the_noise():
    assert cells_of([0.7, 0.7, 0.7 + 1e-15, -0.2, -0.2], 0.0) == [(0, 1, 2), (3, 4)]
    assert cells_of([0.7, 0.7, 0.7, -0.2, -0.2], None) == [(0, 1, 2), (3, 4)]


def test_what_is_no_finding_divides_a_range():
    assert cells_of([0.5] * 5, 0.1, found=np.asarray([True, True, False, True, False])) == [(0, 1), (3,)]
    assert cells_of([0.5] * 5, 0.1, found=~ALL) == []


def test_categories_are_one_line_only_where_they_are_equal():
    assert cells_of([0.5, -0.3, 0.5, 0.51, 0.5], 0.1, cells=SKY) == [(0, 2, 4), (1,), (3,)]


def test_a_line_says_the_mean_by_shares_and_no_less_noise_than_there_is():
    effects = column([-1, -0.9, 2, 2, 2], [0.1, 0.2, 1, 1, 1], shares=(0.1, 0.3, 0.2, 0.2, 0.2))
    low, high = effect_groups(effects, ALL)
    assert (low.share, low.effect, low.deviation) == pytest.approx((0.4, -0.925, 0.175))
    assert low.surely == pytest.approx((0.925 - 0.35) * 0.4**0.5)
    assert (low.label, high.label) == ("at most 40", "above 40")
    nobody = column([1.0, 1.0, 0, 0, 0], 0.1, shares=(0.0, 0.0, 0.5, 0.25, 0.25))
    assert next(effect_groups(nobody, ALL)).effect == 1.0


def test_what_lines_are_called():
    assert AGE.label_of([1]) == "above 20 and at most 40" and AGE.label_of([1, 2]) == "above 20 and at most 60"
    assert AGE.label_of(range(5)) == "any value"
    assert SKY.label_of([1]) == "gray" and SKY.label_of([0, 2, 3]) == "clear, red, black"
    assert SKY.label_of(range(5)) == "clear, gray, red and 2 more"
    # Cut points next to each other: as many digits as their cells have.
    close = ColumnCells(Numeric("x", 0, 1, cuts=[0.5, 0.5000001, 0.5000002]))
    assert close.label_of([1, 2]) == "above 0.5 and at most 0.5000002"


def test_lists_are_in_the_order_of_what_ranges_surely_move():
    found = Explanation((column([-0.5, 1, 1, 1, 0.5], 0.05), column([0.9, 0, 0, 0, 0], 0.05, cells=SKY)))
    listed = found.listed()
    assert listed["cell"].to_list() == ["above 20 and at most 80", "clear", "at most 20", "above 80"]
    assert listed.columns == found.frame().columns
    assert listed["share"].to_list() == pytest.approx([0.6, 0.2, 0.2, 0.2])
    # Cell by cell, as before.
    assert len(found.frame()) == 10


def test_effects_count_half_as_what_the_rows_classes_show():
    one = replace(column([0.9, 0.8, -0.7, 0.6, 0.5], 0.1, cells=SKY), agreed=np.asarray([3.0, 5.0, 20.0, 0.0, 2.5]))
    # Roots of 0.9 x 3 x 0.1 and so on, less 0.2.
    sure = [0.27**0.5 - 0.2, 0.4**0.5 - 0.2, 1.4**0.5 - 0.2, -0.2, 0.125**0.5 - 0.2]
    assert one.surely == pytest.approx(sure)
    found = Explanation((one,))
    # Black says the other way than its rows, and is none.
    assert found.listed()["cell"].to_list() == ["red", "gray", "clear", SKY.labels[4]]
    assert found.frame()["cell"].to_list()[:4] == found.listed()["cell"].to_list()
    assert [line.surely for line in found.groups] == pytest.approx([sure[at] * 0.2**0.5 for at in (2, 1, 0, 4)])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [TreeClassifier, BoostedTreesClassifier])
def test_one_leaf_is_one_line_on_the_terminal_and_on_the_card(learner):
    draw = np.random.default_rng(0)
    schema = Schema([Numeric("gain", 0, 100), Numeric("other", 0, 1)], label=Label("y", ["no", "yes"]))
    X = draw.uniform(0, 1, (8000, 2)) * [100, 1]
    y = np.where((X[:, 0] > 60) ^ (draw.random(8000) < 0.1), "yes", "no")
    model = learner(schema, epsilon=8.0, random_state=0).fit(X, y).model_
    findings = model.explain().filter(model.explain()["verdict"] == "finding")
    lines = [line for line in explanation_lines(model, 100) if " gain: " in line and "±" in line]
    assert len(findings) > 2 * len(lines) > 2
    # No cell is listed twice.
    listed = [cell for one in model.explanation.groups for cell in one.cells if one.column.cells.column.name == "gain"]
    assert len(set(listed)) == len(listed) == len(findings.filter(findings["column"] == "gain"))
    table = re.search(r"<table><caption>Effects.*?</table>", model_card(model)).group()
    assert table.count("<bdi>gain: ") == len(lines)
    left = len(model.explain()) - len(findings)
    assert f"{left} others are indistinguishable from noise" in table


@pytest.mark.filterwarnings("ignore")
def test_lists_say_what_they_average_over():
    schema = Schema([Numeric("gain", 0, 100)], label=Label("y", ["no", "yes"]))
    X = np.linspace(0, 100, 4000)[:, None]
    y = np.where(X[:, 0] > 60, "yes", "no")
    counted = NaiveBayesClassifier(schema, epsilon=8.0, random_state=0).fit(X, y).model_
    trees = BoostedTreesClassifier(schema, epsilon=8.0, random_state=0).fit(X, y).model_
    for model, over in ((counted, "the rows"), (trees, "equally weighted bins and categories")):
        assert model.explanation.averaged_over == over
        assert any(
            f"standard deviation of a column's effects over {over}, with a 95 %" in line
            for line in explanation_lines(model, 10)
        )
        card = model_card(model)
        assert f"less its mean over {over}." in card and f"standard deviation over {over}, 95 %" in card
    assert "over the rows" not in model_card(trees)
    both = Explanation((column([1] * 5, 0.1), replace(column([1] * 5, 0.1, cells=SKY), released=False)))
    assert both.averaged_over.startswith("the rows, where their shares were released, else over equally")


def test_a_column_of_two_cells_is_one_line_that_names_both():
    cells = ColumnCells(Categorical("smoker", ["no", "yes"]))
    both = (np.asarray([0.75, 0.25]), np.asarray([-0.5, 1.5]), np.asarray([0.1, 0.1]))
    found = Explanation((ColumnEffects("ill", cells, *both, released=True),))
    assert len(found.groups) == 2
    assert found.listed()["cell"].to_list() == ["yes (no: -0.50)"]
    one = replace(found.columns[0], deviations=np.asarray([0.3, 0.1]))
    assert Explanation((one,)).listed()["cell"].to_list() == ["yes"]
