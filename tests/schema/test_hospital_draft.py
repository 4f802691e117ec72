"""A hospital's export from file to draft: few decisions, none of them wrong if accepted unread."""

from string import ascii_uppercase

import polars as pl
import pytest

from harness.hospital_tables import hospital_csv
from tacit.schema import Categorical, Identifier, Label, Numeric
from tacit.schema.draft import draft_of
from tacit.table import read_rows
from tacit.table.files import read_for_draft, read_with_labels

MAX_DECISIONS = 10
CODED = {"whole": True, "missing": "indicator", "missing_codes": [999]}
DAY = {"missing": "2020-12-31"}
EXPECTED = (
    Numeric("Alter", 10, 100, **CODED),
    Categorical(
        "Geschlecht", ["female", "male"], other=True,
        replace={"F": "female", "M": "male", "f": "female", "m": "male"},
    ),
    Numeric("Aufnahme", "2019-01-01", "2022-12-31", dates="%d.%m.%Y", **DAY),
    Numeric("Labor vom", "2019-01-01", "2022-12-31", **DAY),
    Categorical("Hauptdiagnose", list(ascii_uppercase), match="prefix", other=True),
    Numeric("CRP", 1, 500, missing=250, decimal=",", below="<"),
    Numeric("Kosten", 20, 50_000, missing=25_000, decimal=",", thousands=".", signs=["\u20ac"]),
)  # fmt: skip


@pytest.mark.parametrize("n_rows", [3_000, 9_000])
def test_the_draft_of_a_hospital_takes_few_decisions_that_are_right(tmp_path, n_rows):
    path = tmp_path / "export.csv"
    path.write_text(hospital_csv(n_rows), encoding="utf-8")
    draft = draft_of(read_for_draft(path, "gestorben"), "gestorben")
    assert sum(entry.guessed for entry in draft.entries) <= MAX_DECISIONS
    assert draft.schema.identifier == Identifier("Patientennr")
    assert draft.schema.label == Label("gestorben", ["ja", "nein"])
    assert [column for column in draft.schema.inputs if column.name != "CRP"] == [
        column for column in EXPECTED if column.name != "CRP"
    ]
    assert draft.schema.column("CRP").below == "<" and draft.schema.column("CRP").decimal == ","
    left_out = dict(draft.schema.ignored)
    assert set(left_out) == {"Fallnr", "Name", "Bemerkung"}
    assert "names of people" in left_out["Name"] and "lead to single people" in left_out["Bemerkung"]
    frame, _ = read_with_labels(path, draft.schema, "raise")  # no cell is refused
    read = read_rows(frame, draft.schema).columns
    texts = pl.read_csv(path, separator=";", infer_schema=False)
    euros = texts["Kosten"].str.replace_all(r"[. \u20ac]", "").str.replace(",", ".").cast(float)
    assert read["Kosten"].tolist() == euros.to_list()
    assert (
        read["Geschlecht"] == texts["Geschlecht"].str.to_lowercase().str.starts_with("m").cast(int).to_numpy()
    ).all()
