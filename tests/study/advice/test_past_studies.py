"""The table of past studies: what is in it, what is refused, and that the packaged one is what it says."""

from __future__ import annotations

from importlib import resources

import polars as pl
import pytest

from benchmarks.advice.public_tables import public_tables
from study.advice.hand_made import past_studies
from tacit.errors import ParameterError
from tacit.study.advice import MetaFeatures, PastStudies
from tacit.study.advice.past_studies import DESCRIPTION, by_measure
from tacit.study.learners import private_learners


def test_losses_are_against_the_ceiling_and_useful_is_above_a_constant_answer():
    past = past_studies({}, {"good": 0.95, "poor": 0.504, "majority": 0.5})
    assert past.losses[0] == pytest.approx([0.1, 0.4])
    assert past.losses[1] == pytest.approx([-0.05, 0.396])
    assert past.useful.tolist() == [[True, False], [True, False]]


def test_a_file_says_the_same_again(tmp_path):
    past = past_studies({}, {"source": "b", "rows": 5})
    past.write(tmp_path / "past.parquet")
    assert PastStudies.read(tmp_path / "past.parquet").frame.equals(past.frame)
    assert [path.name for path in tmp_path.iterdir()] == ["past.parquet"]


@pytest.mark.parametrize("content", [None, b"", b"no parquet"])
def test_what_cannot_be_read_is_named(tmp_path, content):
    path = tmp_path / "past.parquet"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ParameterError, match=r"past\.parquet"):
        PastStudies.read(path)


def test_another_table_is_refused(tmp_path):
    path = tmp_path / "other.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(path)
    with pytest.raises(ParameterError, match="past studies"):
        PastStudies.read(path)
    with pytest.raises(ParameterError, match="past studies"):
        PastStudies(past_studies({}).frame.drop("good", "poor"))
    with pytest.raises(ParameterError, match="past studies"):
        PastStudies(past_studies({}).frame.clear())


@pytest.mark.parametrize(
    "wrong",
    [
        pl.lit("x").alias("good"),
        pl.lit([0.5]).alias("good"),
        pl.lit(None, dtype=pl.Float32).alias("good"),
        pl.lit(float("nan"), dtype=pl.Float32).alias("good"),
        pl.lit(1.5, dtype=pl.Float32).alias("good"),
        pl.lit(None, dtype=pl.String).alias("source"),
        pl.lit(0, dtype=pl.Int64).alias("rows"),
        pl.lit(float("inf")).alias("epsilon"),
        pl.lit(-1.0).alias("delta"),
    ],
    ids=str,
)
def test_values_that_no_setting_has_are_refused(tmp_path, wrong):
    past_studies({}, {"source": "b"}).frame.with_columns(wrong).write_parquet(tmp_path / "past.parquet")
    with pytest.raises(ParameterError, match="Expected a table of past studies, got another"):
        PastStudies.read(tmp_path / "past.parquet")


def test_a_name_is_no_pattern(tmp_path):
    past_studies({}).write(tmp_path / "past.parquet")
    with pytest.raises(ParameterError, match="cannot be read"):
        PastStudies.read(tmp_path / "*.parquet")


def test_the_packaged_table_is_small_and_whole(packaged):
    path = resources.files("tacit.study.advice") / "past_studies.parquet"
    assert len(path.read_bytes()) < 350_000
    assert packaged.learners == tuple(sorted(set(private_learners()) - {"auto"}))  # which is always one of the others
    assert set(packaged.frame["table"]) == {table.name for table in public_tables()}
    assert packaged.frame.select(*DESCRIPTION, *packaged.learners).null_count().sum_horizontal().item() == 0
    for name in ("ceiling", *packaged.learners):
        assert packaged.frame[f"auc of {name}"].null_count() == 0
    for name in ("tree", "logistic", "boosted-trees", "naive-bayes"):
        assert packaged.frame[f"log-loss of {name}"].null_count() == 0
    for name in ("ceiling", *packaged.learners):
        for measure in ("balanced accuracy", "Brier score"):
            assert packaged.frame[f"{measure} of {name}"].null_count() == 0
    assert (packaged.accuracies >= 0).all()
    assert (packaged.accuracies <= 1).all()
    assert (packaged.frame["ceiling"] >= packaged.frame["majority"]).all()
    setting = ["table", "privacy", "rows", "epsilon", "delta"]
    assert packaged.frame.select(setting).is_unique().all()


def test_the_packaged_table_describes_the_packaged_schemas(packaged):
    described = packaged.frame.select("table", "privacy", *MetaFeatures.__dataclass_fields__).unique().rows(named=True)
    tables = {table.name: table for table in public_tables()}
    for each in described:
        meta_features = MetaFeatures.of(tables[each.pop("table")].schema(each.pop("privacy")))
        assert MetaFeatures(**each) == meta_features


def test_more_budget_loses_less_in_the_packaged_table(packaged):
    """Of every learner, over all tables: what ships is a study, and no noise."""
    for measure, gap in (
        ("accuracy", 0.05),
        ("auc", 0.05),
        ("log-loss", 0.005),
        ("balanced-accuracy", 0.05),
        ("brier", 0.005),
    ):
        past = by_measure(packaged, measure)
        least, most = (past.frame["epsilon"] == end for end in (0.01, 10.0))
        assert (past.losses[least].mean(axis=0) > past.losses[most].mean(axis=0) + gap).all()
