"""The page of a review: in a headless Chromium, by keyboard, with hostile names, and what is in it."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import replace

import polars as pl
import pytest

import tacit
from harness.messy_tables import HOSTILE, HTML, PERSON, QUOTED, messy_table
from report.browser import browser
from report.review_page import fill, focused, go_to, is_quiet, opened_reviews, press, saved
from tacit.report.page.review_page import schema_review
from tacit.schema import Categorical, Feature, Identifier, Label, Numeric, Schema, SideTable
from tacit.schema.draft import draft_of
from tacit.schema.drafted import entries_of

NASTY = (
    *HOSTILE,
    "a\nb\r\tc",
    'back\\slash "quote"',
    "\x00\x1b[31m",
    "\u2028",
    " blanks ",
    "\U0001f600",
    "# no comment",
    "'''",
)
EVERYTHING = Schema(
    [
        Numeric("age", 0, 100.5, center=38, cuts=[30, 60.25], missing=40, private=False),
        Numeric("income", -1e300, 2**60, scale="log", missing=0, missing_codes=["a, b\n", -99]),
        Numeric("weight", 0, 300, missing="indicator", missing_codes=[-1]),
        Numeric("admitted", "1970-01-02", "2024-02-29", missing="2000-01-01"),
        Categorical("codes", [1, 2, 30], other=True, missing="missing"),
        Categorical("shares", [0.5, 1e-7, 3.0], center=0.5),
        Categorical("zip", buckets=64, salt="s\n"),
        Categorical("diagnosis", ["I", "I21"], match="prefix", other=True),
        Categorical("flag", [False, True], private=False),
        Categorical("</script><script>alert(1)</script>", NASTY, missing=NASTY[1]),
        *(Categorical(f"{name} name", ["a", "b"]) for name in NASTY),
    ],
    label=Label("</title><b>label", ["<b>", "no"], prevalence=[0.9, 0.1]),
    identifier=Identifier(["who = 1\n", "nr"], rows=7),
    ignored={"left = out\n[x]": 'a "reason"\nof two lines', HTML: "another"},
)


@pytest.fixture(scope="module")
def running():
    pytest.importorskip("playwright.sync_api")
    with browser() as found:
        yield found


@pytest.fixture
def review(running, tmp_path):
    with opened_reviews(running, tmp_path) as open_page:
        yield open_page


def test_the_messy_draft_takes_at_most_twelve_decisions_by_keyboard_and_fits(review):
    messy = messy_table(2_000, seed=1)
    rows = messy.frame.with_columns(readmitted=messy.labels)
    draft = draft_of(rows, "readmitted")
    watched = review(draft.schema)
    decisions = []

    def decide(name, *keys, **values):
        go_to(watched, name)
        press(watched, *keys)
        if values:
            fill(watched, **values)
            press(watched, "Control+Enter")
        decisions.append(name)

    decide(PERSON, "a")
    decide("readmitted", "a")
    decide("age", "c", low="0", high="120")
    decide("days in hospital", "c", low="0", high="365")
    decide("lab value", "c", low="0", high="300", missing_codes="-99, N")
    decide("code", "c", other=" ")  # what is not listed is an error
    decide("drug 1", "A")
    decide(QUOTED, "a")  # texts of several words: by itself
    decide(HTML, "p")
    decide("site", "c", kind="categories", added="main\nannex")
    decide("always one", "h")
    assert re.fullmatch(r"All \d+ decided", watched.text("#left")) and len(decisions) <= 12
    assert watched.page.is_visible("#done")
    schema = saved(watched)
    assert schema.guessed == () and schema.identifier == Identifier(PERSON)
    assert schema.column("age") == replace(draft.schema.column("age"), low=0, high=120)
    lab = draft.schema.column("lab value")
    assert schema.column("lab value") == replace(lab, low=0, high=300, missing_codes=[-99, "N"])
    assert lab.missing == "indicator"
    assert schema.column("site") == Categorical("site", ["main", "annex"])
    assert schema.column("code") == replace(draft.schema.column("code"), other=False)
    assert schema.public_columns == (HTML,) and schema.ignored == ()
    model = tacit.LogisticClassifier(schema, epsilon=1.0, delta=1e-6).fit(messy.frame, messy.labels).model_
    assert model.guarantee.status == "private" and model.guarantee.persons
    assert is_quiet(watched)


def test_what_is_not_touched_comes_back_as_it_was(review):
    watched = review(EVERYTHING)
    go_to(watched, "age")
    assert saved(watched) == EVERYTHING
    assert is_quiet(watched)
    assert "\u202e" not in watched.text("main") and HOSTILE[0] in watched.text("main")
    marked = watched.page.evaluate("document.querySelectorAll('main img, main script, main b[onclick]').length")
    assert marked == 0


def test_side_tables_are_decided_by_themselves_and_saved_as_they_are(review):
    costs = SideTable("visits", [Numeric("cost", 0, 500)], key="person")
    mean = Numeric("mean cost", 0, 500, missing="indicator", from_table=Feature("visits", "mean", "cost"))
    schema = Schema([mean], label=Label("y", [0, 1]), tables=[costs], guessed=["mean cost", costs.entry])
    watched = review(schema)
    go_to(watched, costs.entry)
    assert saved(watched) == schema
    press(watched, "c", "p", "x", "h")
    assert saved(watched) == schema and 'key = "person"' in watched.text("main")
    press(watched, "a")
    go_to(watched, "mean cost")
    press(watched, "p", "c")
    fill(watched, high="400")
    press(watched, "Control+Enter")
    assert saved(watched) == replace(schema, columns=[replace(mean, high=400)], guessed=())
    assert is_quiet(watched)


def test_hundreds_of_columns(review):
    columns = [Numeric(f"column {at}", 0, at + 1) for at in range(300)]
    schema = Schema(columns, label=Label("y", [0, 1]), guessed=[each.name for each in columns])
    watched = review(schema)
    go_to(watched, "column 0")
    press(watched, "x", "u", "a", "A")
    assert watched.text("#left") == "All 301 decided"
    press(watched, "u")
    assert watched.text("#left") == "299 of 301 to decide"
    watched.page.focus("article")
    assert saved(watched) == Schema(columns, label=schema.label, guessed=[each.name for each in columns[1:]])


def test_changes_are_checked_and_undone(review):
    numbers = Numeric("age", 0, 100, missing=5)  # below, 6 as low would leave it outside
    schema = Schema([numbers, Categorical("sex", NASTY)], label=Label("y", [1, 2]), guessed=["age", "sex", "y"])
    watched = review(schema)
    for low, words in (
        ("", "16020"),
        ("1,000", "16020"),
        ("100", "below high"),
        ("6", "within"),
        ("2020-02-30", "16020"),
    ):
        go_to(watched, "age")
        press(watched, "c")
        fill(watched, low=low)
        press(watched, "Enter")
        assert words in watched.text(".problem") and watched.page.get_attribute("[aria-invalid]", "name") in (
            "low",
            "high",
            "missing",
        )
        press(watched, "Escape")
        assert focused(watched) == "age"
    press(watched, "c")
    fill(watched, kind="categories", added="3\n1e3\n-2", other=" ")
    press(watched, "Control+Enter")
    go_to(watched, "y")
    press(watched, "c")
    fill(watched, added="3")
    press(watched, "Control+Enter")
    assert focused(watched) == "sex"
    press(watched, "c", " ")  # the first category is no longer ticked
    fill(watched, added='</script>"\\')
    press(watched, "Control+Enter")
    found = saved(watched)
    assert found.column("age") == Categorical("age", [3, 1000, -2], other=True)
    assert found.column("sex") == Categorical("sex", [*NASTY[1:], '</script>"\\'])
    assert found.label == Label("y", [1, 2, 3]) and found.guessed == ()
    watched.page.focus("article")
    press(watched, "u", "u", "u", "u")
    assert saved(watched) == schema and watched.page.is_disabled("#undo")
    assert is_quiet(watched)


def test_left_out_used_again_and_not_named(review):
    schema = Schema(
        [Numeric("age", 0, 100), Numeric("n", 0, 1)], label=Label("y", [0, 1]), ignored={"born": "dates", "zip": "many"}
    )
    watched = review(schema)
    go_to(watched, "age")
    press(watched, "h")
    go_to(watched, "born")
    press(watched, "c")
    fill(watched, low="1900-01-01", high="2030-12-31")
    press(watched, "Enter")
    go_to(watched, "zip")
    press(watched, "c")
    fill(watched, kind="categories", buckets="256")
    press(watched, "Enter")
    found = saved(watched)
    born, buckets = Numeric("born", "1900-01-01", "2030-12-31"), Categorical("zip", buckets=256)
    assert found == Schema([Numeric("n", 0, 1), born, buckets], label=schema.label)
    go_to(watched, "zip")
    press(watched, "c")
    fill(watched, added="I\nI21", prefix=" ", buckets="")
    press(watched, "Control+Enter")
    assert saved(watched).columns[-1] == Categorical("zip", ["I", "I21"], match="prefix")
    go_to(watched, "age")
    press(watched, "c")
    assert [each.name for each in saved(watched).columns] == ["age", "n", "born", "zip"]


def test_what_is_struck_is_not_published_as_what_a_missing_cell_counts_as(review):
    column = Categorical("a", ["rare", "usual"], missing="rare")
    watched = review(Schema([column], label=Label("y", [0, 1])))
    go_to(watched, "a")
    press(watched, "c", " ", "Control+Enter")
    assert "or let what is not listed count as other" in watched.text(".problem")
    press(watched, "Escape", "c", " ")
    fill(watched, other=" ")
    press(watched, "Control+Enter")
    (found,) = saved(watched).columns
    assert found == Categorical("a", ["usual"], other=True, missing="missing")
    go_to(watched, "a")
    press(watched, "h", "d")
    assert watched.text("#left") == "Use at least one column" and watched.page.is_disabled("#save")
    press(watched, "u", "u")
    assert saved(watched).columns == (column,)


def test_one_identifier_at_a_time_and_numbers_as_typed(review):
    schema = Schema(
        [Numeric("age", 0, 1)], label=Label("y", [0, 1]), ignored={"who": "", "code": ""}, rows_per_person=3
    )
    watched = review(schema)
    go_to(watched, "who")
    press(watched, "c")
    fill(watched, kind="says", rows="mean")
    press(watched, "Enter")
    assert saved(watched).identifier == Identifier("who") and saved(watched).rows_per_person == 1
    go_to(watched, "who")
    press(watched, "x")
    go_to(watched, "code")
    press(watched, "c")
    fill(watched, kind="says", rows="7")
    press(watched, "Enter")
    go_to(watched, "who")
    press(watched, "c")  # no longer a second identifier
    fill(watched, kind="numbers", low="-12345678901234567", high=".5", missing="indicator")
    press(watched, "Enter")
    found = saved(watched)
    assert found.identifier == Identifier("code", rows=7) and is_quiet(watched)
    assert found.columns[1] == Numeric("who", -12345678901234567, 0.5, missing="indicator")


def test_one_class_is_made_of_several(review):
    label = Label("y", ["cured", "relapse", "death"], positive=["death"], prevalence=[0.9, 0.1])
    schema = Schema([Numeric("age", 0, 1)], label=label)
    watched = review(schema)
    go_to(watched, "y")
    assert saved(watched) == schema
    go_to(watched, "y")
    press(watched, "c")
    fill(watched, positive=" ")  # the first of them: cured
    press(watched, "Enter")
    found = saved(watched).label
    assert found.classes == (False, True) and found.positive == ("cured", "death")
    go_to(watched, "y")
    press(watched, "c", "Tab", " ", "Tab", " ", "Control+Enter")
    assert "but not all" in watched.text(".problem") or "two classes" in watched.text(".problem")


def test_columns_of_one_entry_are_decided_together_or_split(review):
    alike = [Categorical(name, ["no", "yes"]) for name in ("a", "b", "c\n")]
    schema = Schema(alike, label=Label("y", [0, 1]), guessed=["a", "b", "c\n"])
    watched = review(schema)
    go_to(watched, "a")
    assert watched.text("#left") == "1 of 2 to decide"
    press(watched, "p", "a")
    public = [Categorical(each.name, ["no", "yes"], private=False) for each in alike]
    watched.page.focus("article")
    assert saved(watched) == Schema(public, label=schema.label)
    press(watched, "u", "u")
    go_to(watched, "a")
    press(watched, "s")
    assert watched.text("#left") == "3 of 4 to decide" and focused(watched) == "a"
    press(watched, "a", "h")
    found = saved(watched)
    assert found.columns == (alike[0], alike[2]) and found.guessed == ("c\n",)
    press(watched, "u", "u", "u")
    assert saved(watched) == schema and is_quiet(watched)


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (768, "dark"), (1280, "light")])
def test_nothing_overflows_and_everything_has_a_name(review, width, scheme):
    watched = review(EVERYTHING, viewport={"width": width, "height": 900}, color_scheme=scheme)
    for name in ("age", "codes"):
        go_to(watched, name)
        press(watched, "c")
        assert watched.page.evaluate("document.documentElement.scrollWidth") <= width
        unnamed = (
            "[...document.querySelectorAll('input, select, textarea')].filter((box) => !box.labels?.length).length"
        )
        assert watched.page.evaluate(unnamed) == 0
        press(watched, "Escape")
    assert watched.page.get_attribute("#left", "role") == "status"
    top = watched.page.evaluate("document.activeElement.getBoundingClientRect().top")
    assert top >= watched.page.evaluate("document.querySelector('.bar').getBoundingClientRect().bottom")


def test_the_page_holds_the_draft_and_no_other_cell():
    cells = {f"cell {at}" for at in range(60)}
    rows = pl.DataFrame({
        "age": [17.123, 63.77] * 30, "note": sorted(cells), "kind": ["a", "b"] * 30, "y": ["no", "yes"] * 30,
    })  # fmt: skip
    draft = draft_of(rows, "y")
    page = schema_review(draft.entries, schema=draft.schema)
    assert not any(cell in page for cell in cells) and "17.123" not in page and "63.77" not in page
    data = json.loads(re.search(r'id="data">(.*?)</script>', page).group(1))
    toml = tomllib.loads(draft.to_toml())
    assert {each for entry in data["entries"] for each in entry["names"]} <= set(rows.columns)
    (kind,) = (entry for entry in data["entries"] if entry["names"] == ["kind"])
    listed = dict(kind["fields"])["categories"]["list"]
    assert [text for _, text in listed] == next(each for each in toml["column"] if each["name"] == "kind")["categories"]


def test_the_policy_lets_no_request_out_and_only_the_pages_script_run():
    page = schema_review(entries_of(EVERYTHING), schema=EVERYTHING)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "connect-src" not in policy
    assert not re.search(r"https?://|@import|url\(|fetch\(|XMLHttp|localStorage|innerHTML|eval\(", page)
    assert page.count("<script") == 2 and page.count("</script>") == 2
