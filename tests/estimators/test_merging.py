"""Merged models: means of log-odds by public weights, and what cannot be merged is one error."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import tacit
from tacit import (
    BoostedTreesClassifier,
    BoostedTreesRegressor,
    BRCClassifier,
    Categorical,
    Identifier,
    Kinds,
    Label,
    LinearRegressor,
    LogisticClassifier,
    NaiveBayesClassifier,
    Numeric,
    Schema,
    SVMClassifier,
    Target,
    TreeClassifier,
    merge,
)
from tacit.errors import ModelFileError, ParameterError
from tacit.ledger import Account, Ledger
from tacit.models import MergedModel, from_json, read_model, to_json
from tacit.models.linear import LogisticModel
from tacit.models.merged_scorer import MergedScorer, WeighedScorers
from tacit.privacy import Budget
from tacit.verify import recomputed, written_of

COLUMNS = [Numeric("age", 0, 100, cuts=[25, 50, 75]), Categorical("sky", ["clear", "rain", "snow"])]
TWO = Schema(COLUMNS, label=Label("works", ["0", "1"]))
THREE = Schema(COLUMNS, label=Label("works", ["0", "1", "2"]))


def table(rows, classes=2, seed=0):
    draw = np.random.default_rng(seed)
    age = draw.uniform(0, 100, rows)
    works = np.clip((age + draw.normal(0, 20, rows)) * classes // 100, 0, classes - 1).astype(int).astype(str)
    return pl.DataFrame({"age": age, "sky": draw.choice(["clear", "rain", "snow"], rows), "works": works})


def fit(estimator, frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(frame.drop("works"), frame["works"]).model_


@pytest.fixture(scope="module")
def sites():
    return [
        fit(NaiveBayesClassifier(TWO, epsilon=0.5), table(400, seed=1)),
        fit(LogisticClassifier(TWO, epsilon=0.7, delta=1e-6), table(800, seed=2)),
        fit(TreeClassifier(TWO, epsilon=0.6), table(300, seed=3)),
    ]


def test_scores_are_the_mean_of_log_odds_by_rows():
    # Log-odds 1 of 300 rows and -3 of 100: 0.75 * 1 - 0.25 * 3.
    parts = tuple(
        WeighedScorers((LogisticModel((), odds),), n_rows, n_rows / 400, "x")
        for odds, n_rows in ((1.0, 300), (-3.0, 100))
    )
    rows = tacit.table.read_rows(table(2).drop("works"), TWO, on_invalid="raise")
    scorer = MergedScorer(parts)
    assert scorer.scores(rows, TWO).tolist() == [0.0, 0.0]
    assert scorer.probabilities(rows, TWO).tolist() == [[0.5, 0.5]] * 2


def test_a_sure_leaf_is_no_surer_than_one_in_the_rows(sites):
    from tacit.models import Leaf, LiteralTree

    rows = tacit.table.read_rows(table(2).drop("works"), TWO, on_invalid="raise")
    tree = replace(next(s for m in sites for s in m.scorers if isinstance(s, LiteralTree)), nodes=(Leaf((0.0, 1.0)),))
    assert WeighedScorers((tree,), 100, 1.0, "x").log_odds(rows, TWO).tolist() == pytest.approx([np.log(100)] * 2)


def test_log_odds_of_two_models_average(sites):
    frame = table(50, seed=9).drop("works")
    first, second = sites[:2]
    merged = merge([first, second])
    # Two columns: 400 rows of epsilon 0.5 without a delta, 800 with the rho that the certificate states.
    by = 400 / (1 + 8 * 4 / (400 * 0.25)), 800 / (1 + 2 * 2 / (800 * second.guarantee.rho))
    due = (by[0] * first.decision_function(frame) + by[1] * second.decision_function(frame)) / sum(by)
    assert merged.decision_function(frame) == pytest.approx(due)
    assert merged.predict_proba(frame)[:, 1] == pytest.approx(1 / (1 + np.exp(-due)))
    assert (merged.predict(frame) == np.where(due > 0, "1", "0")).all()


LEARNERS = [
    NaiveBayesClassifier,
    LogisticClassifier,
    TreeClassifier,
    BRCClassifier,
    SVMClassifier,
    BoostedTreesClassifier,
]


@pytest.mark.parametrize("schema", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_every_scorer_can_be_merged_and_its_file_read(learner, schema):
    n_classes = len(schema.classes)
    short = {"rounds": 5} if learner is BRCClassifier else {}
    own = [fit(learner(schema, epsilon=1.0, delta=1e-6, **short), table(500, n_classes, seed)) for seed in (1, 2)]
    merged, frame = merge(own), table(60, n_classes, 5).drop("works")
    again = from_json(to_json(merged))
    scores = merged.decision_function(frame)
    assert scores.shape == ((60,) if n_classes == 2 else (60, 3))
    assert n_classes == 2 or scores.sum(axis=1) == pytest.approx(0, abs=1e-9)
    assert np.array_equal(again.decision_function(frame), scores)
    assert merged.predict_proba(frame).sum(axis=1) == pytest.approx(1)
    odds = [np.log(each.predict_proba(frame)) for each in own]
    if n_classes == 2 and learner is not TreeClassifier:
        mean = np.mean([each[:, 1] - each[:, 0] for each in odds], axis=0)
        assert scores == pytest.approx(mean, abs=1e-9)
    written = written_of(to_json(merged))
    found = recomputed(written.certificate, written.model)
    assert found.holds and found.epsilon == pytest.approx(max(each.guarantee.epsilon for each in own))


def test_the_order_of_files_moves_no_byte(sites, tmp_path):
    names = [tmp_path / f"site{at}.json" for at in range(3)]
    for name, model in zip(names, sites, strict=True):
        model.save(name)
    text = to_json(merge(names))
    assert text == to_json(merge(names[::-1])) == to_json(merge(sites[1:] + sites[:1]))
    digests = [json.loads(name.read_text())["digest"] for name in names]
    assert [part.digest for part in merge(names).guarantee.parts] == sorted(digests)


def test_one_persons_cells_move_the_part_of_one_site_alone():
    frames = [table(300, seed=each) for each in (1, 2, 3)]

    def digests(frames):
        made = [fit(NaiveBayesClassifier(TWO, epsilon=0.5, random_state=at), each) for at, each in enumerate(frames)]
        return {part.digest for part in merge(made).guarantee.parts}

    before = digests(frames)
    other = pl.DataFrame({"age": [99.0], "sky": ["snow"], "works": ["0"]})
    for at, frame in enumerate(frames):
        after = digests([*frames[:at], pl.concat([other, frame[1:]]), *frames[at + 1 :]])
        assert len(before & after) == 2 and len(after) == 3


def test_what_a_merged_model_is(sites):
    merged = merge(sites)
    assert isinstance(merged, MergedModel) and merged.guarantee.n_rows == 1500
    assert merged.guarantee.epsilon == max(each.guarantee.epsilon for each in sites)
    assert merge(sites, people="at several sites").guarantee.epsilon == pytest.approx(1.8)
    for asked in (lambda: merged.explain(), merged.importances):
        with pytest.raises(ParameterError, match="tree"):
            asked()
    assert "0.7" in merged._repr_html_()


def test_class_weights_are_their_geometric_mean():
    own = [
        fit(TreeClassifier(TWO, epsilon=0.5, class_weight=weight), table(400, seed=at))
        for at, weight in enumerate([{"0": 0.25, "1": 1.0}, None])
    ]
    assert merge(own).class_weights == pytest.approx((0.5, 1.0))


def test_a_learned_schemas_cost_is_that_of_its_site():
    first, second = table(3000, seed=1), table(3000, seed=2)
    kinds = Kinds({"age": "number", "sky": "category", "works": "category"})
    learned = tacit.learn_schema(first, kinds, label="works", epsilon=0.3, delta=1e-6)
    plain = replace(learned, learned=None)
    own = [
        fit(NaiveBayesClassifier(learned, epsilon=0.5), first),
        fit(NaiveBayesClassifier(plain, epsilon=0.6), second),
    ]
    merged = merge(own)
    # Whoever fits by the merged model's schema pays for learning it, too.
    assert merged.guarantee.epsilon == pytest.approx(0.8) and merged.schema.learned == learned.learned
    written = written_of(to_json(merged))
    assert recomputed(written.certificate, written.model).holds
    assert "of which epsilon 0.3 learned the schema" in " ".join(str(merged.guarantee).split())


def test_a_schema_is_learned_at_one_site():
    frame, kinds = table(3000, seed=1), Kinds({"age": "number", "sky": "category", "works": "category"})
    learned = tacit.learn_schema(frame, kinds, label="works", epsilon=0.3, delta=1e-6)
    other = replace(learned, learned=replace(learned.learned, certificate=learned.learned.certificate + " "))
    own = [fit(NaiveBayesClassifier(each, epsilon=0.5), frame) for each in (learned, other)]
    with pytest.raises(ParameterError, match="learned once"):
        merge(own)


def test_rows_of_a_site_may_be_the_models_own(sites):
    frame = table(300, seed=3)
    with pytest.raises(ParameterError, match="as many as it was fitted to"):
        tacit.evaluate(merge(sites), frame.drop("works"), frame["works"], epsilon=1.0, other_people=False)


def test_the_same_people_in_one_account_add_up(tmp_path):
    frame, book = table(400, seed=1), Ledger(tmp_path / "book.ledger")
    book.open(Account.of("sites", Budget(3.0)))
    own = [fit(NaiveBayesClassifier(TWO, epsilon=e, ledger=f"{book.path}#sites"), frame) for e in (0.5, 0.25)]
    with pytest.raises(ParameterError, match=r"charged to one account: model \d and model \d"):
        merge(own)
    both = merge(own, people="the same")
    assert (both.guarantee.epsilon, both.guarantee.n_rows) == (0.75, 400)


def persons(rows):
    return Schema(COLUMNS, label=TWO.label, identifier=Identifier("person", rows=rows))


def refusals(sites):
    one = sites[0]
    other = table(400, seed=7)
    by_person = other.with_columns(person=np.arange(400) // 2)
    yield "the same twice: site0.json and site1.json", [one, one]
    yield "merged one: site1.json", [sites[1], merge(sites[1:])]
    yield "one set of classes", [one, fit(NaiveBayesClassifier(THREE, epsilon=0.5), table(400, 3))]
    public = TWO.with_private(["age"], label=True)
    yield "one choice of public columns", [one, fit(NaiveBayesClassifier(public, epsilon=0.5), other)]
    wide = Schema([Numeric("age", 0, 200, cuts=[25]), COLUMNS[1]], label=TWO.label)
    yield "one schema", [one, fit(NaiveBayesClassifier(wide, epsilon=0.5), other)]
    mean = NaiveBayesClassifier(persons("mean"), epsilon=0.5).fit(by_person.drop("works"), by_person["works"]).model_
    yield "one unit of privacy", [one, mean]
    number = Schema(COLUMNS, label=Target("income", 0, 10))
    income = np.linspace(0, 10, 400)
    yield (
        "one set of classes",
        [one, LinearRegressor(number, epsilon=0.5).fit(other.drop("works"), income).model_],
    )
    old = replace(one, guarantee=replace(one.guarantee, version=1, limits=()))
    yield "whose claims follow", [sites[1], old]
    low = replace(one, guarantee=replace(one.guarantee, epsilon=0.1))
    yield "whose claims follow", [sites[1], low]


def test_what_cannot_be_merged_is_one_error_that_names_the_files(sites, tmp_path):
    for due, models in refusals(sites):
        names = [tmp_path / f"site{at}.json" for at in range(len(models))]
        for name, model in zip(names, models, strict=True):
            name.write_text(to_json(model))
        with pytest.raises(ParameterError, match="Expected") as caught:
            merge(names)
        assert due in str(caught.value) and "site1.json" in str(caught.value), due


def test_bad_arguments_are_one_error(sites, tmp_path):
    for given in ([], sites[:1], sites[0], "a.json", [sites[0], "x"], [sites[0], 3], None):
        with pytest.raises((ParameterError, ModelFileError), match="Expected"):
            merge(given)
    with pytest.raises(ParameterError, match="people="):
        merge(sites, people="friends")
    with pytest.raises(ParameterError, match="different numbers"):
        merge(sites, people="the same")
    (tmp_path / "site1.json").write_text("{}")
    with pytest.raises(ModelFileError, match=r"site1\.json"):
        merge([sites[0], tmp_path / "site1.json"])


def test_simulated_and_void_parts_promise_nothing(sites):
    merged = merge([sites[0], fit(NaiveBayesClassifier(TWO, epsilon=0.5, random_state=0), table(400, seed=1))])
    assert merged.guarantee.status == "simulated"
    with pytest.raises(tacit.TacitError, match="simulated"):
        to_json(merged)


def test_above_the_limits_of_a_file_is_refused(sites, monkeypatch):
    monkeypatch.setattr("tacit.models.document.MAX_VALUES", 1000)
    with pytest.raises(ModelFileError, match="values"):
        merge(sites + [fit(NaiveBayesClassifier(TWO, epsilon=0.5), table(400, seed=at)) for at in range(20, 24)])


def test_columns_times_scorers_count_over_all_parts(sites, monkeypatch):
    monkeypatch.setattr("tacit.models.writing.MAX_PAIRS", 5)  # two columns and a scorer in each of three parts
    assert merge(sites[:2]).guarantee.n_rows == 1200
    with pytest.raises(ModelFileError, match="columns times scorers"):
        merge(sites)


def test_a_file_altered_and_sealed_again_is_refused(sites, tmp_path):
    from tacit.models.document import canonical, digest

    document = json.loads(to_json(merge(sites)))
    changes = (
        lambda body: body["parts"][0].update(learner="lazybb"),
        lambda body: body["guarantee"]["parts"][0]["certificate"].update(epsilon=9.0),
        lambda body: body["parts"].pop(),
        lambda body: body["parts"].reverse(),
        lambda body: body.update(schema=body["parts"][0]["schema"]),
        lambda body: body["parts"][0].update(guarantee=body["guarantee"]),
        lambda body: body["parts"].__setitem__(0, None),
        lambda body: body.update(parts={}),
        lambda body: body["guarantee"].update(parts=3),
        lambda body: body.update(fitted_with=2),
        lambda body: body["guarantee"].update(people="nobody"),
    )
    for change in changes:
        body = json.loads(json.dumps(document["model"]))
        change(body)
        text = json.dumps(document | {"model": body, "digest": digest(canonical(body))})
        with pytest.raises(ModelFileError, match="Expected"):
            from_json(text)
    path = tmp_path / "all.json"
    path.write_text(json.dumps(document))
    assert read_model(path).guarantee.people == "at one site"


@pytest.mark.parametrize("schema", [TWO, THREE], ids=["two", "three"])
def test_contributions_add_up_to_the_scores(schema):
    n_classes = len(schema.classes)
    learners = [NaiveBayesClassifier, BoostedTreesClassifier, *([BRCClassifier] if n_classes == 2 else [])]
    short = {BRCClassifier: {"rounds": 5}}
    given = {"epsilon": 2.0, "delta": 1e-6}
    own = [
        fit(learner(schema, **given, **short.get(learner, {})), table(600, n_classes, at))
        for at, learner in enumerate(learners)
    ]
    merged, frame = merge(own), table(30, n_classes, 9).drop("works")
    added = merged.explain(frame)
    scores = merged.decision_function(frame).reshape(30, -1)
    for at, name in enumerate(merged.classes[1:] if n_classes == 2 else merged.classes):
        total = (
            added.filter(added["class"] == name).group_by("row", maintain_order=True).agg(pl.col("contribution").sum())
        )
        assert total["contribution"].to_numpy() == pytest.approx(scores[:, at], abs=1e-6)  # steps of 2^-20


def test_noise_in_contributions_is_that_of_the_mean():
    own = [fit(NaiveBayesClassifier(TWO, epsilon=2.0), table(600, seed=at)) for at in range(2)]
    frame = table(20, seed=9).drop("works")
    parts = [each.explain(frame).filter(pl.col("column") == "sky")["deviation"].to_numpy() for each in own]
    found = merge(own).explain(frame).filter(pl.col("column") == "sky")["deviation"].to_numpy()
    assert found == pytest.approx(np.sqrt((parts[0] / 2) ** 2 + (parts[1] / 2) ** 2))


def test_a_tree_has_no_contributions_to_log_odds(sites):
    with pytest.raises(ParameterError, match=r"tree.*Explain each part"):
        merge(sites).explain(table(5).drop("works"))


def regressor(seed, learner=LinearRegressor):
    schema = Schema(COLUMNS, label=Target("income", 0, 10))
    frame = table(400 + 100 * seed, seed=seed)
    income = np.clip(frame["age"].to_numpy() / 10 + np.random.default_rng(seed).normal(size=len(frame)), 0, 10)
    return learner(schema, epsilon=1.0, delta=1e-6).fit(frame.drop("works"), income).model_


def test_numbers_are_the_mean_of_predictions_within_the_bounds():
    own = [regressor(0), regressor(1), regressor(2, BoostedTreesRegressor)]
    merged, frame = merge(own), table(50, seed=9).drop("works")
    unbounded = [m.scale.start + m.scale.unit * m.scorers[0].scores(m.read(frame), m.schema) for m in own]
    rows = np.asarray([400, 500, 600])
    due = np.average(unbounded, axis=0, weights=rows / (1 + 4 / (rows * [m.guarantee.rho for m in own])))
    assert merged.predict(frame) == pytest.approx(np.clip(due, 0, 10))
    added = merged.explain(frame).group_by("row", maintain_order=True).agg(pl.col("contribution").sum())
    assert added["contribution"].to_numpy() == pytest.approx(due, abs=1e-4)
    again = from_json(to_json(merged))
    assert np.array_equal(again.predict(frame), merged.predict(frame))
    written = written_of(to_json(merged))
    assert recomputed(written.certificate, written.model).holds and again.guarantee.n_rows == 1500
    assert len(merged.explain())
