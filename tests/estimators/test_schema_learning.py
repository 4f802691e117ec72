"""A schema learned from rows: what is in it, what it costs every fit, and what is refused before rows are read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import ceil

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import (
    Categorical,
    Identifier,
    Kinds,
    Label,
    NaiveBayesClassifier,
    Numeric,
    PrivacyWarning,
    Schema,
    learn_schema,
)
from tacit.audit.certificate import CertifiedClaim, audit_certificate
from tacit.cli.app import app
from tacit.errors import ParameterError, SchemaError, TableError
from tacit.estimators import forget_fits
from tacit.ledger import DELTA_UNIT, UNIT, Account, Ledger
from tacit.ledger.verify import Certificate, verify
from tacit.models import from_json, to_json
from tacit.models.document import certificate_digest
from tacit.models.released_schema import schema_guarantee
from tacit.privacy import Budget, zcdp_rho

N = 6_000
KINDS = Kinds(
    {
        "age": "number",
        "job": "category",
        "ward": "code",
        "since": "date",
        "smokes": "boolean",
        "id": "category",
        "ill": "code",
    }
)
BUDGET = {"epsilon": 2.0, "delta": 1e-6}


def people(n: int = N, seed: int = 0) -> pl.DataFrame:
    generator = np.random.default_rng(seed)
    age = generator.integers(18, 90, n)
    return pl.DataFrame(
        {
            "age": age,
            "job": [*["only here"] * 3, *generator.choice(["nurse", "clerk", "smith"], n - 3)],
            "ward": generator.choice([7, 12], n),
            "since": [date(2000 + at % 15, 3, 1) for at in range(n)],
            "smokes": generator.random(n) < 0.3,
            "id": [f"person {at}" for at in range(n)],
            "ill": (age > 50).astype(int),
        }
    )


@pytest.fixture(autouse=True)
def _forget(monkeypatch):
    monkeypatch.delenv("TACIT_LEDGER", raising=False)
    forget_fits()
    yield
    forget_fits()


@pytest.fixture(scope="module")
def learned() -> Schema:
    return learn_schema(people(), KINDS, label="ill", **BUDGET)


def test_what_is_learned(learned):
    age, job, ward, _, smokes = learned.columns
    assert isinstance(age, Numeric)
    assert age.center == age.missing
    # In their own order, without what three rows have.
    assert job == Categorical("job", ["clerk", "nurse", "smith"], other=True, missing="missing")
    assert ward == Categorical("ward", [7, 12], other=True, missing="missing")
    assert smokes.categories == (False, True)
    assert learned.label == Label("ill", [0, 1])
    # A value of its own in each row: nothing of it reaches a threshold.
    assert dict(learned.ignored) == {"id": "no value of it has enough rows for its share of the budget"}
    assert learned.guessed == ()
    assert learned.learned.entries == ("age", "job", "ward", "since", "smokes", "ill")
    assert learned.private_columns == learned.names
    assert learned.label.private


def test_where_bounds_are():
    # One draw in sixty puts a bound of one of them far outside.
    drawn = [learn_schema(people(), KINDS, label="ill", **BUDGET) for _ in range(7)]
    ages, dates = ([schema.column(name) for schema in drawn] for name in ("age", "since"))
    low, center, high = (np.median([getattr(age, name) for age in ages]) for name in ("low", "center", "high"))
    assert 10 <= low <= 20 <= 45 <= center <= 62 <= 85 <= high <= 100
    assert date(1999, 1, 1) <= sorted(column.low for column in dates)[3] <= date(2000, 3, 1)
    assert date(2014, 3, 1) <= sorted(column.high for column in dates)[3] <= date(2016, 1, 1)


def test_what_it_cost(learned):
    guarantee = schema_guarantee(learned)
    assert (guarantee.status, guarantee.epsilon, guarantee.delta) == ("private", 2.0, 1e-6)
    assert guarantee.columns == KINDS.used
    thresholds = sum(line.delta for line in guarantee.releases)
    assert thresholds == pytest.approx(5e-7)
    assert {line.query for line in guarantee.releases} == {
        *(f"values of {name}" for name in ("job", "ward", "id", "ill")),
        *(f"rows by cell of {name}" for name in ("age", "since")),
    }
    assert "only here" not in str(guarantee) + learned.to_toml()


def test_files_keep_it(learned, tmp_path):
    (tmp_path / "schema.toml").write_text(learned.to_toml())
    assert Schema.from_toml(tmp_path / "schema.toml") == learned
    # An entry that a person has rewritten is no longer marked; the cost stays.
    rewritten = Schema.from_toml(learned.to_toml().replace("learned = true\n", "", 1))
    assert len(rewritten.learned.entries) == len(learned.learned.entries) - 1
    assert schema_guarantee(rewritten) == schema_guarantee(learned)
    with pytest.raises(SchemaError, match="Keep it"):
        Schema.from_toml(learned.to_toml().partition("[learned]")[0] + "\n")
    damaged = replace(learned, learned=replace(learned.learned, certificate="{}"))
    with pytest.raises(SchemaError, match="damaged"):
        NaiveBayesClassifier(damaged, epsilon=1.0).fit(people(), people()["ill"])


def test_a_fit_adds_its_cost(learned):
    rows = people(seed=1)
    model = NaiveBayesClassifier(learned, epsilon=0.5).fit(rows, rows["ill"])
    assert model.score(rows, rows["ill"]) > 0.9
    privacy = model.privacy_
    assert (privacy.status, privacy.epsilon, privacy.delta) == ("private", 2.5, 1e-6)
    assert (privacy.of_fit.epsilon, privacy.of_fit.delta) == (0.5, 0.0)
    assert privacy.learned == schema_guarantee(learned)
    text = " ".join(str(privacy).split())
    assert "epsilon 2.5, delta 1e-06, replacing one row, of which epsilon 0.5, delta 0 are this fit's" in text
    assert "learned from 6,000 rows; the budget above includes its cost. That is epsilon 2, delta 1e-06" in text
    assert "exp(2.5)" in text
    again = from_json(to_json(model.model_))
    assert again.guarantee == privacy
    assert again.schema == learned


def test_a_certificate_is_audited_with_its_schema(learned):
    rows = people(seed=1)
    privacy = NaiveBayesClassifier(learned, epsilon=0.5).fit(rows, rows["ill"]).privacy_
    finding = audit_certificate(CertifiedClaim("fit", privacy))
    assert finding.verdict == "not refuted"
    assert 0 < finding.bound <= 2.5 * (1 + 1e-6)
    assert all(control.caught for control in finding.controls)
    assert any("of the schema" in control.name for control in finding.controls)
    cheap = replace(privacy.learned, epsilon=1.0)
    refuted = audit_certificate(CertifiedClaim("fit", replace(privacy, learned=cheap, epsilon=1.5)))
    assert any("of the schema" in each for each in refuted.differences)


def test_noise_that_can_be_repeated_voids_private_fits():
    with pytest.warns(PrivacyWarning):
        simulated = learn_schema(people(), KINDS, label="ill", **BUDGET, random_state=0)
    assert simulated == learn_schema(people(), KINDS, label="ill", **BUDGET, random_state=0)
    assert schema_guarantee(simulated).status == "simulated"
    rows = people(seed=1)
    assert NaiveBayesClassifier(simulated, epsilon=0.5).fit(rows, rows["ill"]).privacy_.status == "void"
    seeded = NaiveBayesClassifier(simulated, epsilon=0.5, random_state=1).fit(rows, rows["ill"])
    assert seeded.privacy_.status == "simulated"


def test_persons_with_several_rows_have_as_much_more_noise(learned):
    schema = learn_schema(people(), KINDS, label="ill", **BUDGET, rows_per_person=3)
    assert schema.rows_per_person == 3
    one, three = (
        {line.query: line.noise_scale for line in schema_guarantee(each).releases} for each in (learned, schema)
    )
    assert {query: scale / one[query] for query, scale in three.items()} == pytest.approx(dict.fromkeys(one, 3.0))
    assert "up to 3 rows of one person" in " ".join(str(schema_guarantee(schema)).split())


def test_a_fit_that_protects_more_rows_of_a_person_is_void(learned):
    rows = people(seed=1)
    three = learn_schema(rows, KINDS, label="ill", **BUDGET, rows_per_person=3)
    status = {
        (schema is three, k): NaiveBayesClassifier(replace(schema, rows_per_person=k), epsilon=0.5)
        .fit(rows, rows["ill"])
        .privacy_.status
        for schema in (learned, three)
        for k in (1, 3, 4)
    }
    assert {each for each, said in status.items() if said == "private"} == {(False, 1), (True, 1), (True, 3)}
    named = replace(three, rows_per_person=1, identifier=Identifier("id"), ignored=())
    privacy = NaiveBayesClassifier(named, epsilon=0.5).fit(rows, rows["ill"]).privacy_
    assert (privacy.status, privacy.reasons) == (
        "void",
        ("The schema was learned for other persons, or for such with fewer rows.",),
    )


def odd_cells() -> list:
    return [None, float("nan"), float("inf"), "", "?", "sentinel", 1e308, -1e308, 2**70, b"x", object(), date(1, 1, 1)]


@pytest.mark.parametrize("kind", ["number", "category", "code", "date", "boolean"])
def test_no_cell_is_refused_or_told(kind, capsys):
    column = pl.Series([*odd_cells(), *[1] * 2_000], dtype=pl.Object)
    rows = pl.DataFrame({"x": column, "ill": ["no", "yes"] * (len(column) // 2)})
    kinds = Kinds({"x": kind, "ill": "category", "y": "boolean"})
    rows = rows.with_columns(y=pl.lit(True))
    schema = learn_schema(rows, kinds, label="ill", epsilon=3.0, delta=1e-12)
    assert "sentinel" not in repr(schema) + schema.to_toml()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"kinds": None}, SchemaError, "Expected kinds"),
        ({"kinds": replace(KINDS, guessed=True)}, SchemaError, "guessed = true"),
        ({"label": "since"}, SchemaError, "a code is a class"),
        ({"kinds": replace(KINDS, written={"age": {"date_part": "year"}}), "label": "age"}, SchemaError, "date_part"),
        ({"label": "nobody"}, SchemaError, "name of a column"),
        ({"delta": 0.0}, ParameterError, "delta above zero"),
        ({"delta": 0.9}, ParameterError, "below 1/n_rows"),
        ({"epsilon": -1}, ParameterError, "epsilon"),
        ({"rows_per_person": 0}, SchemaError, "rows_per_person"),
        ({"kinds": Kinds({"height": "number", "ill": "code"})}, TableError, "'height'"),
    ],
    ids=lambda each: str(each)[:20],
)
def test_refusals(given, error, words):
    settings = {"kinds": KINDS, "label": "ill", **BUDGET} | given
    with pytest.raises(error, match=words):
        learn_schema(people(50), **settings)


def test_too_little_budget_says_so_by_released_counts():
    with pytest.raises(SchemaError, match="Raise epsilon"):
        learn_schema(people(200), KINDS, label="ill", epsilon=0.01, delta=1e-6)


def test_files_and_their_types(tmp_path):
    rows = people().drop("id", "since")
    rows.write_parquet(tmp_path / "people.parquet")
    rows.write_csv(tmp_path / "people.csv")
    kinds = Kinds({"age": "number", "job": "category", "ward": "number", "smokes": "boolean", "ill": "boolean"})
    with pytest.raises(SchemaError, match="number"):
        learn_schema(tmp_path / "people.parquet", label="ill", **BUDGET)  # 0 and 1 are numbers by type
    typed = rows.with_columns(pl.col("ill").cast(pl.Boolean))
    typed.write_parquet(tmp_path / "typed.parquet")
    schema = learn_schema(tmp_path / "typed.parquet", label="ill", **BUDGET)
    assert schema.names == ("age", "job", "ward", "smokes")
    assert schema.label.classes == (False, True)
    with pytest.raises(SchemaError, match="no cell decides"):
        learn_schema(tmp_path / "people.csv", label="ill", **BUDGET)
    of_csv = learn_schema(
        tmp_path / "people.csv", replace(kinds, columns=(*KINDS.columns[:3], ("ill", "code"))), label="ill", **BUDGET
    )
    assert of_csv.column("ward").categories == (7, 12)
    assert of_csv.label.classes == (0, 1)


def test_kinds_of_a_schema_name_the_columns_of_the_table():
    schema = Schema([Numeric("age", 0, 99, missing="indicator")], label=Label("ill", [False, True]))
    assert Kinds.of_schema(schema).columns == (("age", "number"), ("ill", "boolean"))


WRITTEN = {
    "pay": {"thousands": ".", "decimal": ",", "signs": ["€"], "below": "<", "missing_codes": ["x"]},
    "since": {"dates": "%d.%m.%y"},
    "month": {"dates": "%d.%m.%Y", "date_part": "month"},
    "sex": {"replace": {"f": "female", "F": "female", "1": "male", "-": "", "x": "too rare"}},
    "smokes": {"replace": {"ja": "true", "nein": "false"}},
    "ill": {"replace": {"zero": "0"}},
}


def test_cells_as_people_write_them_are_learned_as_their_numbers(tmp_path):
    draw = np.random.default_rng(0)
    pay, day, month = draw.integers(1000, 9000, N), draw.integers(1, 28, N), draw.integers(1, 13, N)
    written = pl.DataFrame(
        {
            "pay": ["x", *(f"{each / 1000:.3f} €" for each in pay[1:])],
            "since": [f"{d}.{m}.{y:02}" for d, m, y in zip(day, month, draw.integers(0, 15, N), strict=True)],
            "month": [f"{d}.{m}.2000" for d, m in zip(day, month, strict=True)],
            "sex": draw.choice(["f", "F", "female", "1", "male", "-"], N),
            "smokes": draw.choice(["ja", "nein"], N),
            "ill": draw.choice(["zero", "1"], N),
        }
    )
    plain = pl.DataFrame(
        {
            "pay": [None, *pay[1:].astype(float)],
            "since": written["since"].str.to_date("%d.%m.%y"),
            "month": month,
            "sex": written["sex"].replace({"f": "female", "F": "female", "1": "male", "-": None}),
            "smokes": written["smokes"] == "ja",
            "ill": written["ill"].replace({"zero": "0"}).cast(pl.Int64),
        }
    )
    kinds = {"pay": "number", "since": "date", "month": "number", "sex": "category", "smokes": "boolean", "ill": "code"}
    described = Kinds(kinds, written=WRITTEN)
    assert Kinds.from_toml(described.to_toml()) == described
    written.write_csv(tmp_path / "people.csv", separator=";")
    given = {"label": "ill", "random_state": 0, **BUDGET}
    found = [learn_schema(source, described, **given) for source in (written, tmp_path / "people.csv")]
    wanted = learn_schema(plain, Kinds(kinds), **given)
    for schema in found:
        assert schema.label.classes == wanted.label.classes == (0, 1)
        for column, other in zip(schema.inputs, wanted.inputs, strict=True):
            own = {field: value for field, value in WRITTEN[column.name].items() if field != "replace"}
            if column.name == "sex":
                own = {"replace": {text: by for text, by in WRITTEN["sex"]["replace"].items() if by != "too rare"}}
            elif "replace" in WRITTEN[column.name]:
                own = {"replace": WRITTEN[column.name]["replace"]}
            assert column == replace(other, **own)
        assert Kinds.of_schema(schema, guessed=False).fields("pay") == described.fields("pay")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"age": {"low": 0}}, "suit its kind"),
        ({"job": {"decimal": ","}}, "suit its kind"),
        ({"nobody": {"decimal": ","}}, "suit its kind"),
        ({"age": {"thousands": "."}}, "different marks"),
        ({"since": {"dates": "%d.%m."}}, "the year"),
        ({"smokes": {"replace": {"ja": "yes"}}}, "replace"),
        ({"age": ","}, "fields by name"),
        (["age"], "fields by name"),
    ],
)
def test_fields_that_do_not_suit_are_refused(written, words):
    with pytest.raises(SchemaError, match=words):
        Kinds(dict(KINDS.columns), written=written)


def test_a_ledger_holds_both(tmp_path, learned):
    book, other = (Ledger(tmp_path / name) for name in ("people.ledger", "others.ledger"))
    account = Account.of("ours", Budget(9.0, 1e-5), approximate_delta=5e-6)
    book.open(account)
    other.open(account)
    rows = people(seed=1)
    with pytest.raises(ParameterError, match="charged to a ledger"):
        NaiveBayesClassifier(learned, epsilon=0.5, ledger=book.path).fit(rows, rows["ill"])
    schema = learn_schema(rows, KINDS, label="ill", epsilon=1.0, delta=1e-6, ledger=str(book.path))
    spent = book.balance("ours").spent
    # Half of delta is for thresholds, in equal parts; the other half converts rho.
    lists = len(KINDS.of("category", "code"))
    assert book.balance("ours").delta_spent == ceil(lists * Fraction(5e-7 / lists) * DELTA_UNIT)
    assert spent == pytest.approx(zcdp_rho(1.0, 5e-7) * UNIT, rel=1e-9)
    assert spent / UNIT >= schema_guarantee(schema).rho
    with pytest.raises(ParameterError, match="this account"):
        NaiveBayesClassifier(schema, epsilon=0.5, ledger=other.path).fit(rows, rows["ill"])
    assert other.balance("ours").spent == 0
    model = NaiveBayesClassifier(schema, epsilon=0.5, ledger=book.path).fit(rows, rows["ill"])
    assert book.balance("ours").spent == spent + account.cost(Budget(0.5))
    known = [
        Certificate("schema", model.privacy_.learned, certificate_digest(model.privacy_.learned)),
        Certificate("model", model.privacy_, certificate_digest(model.privacy_)),
    ]
    assert verify(book, known, account="ours") == ()


def test_the_command_line(tmp_path):
    people().drop("id").write_csv(tmp_path / "people.csv")
    table, kinds, schema, model = (
        str(tmp_path / name) for name in ("people.csv", "kinds.toml", "schema.toml", "model.json")
    )

    def run(*arguments: str):
        return CliRunner().invoke(app, [*arguments])

    assert run("schema", "kinds", table, "--label", "ill", "--out", kinds).exit_code == 0
    learning = ("schema", "learn", table, "--label", "ill", "--kinds", kinds, "--epsilon", "2", "--delta", "1e-6")
    refused = run(*learning)
    assert refused.exit_code == 1
    assert "guessed = true" in refused.stderr
    text = (tmp_path / "kinds.toml").read_text()
    assert 'since = "date"' in text
    text += 'note = "ignored"\n'
    checked = text.replace("guessed = true", "#")
    (tmp_path / "kinds.toml").write_text(checked.replace('ill = "code"', 'ill = "code"'))
    done = run(*learning, "--out", schema)
    assert done.exit_code == 0, done.stderr
    assert "CERTIFICATE OF DIFFERENTIAL PRIVACY" in done.stderr
    assert "Left out 'note': its kind is ignored." in done.stderr
    assert run("schema", "check", schema).exit_code == 0
    fitted = run("fit", table, "--schema", schema, "--epsilon", "1", "--learner", "naive-bayes", "--out", model)
    assert fitted.exit_code == 0, fitted.stderr
    assert "epsilon 3" in fitted.stdout
