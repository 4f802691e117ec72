"""LazyBB: settings, plans, a public start, private cuts, the weak learners, bounds and defaults."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression

from tacit.boosting import LazyBB, OneRule, smoothness
from tacit.cut_points import PrivateCuts
from tacit.errors import ParameterError
from tacit.estimators import LazyBBClassifier
from tacit.features.literals import Literal
from tacit.learners.top_down import WeakTree
from tacit.mechanisms import SimulatedNoise, announce
from tacit.models import STEPS_PER_VOTE, ConstantRule, LiteralRule
from tacit.privacy import Accountant, Budget
from tacit.schema import Categorical, Label, Numeric, Schema
from tacit.table import Table, read_rows

SCHEMA = Schema(
    [Numeric("x", 0, 1), Categorical("c", ["a", "b", "d"]), Categorical("open", ["u", "v"], private=False)],
    label=Label("y", ["no", "yes"], private=False),
)


def data(n_rows=3000, seed=0):
    generator = np.random.default_rng(seed)
    x, c, o = generator.uniform(0, 1, n_rows), generator.integers(0, 3, n_rows), generator.integers(0, 2, n_rows)
    frame = np.empty((n_rows, 3), dtype=object)
    frame[:, 0], frame[:, 1], frame[:, 2] = x, np.asarray(["a", "b", "d"])[c], np.asarray(["u", "v"])[o]
    labels = np.where((x > 0.7).astype(int) + (c == 1) + o >= 2, "yes", "no")
    return frame, labels


def train(settings, schema=SCHEMA, epsilon=50.0, seed=0, delta=0.0):
    frame, labels = data()
    table = Table.from_frame(frame, labels, schema)
    accountant = Accountant(Budget(epsilon, delta), table.unit, SimulatedNoise(seed), n_rows=table.n_rows)
    plan = settings.plan(table.unit)
    model = settings.train(table, announce(accountant, plan), np.random.default_rng(0))
    rows = read_rows(frame, schema)
    accuracy = np.mean((model.scores(rows, schema) > 0) == (labels == "yes"))
    return model, accuracy, accountant


def test_it_learns_a_majority_of_three_literals():
    model, accuracy, accountant = train(LazyBB(15, 0.4, 0.4, OneRule()), SCHEMA.all_private())
    assert accuracy > 0.97
    assert len(accountant.releases) == 15
    assert {line.split()[1] for line in model.words(SCHEMA)} == {"x", "c", "open"}
    assert accountant.remaining == pytest.approx(0, abs=1e-9)


def test_later_rounds_get_more_of_the_budget_so_that_all_are_equally_noisy():
    _, _, accountant = train(LazyBB(6, 0.25, 0.3, OneRule()), SCHEMA.all_private())
    scales = [line.noise_scale for line in accountant.releases]
    assert scales == pytest.approx([scales[0]] * 6, rel=2e-3)
    assert accountant.releases[0].sensitivity == pytest.approx(2 / 3000, rel=1e-9)
    assert accountant.releases[-1].sensitivity == pytest.approx(2 / (0.25 * 3000), rel=1e-6)


class Scripted:
    """Gives rules in turn, and keeps the rates that weights were made with."""

    def __init__(self, rules):
        self.rules, self.rates = iter(rules), []

    def plan(self, unit):
        return []

    def check(self, encoding):
        pass

    def learn(self, table, encoding, weights, releases):
        self.rates.append(weights.measure.learning_rate)
        return next(self.rules)


def test_the_rate_falls_when_a_rule_undoes_the_one_before():
    x, c = Literal("x", 0, 3), Literal("c", 0, 0)
    rules = [
        LiteralRule(x),
        LiteralRule(x),
        LiteralRule(x, negated=True),  # undoes
        LiteralRule(c),
        LiteralRule(Literal("c", 1, 1), negated=True),
        ConstantRule(True),
        ConstantRule(False),  # undoes
        LiteralRule(x),
        LiteralRule(x),
    ]
    falling = Scripted(rules)
    train(LazyBB(9, 0.4, 0.4, falling, rate_decay=0.5))
    assert falling.rates == pytest.approx([0.4] * 3 + [0.2] * 4 + [0.1] * 2)
    kept = Scripted(rules)
    train(LazyBB(9, 0.4, 0.4, kept))
    assert kept.rates == [0.4] * 9
    least = Scripted([LiteralRule(x), LiteralRule(x, negated=True)] * 5)
    train(LazyBB(10, 0.4, 0.4, least, rate_decay=0.01))
    assert least.rates[-1] == 1e-3
    lower = Scripted([LiteralRule(x), LiteralRule(x, negated=True)] * 5)
    train(LazyBB(10, 0.4, 1e-5, lower, rate_decay=0.5))
    assert lower.rates == [1e-5] * 10


def test_many_equal_columns_are_learned_by_default_and_not_at_a_rate_that_is_kept():
    generator = np.random.default_rng(5)
    rows = generator.uniform(-1, 1, (12_000, 10))
    labels = (rows.sum(axis=1) + generator.normal(0, 1.2, 12_000) > 0).astype(int)
    schema = Schema([Numeric(f"x{at}", -1, 1) for at in range(10)], label=Label("y", [0, 1]))

    def accuracy(**settings):
        model = LazyBBClassifier(schema, epsilon=100.0, random_state=0, rounds=31, density=0.3, **settings)
        return model.fit(rows[:8000], labels[:8000]).score(rows[8000:], labels[8000:])

    assert accuracy() > accuracy(learning_rate=0.45) + 0.1
    assert accuracy() > 0.75


def test_an_approximate_budget_takes_the_exponential_mechanism():
    _, _, accountant = train(LazyBB(75, 0.5, 0.3, OneRule()), SCHEMA.all_private(), epsilon=1.0, delta=1e-6)
    assert {line.mechanism for line in accountant.releases} == {"exponential mechanism"}


def test_without_protected_cells_nothing_is_paid():
    public = SCHEMA.with_private([], label=False)
    settings = LazyBB(15, 0.4, 0.4, OneRule())
    _, accuracy, accountant = train(settings, public)
    assert settings.plan(Table.from_frame(*data(10), public).unit) == []
    assert accountant.releases == ()
    assert accuracy > 0.97


def test_one_question_of_a_tree_tells_all_categories_apart():
    """Three categories of seven are of another class: one literal tells at most one of them from the rest."""
    generator = np.random.default_rng(0)
    codes = generator.choice(7, 3000, p=[0.3, 0.1, 0.2, 0.1, 0.1, 0.1, 0.1])
    frame, labels = np.asarray(list("abcdefg"))[codes][:, None], np.where(np.isin(codes, [1, 3, 5]), "yes", "no")
    schema = Schema([Categorical("c", list("abcdefg"))], label=Label("y", ["no", "yes"]))
    table = Table.from_frame(frame, labels, schema)
    for kind, right in ((WeakTree(max_splits=1), 1.0), (OneRule(), 0.8)):
        accountant = Accountant(Budget(10.0), table.unit, SimulatedNoise(0), n_rows=3000)
        settings = LazyBB(1, 0.5, 0.5, kind)
        model = settings.train(table, announce(accountant, settings.plan(table.unit)), np.random.default_rng(0))
        accuracy = np.mean((model.scores(read_rows(frame, schema), schema) > 0) == (labels == "yes"))
        assert accuracy == pytest.approx(right, abs=0.02)
    assert accountant.remaining == pytest.approx(0, abs=1e-9)


def test_a_round_of_trees_spends_its_share_as_planned():
    settings = LazyBB(2, 0.5, 0.5, WeakTree(max_splits=3))
    _, _, accountant = train(settings, SCHEMA.all_private(), epsilon=10.0)
    spent = [line.loss for line in accountant.releases]
    assert spent[0] == pytest.approx(0.7 / 3 * sum(spent[:4]))
    assert spent[3] == pytest.approx(0.3 * sum(spent[:4]))
    assert sum(spent) == pytest.approx(10.0)
    # Each split at range 2 zeta, all leads at L1 2 zeta; zeta is 1/3000, and exp(1) / (2999 + exp(1)) one vote later.
    assert [line.sensitivity for line in accountant.releases[:4]] == pytest.approx([2 / 3000] * 4)
    assert [line.sensitivity for line in accountant.releases[4:]] == pytest.approx([2 / 1500] * 4)


def test_a_public_start_is_on_the_grid_and_the_same_at_prediction():
    model, accuracy, _ = train(LazyBB(15, 0.4, 0.4, OneRule(), start_learner=LogisticRegression))
    assert model.start is not None
    rows = read_rows(data()[0], SCHEMA)
    steps = model._start(rows, SCHEMA) * STEPS_PER_VOTE
    assert (steps == np.rint(steps)).all()
    assert np.abs(steps).max() <= model.start.reach
    assert len(np.unique(steps)) == 2  # one public column of two categories
    assert accuracy > 0.95


def test_a_protected_label_has_no_public_start():
    model, _, _ = train(LazyBB(3, 0.4, 0.4, OneRule(), start_learner=LogisticRegression), SCHEMA.all_private())
    assert model.start is None


def test_private_cuts_take_a_tenth_and_find_quantiles():
    schema = SCHEMA.all_private()
    cuts = PrivateCuts(schema, levels=3)
    model, _, accountant = train(LazyBB(5, 0.4, 0.4, OneRule(), cuts=cuts), schema)
    paid = [line.loss for line in accountant.releases if line.query == "medians of x"]
    assert len(paid) == 3
    assert sum(paid) == pytest.approx(5.0, rel=1e-6)
    [(name, found)] = model.cuts
    assert name == "x"
    assert found == pytest.approx(np.arange(1, 8) / 8, abs=0.03)


def test_quantiles_of_public_columns_are_free():
    schema = SCHEMA.with_private(["c"], label=False)
    cuts = PrivateCuts(schema, levels=0, public_levels=3)
    model, _, accountant = train(LazyBB(5, 0.4, 0.4, OneRule(), cuts=cuts), schema)
    assert len(accountant.releases) == 5
    assert model.cuts[0][1] == pytest.approx(np.arange(1, 8) / 8, abs=0.03)


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"rounds": 0}, "rounds"),
        ({"rounds": True}, "rounds"),
        ({"rounds": 2.5}, "rounds"),
        ({"density": 0.0}, "density"),
        ({"density": 1.5}, "density"),
        ({"learning_rate": 0.0}, "learning_rate"),
        ({"rate_decay": 0.0}, "rate_decay"),
        ({"rate_decay": 1.5}, "rate_decay"),
    ],
)
def test_settings_are_checked(changed, named):
    settings = {"rounds": 3, "density": 0.5, "learning_rate": 0.4, "weak_learner": OneRule()} | changed
    with pytest.raises(ParameterError, match=named):
        LazyBB(**settings)


def test_a_schema_without_a_usable_literal_is_refused():
    schema = Schema([Categorical("c", ["only"])], label=Label("y", ["no", "yes"]))
    table = Table.from_frame(np.asarray([["only"]] * 4), ["no", "yes"] * 2, schema)
    accountant = Accountant(Budget(1.0), table.unit, SimulatedNoise(0), n_rows=4)
    settings = LazyBB(1, 0.5, 0.4, OneRule())
    with pytest.raises(ParameterError, match="in which rows differ"):
        settings.train(table, announce(accountant, settings.plan(table.unit)), np.random.default_rng(0))
    assert accountant.releases == ()


def test_defaults_grow_with_rows_and_privacy_and_are_odd():
    rounds = [smoothness(n, e, 250).rounds for n, e in ((500, 0.05), (5000, 0.3), (30_000, 1.0), (10**7, 5.0))]
    assert rounds == sorted(rounds)
    assert all(each % 2 == 1 for each in rounds)
    # 99 as long as rows times rounds are below 50 million, 49 where that would leave fewer; trees keep theirs
    assert [smoothness(n, 9.0, 250).rounds for n in (500_000, 700_000, 10**6, 10**8)] == [99, 71, 51, 49]
    assert smoothness(30_000, 1.0, 10).rounds >= smoothness(30_000, 1.0, 5000).rounds


def test_trees_share_splits_that_grow_with_strength():
    one, tree = smoothness(30_000, 1.0, 250), smoothness(30_000, 1.0, 250, splits=3)
    # s = 30000 / ln 502 = 4824: s^0.6 / 4 = 40.6, and of trees a sixth, 6.8
    assert (one.rounds, tree.rounds) == (41, 7)
    assert smoothness(30_000, 1.0, 250, splits=1).rounds == 21  # 20.3
    assert smoothness(30_000, 1.0, 250, splits=30).rounds == 1
    assert (one.density, one.learning_rate) == (0.3, 0.5)
    assert tree.density == pytest.approx(0.5 - 0.08 * np.log(4824.3 / 600), abs=1e-4)  # 0.3332
    assert tree.learning_rate == 0.5
    weak, strong = smoothness(3000, 1.0, 250, splits=3), smoothness(10**6, 1.0, 250, splits=3)
    assert (weak.rounds, weak.density, weak.learning_rate) == (1, 0.5, 0.5)
    assert (strong.rounds, strong.density, strong.learning_rate) == (55, 0.3, 0.5)  # 55.4
    assert smoothness(300, 0.5, 250).density == 0.5


def test_a_public_start_counts_the_more_the_less_votes_can_know():
    # s = 4824 and more: a quarter; s = 100 / ln 502 = 16.1: 0.25 * 400 / 16.1 = 6.2; s = 0.16: at most eight
    found = [smoothness(n, 1.0, 250).start for n in (30_000, 100, 1)]
    assert found == [0.25, pytest.approx(6.218, abs=1e-3), 8.0]


def test_votes_drawn_from_noise_do_not_overturn_a_public_model():
    generator = np.random.default_rng(3)
    y = generator.integers(0, 2, 2000)
    told = np.where(generator.random(2000) < 0.9, y, 1 - y)  # the public column is right nine times in ten
    frame = pl.DataFrame({"x": generator.random(2000), "c": ["a"] * 2000, "open": np.asarray(["u", "v"])[told]})
    labels = np.asarray(["no", "yes"])[y]
    scores = [
        LazyBBClassifier(SCHEMA, epsilon=0.001, random_state=seed).fit(frame, labels).score(frame, labels)
        for seed in range(5)
    ]
    assert min(scores) > 0.88


def test_no_row_moves_after_the_last_round(monkeypatch):
    votes = []
    monkeypatch.setattr("tacit.queries.Margins.vote", lambda margins, decide: votes.append(decide))
    monkeypatch.setattr(
        "tacit.boosting.smooth_weights.SmoothWeights._margins", property(lambda own: own.measure.margins)
    )
    model, _, _ = train(LazyBB(4, 0.4, 0.4, OneRule()), SCHEMA.all_private())
    assert (len(model.votes), len(votes)) == (4, 3)
