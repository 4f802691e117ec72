"""The RadoBoost estimator and rados in files: what each protection says, refuses, and reaches."""

from __future__ import annotations

import io
import json
import pickle

import numpy as np
import polars as pl
import pytest

from tacit.errors import ModelFileError, ParameterError, PrivacyError, PrivacyWarning
from tacit.estimators import RadoBoostClassifier, learn_from_rados, make_rados
from tacit.models import read_model
from tacit.models.rado_set import FORMAT, RadoSet, _digest, read_rados
from tacit.schema import Label, Numeric, Schema

GENERATOR = np.random.default_rng(0)
X = pl.DataFrame(GENERATOR.uniform(-1, 1, (600, 3)), schema=list("abc"))
Y = np.where(X["a"].to_numpy() - X["b"].to_numpy() + 0.2 > 0, "p", "n")
PARTIAL = Schema(
    [Numeric("a", -1, 1), Numeric("b", -1, 1, private=False), Numeric("c", -1, 1)],
    label=Label("y", ["n", "p"], private=False),
)
CASES = {
    "partial": PARTIAL,
    "all": PARTIAL.all_private(),
    "label only": PARTIAL.with_private([], label=True),
    "columns": PARTIAL.with_private(["a", "b", "c"], label=False),
}
ASKED = {
    "private": {"epsilon": 5.0},
    "edges": {"epsilon": 60.0, "delta": 1e-5, "protection": "edges"},
    "marginal": {"epsilon": 1.0, "protection": "marginal", "protected_column": "a"},
    "none": {"protection": "none"},
}


def made(protection, schema=PARTIAL, **more):
    return RadoBoostClassifier(schema, count=200, rounds=100, **{**ASKED[protection], **more})


@pytest.mark.parametrize("schema", CASES.values(), ids=CASES)
@pytest.mark.parametrize("protection", ASKED)
def test_it_learns_in_all_four_cases(protection, schema):
    model = made(protection, schema, random_state=0).fit(X, Y)
    assert model.score(X, Y) > 0.8
    assert model.privacy_.status == ("simulated" if protection in ("private", "edges") else "void")
    spent = sum(line.loss for line in model.privacy_.releases)
    assert spent <= (ASKED[protection].get("epsilon") or 0) if protection in ("private", "edges") else spent == 0


def test_secure_noise_is_private_and_saved_without_a_word(tmp_path):
    for protection in ("private", "edges"):
        model = made(protection).fit(X, Y)
        assert model.privacy_.status == "private"
        model.save(tmp_path / "m.json")
        again = read_model(tmp_path / "m.json")
        assert (again.decision_function(X) == model.decision_function(X)).all()
        pickle.loads(pickle.dumps(model))


@pytest.mark.parametrize("protection", ["none", "marginal"])
def test_what_is_not_private_says_so_and_is_saved_with_a_word(protection, tmp_path):
    model = made(protection).fit(X, Y)
    assert "NO PRIVACY GUARANTEE" in str(model.privacy_)
    assert protection in " ".join(model.privacy_.reasons)
    for allow in (None, "void", "simulated", "marginal" if protection == "none" else "none"):
        with pytest.raises(PrivacyError, match=protection):
            model.save(tmp_path / "m.json", allow=allow)
    model.save(tmp_path / "m.json", allow=protection)
    scorer = read_model(tmp_path / "m.json").scorers[0]
    assert scorer.protection == protection
    assert (scorer.marginal is not None) == (protection == "marginal")


def test_delta_means_gaussian_noise():
    rows = np.random.default_rng(0).uniform(-1, 1, (600, 60))
    schema = Schema([Numeric(f"x{i}", -1, 1) for i in range(60)], label=Label("y", ["n", "p"]))
    model = made("private", schema, epsilon=1.0, delta=1e-4).fit(rows, Y)
    assert model.privacy_.composition == "zcdp"
    assert all("Gaussian" in line.mechanism for line in model.privacy_.releases)


def test_more_than_two_classes_share_the_budget():
    labels = np.digitize(X["a"].to_numpy(), [-0.4, 0.4])
    schema = Schema(PARTIAL.columns, label=Label("y", [0, 1, 2], private=True))
    for protection in ("private", "edges"):
        model = made(protection, schema, random_state=1).fit(X, labels)
        assert sum(line.loss for line in model.privacy_.releases) <= ASKED[protection]["epsilon"]
        assert len(model.model_.scorers) == 3
    with pytest.raises(ParameterError, match="two classes"):
        made("marginal", schema).fit(X, labels)
    with pytest.raises(ParameterError, match="two classes"):
        make_rados(X, labels, schema, epsilon=1.0)


def test_all_public_costs_nothing():
    public = PARTIAL.with_private([], label=False)
    model = made("none", public).fit(X, Y)
    assert model.privacy_.status == "public"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "protection='none'"),
        ({"epsilon": 1.0, "protection": "none"}, "no epsilon"),
        ({"protection": "private"}, "Expected an epsilon"),
        ({"epsilon": 1.0, "protection": "some"}, "'private', 'edges'"),
        ({"epsilon": 1.0, "protected_column": "a"}, "marginal"),
        ({"epsilon": 1.0, "protection": "marginal"}, "protected_column"),
        ({"epsilon": 1.0, "protection": "marginal", "protected_column": "z"}, "column of the schema"),
        ({"epsilon": 1e-4, "protection": "marginal", "protected_column": "a"}, "window of DP-Feat is empty"),
        ({"epsilon": 1.0, "protection": "edges"}, "delta above zero"),
        ({"epsilon": 1.0, "support": 0.5}, "support"),
        ({"epsilon": 1.0, "iterate": "example-risk"}, "reads the rows again"),
        ({"protection": "none", "iterate": "best"}, "iterate"),
        ({"protection": "none", "rule": "best"}, "rule"),
        ({"protection": "none", "intercept": "best"}, "intercept"),
        ({"protection": "none", "count": 0}, "count=0"),
        ({"protection": "none", "delta": 1e-6}, "delta=0"),
        ({"epsilon": 1.0, "clip": 0}, "clip"),
        ({"protection": "none", "clip": 2.0}, "clip"),
    ],
)
def test_what_is_refused(settings, words):
    with pytest.raises(ParameterError, match=words):
        RadoBoostClassifier(PARTIAL, **settings).fit(X, Y)


def test_several_columns_and_iterates_by_examples():
    several = made("marginal", protected_column=("a", "c"), epsilon=3.0).fit(X, Y)
    assert several.model_.scorers[0].marginal.columns == ("a", "c")
    for iterate in ("last", "rado-risk", "example-risk"):
        assert made("none", iterate=iterate, random_state=0).fit(X, Y).score(X, Y) > 0.9
    assert made("none", rule="linear", random_state=0).fit(X, Y).score(X, Y) > 0.9


def rados_of(protection, **more):
    return make_rados(X, Y, PARTIAL, count=50, **{**ASKED[protection], **more})


@pytest.mark.parametrize("protection", ASKED)
def test_rados_travel_in_a_file(protection, tmp_path):
    rados, path = rados_of(protection), tmp_path / "r.parquet"
    allow = protection if protection in ("none", "marginal") else None
    if allow:
        with pytest.raises(PrivacyError, match=protection):
            rados.write(path)
        assert not path.exists()
    rados.write(path, allow=allow)
    again = read_rados(path)
    assert again.description == rados.description
    assert (again.rados == rados.rados).all()
    model = learn_from_rados(again, rounds=100)
    assert np.mean(model.predict(X) == Y) > 0.65
    assert model.guarantee == rados.description.guarantee
    assert ("NOT DIFFERENTIAL PRIVACY" in str(again)) == (protection == "marginal")


def test_seeded_rados_are_simulated(tmp_path):
    with pytest.warns(PrivacyWarning):
        rados = rados_of("private", random_state=3)
    with pytest.raises(PrivacyError, match="simulated"):
        rados.write(tmp_path / "r.parquet")
    assert (rados.rados == rados_of("private", random_state=3).rados).all()


@pytest.mark.parametrize(("asked", "clip"), [({"epsilon": 0.1}, 0.25), ({"clip": 0.4}, 0.4)])
def test_rows_are_scored_with_the_features_that_the_rados_are_of(asked, clip, tmp_path):
    """Public settings alone decide how numbers are clipped; files of rados and of models say it."""
    schema = PARTIAL.all_private()
    model = made("private", schema, random_state=0, **asked).fit(X, Y)
    scorer = model.model_.scorers[0]
    assert scorer.clip == clip
    near = X.with_columns(pl.all().clip(-clip, clip))
    assert (model.decision_function(X) == model.decision_function(near)).all()
    assert (model.decision_function(X) != model.decision_function(X * 0.99 * clip)).any()
    assert (" of the way " in " ".join(scorer.words(schema))) == (clip < 1)
    model.save(tmp_path / "m.json", allow="simulated")
    assert (read_model(tmp_path / "m.json").decision_function(X) == model.decision_function(X)).all()
    rados = make_rados(X, Y, schema, count=50, **{**ASKED["private"], **asked})
    rados.write(tmp_path / "r.parquet")
    again = read_rados(tmp_path / "r.parquet")
    assert again.description.clip == clip
    assert learn_from_rados(again, rounds=10).scorers[0].clip == clip


@pytest.mark.parametrize("protection", ["edges", "marginal", "none"])
def test_only_private_rados_are_clipped_unasked(protection):
    assert made(protection).fit(X, Y).model_.scorers[0].clip == 1
    asked = made(protection, clip=0.5, **({"protected_column": "c"} if protection == "marginal" else {}))
    assert asked.fit(X, Y).model_.scorers[0].clip == 0.5


def file_with(change, tmp_path, rados=None, columns=None):
    """A file of rados with a changed description, or other columns, its digest made to fit."""
    path = tmp_path / "r.parquet"
    rados_of("private").write(path)
    frame = pl.read_parquet(path)
    document = json.loads(pl.read_parquet_metadata(path)[FORMAT])
    change(document)
    frame = frame if columns is None else columns(frame)
    if rados != "keep":
        document["digest"] = _digest(document["description"], frame.cast(pl.Float64, strict=False).to_numpy())
    frame.write_parquet(path, metadata={FORMAT: json.dumps(document)})
    return path


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(format="other"),
        lambda d: d.update(version=3),
        lambda d: d.update(version=1),
        lambda d: d.update(version=True),
        lambda d: d.update(more=1),
        lambda d: d["description"].update(protection="none"),  # a private certificate for exact rados
        lambda d: d["description"].update(protection="marginal"),
        lambda d: d["description"].update(constant=False),
        lambda d: d["description"].update(encoding="binary"),
        lambda d: d["description"].update(clip=0.0),
        lambda d: d["description"].update(clip=1.5),
        lambda d: d["description"]["schema"]["columns"].pop(),
        lambda d: d["description"]["guarantee"].update(columns=["b"]),
        lambda d: d["description"]["guarantee"].update(epsilon=-1.0),
        lambda d: d["description"].update(more=1),
    ],
)
def test_hostile_descriptions_are_refused(change, tmp_path):
    with pytest.raises(ModelFileError) as caught:
        read_rados(file_with(change, tmp_path))
    assert "\n" not in str(caught.value)


def test_hostile_tables_are_refused(tmp_path):
    same = lambda d: None  # noqa: E731
    for columns in (
        lambda f: f.with_columns(pl.lit(None, dtype=pl.Float64).alias("0:a")),
        lambda f: f.with_columns(pl.lit(float("nan")).alias("0:a")),
        lambda f: f.cast(pl.Float32),
        lambda f: f.select(f.columns[::-1]),
        lambda f: f.head(0),
    ):
        with pytest.raises(ModelFileError):
            read_rados(file_with(same, tmp_path, columns=columns))
    with pytest.raises(ModelFileError, match="digest"):
        read_rados(file_with(same, tmp_path, rados="keep", columns=lambda f: f * 1.5))


def test_foreign_damaged_and_missing_files_are_refused(tmp_path):
    path = tmp_path / "r.parquet"
    rados_of("private").write(path)
    whole = path.read_bytes()
    plain = io.BytesIO()
    pl.DataFrame({"a": [1.0]}).write_parquet(plain)
    for content in (b"", b"PAR1", whole[:200], whole[:-9], plain.getvalue(), b"a,b\n1,2\n"):
        path.write_bytes(content)
        with pytest.raises(ModelFileError):
            read_rados(path)
    with pytest.raises(ModelFileError, match="No such file"):
        read_rados(tmp_path / "none.parquet")


def test_a_set_of_rados_must_fit_its_description():
    rados = rados_of("private")
    with pytest.raises(ModelFileError):
        RadoSet(rados.rados[:, :-1], rados.description)
    with pytest.raises(ModelFileError):
        RadoSet(rados.rados * np.inf, rados.description)
