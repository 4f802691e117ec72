"""Columns that rows are counted by and no model reads: how a schema has them, what protects them, who needs them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from itertools import islice
from types import ModuleType

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import (
    AutoClassifier,
    BoostedTreesClassifier,
    BRCClassifier,
    Categorical,
    Identifier,
    Label,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    PaidSearch,
    Schema,
    SVMClassifier,
    TreeClassifier,
    evaluate,
    load_model,
)
from tacit.audit import Claim, random_pairs, replay
from tacit.cli.app import app
from tacit.errors import ParameterError, SchemaError, TableError
from tacit.estimators import holdout
from tacit.ledger.account import AccountUnit
from tacit.report.evidence.words import domain
from tacit.study.made_up import made_up_rows, mark_of
from tacit.study.simulate import simulate
from tacit.verify import program, recomputed

standalone = ModuleType("standalone_verify")
sys.modules["standalone_verify"] = standalone  # dataclasses ask for their module
exec(program(), standalone.__dict__)

SEX = Categorical("sex", ["f", "m"], feature=False)
SCHEMA = Schema([SEX, Numeric("x", -1, 1)], label=Label("y", ["no", "yes"]))
LEARNERS = [
    AutoClassifier,
    BoostedTreesClassifier,
    BRCClassifier,
    LazyBBClassifier,
    LogisticClassifier,
    NaiveBayesClassifier,
    SVMClassifier,
    TreeClassifier,
]


def rows(size, seed=0):
    draw = np.random.default_rng(seed)
    x, sex = draw.uniform(-1, 1, size), draw.choice(["f", "m"], size, p=[0.7, 0.3])
    noise = np.where(sex == "f", 0.1, 1.0) * draw.normal(size=size)
    return pl.DataFrame({"sex": sex, "x": x}), np.where(x + noise > 0, "yes", "no")


def test_a_schema_keeps_such_columns_apart():
    assert (SCHEMA.names, SCHEMA.full_names, SCHEMA.full.names) == (("x",), ("x", "sex"), ("x", "sex"))
    assert SCHEMA.private_columns == ("x",) and SCHEMA.full.private_columns == ("x", "sex")
    assert Schema.from_toml(SCHEMA.to_toml()) == SCHEMA and "feature = false" in SCHEMA.to_toml()
    assert eval(repr(SCHEMA)) == SCHEMA
    assert SCHEMA.with_private(["x"]).full.private_columns == ("x",)
    assert SCHEMA.with_private(["x"]).all_private() == SCHEMA
    assert AccountUnit.of(SCHEMA) == AccountUnit.of(SCHEMA.full)
    plain = Schema([Numeric("x", -1, 1)], label=SCHEMA.label)
    assert plain.full is plain and "feature" not in plain.to_toml()


@pytest.mark.parametrize("learner", LEARNERS)
def test_models_do_not_read_them_and_certificates_protect_them(learner, tmp_path):
    X, y = rows(6_000)
    fitted = learner(SCHEMA, epsilon=2.0, holdout=0.3, holdout_by="sex").fit(X, y)
    assert (fitted.n_features_in_, fitted.privacy_.columns) == (1, ("x", "sex"))
    model = fitted.model_
    assert (model.predict(X.select("x")) == fitted.predict(X)).all()
    assert model.groups().column == "sex"
    model.save(tmp_path / "model.json", allow=fitted.privacy_.status)
    assert load_model(tmp_path / "model.json") == model


@pytest.mark.parametrize(
    ("private", "label"), [([], False), (["x", "sex"], False), (["sex"], True), (["x"], False), ([], True)]
)
@pytest.mark.parametrize("learner", LEARNERS)
def test_any_protection_fits_and_verifies(learner, private, label, tmp_path):
    schema = SCHEMA.with_private(private, label=label)
    fitted = learner(schema, epsilon=3.0, delta=1e-6, holdout=0.4, holdout_by="sex").fit(*rows(5_000))
    assert fitted.privacy_.columns == tuple(private)
    fitted.save(tmp_path / "model.json", allow=fitted.privacy_.status)
    body = json.loads((tmp_path / "model.json").read_text())["model"]
    if private or label:
        found = recomputed(fitted.privacy_, body)
        assert found.holds and standalone.main([str(tmp_path / "model.json")]) == 0, found.faults
    if private != ["sex"]:
        return
    # Protected in the schema alone: both programs refuse it.
    said = "The schema declares a column or the label private that the certificate does not protect."
    fewer = body | {"guarantee": body["guarantee"] | {"columns": ["x"]}}
    assert standalone._contradictions(fewer) == [said]
    assert said in recomputed(replace(fitted.privacy_, columns=("x",)), fewer).faults


def test_a_column_that_is_read_by_nothing_must_be_there_in_fits_alone(tmp_path):
    X, y = rows(5_000)
    model = LogisticClassifier(SCHEMA, epsilon=1.0, holdout=0.2).fit(X, y).model_
    with pytest.raises(TableError, match="sex"):
        LogisticClassifier(SCHEMA, epsilon=1.0).fit(X.select("x"), y)
    # As an array they come last.
    given = np.column_stack([X["x"].to_numpy(), (X["sex"] == "m").to_numpy()])
    coded = Schema([Categorical("sex", [0, 1], feature=False), Numeric("x", -1, 1)], label=SCHEMA.label)
    fitted = LogisticClassifier(coded, epsilon=1.0, holdout=0.2, holdout_by="sex").fit(given, y)
    assert fitted.predict(given[:, :1]).shape == (5_000,) and fitted.n_features_in_ == 1
    others = rows(5_000, 3)
    found = evaluate(model, others[0].select("x"), others[1], epsilon=1.0, other_people=True)
    assert found.privacy.columns == ("x",)
    found = evaluate(model, *others, epsilon=1.0, by="sex", other_people=True)
    assert found.privacy.columns == ("x", "sex") and found.groups().groups == ("f", "m")
    X.write_csv(tmp_path / "people.csv")
    with pytest.raises(ParameterError, match="to group by"):
        evaluate(model, *others, epsilon=1.0, by="x", other_people=True)


def test_files_searches_and_persons_have_them(tmp_path):
    X, y = rows(9_000)
    X.with_columns(pl.Series("y", y)).write_csv(tmp_path / "people.csv")
    fitted = LogisticClassifier(SCHEMA, epsilon=1.0, holdout=0.2, holdout_by="sex").fit(tmp_path / "people.csv")
    assert fitted.model_.groups().groups == ("f", "m")
    search = PaidSearch(TreeClassifier(SCHEMA), {"max_splits": [1, 4]}, epsilon=3.0, holdout=0.2, holdout_by="sex")
    assert search.fit(X, y).model_.groups("sex").groups == ("f", "m")
    persons = Schema([SEX, Numeric("x", -1, 1)], label=SCHEMA.label, identifier=Identifier("who"))
    named = X.with_columns(who=pl.int_range(9_000) // 2)
    fitted = LogisticClassifier(persons, epsilon=1.0, holdout=0.3, holdout_by="sex").fit(named, y)
    assert fitted.model_.groups().groups == ("f", "m") and fitted.privacy_.columns == ("x", "sex")


def test_a_public_one_is_not_in_the_unit_and_evaluating_by_it_protects_what_it_did():
    public, others = SCHEMA.with_private(["x"]), rows(5_000, 3)
    model = LogisticClassifier(public, epsilon=1.0, holdout=0.4, holdout_by="sex").fit(*rows(5_000)).model_
    assert model.guarantee.columns == ("x",)
    found = evaluate(model, *others, epsilon=1.0, by="sex", other_people=True)
    assert found.privacy.columns == ("x",) and found.privacy.label


def test_commands_fit_audit_and_predict_where_the_column_is_not(tmp_path):
    people, schema, new, model, out = (
        str(tmp_path / each) for each in ("people.csv", "schema.toml", "new.csv", "model.json", "out.csv")
    )
    X, y = rows(4_000)
    X.with_columns(pl.Series("y", y)).write_csv(people)
    X.head(20).select("x").write_csv(new)
    (tmp_path / "schema.toml").write_text(SCHEMA.to_toml())

    def run(*arguments):
        found = CliRunner().invoke(app, list(arguments))
        assert found.exit_code == 0, found.stderr
        return found

    asked = ["--learner", "logistic", "--epsilon", "1", "--holdout", "0.3", "--holdout-by", "sex"]
    assert "Protected: 2 of 2 columns" in run("fit", people, "--schema", schema, *asked, "--out", model).stdout
    # The file says what the column may hold, and of its rows nothing but noisy counts.
    body = json.loads((tmp_path / "model.json").read_text())["model"]
    assert [each["name"] for each in body["schema"]["group_columns"]] == ["sex"]
    assert "sex" not in json.dumps(body["scorers"]) and body["held_out"]["by_group"]["column"] == "sex"
    assert "Not refuted" in run("audit", model).stdout
    run("predict", model, new, "--out", out)
    assert pl.read_csv(out)["y"].to_list() == load_model(model).predict(X.head(20)).tolist()


def test_made_up_rows_have_them_and_evidence_names_them():
    made = made_up_rows(SCHEMA, 3_000, seed=1)
    assert made.columns == ["x", "sex", "y", "made_up"] and set(made["sex"]) == {"f", "m"}
    X, y = simulate(SCHEMA, 3_000, 1)
    model = LogisticClassifier(SCHEMA, epsilon=1.0).fit(X, y).model_
    assert "sex, one of 2 categories" in domain(model)
    named = Schema([replace(SEX, name="made_up"), Numeric("x", -1, 1)], label=SCHEMA.label)
    assert mark_of(named) == "made_up_"


def test_the_replay_stays_at_its_claim_where_the_group_alone_differs(monkeypatch):
    monkeypatch.setattr(holdout, "WIDEST", 1e9)
    monkeypatch.setattr(holdout, "affordable_levels", lambda *_, **__: 2)

    def make():
        return NaiveBayesClassifier(SCHEMA, epsilon=1.0, holdout=0.5, holdout_by="sex", on_invalid="coerce")

    # What differs is the group alone, which the training does not read.
    alone = [
        replace(
            pair,
            second=tuple((*one[:1], *other[1:2], *one[2:]) for one, other in zip(pair.first, pair.second, strict=True)),
        )
        for pair in islice(random_pairs(SCHEMA.full), 30)
    ]
    found = replay(make, alone, claim=Claim(1.0, 0.0))
    reached = {release.query: release.reached for release in found.releases}
    [counted] = [share for query, share in reached.items() if query.startswith("held-out rows by class and level")]
    assert 0.9 < counted <= 1 + 1e-9 and not found.differences
    assert {share for query, share in reached.items() if not query.startswith("held-out rows by class")} == {0.0}
    whole = replay(make, islice(random_pairs(SCHEMA.full), 12), claim=Claim(1.0, 0.0))
    assert whole.verdict == "not refuted"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"buckets": 8}, "listed categories in the table itself"),
        ({"categories": ["a", "b"], "feature": "no"}, "feature"),
    ],
)
def test_what_cannot_be_a_column_for_groups_is_refused(settings, said):
    with pytest.raises(SchemaError, match=said):
        Categorical("sex", **{"feature": False} | settings)
    with pytest.raises(ParameterError, match="whose model would need no privacy"):
        LogisticClassifier(SCHEMA.with_private(["sex"], label=False), epsilon=1.0).fit(*rows(100))
    with pytest.raises(SchemaError, match="at least one column"):
        Schema([SEX], label=SCHEMA.label)
    with pytest.raises(SchemaError, match="different names"):
        Schema([SEX, Numeric("sex", 0, 1)], label=SCHEMA.label)
    with pytest.raises(SchemaError, match="feature"):
        Schema.from_toml(SCHEMA.to_toml().replace("high = 1", "high = 1\nfeature = false"))
    with pytest.raises(SchemaError, match="group_columns"):
        Schema([Numeric("x", 0, 1)], label=SCHEMA.label, group_columns=[Numeric("z", 0, 1)])
