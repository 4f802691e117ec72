"""How a file is written comes from the schema or from options, for every command that reads one."""

from __future__ import annotations

import gzip
import json

import pytest

from tacit.schema import FileFormat, Kinds, Schema

PEOPLE = [(40 + at % 50, ["Köln", "Zürich", "Łódź"][at % 3], ["non", "à peine"][at % 50 > 24]) for at in range(120)]
TEXT = "âge;ville;réponse\n" + "".join(f"{age};{town};{answer}\n" for age, town, answer in PEOPLE)


@pytest.fixture
def tables(tmp_path):
    """The same people in UTF-8 and, compressed, in another encoding."""
    plain, packed = tmp_path / "plain.csv", tmp_path / "packed.csv.gz"
    text = TEXT.replace("Łódź", "Orléans")
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(gzip.compress(text.encode("cp1252")))
    return plain, packed


def test_every_command_reads_a_compressed_file_in_another_encoding(tables, tmp_path, run):
    plain, packed = tables
    schema = tmp_path / "schema.toml"
    run("schema", "draft", packed, "--label", "réponse", "--out", schema)
    drafted = Schema.from_toml(schema)
    assert drafted.file == FileFormat("cp1252")
    run("schema", "draft", plain, "--label", "réponse", "--out", tmp_path / "other.toml")
    other = Schema.from_toml(tmp_path / "other.toml")
    assert (other.columns, other.label, other.file) == (drafted.columns, drafted.label, None)
    schema.write_text(Schema(drafted.columns, label=drafted.label, file=drafted.file).to_toml())

    models = [tmp_path / f"{each.stem}.json" for each in tables]
    fit = ("--schema", schema, "--epsilon", 1, "--learner", "naive-bayes", "--seed", 1, "--allow", "simulated", "--out")
    run("fit", packed, *fit, models[0])
    run("fit", plain, "--encoding", "utf-8", *fit, models[1])
    assert models[0].read_text() == models[1].read_text()
    model = models[0]
    assert json.loads(model.read_text())["model"]["schema"]["file"] == {"encoding": "cp1252", "sheet": None}

    found = [run("predict", model, packed).stdout, run("predict", model, plain, "--encoding", "utf-8").stdout]
    assert found[0] == found[1]
    assert found[0].startswith("réponse\n")
    refused = run("predict", model, packed, "--encoding", "utf-8", code=1)
    assert "Expected text in UTF-8" in refused.stderr
    evaluate = ("--epsilon", 4, "--seed", 1, "--other-people", "--json")
    measured = [
        json.loads(run("evaluate", model, *each, *evaluate).stdout)
        for each in ([packed], [plain, "--encoding", "utf-8"], [packed, "--encoding", "latin-1"])
    ]
    assert measured[0] == measured[1] == measured[2]


def test_kinds_hold_the_encoding_and_the_learned_schema_has_it(tables, tmp_path, run):
    _, packed = tables
    kinds, schema = tmp_path / "kinds.toml", tmp_path / "schema.toml"
    run("schema", "kinds", packed, "--label", "réponse", "--out", kinds)
    drafted = Kinds.from_toml(kinds)
    assert drafted.file == FileFormat("cp1252")
    kinds.write_text(Kinds(drafted.columns, file=drafted.file).to_toml())
    learn = ("--label", "réponse", "--kinds", kinds, "--epsilon", 60, "--delta", 1e-4, "--out", schema)
    run("schema", "learn", packed, *learn)
    learned = Schema.from_toml(schema)
    assert learned.file == FileFormat("cp1252")
    assert learned.label.classes == ("non", "à peine")


def test_rados_and_studies_take_them(tables, tmp_path, run):
    plain, packed = tables
    run("schema", "draft", plain, "--label", "réponse", "--out", tmp_path / "s.toml")
    drafted = Schema.from_toml(tmp_path / "s.toml")
    (tmp_path / "s.toml").write_text(Schema(drafted.columns, label=drafted.label).to_toml())
    made = ("--schema", tmp_path / "s.toml", "--epsilon", 1, "--protection", "private", "--count", 8)
    run("rados", "make", packed, *made, "--encoding", "cp1252", "--out", tmp_path / "r.parquet")
    assert "UTF-8" in run("rados", "make", packed, *made, "--out", tmp_path / "r2.parquet", code=1).stderr
    study = ("--schema", tmp_path / "s.toml", "--epsilons", 1, "--learners", "naive-bayes", "--repeats", 1, "--json")
    assert "UTF-8" in run("compare", packed, *study, "--out", tmp_path / "study", code=1).stderr
    run("compare", packed, *study, "--encoding", "cp1252", "--workers", 1, "--out", tmp_path / "study")
    assert 'encoding = "cp1252"' in (tmp_path / "study" / "spec.toml").read_text()
