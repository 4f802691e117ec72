"""Columns as people have them: what a draft makes of them, and why it leaves some out."""

import datetime as dt
import string

import numpy as np
import polars as pl
import pytest

from tacit.errors import SchemaError, TableError
from tacit.schema import Categorical, Identifier, Label, Numeric, Schema, draft_toml
from tacit.schema.draft import draft_of
from tacit.table import read_rows
from tacit.table.files import read_features, read_for_draft

N = 1200


def _entry(values, name="c", missing=()):
    frame = pl.DataFrame({name: values, "rest": np.arange(len(values)) * 0.5, "y": np.arange(len(values)) % 2})
    draft = draft_of(frame, "y", missing)
    [entry] = [each for each in draft.entries if each.name == name]
    columns = {column.name: column for column in draft.schema.columns}
    return columns.get(
        name, draft.schema.identifier if entry.kind == "identifier" else None
    ), f"{entry.reason}. {entry.way}"


def _cycle(values):
    return [values[k % len(values)] for k in range(N)]


@pytest.mark.parametrize(
    ("values", "name", "column", "said"),
    [
        ([0, 1], "smoker", Categorical("smoker", [0, 1], other=True), "no and yes"),
        ([1, 2, 5], "c", Categorical("c", [1, 2, 5], other=True), "codes"),
        ([1.0, 2.0, 5.0], "c", Categorical("c", [1, 2, 5], other=True), "codes"),
        ([1, 2, 5], "number_of_visits", Numeric("number_of_visits", 1, 5, whole=True, missing=3), "numbers"),
        ([*range(1, 27)], "type_id", Categorical("type_id", [*range(1, 27)], other=True), "name of codes"),
        ([*range(1, 27)], "c", Numeric("c", 1, 50, whole=True, missing=26), "numbers"),
        ([1.5, 2.5], "c", Numeric("c", 1, 3, missing=2), "numbers"),
        (["no", "yes"], "c", Categorical("c", ["no", "yes"], other=True), "different values"),
        (["a", "b"], "c", Categorical("c", ["a", "b"], other=True), "different values"),
    ],
)
def test_codes_and_quantities(values, name, column, said):
    found, reason = _entry(_cycle(values), name)
    assert found == column
    assert said in reason


@pytest.mark.parametrize(
    ("values", "listed"),
    [
        (["9", "9.0", "A"], ["9", "A"]),
        (["9.0", "9.50", "9.5", "A", "+9"], ["+9", "9.5", "A"]),
        (["1e3", "1000", " 1000", "1000.", "A"], ["1e3", "A"]),
        (["-0", "0", "0.0", "A"], ["0", "A"]),
        ([".5", "0.5", "A"], [".5", "A"]),
        (["01", "1", "A"], ["01", "1", "A"]),  # a zero in front is of a code
        (["12345678901234567890", "12345678901234567891", "A"],) * 2,  # one double
        (["0x9", "9", "9 kg", "A"],) * 2,
    ],
)
def test_texts_that_spell_one_number_are_one_category(values, listed):
    assert set(_entry(_cycle(values))[0].categories) == set(listed)
    found = draft_of(pl.DataFrame({"x": np.arange(N) % 90, "y": _cycle(values)}), "y").schema.label
    assert set(found.classes) == set(listed)


def test_a_code_for_missing_cells_is_in_the_list_once():
    for code in ("9", "9.0"):
        found, _ = _entry(_cycle(["9", "9.0", "low", "high"]), missing=[code])
        assert found == Categorical("c", ["9", "high", "low"], other=True, missing="9")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["one"], "one value in every row"),
        ([7], "one value in every row"),
        ([True], "one value in every row"),
        ([f"{k % 12 + 1}/{k % 12 + 1}/2020" for k in range(300)], "dates = "),
        ([f"{k % 28 + 1}.1.20" for k in range(28)], "century"),
        ([f"{k % 28 + 1} Jan 2020" for k in range(28)] + ["1/2/2020"], "the forms that cells have"),
        ([f"2020-01-{k % 28 + 1:02d} 10:00Z" for k in range(28)], "Write the day alone"),
        (["2020-02-30", "2020-02-28"], "Write the day alone"),
        ([dt.date(2020, 1, 1)], "of one day"),
        ([f"{k} kg" for k in range(300)] + ["1 g"], "one unit"),
        ([f">{k}" for k in range(9)] + [str(k) for k in range(9)], "units"),
        ([str(k) for k in range(60)], "numbers written as text"),
        ([f"V{k}.1" for k in range(60)], "other = true"),
        ([f"note {k}" for k in range(N)], "own words"),
        ([f"note{k}" for k in range(N)], "identifier"),
        (["a", *(f"surname{chr(97 + k % 26)}{chr(97 + k // 26)}" for k in range(N - 9))], "few of which come back"),
    ],
)
def test_a_column_left_out_has_its_own_reason(values, said):
    found, reason = _entry(_cycle(values))
    assert found is None
    assert said in reason


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("written", [str, lambda day: day])
def test_days_are_numbers_within_whole_years(written, missing):
    days = [written(dt.date(1999 + k % 3, 2, 28)) for k in range(40)]
    found, reason = _entry([*days, *([None] if missing else [])], "stay")
    assert found == Numeric("stay", "1999-01-01", "2001-12-31", missing="indicator" if missing else "2000-07-01")
    assert reason.startswith("dates, with whole years as bounds. ")


@pytest.mark.parametrize(
    ("name", "values", "rows", "proposed"),
    [
        ("ward", [f"w{k}" for k in range(51)], 51, True),
        ("ward", [f"w{k}" for k in range(51)], 50, False),  # as persons' rows may come back
        ("ward_id", [f"w{k}" for k in range(51)], 51, True),
        ("stay_id", [f"w{k}" for k in range(51)], 51, False),
        ("patient ward", [f"w{k}" for k in range(51)], 51, True),
        ("patient", [f"w{k}" for k in range(51)], 51, False),
        ("diagnosis", [f"I{k}.1" for k in range(900)], 2, True),
        ("diagnosis", [f"I{k}.1" for k in range(900)], 1, False),
        ("diagnosis", [f"I{k:02d}.{d}" for k in range(100) for d in range(9)], 2, True),  # of one chapter
        ("zip", [*range(10_000, 10_900)], 2, True),
        ("zip", [f"0{k}" for k in range(1000, 1900)], 3, True),
        ("patient_code", [*range(900)], 2, False),
        ("pay", [*range(900)], 2, False),
    ],
)
def test_codes_that_cannot_be_persons_are_proposed_as_buckets(name, values, rows, proposed):
    draft = draft_of(
        pl.DataFrame({name: values * rows, "half": [k / 2 for k in range(len(values) * rows)]}).with_columns(
            y=pl.int_range(pl.len()) % 2
        ),
        "y",
    )
    buckets = {column.name: column.buckets for column in draft.schema.columns if isinstance(column, Categorical)}
    assert buckets == ({name: 256} if proposed else {})
    if proposed:
        [entry] = [entry for entry in draft.entries if entry.name == name]
        assert entry.guessed
        assert "no value of it" in entry.publishes and "not people" in entry.way
        text = draft.to_toml()
        assert "buckets = 256 # check" in text and not any(str(value) in text for value in values[300:])
        assert Schema.from_toml(text) == draft.schema


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("icd10", "{0}{1:02d}.{2}"),
        ("Hauptdiagnose", "{0}{1:02d}{2}"),
        ("dx_1", "{0}{1}.{2}XA"),
        ("atc", "{0}{1}A{0}0{2}"),
        ("code", "{0}{1}.-"),
        ("ward", None),
        ("PATIENT_CODE", None),
    ],
)
def test_codes_with_chapters_are_listed_by_letters_that_no_row_decides(name, code):
    cells = [(code or "{0}{1}.{2}").format("ABCDI"[k % 5], 10 + k * 7 % 90, k % 9) for k in range(600)]
    frame = pl.DataFrame({name: cells, "half": [k / 2 for k in range(600)], "y": [0, 1] * 300})
    found = [column for column in Schema.from_data(frame, "y").columns if column.name == name]
    listed = Categorical(name, list(string.ascii_uppercase), match="prefix", other=True)
    assert found == ([listed] if code else [])
    if code:  # letter by letter: prefixes are listed in the case that codes have, in both where both occur
        lower = pl.col(name).str.to_lowercase()
        for given, letters in (
            (lower, string.ascii_lowercase),
            (
                pl.when(pl.col("y") == 0).then(lower).otherwise(pl.col(name)),
                string.ascii_uppercase + string.ascii_lowercase,
            ),
        ):
            drafted = Schema.from_data(frame.with_columns(given.alias(name)), "y")
            assert Categorical(name, list(letters), match="prefix", other=True) in drafted.columns


def test_neighboring_columns_of_codes_share_an_entry():
    codes = [f"I{k}" for k in range(60)] * 4
    frame = pl.DataFrame({"icd": codes, "second icd": codes, "half": [k / 2 for k in range(240)], "y": [0, 1] * 120})
    assert ("icd", "second icd") in [entry.names for entry in draft_of(frame, "y").entries]


def test_a_constant_needs_rows_and_no_missing_cells():
    assert _entry([7] * 49)[0] == Numeric("c", 5, 10, whole=True, missing=8)
    assert _entry([7] * 50)[0] is None
    assert _entry([*[7] * 60, None])[0] is not None


def test_repeated_identifiers_of_people_are_proposed_and_void_the_certificate_until_checked():
    draft = draft_of(
        pl.DataFrame(
            {"encounter_id": np.arange(N), "visit_nbr": np.arange(N) // 3, "patient_nbr": np.arange(N) // 2,
             "a": np.arange(N) * 0.5, "y": np.arange(N) % 2}
        ), "y",
    )  # fmt: skip
    assert draft.schema.identifier == Identifier("patient_nbr")
    assert draft.schema.guessed == ("a", "y", "patient_nbr")
    assert set(dict(draft.schema.ignored)) == {"encounter_id", "visit_nbr"}
    text = draft.to_toml()
    assert Schema.from_toml(text) == draft.schema
    assert "protects each person with all rows" in text
    assert "patient_nbr" not in draft.schema.without_persons().guessed
    checked = "\n".join(line for line in text.splitlines() if not line.startswith("guessed"))
    assert Schema.from_toml(checked).guessed == ()
    assert [each.guessed for each in draft.entries[:2]] == [True, True]


@pytest.mark.parametrize(
    ("values", "given", "codes"),
    [
        ([-99, *range(90)], (), (-99,)),
        ([999, *range(90)], (), (999,)),
        ([-1, *range(90)], (), None),
        ([-1, *range(90)], ("-1",), (-1,)),
        ([-99, -50, *range(90)], (), None),
        ([99, *range(99)], (), None),
        (["N", *map(str, range(90))], (), ("N",)),
        (["lost", *map(str, range(90))], ("lost", "?"), ("lost",)),
        (["N", "-99", *map(str, range(90))], (), ("N", -99)),
    ],
)
def test_codes_of_missing_numbers_are_found_or_stated(values, given, codes):
    found, reason = _entry(_cycle(values), missing=given)
    assert isinstance(found, Numeric)
    assert found.missing_codes == codes
    assert ("missing_codes" in reason) == (codes is not None)
    assert (found.low, found.high) == ((0, 100) if codes else (min(values) if min(values) == -1 else found.low, 100))


def test_a_stated_code_is_the_missing_category_of_a_text():
    assert _entry(_cycle(["a", "b", "N"]), missing=("N",))[0] == Categorical(
        "c", ["N", "a", "b"], other=True, missing="N"
    )
    assert _entry(_cycle(["a", "b", "N"]))[0] == Categorical("c", ["N", "a", "b"], other=True)


def test_codes_count_as_the_missing_cell():
    schema = Schema([Numeric("n", 0, 10, missing=4, missing_codes=["N", -99, "7"])], label=Label("y", [0, 1]))
    for cells in (["1", " N ", "-99", "7.0", None, "9"], [1, "N", -99, 7, None, 9]):
        frame = pl.DataFrame({"n": pl.Series(cells, dtype=pl.Object if 1 in cells else pl.String)})
        assert read_rows(frame, schema).columns["n"].tolist() == [1, 4, 4, 4, 4, 9]
    numbers = pl.DataFrame({"n": [1.0, -99.0, 7.0]})
    assert read_rows(numbers, schema).columns["n"].tolist() == [1, 4, 4]
    with pytest.raises(TableError):
        read_rows(pl.DataFrame({"n": ["1", "M"]}), schema)


def test_codes_of_dates():
    column = Numeric("d", "2020-01-01", "2020-12-31", missing="2020-06-01", missing_codes=["0000-00-00"])
    schema = Schema([column], label=Label("y", [0, 1]))
    days = read_rows(pl.DataFrame({"d": ["0000-00-00", "2020-01-02"]}), schema).columns["d"]
    assert days.tolist() == [column.missing_value, column.lower + 1]


def test_a_drafted_file_reads_its_codes(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        "n,m,y\n" + "".join(f"{k % 40 if k % 5 else 'N'},{k % 40 if k % 7 else -99},{k % 2}\n" for k in range(1, 199))
    )
    schema = Schema.from_toml(draft_toml(read_for_draft(path, "y"), "y"))
    n, m = schema.inputs
    assert n.missing == m.missing == "indicator"
    assert (n.missing_codes, m.missing_codes) == (("N",), (-99,))
    read = read_rows(read_features(path, schema, "raise"), schema).columns
    assert read["n"][:6].tolist() == [1, 2, 3, 4, n.missing_value, 6]
    assert read["m"][5:8].tolist() == [6, m.missing_value, 8]


@pytest.mark.parametrize("codes", [[], ["N", "N"], "N", [True], [None], list(range(101))])
def test_codes_are_checked(codes):
    with pytest.raises(SchemaError, match="missing_codes"):
        Numeric("n", 0, 1, missing=0, missing_codes=codes)
    with pytest.raises(SchemaError, match="missing with missing_codes"):
        Numeric("n", 0, 1, missing_codes=["N"])


def test_codes_survive_a_file():
    schema = Schema([Numeric("n", 0, 1, missing=0, missing_codes=["N", -99])], label=Label("y", [0, 1]))
    assert Schema.from_toml(schema.to_toml()) == schema
