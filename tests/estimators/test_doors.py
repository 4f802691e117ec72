"""The doors through which rows could get out, each tried."""

from __future__ import annotations

import dataclasses
import json
import logging
import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from tacit import BRCClassifier, Categorical, Label, Numeric, PrivacyWarning, Schema
from tacit.errors import ParameterError, PrivacyError, TableError
from tacit.models import to_json
from tacit.privacy import ReleaseRecord
from tacit.table import Table

SENTINEL = 7.123456789
SENTINEL_TEXT = "Zyzzyva-of-Ystad"
SCHEMA = Schema(
    [
        Numeric("age", 0, 100),
        Categorical("town", ["Lund", "Malmo"], other=True),
        Numeric("height", 0, 3, private=False),
    ],
    label=Label("ill", ["no", "yes"], private=False),
)


def rows(n=300, seed=0):
    generator = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "age": generator.uniform(0, 100, n),
            "town": generator.choice(["Lund", "Malmo"], n),
            "height": generator.uniform(1, 2, n),
        }
    )
    labels = np.where(frame["age"].to_numpy() + 20 * generator.normal(size=n) > 50, "yes", "no")
    return frame, labels


def with_sentinel():
    frame, labels = rows()
    frame[17, "age"] = SENTINEL
    frame[18, "town"] = SENTINEL_TEXT
    return frame, labels


def assert_silent(*texts: str | bytes):
    for text in texts:
        text = text.decode("latin-1") if isinstance(text, bytes) else text
        assert "123456789" not in text
        assert SENTINEL_TEXT not in text
        assert np.float64(SENTINEL).tobytes().decode("latin-1") not in text


def test_a_sentinel_in_a_private_cell_is_in_nothing_that_leaves(capsys, caplog, tmp_path):
    frame, labels = with_sentinel()
    with caplog.at_level(logging.DEBUG), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = BRCClassifier(SCHEMA, epsilon=1.0).fit(frame, labels)
    model.save(tmp_path / "model.json")
    printed = capsys.readouterr()
    assert_silent(
        pickle.dumps(model),
        (tmp_path / "model.json").read_bytes(),
        repr(model),
        repr(model.model_),
        str(model.privacy_),
        caplog.text,
        printed.out + printed.err,
        *(str(warning.message) for warning in caught),
    )
    assert printed.out == ""


def test_no_error_about_rows_repeats_a_cell():
    frame, labels = with_sentinel()
    strict = Schema(
        [Numeric("age", 0, 100), Categorical("town", ["Lund", "Malmo"]), Numeric("height", 0, 3, private=False)],
        label=SCHEMA.label,
    )
    text_age = frame.with_columns(pl.Series("age", [f"{SENTINEL}x"] * len(frame)))
    objects = pd.DataFrame({"age": [SENTINEL_TEXT, *frame["age"][1:]], "town": "Lund", "height": 1.0})
    hollow = frame.with_columns(pl.when(pl.col("age") > 99).then(None).otherwise(pl.col("age")).alias("age"))
    strange = np.where(labels == "yes", SENTINEL_TEXT, labels)
    for schema, X, y in (
        (strict, frame, labels),
        (SCHEMA, text_age, labels),
        (SCHEMA, objects, labels),
        (SCHEMA, hollow, labels),
        (SCHEMA, frame, strange),
        (SCHEMA, frame.drop("height"), labels),
    ):
        with pytest.raises((TableError, TypeError)) as caught:
            BRCClassifier(schema, epsilon=1.0).fit(X, y)
        assert_silent(str(caught.value))
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None  # what logs exceptions goes through contexts, suppressed or not
        assert not any(character.isdigit() for character in str(caught.value).replace("'", ""))


def test_records_have_these_fields_and_no_other():
    assert [field.name for field in dataclasses.fields(ReleaseRecord)] == [
        "query",
        "mechanism",
        "sensitivity",
        "sensitivity_kind",
        "noise_scale",
        "loss",
        "currency",
        "sampler",
        "delta",
        "slice",
        "counted",
        "order",
        "basis",
    ]


def test_a_fitted_estimator_holds_what_is_listed_and_nothing_else():
    model = BRCClassifier(SCHEMA, epsilon=1.0).fit(*rows())
    fitted = set(vars(model)) - set(model.get_params(deep=False))
    # A random name tells its own fit, whose copies keep it, from others.
    assert fitted == {"classes_", "n_features_in_", "feature_names_in_", "privacy_", "model_", "_fit_name"}
    again = pickle.loads(pickle.dumps(model))
    frame, _ = rows(seed=5)
    assert (again.predict(frame) == model.predict(frame)).all()


def test_tables_and_statistics_cannot_be_pickled():
    table, blocks = Table.from_frame(*rows(), SCHEMA), []
    table.sum(lambda block: (blocks.append(block), np.zeros(1))[1])
    for held in (table, blocks[0], blocks[0]._rows):
        with pytest.raises(PrivacyError):
            pickle.dumps(held)


def test_code_makes_the_fit_total():
    """Whatever is in the rows: text, nothing, infinity, containers, labels outside, one class."""
    frame = pd.DataFrame(
        {"age": ["old", None, np.inf, [5]], "town": [None, ["Lund"], "Lund", {}], "height": [1, 2, np.nan, "x"]}
    )
    strict = Schema(
        [Numeric("age", 0, 100), Categorical("town", ["Lund", "Malmo"]), Numeric("height", 0, 3, private=False)],
        label=SCHEMA.label,
    )
    for schema in (strict, strict.all_private(), SCHEMA):
        for labels in (["yes", "no", "what", None], ["yes"] * 4, [1, 2, 3, 4], [{}, "yes", "no", ("no",)]):
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # a warning would tell that there was something to code
                warnings.simplefilter("ignore", PrivacyWarning)
                labels = np.asarray(labels, dtype=object)
                model = BRCClassifier(schema, epsilon=1.0, on_invalid="coerce").fit(frame, labels)
            assert set(model.predict(frame)) <= {"yes", "no"}
    only = BRCClassifier(strict, epsilon=1.0, on_invalid="coerce").fit(frame, ["yes"] * 4)
    assert (only.predict(frame) == "yes").all()


def test_one_class_is_an_error_only_where_labels_are_public():
    frame, labels = rows()
    with pytest.raises(TableError, match="one class"):
        BRCClassifier(SCHEMA, epsilon=1.0).fit(frame, np.full(len(labels), "no"))
    BRCClassifier(SCHEMA.all_private(), epsilon=1.0).fit(frame, np.full(len(labels), "no"))


def test_seeded_noise_is_never_called_private(tmp_path):
    frame, labels = rows()
    with pytest.warns(PrivacyWarning, match="simulated"):
        model = BRCClassifier(SCHEMA, epsilon=1.0, random_state=3).fit(frame, labels)
    assert model.privacy_.status == "simulated"
    for allow in (None, "void"):
        with pytest.raises(PrivacyError, match="simulated"):
            model.save(tmp_path / "m.json", allow=allow)
    assert list(tmp_path.iterdir()) == []
    model.save(tmp_path / "m.json", allow="simulated")
    assert json.loads((tmp_path / "m.json").read_text())["model"]["guarantee"]["status"] == "simulated"
    again = BRCClassifier(SCHEMA, epsilon=1.0, random_state=3).fit(frame, labels)
    assert again.model_ == model.model_


def test_numpy_seeds_change_nothing_about_secure_noise():
    frame, labels = rows()
    models = []
    for _ in range(2):
        np.random.seed(0)
        models.append(BRCClassifier(SCHEMA.all_private(), epsilon=1.0).fit(frame, labels).model_)
    assert models[0].scorers != models[1].scorers
    assert models[0].guarantee.status == "private"


def test_an_inferred_schema_is_void():
    frame, labels = rows()
    with pytest.warns(PrivacyWarning, match="inferred"):
        inferred = BRCClassifier("infer", epsilon=1.0).fit(frame, labels)
    assert inferred.privacy_.status == "void"
    with pytest.raises(PrivacyError, match="void"):
        to_json(inferred.model_)


def test_every_certificate_says_what_it_assumes():
    text = str(BRCClassifier(SCHEMA, epsilon=1.0).fit(*rows()).privacy_)
    for phrase in ("Settings were chosen without looking at these rows", "transformers", "number of rows", "height"):
        assert phrase in text
    custom = BRCClassifier(SCHEMA, epsilon=1.0, draw_classifiers=lambda t, d, g: (g.normal(size=(t, d)), np.zeros(t)))
    assert "draw_classifiers" in str(custom.fit(*rows()).privacy_)


def test_nothing_is_spent_where_nothing_is_private():
    model = BRCClassifier(SCHEMA.with_private([], label=False), epsilon=1.0).fit(*rows())
    assert model.privacy_.status == "public"
    assert (model.privacy_.epsilon, model.privacy_.releases) == (0.0, ())


@pytest.mark.parametrize("epsilon", [None, 0, -1, float("nan"), float("inf"), 1e9, "1", True])
def test_an_absurd_epsilon_is_refused_before_anything_is_read(epsilon):
    with pytest.raises(ParameterError, match="epsilon"):
        BRCClassifier(SCHEMA, epsilon=epsilon).fit(None, None)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("schema", None), ("schema", "people.toml"), ("delta", -1e-9), ("delta", 1.0), ("delta", 0.5),
        ("on_invalid", "ignore"), ("rounds", 0), ("rounds", -3), ("rounds", 2.5),
        ("rounds", True), ("rounds", "many"), ("c1", 0.5), ("c2", float("nan")), ("intercept", "none"),
        ("encoding", "one_hot"), ("public_learner", "logistic"), ("random_state", "seed"),
        ("draw_classifiers", lambda t, d, g: (np.zeros((t, d + 1)), np.zeros(t))),
        ("draw_classifiers", lambda t, d, g: (np.full((t, d), np.nan), np.zeros(t))),
        ("draw_classifiers", 3),
    ],
)  # fmt: skip
def test_parameters_outside_their_range_are_refused(parameter, value):
    with pytest.raises(ParameterError):
        BRCClassifier(**{"schema": SCHEMA, "epsilon": 1.0, parameter: value}).fit(*rows())


@pytest.mark.parametrize("parameter", ["sample_weight", "class_weight"])
def test_weights_of_rows_are_not_taken(parameter):
    with pytest.raises(TypeError):
        BRCClassifier(SCHEMA, epsilon=1.0).fit(*rows(), **{parameter: 1})
