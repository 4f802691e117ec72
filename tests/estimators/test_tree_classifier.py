"""The tree with scikit-learn's face: agreement with its trees, four cases of privacy, bad input, files, words."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from sklearn.tree import DecisionTreeClassifier

from tacit.errors import ParameterError
from tacit.estimators import TreeClassifier
from tacit.features import BinEncoding
from tacit.features.literals import literals
from tacit.models import LiteralTree, from_json, to_json
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.table import read_rows

SCHEMA = Schema(
    [
        Numeric("x", 0, 10, cuts=[1, 2.5, 4, 6, 9]),
        Categorical("c", list("uvwz")),
        Categorical("s", ["f", "m"], private=False),
    ],
    label=Label("y", ["no", "perhaps", "yes"], private=False),
)
TWO = Schema(SCHEMA.columns, label=Label("y", ["no", "yes"], private=False))
PUBLIC = Schema(
    [Numeric("x", 0, 10, cuts=[1, 2.5, 4, 6, 9], private=False), Categorical("c", list("uvwz"), private=False)],
    label=Label("y", ["no", "perhaps", "yes"], private=False),
)


def data(n_rows=3000, classes=("no", "perhaps", "yes"), seed=0):
    generator = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "x": generator.uniform(0, 10, n_rows),
            "c": generator.choice(list("uvwz"), n_rows),
            "s": generator.choice(["f", "m"], n_rows),
        }
    )
    score = 1.5 * (frame["x"] > 4).to_numpy() + (frame["c"] == "v").to_numpy() + 0.7 * (frame["s"] == "m").to_numpy()
    score = score + generator.normal(0, 0.6, n_rows)
    return frame, np.asarray(classes)[np.digitize(score, [1.5, 2.2][: len(classes) - 1])]


def attributes(frame, schema):
    """The schema's questions as columns of zeros and ones, by a way of their own."""
    encoding = BinEncoding(schema, schema.names)
    codes = encoding.transform(read_rows(frame, schema))
    return np.column_stack(
        [one.holds(codes[:, encoding.columns.index(one.column)]) for one in literals(encoding)]
    ).astype(float)


@pytest.mark.parametrize("options", [{"max_depth": 3}, {"max_depth": 2}])
def test_levels_agree_with_scikit_learn(options):
    frame, y = data()
    ours = TreeClassifier(PUBLIC, epsilon=1.0, growth="level", criterion="gini", **options).fit(frame, y)
    theirs = DecisionTreeClassifier(random_state=0, **options).fit(attributes(frame, PUBLIC), y)
    assert ours.privacy_.status == "public"
    assert (ours.predict(frame) == theirs.predict(attributes(frame, PUBLIC))).all()
    assert ours.predict_proba(frame) == pytest.approx(theirs.predict_proba(attributes(frame, PUBLIC)), abs=1e-6)
    counts = TreeClassifier(PUBLIC, epsilon=1.0, growth="level", criterion="counts", **options).fit(frame, y)
    assert counts.predict_proba(frame) == pytest.approx(ours.predict_proba(frame), abs=1e-9)


def test_best_first_agrees_with_scikit_learn():
    frame, y = data()
    ours = TreeClassifier(PUBLIC, epsilon=1.0, criterion="gini", max_splits=5, leaf_detail="plain").fit(frame, y)
    theirs = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(attributes(frame, PUBLIC), y)
    assert ours.predict_proba(frame) == pytest.approx(theirs.predict_proba(attributes(frame, PUBLIC)), abs=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {"criterion": "gini", "max_splits": 4},
        {"max_splits": 4, "leaf_detail": "plain"},
        {"growth": "level", "criterion": "gini", "max_depth": 3},
        {"growth": "level", "criterion": "counts", "max_depth": 3},
    ],
)
def test_much_epsilon_agrees_with_no_privacy(options):
    frame, y = data()
    private = PUBLIC.all_private()
    noisy = TreeClassifier(private, epsilon=1e6, random_state=0, **options).fit(frame, y)
    exact = TreeClassifier(PUBLIC, epsilon=1.0, **options).fit(frame, y)
    assert np.mean(noisy.predict(frame) == exact.predict(frame)) > 0.999


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("options", [{}, {"growth": "level"}, {"growth": "level", "criterion": "counts"}])
@pytest.mark.parametrize("private_label", [False, True])
@pytest.mark.parametrize("columns", [[], ["x", "c"], ["x", "c", "s"]])
def test_every_case_of_privacy(columns, private_label, options, delta):
    frame, y = data()
    schema = SCHEMA.with_private(columns, label=private_label)
    model = TreeClassifier(schema, epsilon=2.0, delta=delta, random_state=1, **options).fit(frame, y)
    assert model.privacy_.status == ("simulated" if columns or private_label else "public")
    assert np.mean(model.predict(frame) == y) > 0.6
    spent = sum(line.loss for line in model.privacy_.releases if line.currency == "epsilon")
    assert spent <= 2.0
    shares = model.predict_proba(frame)
    assert shares.sum(axis=1) == pytest.approx(1)


ALL = TWO.all_private()


# Of ten questions: 12 log 11 are 28.8 rows times epsilon for the first; two need 24 log 11 of half of each.
@pytest.mark.parametrize(
    ("epsilon", "splits"), [(0.0095, 0), (0.0097, 1), (0.0765, 1), (0.077, 2), (0.172, 2), (0.173, 3)]
)
def test_splits_are_as_many_as_are_worth_their_noise(epsilon, splits):
    releases = TreeClassifier(ALL, epsilon=epsilon).fit(*data(classes=("no", "yes"))).privacy_.releases
    assert len(releases) == splits + 1


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_without_a_split_the_budget_is_for_the_classes(delta):
    frame, y = data(classes=("no", "yes"))
    schema = Schema([Numeric("x", 0, 10), *ALL.columns[1:]], label=ALL.label)
    model = TreeClassifier(schema, epsilon=2.0, delta=delta, max_splits=0, cut_points="private").fit(frame, y)
    [release] = model.privacy_.releases
    # Laplace noise of scale 1, as two counts may change by one each: less than a Gaussian's under this delta.
    assert (release.query, release.mechanism) == ("rows of each class at each leaf", "discrete Laplace")
    assert release.loss == pytest.approx(2.0) and release.noise_scale == pytest.approx(1.0, rel=1e-3)
    assert model.predict_proba(frame)[:, 1] == pytest.approx(np.full(3000, np.mean(y == "yes")), abs=0.01)
    assert not (model.model_.explain()["verdict"] == "finding").any()


def test_declared_shares_are_said_where_noise_hides_all_else():
    schema = Schema(ALL.columns, label=Label("y", ["yes", "no"], prevalence=[0.8, 0.2]))
    frame, y = data(classes=("no", "yes"))
    model = TreeClassifier(schema, epsilon=1e-5, random_state=0).fit(frame, y)
    assert model.predict_proba(frame)[0] == pytest.approx([0.2, 0.8], abs=0.02)
    weighed = TreeClassifier(schema, epsilon=1e-5, class_weight="balanced", random_state=0).fit(frame, y)
    assert weighed.predict_proba(frame)[0] == pytest.approx([0.5, 0.5], abs=0.02)


@pytest.mark.parametrize("splits", [0, 1, "auto"])
def test_classes_of_a_public_label_are_counted_exactly(splits):
    schema = TWO.with_private(["x", "c", "s"], label=False)
    frame, y = data(classes=("no", "yes"))
    model = TreeClassifier(schema, epsilon=1e-6, max_splits=splits, random_state=0).fit(frame, y)
    # All else is noise, and leaves say what the root says.
    assert model.predict_proba(frame)[:, 1] == pytest.approx(np.full(3000, np.mean(y == "yes")), abs=0.15)
    if splits == 0:
        assert (model.predict_proba(frame)[:, 1] == np.mean(y == "yes")).all()


def test_rows_of_the_table_are_not_known_where_persons_have_several_or_classes_weigh():
    frame, y = data(classes=("no", "yes"))
    share = np.mean(y == "yes")
    persons = Schema(ALL.columns, label=ALL.label, identifier=Identifier("id", rows=3))
    several = TreeClassifier(persons, epsilon=1e4, max_splits=0).fit(frame.with_columns(id=np.arange(3000)), y)
    assert several.predict_proba(frame)[0, 1] == pytest.approx(share, abs=1e-3)
    weighed = TreeClassifier(ALL, epsilon=1e4, max_splits=0, class_weight={"no": 1, "yes": 4}).fit(frame, y)
    expected = 4 * share / (4 * share + 1 - share)
    assert weighed.predict_proba(frame)[0, 1] == pytest.approx(expected, abs=1e-3)


def test_public_columns_are_asked_first_without_noise():
    generator = np.random.default_rng(0)
    frame = data(3000)[0]
    y = np.where((frame["s"] == "m").to_numpy() ^ (generator.uniform(size=3000) < 0.05), "yes", "no")
    model = TreeClassifier(TWO, epsilon=1e-4, random_state=0).fit(frame, y)
    root = model.model_.scorers[0].nodes[0]
    assert root.literal.column == "s"
    hidden = TreeClassifier(TWO.with_private(["x", "c"], label=True), epsilon=1e-4, random_state=0).fit(frame, y)
    assert hidden.privacy_.exact == ()


@pytest.mark.parametrize("growth", ["best-first", "level"])
def test_public_columns_are_asked_at_the_cut_points_that_were_released(growth):
    # Of 32 equal bins up to 20 the eighth cut is at 5, where the classes part; of 31 quantiles it is the sixteenth.
    schema = Schema(
        [Numeric("u", 0, 20, private=False), Numeric("x", 0, 10)], label=Label("y", ["no", "yes"], private=False)
    )
    generator = np.random.default_rng(0)
    frame = pl.DataFrame({"u": generator.uniform(0, 10, 3000), "x": generator.exponential(1.0, 3000).clip(0, 10)})
    y = np.where((frame["u"] > 5).to_numpy() ^ (generator.uniform(size=3000) < 0.1), "yes", "no")
    model = TreeClassifier(schema, epsilon=1.0, growth=growth, cut_points="private", random_state=0).fit(frame, y)
    tree = model.model_.scorers[0]
    root, cuts = tree.nodes[0].literal, dict(tree.cuts)
    assert set(cuts) == {"u", "x"}
    assert root.column == "u" and cuts["u"][root.last] == pytest.approx(5, abs=0.25)
    assert np.mean(model.predict(frame) == y) > 0.87


def test_secure_noise_and_a_file(tmp_path):
    frame, y = data(2000)
    model = TreeClassifier(SCHEMA, epsilon=2.0).fit(frame, y)
    again = from_json(to_json(model.model_))
    assert isinstance(again.scorers[0], LiteralTree)
    assert (again.predict(frame) == model.predict(frame)).all()
    words = again.scorers[0].words(SCHEMA)
    assert len(words) >= 2
    assert all(":" in line for line in words)


def test_the_same_seed_gives_the_same_tree():
    frame, y = data(500)
    trees = [TreeClassifier(SCHEMA, epsilon=0.3, random_state=5).fit(frame, y).model_.scorers for _ in range(2)]
    assert trees[0] == trees[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"max_splits": -1}, "from 0 to 1,000 or 'auto', got max_splits=-1"),
        ({"max_splits": 11}, "at most 10"),
        ({"max_splits": True}, "max_splits"),
        ({"max_splits": "many"}, "max_splits='many'"),
        ({"growth": "level", "max_depth": 0}, "max_depth=0"),
        ({"growth": "level", "max_depth": 11}, "at most 10"),
        ({"growth": "level", "max_splits": 3}, "max_splits only with"),
        ({"max_depth": 3}, "max_depth only with"),
        ({"growth": "wide"}, "growth"),
        ({"criterion": "entropy"}, "criterion"),
        ({"criterion": "counts"}, "growth='level'"),
        ({"level_budget": "even"}, "level_budget"),
        ({"leaf_detail": "all"}, "leaf_detail"),
    ],
)
def test_bad_input_is_refused_before_anything_is_spent(options, said):
    frame, y = data(60)
    with pytest.raises(ParameterError, match=said):
        TreeClassifier(SCHEMA, epsilon=1.0, random_state=0, **options).fit(frame, y)


def test_a_schema_without_a_question_is_refused():
    schema = Schema([Categorical("only", ["one"])], label=Label("y", ["no", "yes"]))
    with pytest.raises(ParameterError, match="in which rows differ"):
        TreeClassifier(schema, epsilon=1.0).fit(pl.DataFrame({"only": ["one"] * 4}), ["no", "yes", "no", "yes"])
