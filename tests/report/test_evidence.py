"""Evidence: what each reader gets, of a model that was verified; whole, or refused before anything is written."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import jsonschema
import numpy as np
import polars as pl
import pytest
import yaml
from markdown_it import MarkdownIt

import tacit
from harness.messy_tables import HTML, messy_table
from tacit import Label, NaiveBayesClassifier, Numeric, Schema
from tacit.errors import ModelFileError, ParameterError
from tacit.models import to_json
from tacit.models.document import canonical, digest
from tacit.report import About, write_evidence
from tacit.report.evidence.folder import KINDS
from tacit.report.page.about import CHOICES
from tacit.schema import Target

ABOUT = About(
    title="Income <i>*model*</i>",
    owner="Statistics | office",
    purpose="Impute income where a form is empty.",
    contact="privacy@office.example",
    date="2026-11-29",
    owner_type="Government",
    region="England",
    destination="The office's website",
    data_security="Two analysts have access.",
    reasons="The office's policy.",
    registry_author="A. Person",
    prior=0.05,
    max_epsilon=1.0,
)


@cache
def small(epsilon=0.5):
    schema = Schema([Numeric("age", 0, 90)], label=Label("income", ["high", "low"]))
    fitted = NaiveBayesClassifier(schema, epsilon=epsilon).fit(np.arange(90)[:, None], ["low"] * 45 + ["high"] * 45)
    return fitted.model_


@cache
def of_a_number():
    schema = Schema([Numeric("age", 0, 90)], label=Target("cost", 0, 60_000))
    rows = np.arange(900.0)[:, None] % 90
    return tacit.LinearRegressor(schema, epsilon=1.0, delta=1e-6).fit(rows, 500 * rows[:, 0]).model_


@cache
def messy():
    table = messy_table(5_000, seed=1)
    fit = tacit.LogisticClassifier(table.schema, epsilon=2.0, delta=1e-6, holdout=0.2)
    return fit.fit(table.frame, table.labels).model_


@pytest.fixture
def saved(tmp_path):
    def save(model):
        path = tmp_path / "model.json"
        path.write_text(to_json(model), encoding="utf-8")
        return path

    return save


def written(path, folder, kinds=tuple(KINDS), about=ABOUT):
    names = write_evidence(path, folder, kinds, about)
    assert sorted(each.name for each in folder.iterdir()) == sorted(names)
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def json_schema(facts):
    """Return the facts as a JSON Schema, as the registry's own is."""
    if isinstance(facts, str):
        return {"type": "string", "format": "date"} if facts == "date" else {"type": facts}
    if isinstance(facts, list):
        return {"type": "array", "items": json_schema(facts[0]), "minItems": 1}
    if "enum" in facts:
        return facts
    return {
        "type": "object",
        "properties": {name.rstrip("*"): json_schema(each) for name, each in facts.items()},
        "required": [name.rstrip("*") for name in facts if name.endswith("*")],
        "additionalProperties": False,
    }


@cache
def registry():
    facts = json.loads(Path(__file__).with_name("registry_facts.json").read_text(encoding="utf-8"))
    checker = jsonschema.Draft7Validator.FORMAT_CHECKER
    return jsonschema.Draft7Validator(json_schema(facts["entry"]), format_checker=checker)


def test_choices_are_the_registry_s():
    basic = registry().schema["properties"]["deployment"]["properties"]["basic"]["properties"]
    curators = basic["data_curators"]["items"]["properties"]
    assert CHOICES["owner_type"] == tuple(curators["data_curator_type"]["enum"])
    assert CHOICES["sector"] == tuple(basic["data_product_sector"]["enum"])


def test_the_check_of_entries_can_fail():
    found = [error.validator for error in registry().iter_errors({"url_slug": 3, "deployment": {"other": 1}})]
    assert sorted(found) == ["additionalProperties", "required", "required", "type"]


@pytest.mark.parametrize("made", [small, messy, of_a_number])
def test_an_entry_is_as_the_registry_wants_it_as_json_and_as_yaml(made, saved, tmp_path):
    text = written(saved(made()), tmp_path / "out", ["registry"], replace(ABOUT, sector="Healthcare"))["registry.json"]
    assert list(registry().iter_errors(json.loads(text))) == []
    assert yaml.safe_load(text) == json.loads(text)
    deployment = json.loads(text)["deployment"]
    guarantee = made().guarantee
    variant = "Approximate DP" if guarantee.delta else "Pure DP"
    assert deployment["dp_variant"]["variant_name"] == variant
    delta = {"delta": guarantee.delta} if guarantee.delta else {}
    assert deployment["privacy_loss"]["privacy_parameters"] == {"epsilon": guarantee.epsilon} | delta
    assert deployment["privacy_loss"]["privacy_unit"] == ("Row" if guarantee.persons is None else "Person")


def test_the_entries_of_many_certificates_are_valid(verified_models, tmp_path):
    for at, model in enumerate(verified_models):
        path = tmp_path / "model.json"
        path.write_text(to_json(model), encoding="utf-8")
        files = written(path, tmp_path / str(at))
        assert list(registry().iter_errors(json.loads(files["registry.json"]))) == []
        left = json.loads(files["satre.json"])["what_left"]
        learned = len(model.guarantee.learned.releases) if model.guarantee.learned else 0
        assert sum(each["times"] for each in left) == len(model.guarantee.releases) + learned


@pytest.fixture(scope="module")
def verified_models():
    schema = Schema([Numeric("age", 0, 90, cuts=[30, 60])], label=Label("y", ["a", "b"]))
    rows, labels = np.arange(600)[:, None] % 90, ["a", "b"] * 300
    makers = (
        tacit.TreeClassifier(schema, epsilon=1.0),
        tacit.SVMClassifier(schema, epsilon=1.0),
        tacit.BRCClassifier(schema, epsilon=1.0),
        tacit.LazyBBClassifier(schema, epsilon=1.0),
        tacit.BoostedTreesClassifier(schema, epsilon=1.0, delta=1e-6),
        tacit.LogisticClassifier(schema, epsilon=1.0),
        tacit.LogisticClassifier(schema, epsilon=1.0, delta=1e-6, method="gaussian-objective"),
        tacit.NaiveBayesClassifier(schema.with_private(["age"], label=False), epsilon=1.0, holdout=0.3),
    )
    found = [maker.fit(rows.astype(float), labels).model_ for maker in makers]
    tree = tacit.TreeClassifier(schema)
    search = tacit.PaidSearch([tree], [{"max_splits": [1, 2]}], pay="epsilon", epsilon=1.0, delta=1e-6)
    many = np.arange(6_000)[:, None] % 90.0
    found.append(search.fit(many, ["a", "b"] * 3_000).model_)
    frame = pl.DataFrame({"age": many[:, 0], "y": ["a", "b"] * 3_000})
    kinds = tacit.Kinds({"age": "number", "y": "category"})
    learned = tacit.learn_schema(frame, kinds, label="y", epsilon=0.5, delta=1e-6)
    found.append(tacit.LogisticClassifier(learned, epsilon=1.0, delta=1e-6).fit(frame.drop("y"), frame["y"]).model_)
    return found


def test_the_record_names_the_output_the_releases_and_the_tools(saved, tmp_path):
    path = saved(messy())
    found = json.loads(written(path, tmp_path / "out", ["satre"])["satre.json"])
    assert found["output"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert sum(each["times"] for each in found["what_left"]) == len(messy().guarantee.releases)
    assert [each["version"] for each in found["tools"]] == [messy().fitted_with, tacit.__version__]
    assert found["people"]["approver"] is None and found["people"]["owner"] == ABOUT.owner
    controls = {each["control"]: each["setting"] for each in found["controls"]}
    for name in messy().schema.public_columns:
        assert name in controls["public, so not protected"]
    criteria = {each["criterion"]: each for each in found["criteria"]}
    policy = criteria["epsilon that the policy in about.toml admits"]
    assert (policy["threshold"], policy["found"], policy["met"]) == (1.0, 2.0, False)
    assert criteria["delta that the policy in about.toml admits"]["met"] is None
    assert criteria["epsilon recomputed, at most the one claimed"]["found"] == pytest.approx(2.0)


def test_a_public_column_that_no_model_reads_is_named_as_public(saved, tmp_path):
    columns = [Numeric("age", 0, 90), tacit.Categorical("site", ["a", "b"], feature=False, private=False)]
    schema = Schema(columns, label=Label("income", ["high", "low"]))
    frame = pl.DataFrame({"age": np.arange(90), "site": ["a", "b"] * 45})
    model = NaiveBayesClassifier(schema, epsilon=0.5).fit(frame, ["low"] * 45 + ["high"] * 45).model_
    found = json.loads(written(saved(model), tmp_path / "out", ["satre"])["satre.json"])
    controls = {each["control"]: each["setting"] for each in found["controls"]}
    assert "columns site" in controls["public, so not protected"]


def test_what_only_a_person_knows_is_a_marked_blank(saved, tmp_path):
    files = written(saved(small()), tmp_path / "out", ["nist", "satre"], replace(ABOUT, reasons="", data_security=""))
    parts = json.loads(files["nist.json"])
    assert [name for name, each in parts.items() if each is None] == [
        "why_this_epsilon",
        "utility",
        "bias",
        "data_security_and_access",
        "data_collection",
    ]
    assert files["nist.md"].count("(to be written by a person)") == 6  # and measures against side channels
    assert "## Data collection\n\n(to be written by a person)\n" in files["nist.md"]


def test_the_card_has_the_metadata_that_hubs_read_and_the_page_s_document(saved, tmp_path):
    card = written(saved(messy()), tmp_path / "out", ["card"], replace(ABOUT, license="mit"))["card.md"]
    _, head, body = card.split("---\n", 2)
    data = yaml.safe_load(head)
    assert (data["license"], data["library_name"], data["pipeline_tag"]) == ("mit", "tacit", "tabular-classification")
    assert data["tags"] == ["tabular-classification", "differential-privacy", "tacit"]
    result = data["model-index"][0]["results"][0]
    assert result["metrics"][0]["value"] == messy().held_out.accuracy.value
    assert set(result) == {"task", "dataset", "metrics"}
    headings = re.findall(r"^## (.*)$", body, re.MULTILINE)
    assert headings[0] == "Verification"
    assert {"What is protected, and what is not", "What this epsilon means", "Intended use", "Record"} <= set(headings)
    assert "model-index" not in written(saved(small()), tmp_path / "bare", ["card"])["card.md"]


def test_evidence_of_a_number_names_its_bounds_and_no_classes(saved, tmp_path):
    files = written(saved(of_a_number()), tmp_path / "out")
    output = json.loads(files["satre.json"])["output"]
    assert output["kind"] == "regressor of cost, linear"
    assert output["columns"] == ["age from 0 to 90", "label cost, a number from 0 to 60,000"]
    registered = json.loads(files["registry.json"])["deployment"]
    assert registered["basic"]["description"].startswith("A regressor (linear) that predicts cost from 1 column,")
    assert registered["dp_variant"]["data_domain"].endswith("age from 0 to 90; label cost, a number from 0 to 60,000.")
    metadata = yaml.safe_load(files["card.md"].split("---\n", 2)[1])
    assert metadata["pipeline_tag"] == "tabular-regression" and metadata["tags"][0] == "tabular-regression"
    assert "How far columns move the predicted cost" in files["card.md"]
    assert not re.search(r"classif", "".join(files.values()))


def test_every_page_says_first_that_it_was_verified_and_promises_no_anonymity(saved, tmp_path):
    path = saved(small())
    for name, text in written(path, tmp_path / "out").items():
        if name.endswith(".md"):
            assert (
                "- Verified: epsilon 0.5, delta 0 follows from the 2 releases"
                in text.split("\n## ", 3)[1 if name == "card.md" else 0]
            )
            assert "in the legal sense, a person decides" in text
            assert "Stated prior: a guess that seemed 5" in text and "](attacker.svg)" in text
            assert not re.search(r"is anonymous\b(?! in)", text)


def test_pages_are_markdown_without_html_links_or_broken_tables(saved, tmp_path):
    files = written(saved(messy()), tmp_path / "out")
    for name, text in files.items():
        if name.endswith(".md"):
            tokens = MarkdownIt("commonmark").enable("table").parse(re.sub(r"\A---.*?---\n", "", text, flags=re.S))
            inline = [child for token in tokens for child in token.children or ()]
            kinds = {token.type for token in (*tokens, *inline)}
            assert not kinds & {"html_block", "html_inline", "link_open"}, name
            assert {child.attrs["src"] for child in inline if child.type == "image"} == {"attacker.svg"}
            assert HTML in "".join(child.content for child in inline if child.type == "text")
            assert [each.type for each in tokens].count("table_open") == text.count("\n|---|"), name


def test_rows_are_not_in_it_and_the_same_file_gives_the_same_folder(saved, tmp_path):
    path = saved(small())
    assert written(path, tmp_path / "one") == written(path, tmp_path / "two")


def test_one_error_names_every_entry_that_lacks_and_nothing_is_written(saved, tmp_path):
    path = saved(small())
    with pytest.raises(ParameterError) as caught:
        write_evidence(path, tmp_path / "out", ["registry", "satre"], About(owner="Office"))
    needed = {*KINDS["registry"].NEEDED, *KINDS["satre"].NEEDED} - {"owner"}
    assert all(f"no {name}" in str(caught.value) for name in needed) and "no owner," not in str(caught.value)
    assert "Government or Industry or Nonprofit" in str(caught.value)
    assert not (tmp_path / "out").exists() and {each.name for each in fields(About)} > needed


@pytest.mark.parametrize(
    ("kinds", "about", "words"),
    [
        ([], ABOUT, "none"),
        (["satre", "iso"], ABOUT, "'iso'"),
        (["registry"], replace(ABOUT, date="May 2026"), "2026-01-31"),
    ],
)
def test_other_kinds_and_dates_are_refused(kinds, about, words, saved, tmp_path):
    with pytest.raises(ParameterError, match=words):
        write_evidence(saved(small()), tmp_path / "out", kinds, about)
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]


def tampered(change):
    document = json.loads(to_json(small()))
    change(document["model"]["guarantee"])
    document["digest"] = digest(canonical(document["model"]))
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found["releases"][0].update(noise_scale=1.0), "noise scale"),
        (lambda found: found.update(status="simulated", noise="simulated"), "simulated"),
        (lambda found: found.update(status="void", reasons=["guessed"]), "void"),
        (lambda found: found.update(epsilon=0.25), "0.25 is claimed"),
    ],
)
def test_of_a_model_that_fails_verification_there_is_no_evidence(change, words, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(tampered(change))
    with pytest.raises(ParameterError, match=words) as caught:
        write_evidence(path, tmp_path / "out", ["card"])
    assert "Nothing was written" in str(caught.value) and not (tmp_path / "out").exists()


def test_a_model_that_protects_nothing_and_a_file_that_is_none_are_refused(saved, tmp_path):
    schema = Schema([Numeric("age", 0, 90, private=False)], label=Label("y", ["a", "b"], private=False))
    open_model = NaiveBayesClassifier(schema, epsilon=1.0).fit(np.arange(90)[:, None], ["a", "b"] * 45).model_
    with pytest.raises(ParameterError, match="protects nothing"):
        write_evidence(saved(open_model), tmp_path / "out", ["card"])
    (tmp_path / "model.json").write_text("{}")
    with pytest.raises(ModelFileError, match="Expected"):
        write_evidence(tmp_path / "model.json", tmp_path / "out", ["card"])


def test_the_folder_is_new_or_empty(saved, tmp_path, monkeypatch):
    path, full = saved(small()), tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").write_text("mine")
    (tmp_path / "file").write_text("")
    for folder, words in ((full, "holds something"), (tmp_path / "file", "none"), (tmp_path / "a" / "b", "own folder")):
        with pytest.raises(ParameterError, match=words):
            write_evidence(path, folder, ["card"])
    monkeypatch.chdir(full)
    with pytest.raises(ParameterError, match="you are in"):
        write_evidence(path, ".", ["card"])
    assert (full / "notes.txt").read_text() == "mine"
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o750)
    assert write_evidence(path, empty, ["card"]) == ["attacker.svg", "card.md", "card.json"]
    assert empty.stat().st_mode & 0o777 == 0o750 and len(list(empty.iterdir())) == 3


def test_a_full_disk_leaves_nothing(saved, tmp_path, monkeypatch):
    path = saved(small())

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("tacit.saving.os.fsync", full)
    with pytest.raises(OSError, match="space"):
        write_evidence(path, tmp_path / "out", ["card"])
    assert [each.name for each in tmp_path.iterdir()] == ["model.json"]


def test_a_known_flaw_of_the_version_comes_first(tmp_path, saved, monkeypatch):
    monkeypatch.setattr("tacit.models.released.advisories", lambda *_: ("Noise was too small.",))
    page = written(saved(small()), tmp_path / "out", ["satre"])["satre.md"]
    assert page.splitlines()[2] == "- KNOWN FLAW of the version that fitted this model: Noise was too small."
