"""A model's card: what it says, hostile names as text, no script; and the pictures of effects and importances."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import tacit
from harness.messy_tables import HOSTILE, HTML, QUOTED, RIGHT_TO_LEFT, messy_table
from report.browser import browser
from tacit import BoostedTreesClassifier, Label, NaiveBayesClassifier, Numeric, Schema
from tacit.cli.app import app
from tacit.errors import ParameterError
from tacit.measures import HeldOut
from tacit.models import to_json
from tacit.privacy.release_words import release_groups
from tacit.report import ContributionsDisplay, EffectsDisplay, ImportanceDisplay, read_about, write_model_card
from tacit.report.effect_figures import cells_in_order, effects_figure, importance_figure
from tacit.report.odds import right_guesses
from tacit.report.page.bars import importance_table
from tacit.report.page.card import model_card
from tacit.report.rows import shown


@pytest.fixture(scope="module")
def model():
    messy = messy_table(20_000, seed=1)
    return tacit.LogisticClassifier(messy.schema, epsilon=2.0, delta=1e-6).fit(messy.frame, messy.labels).model_


class Texts(HTMLParser):
    """Visible text, and every tag."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text, self._style = [], "", False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._style = tag == "style"

    def handle_data(self, data):
        self.text += "" if self._style else data


def test_hostile_names_are_text_and_nothing_runs_or_is_asked_for(model):
    page = Texts(model_card(model))
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "img", "iframe", "form", "object", "b", "base"}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert not re.search(r"https?://|@import|url\(", model_card(model))
    policy = next(attributes["content"] for tag, attributes in page.tags if attributes.get("http-equiv"))
    assert "script-src 'none'" in policy and "default-src 'none'" in policy
    assert all(name in page.text for name in (HTML, QUOTED, RIGHT_TO_LEFT))
    assert HOSTILE[0] in page.text and "\u202e" not in page.text


def test_probabilities_are_shown_against_what_was_so_and_a_baseline(model):
    held_out = HeldOut(
        ((600.0, 300.0, 400.0, 200.0), (3.0, 97.0, 100.0, 800.0)), (-4.0, -3.0, 0.0), 2500, 1.0, "Laplace"
    )
    page = model_card(replace(model, held_out=held_out))
    said = Texts(page).text
    assert "Without a model, the probability of every row would be 0.400 (" in said
    assert "0.00 to 0.050.100 (" in said and "0.50 to 1.000.800 (" in said
    # A bar begins at the middle of the predictions, three quarters, and ends at the share.
    assert re.search(r'<rect x="75\.00" y="1\.5" width="5\.0[0-9]"', page)
    few = replace(held_out, counts=((6.0, 3.0, 400.0, 2.0), (0.0, 1.0, 100.0, 1.0)), n_rows=513)
    assert "Too few rows to say: 2 of 3 ranges" in Texts(model_card(replace(model, held_out=few))).text
    weighed = model_card(replace(model, held_out=held_out, class_weights=(0.1, 1.0)))
    assert "no share of rows is to be like them" in weighed and "Without a model" not in weighed


def test_mistakes_are_a_table_with_intervals(model):
    held_out = HeldOut(((850.0, 50.0), (60.0, 40.0)), (0.0,), 1000, 0.0, "exact")
    page = model_card(replace(model, held_out=held_out))
    table = re.search(r"<table><caption>Shares of all rows by class.*?</table>", page).group()
    assert [f"predicted {name}" in table for name in ("no", "yes")] == [True, True]
    cells = re.findall(r"<td>([0-9.]+ \([^)]*\))</td>", table)
    shares = [each for row in held_out.confusion for each in row]
    assert cells == [str(each) for each in (*shares[:2], held_out.recalls[0], *shares[2:], held_out.recalls[1])]
    assert "Found of each class" in page


def test_sets_are_a_table_that_says_which_classes_noise_hides(model):
    held_out = HeldOut(((600.0, 250.0, 100.0, 50.0), (5.0, 45.0, 150.0, 800.0)), (-1.0, 0.0, 1.0), 2000, 0.0, "exact")
    said = Texts(model_card(replace(model, held_out=held_out))).text
    # Of no 50 of 1,000 are above 1, of yes 50 below 0, where no is predicted: these lack yes; 850 and 50 rows do.
    assert "Sets of classes" in said and "On average 1.12 of 2 classes" in said
    rare = replace(held_out, counts=((600.0, 250.0, 100.0, 1050.0), (1.0, 1.0, 1.0, 2.0)), n_rows=2005)
    said = Texts(model_card(replace(model, held_out=rare))).text
    assert "each, as noise hides which could go without" in said
    persons = replace(model, held_out=replace(held_out, rows_of_person=2))
    assert "Sets of classes" not in Texts(model_card(persons)).text


def test_more_than_ten_classes_have_no_table():
    names = [f"c{at:02d}" for at in range(12)]
    schema = Schema([Numeric("x", 0, 1)], label=Label("y", names))
    x = np.linspace(0, 0.999, 12_000)
    labels = np.asarray(names)[(12 * x).astype(int)]
    model = NaiveBayesClassifier(schema, epsilon=5.0, holdout=0.3, random_state=0).fit(x[:, None], labels).model_
    assert "Left out for more than 10 classes" in model_card(model) and "Shares of all rows" not in model_card(model)


def moved_by(moved):
    """Return counts by levels of log-odds around -2, of whose rows 1 / (1 + exp(-moved)) are of the class."""
    scores = np.arange(-6.1, 2.0, 0.2)
    chances, rows = 1 / (1 + np.exp(-moved(scores))), 1e6 * np.exp(-((scores + 2.0) ** 2))
    counts = np.stack([rows * (1 - chances), rows * chances])
    edges = tuple(np.round((scores[1:] + scores[:-1]) / 2, 6).tolist())
    return HeldOut(
        tuple(map(tuple, counts.tolist())), edges, int(counts.sum()), 0.0, "exact", max_levels=len(edges) + 1
    )


@pytest.mark.parametrize(
    ("moved", "words"),
    [
        (lambda x: x + 0.8, "By these rows probabilities of yes are too low: log-odds times"),
        (lambda x: x - 0.8, "By these rows probabilities of yes are too high: log-odds times"),
        (lambda x: 0.5 * (x + 2) - 2, "By these rows the model is too sure: log-odds times"),
        (lambda x: 0.5 * (x + 2) - 1, "the model is too sure and probabilities of yes are too low: log-odds times"),
        (lambda x: x, "By these rows probabilities are nearly calibrated as they are: log-odds times"),
    ],
)
def test_what_is_wrong_with_probabilities_is_named_by_the_line_where_rows_are(model, moved, words):
    assert words in Texts(model_card(replace(model, held_out=moved_by(moved)))).text


def test_in_a_notebook_persons_are_persons(model):
    held_out = HeldOut(((850.0, 50.0), (60.0, 40.0)), (0.0,), 1000, 0.0, "exact")
    assert "Measured on 1,000 persons" in replace(model, held_out=held_out)._repr_html_()


def test_it_says_what_the_certificate_says_and_each_release_with_its_share(model):
    text = Texts(model_card(model)).text
    assert (
        f"{math.ceil(1000 * right_guesses(2.0, 1e-6)) / 10}\N{NO-BREAK SPACE}%" in text
        and "odds change by a factor of at most 8.13" in text
    )
    assert "all rows of one 'patient number'" in text
    table = re.search(r"<table><caption>Noise.*?</table>", model_card(model)).group()
    shares = [float(each) for each in re.findall(r"<td>([0-9.]+)\s%</td></tr>", table)]
    groups = release_groups(model.guarantee.releases)
    assert sum(shares) == pytest.approx(100, abs=0.5) and len(shares) == len(groups)
    assert all(each.asked in text and f"{each.noise}" in table for each in groups)
    # Cells that add the same are one line there.
    listed = model.explanation.listed()
    assert len(listed) and listed["cell"][0] in text
    assert "Not measured privately" in text and "no charge is named" in text


def test_what_is_protected_is_called_by_its_name():
    names = ["O'Neil", "left\u202eright", 'a "b"']
    schema = Schema([Numeric(name, 0, 1) for name in names], label=Label("y", [0, 1]))
    rows = pl.DataFrame({name: [0.2, 0.8] * 200 for name in names})
    fitted = NaiveBayesClassifier(schema, epsilon=1.0).fit(rows, [0, 1] * 200).model_
    protected = Texts(model_card(fitted)).text.split("Protected", 1)[1].split("Of whom")[0]
    assert protected == 'columns O\'Neil, left\N{REPLACEMENT CHARACTER}right, a "b", and the label'
    public = schema.with_private(["O'Neil"], label=False)
    one = NaiveBayesClassifier(public, epsilon=1.0).fit(rows, [0, 1] * 200).model_
    assert "Protectedcolumn O'NeilOf whom" in Texts(model_card(one)).text
    alone = NaiveBayesClassifier(schema.with_private([], label=True), epsilon=1.0).fit(rows, [0, 1] * 200).model_
    assert "Protectedthe labelOf whom" in Texts(model_card(alone)).text


def test_each_slice_has_the_whole_budget():
    schema = Schema([Numeric("age", 0, 90, cuts=[30])], label=Label("y", [0, 1]))
    rows = [[20.0], [50.0]] * 1000
    model = NaiveBayesClassifier(schema, epsilon=1.0, holdout=0.1, calibration=0).fit(rows, [0, 1] * 1000).model_
    table = re.search(r"<table><caption>Noise.*?</table>", model_card(model)).group()
    # Training has all of the first slice's, levels of scores a fifth and counts the rest of the second's.
    shares = re.findall(r"\(slice (\d) of 2\)[^<]*</th>.*?<td>([0-9.]+)\s%</td></tr>", table)
    assert shares == [("1", "100.0"), ("2", "20.0"), ("2", "80.0")]
    assert "each has the whole budget" in table


@pytest.mark.parametrize(("status", "words"), [("simulated", "NOT PRIVATE"), ("void", "NO PRIVACY GUARANTEE")])
def test_a_card_without_a_guarantee_says_so_first(model, status, words):
    reasons = ("the schema was guessed",) if status == "void" else ()
    bare = replace(model, guarantee=replace(model.guarantee, status=status, reasons=reasons))
    page = model_card(bare)
    assert page.index(words) < page.index("What is protected")


def test_the_command_writes_it_and_pictures_have_what_explain_has(model, tmp_path):
    write_model_card(model, tmp_path / "card.html")
    assert (tmp_path / "card.html").read_text(encoding="utf-8") == model_card(model)
    model_file = tmp_path / "model.json"
    model_file.write_text(to_json(model), encoding="utf-8")
    done = CliRunner().invoke(app, ["inspect", str(model_file), "--html", str(tmp_path / "by command.html")])
    assert done.exit_code == 0 and "Feature importance for the log-odds of yes" in done.output
    assert (tmp_path / "by command.html").read_bytes() == (tmp_path / "card.html").read_bytes()
    bars = importance_figure(model)["data"][0]
    assert bars["y"] == model.importances()["column"].to_list()[:30]
    assert bars["error_x"]["array"][0] == pytest.approx(model.importances()["high"][0] - bars["x"][0])
    categories, curve = effects_figure(model, QUOTED)["data"], effects_figure(model, "age")["data"]
    assert categories[0]["x"] == list(HOSTILE) == cells_in_order(model, QUOTED)
    assert [each["type"] for each in categories] == ["bar"]
    assert curve[1]["x"] == cells_in_order(model, "age") and curve[0]["fill"] == "toself"
    assert not any("<script" in text for each in curve for text in each.get("text", []))
    with pytest.raises(ParameterError, match="column"):
        effects_figure(model, "nobody")


def test_where_no_column_is_beyond_its_noise_there_is_no_empty_table(model):
    found = model.importances()
    said = importance_table(found.with_columns(has_findings=pl.lit(False)))
    assert said == f"<p>No column is beyond the noise: {len(found)} are indistinguishable from it.</p>"
    assert "<table" in importance_table(found)


def test_displays_draw_the_same(model):
    pytest.importorskip("plotly")
    assert ImportanceDisplay.from_model(model).figure_.data[0].orientation == "h"
    display = EffectsDisplay.from_model(model, HTML)
    assert display.points.equals(model.explain()) and len(display.figure_.data) == 1


def test_a_row_is_drawn_with_its_noise(model):
    pytest.importorskip("plotly")
    frame = messy_table(1, seed=2).frame
    display = ContributionsDisplay.from_model(model, frame)
    added = display.points.drop_nulls("column")
    [bars] = display.figure_.data
    by_name = dict(zip(bars.y, bars.x, strict=True))
    assert by_name == dict(zip(added["column"], added["contribution"], strict=True))
    in_order = [abs(by_name[name]) for name in display.figure_.layout.yaxis.categoryarray]
    assert in_order == sorted(in_order, reverse=True)
    with pytest.raises(ParameterError, match="got 2"):
        ContributionsDisplay.from_model(model, pl.concat([frame, frame]))


def test_in_chromium_nothing_overflows_a_phone_and_no_request_leaves(model, tmp_path):
    pytest.importorskip("playwright.sync_api")
    path = tmp_path / "card.html"
    write_model_card(model, path)
    with browser() as running:
        for width, scheme in ((1280, "light"), (768, "dark"), (390, "light"), (390, "dark")):
            page = running.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
            asked, complaints = [], []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.on("console", lambda message, complaints=complaints: complaints.append(message.text))
            page.goto(path.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert asked == [path.as_uri()] and complaints == []
            assert HTML in page.inner_text("main") and shown(HOSTILE[3]) not in ("", HTML)
            page.close()


def test_shares_that_were_not_released_are_a_sentence_and_calibration_says_what_to_do():
    schema = Schema([Numeric("age", 0, 90, cuts=[30])], label=Label("y", [0, 1]))
    ages = [[20.0], [50.0]] * 2000
    labels = [int(at % 2 == 1 and at % 10 != 1) for at in range(4000)]
    held = NaiveBayesClassifier(schema, epsilon=5.0, holdout=0.2, random_state=0).fit(ages, labels).model_
    own = re.search(r"<table><caption>Effects.*?</table>", model_card(held)).group()
    assert "share of rows" in own and "was not released" not in own
    line = held.held_out.line
    assert f": log-odds times {line.slope:.2f}" in model_card(held)
    assert "--calibrated" in model_card(held)
    votes = BoostedTreesClassifier(schema, epsilon=5.0, random_state=0).fit(ages, labels).model_
    table = re.search(r"<table><caption>Effects.*?</table>", model_card(votes)).group()
    assert "was not released" in table and "share of rows" not in table and table.count("<td>not released") == 0


def test_a_card_of_more_classes_says_which_line_of_each_comes_true():
    names = ["<a>", "b", "c"]
    schema = Schema([Numeric("x", 0, 1)], label=Label("y", names))
    x = np.linspace(0, 1, 6000)
    labels = np.asarray(names)[np.digitize(x, [0.3, 0.6])]
    model = NaiveBayesClassifier(schema, epsilon=5.0, holdout=0.3, random_state=0).fit(x[:, None], labels).model_
    said = [f"of {name} times {line.slope:.2f} " for name, line in zip(names, model.held_out.class_lines, strict=True)]
    card = model_card(model)
    assert all(each.replace("<a>", "&lt;a&gt;") in card for each in said) and "--calibrated" in card
    # Too few rows to calibrate by: nothing is said of it.
    few = replace(model, held_out=replace(model.held_out, by_class=None))
    assert "--calibrated" not in model_card(few)


def test_a_card_has_what_a_person_wrote_and_a_line_for_the_signature(model, tmp_path):
    blank = Texts(model_card(model)).text
    assert blank.count("_" * 24) == 7 and "Signature" in blank and "Approver" in blank
    file = tmp_path / "about.toml"
    file.write_text('title = "Stays"\nowner = "<b>Office</b>"\ndata_period = "2020 to 2024"\ndate = 2026-11-28\n')
    model_file = tmp_path / "model.json"
    model_file.write_text(to_json(model), encoding="utf-8")
    arguments = ["inspect", str(model_file), "--about", str(file)]
    assert CliRunner().invoke(app, arguments).exit_code == 1  # no card to write it on
    assert CliRunner().invoke(app, [*arguments, "--html", str(tmp_path / "card.html")]).exit_code == 0
    page = (tmp_path / "card.html").read_text(encoding="utf-8")
    assert page == model_card(model, read_about(file)) and "<b>Office" not in page
    said = Texts(page).text
    for words in ("Stays", "<b>Office</b>", "2020 to 2024", "2026-11-28"):
        assert words in said
    assert said.count("_" * 24) == 4  # purpose, contact, approver and signature


@pytest.mark.parametrize(
    "text",
    [
        "prior = 1.0",
        "prior = 0",
        "prior = nan",
        'prior = "0.5"',
        "max_epsilon = true",
        "max_epsilon = inf",
        "max_delta = 2",
        'sector = "Space"',
        'owner_type = "government"',
    ],
)
def test_numbers_and_choices_are_checked(text, tmp_path):
    file = tmp_path / "about.toml"
    file.write_text(text)
    with pytest.raises(ParameterError, match="Expected"):
        read_about(file)


@pytest.mark.parametrize("text", ['color = "red"', "owner = 3", f'owner = "{"x" * 1001}"', "owner = ", "owner = ["])
def test_what_a_card_has_no_place_for_is_refused(text, tmp_path):
    file = tmp_path / "about.toml"
    file.write_text(text)
    with pytest.raises(ParameterError, match="Expected"):
        read_about(file)
    with pytest.raises(ParameterError, match="readable"):
        read_about(tmp_path / "none.toml")
