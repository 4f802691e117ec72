"""The page of a study, as a file: what is in it, and what cannot get in."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from itertools import product

import polars as pl
import pytest

from report.frames import EPSILONS, PRIVATE, study_frame
from tacit.errors import ParameterError
from tacit.report import write_page
from tacit.report.layout import GRID, INK, ON_DARK, PAPER, QUIET, SHADES, curve_look, level_look
from tacit.report.page.document import resource
from tacit.report.page.study_page import study_page
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.study.study import LearnerSpec, Study

HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>$title\u2028{{\"'`&amp;"


class Elements(HTMLParser):
    """Every element's tag and attributes, and the text of scripts."""

    def __init__(self, text):
        super().__init__()
        self.found, self.scripts, self.text, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside != "style":
            self.text.append(data)

    def of(self, tag):
        return [attributes for found, attributes in self.found if found == tag]


TWO = dict(list(PRIVATE.items())[:2])


@pytest.fixture(scope="module")
def small():
    """Rows of two learners: where what is said does not follow from how many there are, as each pair takes time."""
    return study_frame(learners=TWO, epsilons=(0.1, 1.0), repeats=2)


@pytest.fixture(scope="module")
def elements(page):
    return Elements(page)


SHOWN = HOSTILE.replace("\u2028", "\ufffd")


def data(elements):
    return json.loads(elements.scripts[0])


def test_the_page_is_small(page):
    assert 1.5e6 < len(page.encode()) < 2.7e6


def test_the_chart_library_is_the_published_one():
    """The digest of plotly-cartesian.min.js in plotly.js-cartesian-dist-min 4.1.1, as npm serves it."""
    folder = files("tacit.report.page").joinpath("plotly")
    content = folder.joinpath("plotly-cartesian.min.js").read_bytes()
    assert sha256(content).hexdigest() == "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"
    assert b"plotly.js (cartesian - minified) v4.1.1" in content[:100]
    assert "version 4.1.1" in folder.joinpath("README.md").read_text()
    assert folder.joinpath("LICENSE").read_text().startswith("MIT License")
    # What would end its element early, or change its hash.
    assert not re.search(rb"</script|<!--|\r", content, re.IGNORECASE)


def test_the_embedded_means_are_those_of_the_frame(study, elements):
    learners = [learner["name"] for learner in data(elements)["learners"]]
    points = data(elements)["cases"][0]["measures"]["accuracy"]["points"]
    assert len(points) == 10 * len(EPSILONS) + 5
    for point in points:
        name, epsilon = learners[point["learner"]], point["epsilon"]
        here = pl.col("epsilon").is_null() if epsilon is None else pl.col("epsilon") == epsilon
        own = study.filter(pl.col("name") == name, here, pl.col("status") == "done")["accuracy"].to_numpy()
        assert point["mean"] == pytest.approx(own.mean(), rel=1e-12)
        assert point["deviation"] == pytest.approx(own.std(ddof=1), rel=1e-9)
        assert (point["least"], point["most"], point["runs"]) == (own.min(), own.max(), len(own))


@pytest.mark.parametrize("measure", ["accuracy", "auc"])
def test_the_embedded_costs_are_shares_of_the_way_from_the_majority_class(study, elements, measure):
    learners = [learner["name"] for learner in data(elements)["learners"]]
    place, reference = learners.index("Tree"), learners.index("logistic")
    found = data(elements)["cases"][0]["measures"][measure]
    assert found["learned"] and ("majority" in map(learners.__getitem__, map(int, found["costs"]))) == (
        measure == "auc"
    )
    costs = found["costs"][str(reference)]
    found = next(cost["ratio"] for cost in costs if (cost["learner"], cost["epsilon"]) == (place, 0.4))
    tree = study.filter(pl.col("name") == "Tree", pl.col("epsilon") == 0.4)[measure].mean()
    logistic = study.filter(pl.col("name") == "logistic")[measure].mean()
    nothing = 0.7593 if measure == "accuracy" else 0.5
    assert found == pytest.approx((tree - nothing) / (logistic - nothing))


def test_failed_fits_are_told_with_their_reason(elements):
    (failure,) = data(elements)["cases"][0]["failures"]
    assert (failure["fits"], failure["epsilon"]) == (3, 0.01)
    assert (failure["error"], failure["message"]) == ("ParameterError", "Expected epsilon of at least 0.02.")


def test_the_note_is_on_top(page):
    note = page[page.index('role="note"') : page.index("<main>")]
    said = re.sub(r"<[^>]*>|\s+", " ", note)
    assert "not itself private" in said
    assert re.search(r"not covered by the certificate\s+of a later fit on the same\s+rows", said)
    assert "tacit advise" in said
    assert "--simulate" in said


@pytest.mark.parametrize(
    ("source", "said", "unsaid"),
    [
        ("public", "a public table", "keep this page"),
        ("simulated", "costs no privacy", "not itself private"),
        ("guessed", "not covered by the certificate", "costs no privacy"),
    ],
)
def test_the_note_follows_where_rows_come_from(small, source, said, unsaid):
    page = study_page(small, title="t", source=source)
    note = " ".join(page[page.index('role="note"') : page.index("<main>")].split())
    assert said in note
    assert unsaid not in note


def test_an_unknown_source_is_refused(study):
    with pytest.raises(ParameterError, match="source"):
        study_page(study, title="t", source="mine")


def test_the_policy_names_each_script_and_no_other_source(elements):
    (policy,) = [each["content"] for each in elements.of("meta") if each.get("http-equiv")]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    hashes = [f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in elements.scripts[1:]]
    assert len(hashes) == 2
    assert rules["script-src"].split() == hashes
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["img-src"] == "data: blob:"
    assert "http" not in policy


def test_nothing_is_loaded_from_elsewhere(elements):
    assert [each for each in elements.of("script") if "src" in each] == []
    assert [each["href"] for each in elements.of("link")] == ["data:,"]
    assert [each["href"] for each in elements.of("a") if not each["href"].startswith("#")] == []
    assert elements.of("img") == elements.of("iframe") == []
    assert not re.search(r"@import|url\(", resource("page.css"))


def test_hostile_names_stay_text():
    frame = study_frame(data=(HOSTILE,), privacy=(HOSTILE,), repeats=2, epsilons=(1.0,), failing={("BRC", 1.0, 0)})
    renamed = pl.col("name").replace({"BRC": HOSTILE, "majority": HOSTILE + "2"})
    frame = frame.with_columns(renamed, error=pl.col("error").replace("ParameterError", HOSTILE))
    frame = frame.with_columns(message=pl.when(pl.col("message").is_not_null()).then(pl.lit(HOSTILE)))
    text = study_page(frame, title=HOSTILE, spec=HOSTILE)
    found = Elements(text)
    assert len(found.scripts) == 3
    assert found.of("img") == []
    assert not any(name.startswith("on") for _, attributes in found.found for name in attributes)
    assert SHOWN in {learner["name"] for learner in data(found)["learners"]}
    assert data(found)["cases"][0]["failures"][0]["message"] == SHOWN
    assert "".join(found.text).count(SHOWN) >= 5
    assert "<img src=x" not in text


def test_nothing_turns_around_what_follows():
    """Overrides of the direction are replaced; letters that run from right to left stay."""
    frame = study_frame(repeats=2, epsilons=(1.0,))
    names = {"BRC": "\u202eBRC", "Tree": "\u05e2\u05e5", "majority": "\u2067x\u0007"}
    text = study_page(frame.with_columns(pl.col("name").replace(names)), title="\u202et", spec="\u202es")
    found = Elements(text)
    named = {learner["name"] for learner in data(found)["learners"]}
    assert {"\ufffdBRC", "\u05e2\u05e5", "\ufffdx\ufffd"} <= named
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", text)


def test_public_columns_are_listed_from_schemas(small):
    columns = [Numeric("age", 0, 90), Categorical("sex", ["f", "m"], private=False)]
    schema = Schema(columns, label=Label("income", ["low", "high"]))
    listed = " ".join(Elements(study_page(small, title="t", schemas={"adult": schema})).text)
    assert re.search(r"Private columns\s+age\s+Public columns\s+sex\s+Label\s+income, private, of 2 classes", listed)
    counted = " ".join(Elements(study_page(small, title="t")).text)
    assert re.search(r"Columns\s+14, of which 8 private", counted)
    assert "30,000 to learn from, 15,060 to test on" in counted


def test_the_study_says_how_it_was_run(small):
    learners = ["naive-bayes", LearnerSpec("brc", {"rounds": 20}, name="BRC, 20 rounds")]
    spec = Study(["breast-cancer"], learners, [0.1, 1.0], cv=5, repeats=2, seed=7)
    said = " ".join(Elements(study_page(small, title="t", spec=spec)).text)
    for words in ("BRC, 20 rounds (rounds=20)", "0.1, 1", "5 folds, 2 times", "Seed 7", "breast-cancer"):
        assert re.search(re.escape(words).replace(r"\ ", r"\s+"), said), words
    assert "epsilons = [1]" in study_page(small, title="t", spec="epsilons = [1]")


def test_several_cases_and_folds_and_no_auc():
    frame = study_frame(data=("adult", "nursery"), privacy=("as-declared", "all-private"), repeats=2, learners=TWO)
    frame = frame.with_columns(fold=pl.lit(3), auc=pl.when(pl.col("data") == "adult").then(pl.col("auc")))
    cases = data(Elements(study_page(frame, title="t")))["cases"]
    assert [(case["data"], case["privacy"]) for case in cases] == [
        ("adult", "as-declared"),
        ("adult", "all-private"),
        ("nursery", "as-declared"),
        ("nursery", "all-private"),
    ]
    others = ["balanced_accuracy", "log_loss", "brier"]
    assert [list(case["measures"]) for case in cases] == [["accuracy", "auc", *others]] * 2 + [
        ["accuracy", *others]
    ] * 2


def test_a_case_leads_with_the_measure_that_the_terminal_leads_with():
    frame = study_frame(data=("adult", "rare"), repeats=2, learners=TWO)
    frame = frame.with_columns(majority=pl.when(pl.col("data") == "rare").then(0.93).otherwise(pl.col("majority")))
    cases = data(Elements(study_page(frame, title="t")))["cases"]
    why = "AUC leads: always predicting the majority class is already right for 93.0 % of the rows."
    assert [(case["leading"], case["why"]) for case in cases] == [("accuracy", ""), ("auc", why)]


def test_writing_replaces_a_page_whole(small, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(ParameterError):
        write_page(small.clear(), path, title="t")
    assert path.read_text() == "old"
    write_page(small, path, title="t")
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_a_page_needs_no_extra(small, monkeypatch):
    for module in [name for name in sys.modules if name.split(".")[0] in ("matplotlib", "plotly")] + [
        "matplotlib",
        "plotly",
    ]:
        monkeypatch.setitem(sys.modules, module, None)
    assert "Plotly" in study_page(small, title="t")


def luminance(color):
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_words_stand_out_from_their_ground():
    """WCAG 2, level AA: a contrast of 4.5, by day and by night."""
    for colors in schemes():
        for words, ground in product(("ink", "quiet", "accent"), ("paper", "ground", "warn")):
            assert contrast(colors[words], colors[ground]) >= 4.5, (colors["scheme"], words, ground)
        assert contrast(colors["wrong"], colors["paper"]) >= 4.5


def test_p_values_stand_out_from_their_shade():
    """plotly writes white on dark cells, and this grey on light ones."""
    for shade in (*SHADES, *(ON_DARK[each] for each in SHADES)):
        red, green, blue = (int(shade[at : at + 2], 16) for at in (1, 3, 5))
        ink = "#ffffff" if 299 * red + 587 * green + 114 * blue < 128000 else "#444444"
        assert contrast(ink, shade) >= 4.5, shade


def test_pictures_and_page_have_the_same_colors():
    by_day, by_night = schemes()
    for name, color in {"ink": INK, "quiet": QUIET, "grid": GRID, "paper": PAPER}.items():
        assert (by_day[name], by_night[name]) == (color, ON_DARK[color])


def test_curves_stand_out_from_a_dark_ground():
    """WCAG 2: a contrast of 3 for what is drawn."""
    _, dark = schemes()
    drawn = [*map(curve_look, range(7)), level_look(0)]
    assert len({look.on_dark for look in drawn}) == 8
    for look in drawn:
        assert contrast(look.on_dark.lower(), dark["paper"]) >= 3, look.on_dark


def schemes():
    """The style's variables, light and dark."""
    light, dark = re.findall(r":root(?::not\(\.on-paper\))? \{([^}]*)\}", resource("page.css"))
    by_day = dict(re.findall(r"--([a-z0-9-]+): ([^;]+);", light))
    by_night = dict(re.findall(r"--([a-z0-9-]+): ([^;]+);", dark))
    assert (by_day["scheme"], by_night["scheme"]) == ("light", "dark")
    assert set(by_day) == set(by_night)
    return by_day, by_night
