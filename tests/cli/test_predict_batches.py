"""Predictions of tables that come some rows at a time: those of the whole, and nothing left where reading fails."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Label, NaiveBayesClassifier, Numeric, Schema
from tacit.cli.app import app
from tacit.table.files import csv_chunks, frames, several

SCHEMA = Schema([Numeric("a", 0, 100)], label=Label("y", ["no", "yes"]))


def rows(n_rows=500):
    numbers = np.random.default_rng(0).uniform(0, 100, n_rows)
    return pl.DataFrame({"a": numbers, "key": np.arange(n_rows), "y": np.where(numbers > 50, "yes", "no")})


@pytest.fixture
def model(tmp_path, monkeypatch):
    monkeypatch.setattr(frames, "rows_together", lambda _: 60)
    monkeypatch.setattr(several, "rows_together", lambda _: 60)
    monkeypatch.setattr(csv_chunks, "_CHUNK", 200)
    monkeypatch.setattr(csv_chunks, "HEAD", 50)
    with pytest.warns(UserWarning, match="predictable"):
        fitted = NaiveBayesClassifier(SCHEMA, epsilon=5.0, random_state=0).fit(rows(), rows()["y"])
    fitted.save(tmp_path / "m.json", allow="simulated")
    return fitted


def run(*arguments):
    return CliRunner().invoke(app, ["predict", *map(str, arguments)])


@pytest.mark.parametrize("written", ["csv", "parquet"])
@pytest.mark.parametrize("given", ["csv", "parquet", "folder"])
def test_batches_are_predicted_as_the_whole(tmp_path, model, given, written):
    if given == "folder":
        (tmp_path / "table").mkdir()
        for at, part in enumerate(rows().iter_slices(130)):
            part.write_parquet(tmp_path / "table" / f"{at}.parquet")
    else:
        getattr(rows(), f"write_{given}")(tmp_path / "table")
    out = tmp_path / f"out.{written}"
    done = run(tmp_path / "m.json", tmp_path / "table", "--out", out, "--id", "key", "--probabilities")
    assert done.exit_code == 0, done.output
    found = pl.read_csv(out) if written == "csv" else pl.read_parquet(out)
    assert found.columns == ["key", "y", "y=no", "y=yes"]
    assert found["key"].cast(pl.Int64).to_list() == list(range(500))
    assert found["y"].to_list() == model.predict(rows()).tolist()
    assert np.array_equal(found[["y=no", "y=yes"]].to_numpy(), model.predict_proba(rows()))
    said = run(tmp_path / "m.json", tmp_path / "table").stdout
    assert said.splitlines() == ["y", *model.predict(rows())]


def test_a_dash_is_stdout_and_no_file(tmp_path, model, monkeypatch):
    rows().write_csv(tmp_path / "table.csv")
    monkeypatch.chdir(tmp_path)
    found = {run("m.json", "table.csv", *asked).stdout for asked in ((), ("--out", "-"), ("--out", "./-"))}
    assert found == {"\n".join(["y", *model.predict(rows())]) + "\n"}
    refused = CliRunner().invoke(app, ["data", "banknote", "--out", "-"])
    assert refused.exit_code == 1 and "Expected a name for --out, got '-'" in refused.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m.json", "table.csv"]


@pytest.mark.parametrize("written", ["csv", "parquet"])
def test_a_table_that_fails_half_way_leaves_no_file(tmp_path, model, written):
    text = rows().with_columns(pl.col("a").cast(pl.String)).write_csv()
    (tmp_path / "table.csv").write_text(text + "SECRET,1,no\n")
    done = run(tmp_path / "m.json", tmp_path / "table.csv", "--out", tmp_path / f"out.{written}")
    assert done.exit_code == 1
    assert "Expected a number in every cell of column 'a'" in done.stderr
    assert "SECRET" not in done.output
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m.json", "table.csv"]


def test_calibrated_probabilities_are_written_or_refused(tmp_path, model):
    rows().write_csv(tmp_path / "table.csv")
    given = ["--calibrated", "--probabilities", "--threshold", "0.4"]
    refused = run(tmp_path / "m.json", tmp_path / "table.csv", *given)
    assert refused.exit_code != 0 and "holdout" in refused.output
    with pytest.warns(UserWarning, match="predictable"):
        kept = NaiveBayesClassifier(SCHEMA, epsilon=20.0, holdout=0.4, random_state=0).fit(rows(), rows()["y"])
    kept.save(tmp_path / "kept.json", allow="simulated")
    alone = run(tmp_path / "kept.json", tmp_path / "table.csv", "--calibrated")
    assert alone.exit_code != 0 and "--threshold" in alone.output
    done = run(tmp_path / "kept.json", tmp_path / "table.csv", *given, "--out", tmp_path / "out.csv")
    assert done.exit_code == 0, done.output
    found = pl.read_csv(tmp_path / "out.csv")
    likely = kept.predict_proba(rows(), calibrated=True)
    assert np.allclose(found[["y=no", "y=yes"]].to_numpy(), likely, rtol=0, atol=1e-15)
    assert found["y"].to_list() == np.where(likely[:, 1] >= 0.4, "yes", "no").tolist()
