"""A draft from the dictionary of a file: what is declared, no row, and no bounds."""

from __future__ import annotations

import polars as pl
import pytest
from typer.testing import CliRunner

from tacit import Categorical, Identifier, Numeric, Schema
from tacit.cli.app import app
from tacit.errors import SchemaError
from tacit.schema.dictionary import DictionaryEntry, draft_of_dictionary
from tacit.table.files import survey, survey_reader

pyreadstat = pytest.importorskip("pyreadstat")

SEX = DictionaryEntry("sex", "number", ("male", "female"), are_categories=True)
LABELS = {
    "vote": {1: "yes", 2: "no", 9: "refused"},
    "region": {"N": "north", "S": "south"},
    "trust": {0: "none", 10: "full"},
    "party": {1: "left", 5: "right", 7: "other"},
}


def test_lists_are_declared_and_bounds_open():
    columns = [
        SEX,
        DictionaryEntry("trust", "number", ("none", "full"), are_categories=False, has_missing=True),
        DictionaryEntry("born", "date"),
        DictionaryEntry("region", "text", ("north", "south"), are_categories=True),
        DictionaryEntry("remark", "text"),
        DictionaryEntry("respondent_id", "number"),
        DictionaryEntry("caseid", "number"),
        DictionaryEntry("n_children", "number"),
    ]
    draft = draft_of_dictionary([*columns, DictionaryEntry("vote", "number", ("yes", "no"))], "vote")
    schema = Schema.from_toml(draft.to_toml())
    assert schema == draft.schema
    assert schema.columns[0] == Categorical("sex", ["male", "female"], other=True, missing="missing")
    assert schema.column("trust") == Numeric("trust", missing="indicator")
    assert schema.column("born").is_date
    assert schema.column("region").categories == ("north", "south")
    assert schema.open == ("trust", "born", "n_children")
    assert (schema.guessed, schema.label.classes) == ((), ("yes", "no"))
    assert schema.identifier == Identifier("respondent_id")
    assert list(dict(schema.ignored)) == ["remark", "caseid"]
    text = draft.to_toml()
    assert text.count("from the dictionary: values that are declared in the file") == 2
    assert text.count("from the dictionary, which has no bounds. Write low and high") == 3
    assert "no row was read" in text
    assert "read off your data" not in text


@pytest.mark.parametrize(
    ("columns", "label", "words"),
    [
        ([SEX], "age", "Did you mean|name of a column"),
        ([SEX, DictionaryEntry("remark", "text")], "remark", "at least two classes of 'remark'"),
        ([SEX, DictionaryEntry("remark", "text")], "sex", "a column that the dictionary describes"),
    ],
)
def test_what_cannot_be_drafted_is_said(columns, label, words):
    with pytest.raises(SchemaError, match=words):
        draft_of_dictionary(columns, label)


def spss(path, votes):
    rows = {
        "vote": votes,
        "region": ["N"] * 3,
        "trust": [5.0, 6, 7],
        "party": [1.0, 5, 7],
        "age": [30.5, 40, 50],
        "since": [None, None, None],
    }
    pyreadstat.write_sav(
        pl.DataFrame(rows).with_columns(pl.col("since").cast(pl.Date)),
        path,
        variable_value_labels=LABELS,
        missing_ranges={"vote": [9]},
        variable_measure={"party": "nominal", "trust": "scale"},
    )
    return path


def test_no_row_is_read(tmp_path, monkeypatch):
    def no_rows(*given, **more):
        raise AssertionError

    monkeypatch.setattr(survey_reader, "frames", no_rows)
    monkeypatch.setattr("tacit.table.files.survey.frames_by", no_rows)
    monkeypatch.setattr(survey, "described", lambda module, path, told: module.described(str(path), **told))
    drafts = []
    for votes in ([1.0, 2.0, 9.0], [None, 77.0, 1e9]):
        path, out = spss(tmp_path / "t.sav", votes), tmp_path / f"{votes[1]}.toml"
        said = CliRunner().invoke(
            app, ["schema", "draft", str(path), "--label", "vote", "--dictionary", "-o", str(out)]
        )
        assert said.exit_code == 0, said.output
        assert "No row was read. Expected low and high of 'trust', 'age', 'since', got open bounds" in said.stderr
        drafts.append(out.read_text())
    assert drafts[0] == drafts[1]
    schema = Schema.from_toml(drafts[0])
    assert schema.label.classes == ("yes", "no")
    assert schema.column("party").categories == ("left", "right", "other")  # nominal, though codes leave gaps
    assert schema.open == ("trust", "age", "since")
    assert schema.column("since").is_date


def test_only_files_with_a_dictionary_have_one(tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,no\n")
    said = CliRunner().invoke(app, ["schema", "draft", str(tmp_path / "t.csv"), "--label", "y", "--dictionary"])
    assert said.exit_code == 1
    assert "Expected a file of SPSS, Stata or SAS for its dictionary" in said.stderr
    said = CliRunner().invoke(app, ["schema", "draft", "t.sav", "--label", "y", "--dictionary", "--missing", "9"])
    assert "Expected --missing without --dictionary" in said.stderr


@pytest.mark.parametrize(
    ("kind", "dates", "others"),
    [
        ("sav", ["DATE11", "ADATE10", "DATETIME20", "DATETIME23.2"], ["F8.2", "A10", "WKDAY3", "TIME8", "DOLLAR8"]),
        ("dta", ["%td", "%tc", "%tdD_m_Y", "%d"], ["%9.0g", "%ty", "%tq", "%10s"]),
        (
            "xpt",
            ["DATE", "DATE9.", "DATETIME", "MMDDYY10.", "YYMMDD8.", "E8601DA"],
            [None, "BEST12.", "TIME8.", "COMMA9"],
        ),
    ],
)
def test_formats_of_dates(kind, dates, others, monkeypatch, tmp_path):
    formats = {str(at): each for at, each in enumerate([*dates, *others])}
    found = {"names": list(formats), "formats": formats, "texts": dict.fromkeys(formats, False)}
    found |= {"labels": {}, "missing": {}, "measures": {}}
    monkeypatch.setattr(survey, "described", lambda *given: found)
    declared = survey.SurveyFile(tmp_path / "t", "t", kind).declared()
    assert [each.kind for each in declared] == ["date"] * len(dates) + ["number"] * len(others)
