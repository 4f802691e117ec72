"""What the page says that is published is what the model file then holds; all that a schema can say can be typed."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date
from itertools import zip_longest

import polars as pl
import pytest

import tacit
from harness.review_answers import DAYS, LABEL, TYPED, WHO, as_schema
from report.browser import browser
from report.review_page import go_to, is_quiet, opened_reviews, press, saved
from tacit.errors import SchemaError
from tacit.report.page.review_page import _value
from tacit.schema import Categorical, FileFormat, Identifier, Label, LearnedEntries, Numeric, Schema
from tacit.schema.drafted import entries_of, table_entry

ROWS = pl.DataFrame({
    "id": ["1", "1", "2", "3"] * 10, "at": ["a", "b", "c", "c"] * 10, "age": [17.0, 64.0, 33.0, 40.0] * 10,
    "since": ["2001-01-01", "2002-02-02", "2003-03-03", "2004-04-04"] * 10, "sex": ["F", "M", "F", "?"] * 10,
    "code": ["I21", "I22", "J", "K"] * 10, "zip": ["10115", "20095", "a", "b"] * 10, "ward": ["a", "b", "a", "b"] * 10,
    "site": ["x", "y", "x", "y"] * 10, "note": ["n"] * 40, "y": ["no", "yes", "maybe", "no"] * 10,
})  # fmt: skip
SCHEMA = Schema(
    [
        Numeric("age", 10, 100),
        Numeric("since", "2001-01-01", "2004-12-31"),
        Categorical("sex", ["F", "M"], other=True, missing="none"),
        Categorical("code", buckets=16),
        Categorical("zip", ["10115", "20095"], other=True),
        Categorical("ward", ["a", "b"]),
        Categorical("site", ["x", "y"]),
    ],
    label=Label("y", ["maybe", "no", "yes"]),
    guessed=["age", "since", "sex", "code", "zip", "ward", "site", "y"],
    ignored={"id": "an identifier", "note": "one value in every row"},
)


pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def running():
    pytest.importorskip("playwright.sync_api")
    with browser() as found:
        yield found


@pytest.fixture
def review(running, tmp_path):
    with opened_reviews(running, tmp_path) as open_page:
        yield open_page


def said(watched):
    """Return what the page says is published, by heading."""
    return watched.page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.entry')].map((card) => [card.querySelector('h3')"
        ".textContent, [...card.querySelectorAll('dt')].find((term) => term.textContent === 'Published').nextSibling"
        ".textContent]))"
    )


def published(schema):
    entries = (*entries_of(schema), table_entry(schema))
    return {", ".join(entry.names) or "Rows and files": entry.publishes for entry in entries}


def held(path):
    """Return the schema that a model file holds: of persons its certificate speaks."""
    model = tacit.load_model(path)
    persons = model.guarantee.persons
    assert persons is not None and persons.identifier is not None
    return replace(model.schema, identifier=Identifier(persons.identifier, rows=persons.rows))


def form(watched, name, **values):
    """Open the form of an entry, by mouse as many do, and put values into its boxes: nothing is kept yet."""
    card = watched.page.locator(f".entry:has(h3:text-is('{name}'), h3 > bdi:text-is('{name}'))").first
    card.focus()
    press(watched, "c")
    for details in card.locator("details.more").all():
        details.evaluate("(each) => each.setAttribute('open', '')")
    for box, value in values.items():
        found = card.locator(f"fieldset:not([hidden]) [name='{box}']:not([data-some] *), select[name='{box}']").first
        if box == "kind" or found.evaluate("(each) => each.tagName") == "SELECT":
            found.select_option(label=value)
        elif isinstance(value, bool):
            found.set_checked(value)
        else:
            found.fill(value)
    return card


def keep(card):
    card.locator("button.main").click()


def test_what_is_said_to_be_published_is_what_the_model_file_holds(review, tmp_path):
    watched = review(SCHEMA)
    assert said(watched) == published(SCHEMA)
    go_to(watched, "age")
    press(watched, "p", "A")
    keep(
        form(
            watched, "since", low="2000-01-01", center="2002-01-01", cuts="2001-06-01, 2003-06-01", missing="indicator"
        )
    )
    keep(form(watched, "sex", added="?", other=False, missing="?"))
    keep(form(watched, "code", buckets="", added="I\nI2\nJ", prefix=True, other=True))
    card = form(watched, "zip", other=False, buckets="32", salt="s")
    card.locator("[data-untick]").click()
    keep(card)
    go_to(watched, "ward")
    press(watched, "s", "h")
    keep(form(watched, "y", prevalence="0.75, 0.25"))
    card = watched.page.locator(".entry:has(form)")
    assert "share for each class" in watched.text(".problem")  # of three, until one is made of two of them
    card.locator("[name='positive'][value='\"yes\"']").check()
    keep(card)
    keep(form(watched, "id", kind="says which rows are of one person", columns="id\nat", rows="2"))
    keep(form(watched, "site", kind="numbers or dates", low="0", high="1"))
    press(watched, "u")
    keep(form(watched, "site", missing="x", replace="z = x"))
    keep(form(watched, "Rows and files", **{"file.encoding": "cp1252"}))
    page, schema = said(watched), saved(watched)
    expected = Schema(
        [
            Numeric("age", 10, 100, private=False),
            Numeric("since", "2000-01-01", "2004-12-31", center="2002-01-01", cuts=["2001-06-01", "2003-06-01"],
                missing="indicator"),
            Categorical("sex", ["F", "M", "?"], missing="?"),
            Categorical("code", ["I", "I2", "J"], match="prefix", other=True),
            Categorical("zip", buckets=32, salt="s"),
            Categorical("site", ["x", "y"], missing="x", replace={"z": "x"}),
        ],
        label=Label("y", ["maybe", "no", "yes"], positive=["yes"], prevalence=[0.75, 0.25]),
        identifier=Identifier(["id", "at"], rows=2),
        ignored={"note": "one value in every row"},
        file=FileFormat(encoding="cp1252"),
    )  # fmt: skip
    assert schema == expected and is_quiet(watched)
    tacit.NaiveBayesClassifier(schema, epsilon=1.0).fit(ROWS, ROWS["y"]).save(tmp_path / "model.json")
    del page["ward"]  # not named
    assert published(held(tmp_path / "model.json")) == page
    assert "ward" not in (tmp_path / "model.json").read_text()


def typed_into(watched, heading, name, typed):
    """Type into the box of a field, and keep it."""
    if name == "positive":
        card = form(watched, heading)
        card.locator(f"[name='positive'][value='\"{typed[0]}\"']").check()
    elif name in ("match", "scale", "decimal"):  # a tick by the name of its word
        card = form(watched, heading, **{typed: True})
    else:
        box = "added" if name in ("categories", "classes") else name
        card = form(watched, heading, **{box: "\n".join(typed) if isinstance(typed, list) else typed})
    keep(card)


def test_every_field_of_a_column_can_be_typed(review):
    numbers = [(f"number {name}", name, case) for (kind, name), case in TYPED.items() if kind == "numeric"]
    lists = [(f"list {name}", name, case) for (kind, name), case in TYPED.items() if kind == "categorical"]
    cases = [case for pair in zip_longest(numbers, lists) for case in pair if case]  # neighbors share no entry
    columns = [replace(before, name=heading) for heading, _, (before, *_) in cases]
    watched = review(Schema(columns, label=LABEL, guessed=[each.name for each in columns]))
    for heading, name, (_, typed, _) in cases:
        typed_into(watched, heading, name, typed)
    schema = Schema([replace(after, name=heading) for heading, _, (*_, after) in cases], label=LABEL)
    assert saved(watched) == schema and said(watched) == published(schema) and is_quiet(watched)


@pytest.mark.parametrize("kind", ["label", "identifier", "table"])
def test_every_field_of_other_entries_can_be_typed(review, kind):
    for name, (before, typed, after) in ((name, case) for (of, name), case in TYPED.items() if of == kind):
        watched = review(as_schema(before))
        typed_into(watched, "Rows and files" if kind == "table" else before.names[0], name, typed)
        assert saved(watched) == as_schema(after) and said(watched) == published(as_schema(after)), name
        assert is_quiet(watched)


CONTRADICTING = [
    (Categorical("x", buckets=8), {"added": "a\nb"}, "a list or buckets, not both"),
    (Categorical("x", ["a", "b"]), {"buckets": "8"}, "a list or buckets, not both"),
    (Categorical("x", buckets=8), {"other": True}, "untick that what is not listed counts"),
    (Categorical("x", buckets=8), {"prefix": True}, "untick the beginnings"),
    (Categorical("x", ["a", "b"]), {"salt": "s"}, "salt of buckets only"),
    (Categorical("x", ["a", "b"]), {"replace": "A = c"}, "values that are listed"),
    (Numeric("x", 0, 9), {"missing_codes": "-9"}, "Say what cells"),
    (Numeric("x", 0, 9), {"center": "10"}, "within the bounds"),
    (Numeric("x", 0, 9), {"cuts": "5, 3"}, "increase"),
    (Numeric("x", 0, 9.5), {"whole": True}, "whole bounds"),
    (Numeric("x", 0, 9), {",": True, "thousands": "comma"}, "must differ"),
    (Numeric("x", 0, 9), {"below_counts": "half"}, "mark of a limit"),
    (Numeric("x", 0, 9), {"dates": "%d.%m.%Y"}, "dates as bounds"),
    (DAYS, {"signs": "€"}, "of numbers only"),
    (DAYS, {"log": True}, "no logarithmic scale"),
]


def test_what_contradicts_is_said_and_stays_typed(review):
    columns = {f"x{at}": replace(case[0], name=f"x{at}") for at, case in enumerate(CONTRADICTING)}
    schema = Schema([*columns.values()], label=LABEL, identifier=WHO)
    watched = review(schema)
    others = [
        (LABEL, {"prevalence": "0.5, 0.5"}, "share for each class"),
        (None, {"rows_per_person": "3"}, "one person"),
    ]
    headings = [*columns, "y", "Rows and files"]
    for heading, (_, values, words) in zip(headings, [*CONTRADICTING, *others], strict=True):
        card = form(watched, heading, **values)
        keep(card)
        assert words in card.locator(".problem").inner_text(), heading
        for box, value in values.items():
            found = card.locator(f"fieldset:not([hidden]) [name='{box}']").first
            if found.evaluate("(each) => each.tagName") != "SELECT":
                assert (found.is_checked() if value is True else found.input_value()) == value
        press(watched, "Escape")
    assert saved(watched) == schema


def test_what_is_typed_outlives_other_decisions_and_is_not_left_out_of_a_file(review):
    watched = review(SCHEMA)
    form(watched, "age", low="16")
    form(watched, "ward", added="z")
    go_to(watched, "sex")
    press(watched, "A", "p", "u", "u")
    assert watched.page.locator("[name='low'] >> visible=true").input_value() == "16"
    watched.page.click("#save")
    assert "before the file is saved" in " ".join(watched.page.locator(".problem").all_inner_texts())
    for card in reversed(watched.page.locator(".entry:has(form)").all()):
        keep(card)
    schema = saved(watched)
    assert schema.column("age").low == 16 and schema.column("ward").categories == ("a", "b", "z")
    assert schema.guessed == tuple(name for name in SCHEMA.guessed if name not in ("age", "ward"))


def test_what_becomes_of_an_empty_cell_is_said_right(review):
    watched = review(SCHEMA)
    listed = form(watched, "ward").locator("select[name='missing'] option").first.inner_text()
    assert listed == "refused, or other where that is ticked"  # as a table is read
    press(watched, "Escape")
    assert form(watched, "y").locator("select[name='missing'] option").first.inner_text() == "refused"


def test_reasons_are_those_of_entries_as_they_are(review):
    def why(name):
        card = watched.page.locator(f".entry:has(h3 > bdi:text-is('{name}'))")
        return card.locator("dt:text-is('Why') + dd").inner_text()

    watched = review(SCHEMA, {"age": "the draft's reason", "code": "many values"})
    assert (why("age"), why("code")) == ("the draft's reason", "many values")
    keep(form(watched, "age", high="99"))
    card = form(watched, "code", buckets="", added="I", other=True)
    keep(card)
    assert (why("age"), why("code")) == ("a column of numbers or dates", "a column of few different values")
    keep(form(watched, "age", high="100"))
    press(watched, "p")
    assert why("age") == "the draft's reason"
    go_to(watched, "note")
    press(watched, "r")
    watched.page.keyboard.press("Control+a")
    watched.page.keyboard.type("kept elsewhere")
    press(watched, "Enter")
    assert why("note") == "kept elsewhere" and dict(saved(watched).ignored)["note"] == "kept elsewhere"


def test_one_accept_takes_no_text_in_that_may_name_somebody(review):
    lists = {
        "a": ["F", "M"],
        "b": ["Anna Meier", "B"],
        "c": ["0171-2345678"],
        "d": ["x"],
        "e": ["a long note on a case"],
    }
    schema = Schema([Categorical(name, values) for name, values in lists.items()], label=LABEL, guessed=[*lists])
    watched = review(schema)
    assert "Accept these 2" in watched.text("main") and "3 of them by itself" in watched.text("main")
    go_to(watched, "a")
    press(watched, "A")
    watched.page.focus("article")
    assert saved(watched).guessed == ("b", "c", "e")


def test_a_learned_schema_comes_back_and_what_is_rewritten_is_no_longer_learned(review):
    columns = [Numeric("age", 0, 9), Numeric("n", 0, 1)]
    schema = Schema(columns, label=LABEL, learned=LearnedEntries(["age", "n", "y"], '{"a": "\\n"}'))
    watched = review(schema)
    go_to(watched, "age")
    assert "learned from rows" in said(watched)["age"] and saved(watched) == schema
    keep(form(watched, "age", high="10"))
    go_to(watched, "n")
    press(watched, "x")
    found = saved(watched)
    assert found.learned == LearnedEntries(["y"], '{"a": "\\n"}') and "learned" not in said(watched)["age"]


CHOICES = {
    "numeric": {
        "low": [0, 1.5, "2000-01-01"], "high": [10, 0, "2020-01-01"], "missing": [None, None, 5, 50, "indicator"],
        "missing_codes": [None, None, ["N", -9]], "whole": [None, None, True],
        "center": [None, None, 5, 11, "2010-01-01"],
        "cuts": [None, None, [2, 3], [3, 2], [0, 5], ["2001-01-01"]], "scale": [None, None, "log"],
        "decimal": [None, None, ","], "thousands": [None, None, ",", "."], "signs": [None, None, ["€"]],
        "negatives": [None, None, "behind"], "below": [None, None, "<"], "below_counts": [None, None, "half", 5, 50],
        "dates": [None, None, "%d.%m.%Y"], "date_part": [None, None, "day"],
        "replace": [None, None, {"x": ""}, {"x": "y", "y": ""}],
    },
    "categorical": {
        "categories": [None, ["a", "b"], ["a", " b"], [1, 2.5], [False, True]], "other": [None, True],
        "match": [None, None, "prefix"], "missing": [None, "a", "z", 2.5, False], "buckets": [None, None, 8, 1],
        "salt": [None, None, "s"], "center": [None, None, "b", "z", 1],
        "replace": [None, None, {"A": "a"}, {"A": "z"}, {"a": "b"}, {"A": ""}, {"A": "ab"}, {"x": "1"}, {"A": "false"}],
    },
    "label": {
        "classes": [["a", "b"], ["a"], ["a", "b", "c"], [0, 1], [False, True]],
        "positive": [None, ["a"], ["a", "b"], [1], [True]],
        "prevalence": [None, [0.5, 0.5], [0.5, 0.25, 0.25], [1.0, 0.0], [0.2, 0.2]],
        "replace": [None, {"A": "a"}, {"A": "z"}, {"x": "1"}, {"x": ""}], "missing": [None, "drop", "a", "z", 1, True],
    },
}  # fmt: skip


def test_the_page_refuses_what_a_schema_does(review):
    drawn, cases = random.Random(0), []
    classes = {"numeric": Numeric, "categorical": Categorical, "label": Label}
    for kind, values in CHOICES.items():
        for _ in range(1500):
            rare = {
                name: drawn.choice(some) if drawn.random() < 0.4 or None not in some else None
                for name, some in values.items()
            }
            cases.append((kind, {name: value for name, value in rare.items() if value is not None}))
    watched = review(SCHEMA)
    given = [(kind, {name: _value(_dated(value)) for name, value in pairs.items()}) for kind, pairs in cases]
    found = watched.page.evaluate(
        "(cases) => cases.map(([kind, fields]) => { try { CHECKS[kind]((name) => fields[name], () => null);"
        " return ''; } catch (error) { return error.message; } })",
        given,
    )
    n_refused = 0
    for (kind, pairs), message in zip(cases, found, strict=True):
        try:
            classes[kind]("x", **pairs)
        except SchemaError as error:
            assert message, (kind, pairs, str(error))
            n_refused += 1
        else:
            assert not message, (kind, pairs, message)
    assert len(cases) / 4 < n_refused < len(cases) * 0.95


def _dated(value):
    if isinstance(value, list):
        return [_dated(each) for each in value]
    return date.fromisoformat(value) if isinstance(value, str) and value.startswith("20") else value
