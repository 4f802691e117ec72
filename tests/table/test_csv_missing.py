"""NA without quotes is a missing cell in what R writes; a text in quotes is a text."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit import Categorical, Label, NaiveBayesClassifier, Numeric, Schema
from tacit.errors import TableError
from tacit.schema.draft import draft_of
from tacit.table.files import read_features, read_for_draft
from tacit.table.files.csv_missing import has_quoted_names, without_unquoted_missing

# As R 4.2 writes a data frame by write.csv(people, "people.csv", row.names = FALSE).
WRITTEN = '''"name","sex","age","cost","smokes","day","ill"
"Ann, ""A""","F",30,1.5,TRUE,2020-01-05,"yes"
"NA","M",NA,2,NA,NA,"no"
NA,NA,41,NA,FALSE,2020-02-01,"yes"
"x,NA,y","F",52,4,TRUE,2021-01-01,NA
"line
NA
end","M",63,5.25,NA,NA,"no"
"e",NA,7,1e+06,FALSE,2019-12-31,"yes"
'''
NAMES = ['Ann, "A"', "NA", None, "x,NA,y", "line\nNA\nend", "e"]
SEX = ["F", "M", None, "F", "M", None]


def written(folder, text, name="people.csv"):
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("change", ["as it is", "Windows"])
def test_a_draft_reads_the_cells_that_r_wrote(tmp_path, change):
    text = WRITTEN
    if change == "Windows":
        text = text.replace("\n", "\r\n")
    found = read_for_draft(written(tmp_path, text), "ill")
    ends = [name and name.replace("\n", "\r\n") for name in NAMES] if change == "Windows" else NAMES
    assert found["name"].to_list() == ends
    assert found["sex"].to_list() == SEX
    assert found["age"].to_list() == [30, None, 41, 52, 63, 7]
    assert found["smokes"].to_list() == [True, None, False, True, None, False]
    assert found["ill"].to_list() == ["yes", "no", "yes", None, "no", "yes"]


def test_no_draft_lists_it_and_no_fit_counts_it_as_a_category(tmp_path):
    rows = "".join(f'"{"FM"[at % 2]}",{at % 9},"{"yn"[at % 2]}"\n' for at in range(300))
    text = '"sex","age","ill"\n' + rows + 'NA,NA,"y"\n' * 30
    path = written(tmp_path, text)
    column = draft_of(read_for_draft(path, "ill"), "ill").schema.column("sex")
    assert isinstance(column, Categorical) and column.categories == ("F", "M", "missing")
    ages = Numeric("age", 0, 9, missing=4)
    schema = Schema([Categorical("sex", ["F", "M"]), ages], label=Label("ill", ["n", "y"]))
    with pytest.raises(TableError, match="column 'sex'"):
        NaiveBayesClassifier(schema, epsilon=1.0, ledger="none").fit(path)
    listed = Schema([Categorical("sex", ["F", "M", "NA", "none"], missing="none"), ages], label=schema.label)
    assert read_features(path, listed, "raise")["sex"].null_count() == 30


def test_without_quotes_around_names_na_stays_a_text(tmp_path):
    text = "sex,ill\nF,yes\nNA,no\n"
    assert read_for_draft(written(tmp_path, text), "ill")["sex"].to_list() == ["F", "NA"]


def test_a_file_of_one_column_keeps_its_rows(tmp_path):
    schema = Schema([Categorical("sex", ["F", "M", "none"], missing="none")], label=Label("ill", [0, 1]))
    found = read_features(written(tmp_path, '"sex"\n"F"\nNA\n"M"\nNA\n'), schema, "raise")
    assert found["sex"].to_list() == ["F", None, "M", None]


@pytest.mark.parametrize(
    ("line", "separator", "quoted"),
    [
        ('"a","b"', ",", True),
        ('"a,""b""","c"', ",", True),
        ('"a";"b"', ";", True),
        ('"",""', ",", True),
        ('"a",b', ",", False),
        ("a,b", ",", False),
        ('"a";"b"', ",", False),
    ],
)
def test_names_in_quotes(line, separator, quoted):
    assert has_quoted_names(line, separator) == quoted


CELLS = st.sampled_from(["NA", '"NA"', '"x,NA"', '"""NA"', "1", "", '"\nNA\n"', "NAN", "ANA", '"NA,""NA"""'])


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=8), st.sampled_from([",", ";", "\t", "|"]))
def test_each_cell_is_changed_by_itself(rows, separator):
    def text(each):
        return "\n".join(separator.join(cells) for cells in [('"a"', '"b"', '"c"'), *each]).encode()

    changed = [tuple("" if cell == "NA" else cell for cell in row) for row in rows]
    rows, changed = ([tuple(cell.replace(",", separator) for cell in row) for row in each] for each in (rows, changed))
    assert without_unquoted_missing(text(rows), separator) == text(changed)


def test_a_range_of_bytes_reads_as_the_whole(tmp_path):
    """Chunks begin outside of quotes, so that quotes before them do not matter."""
    many = WRITTEN.partition("\n")[2] * 90_000
    found = read_for_draft(written(tmp_path, WRITTEN.partition("\n")[0] + "\n" + many), "ill")
    assert found["sex"].to_list() == SEX * 90_000
    assert found["name"].equals(pl.Series("name", NAMES * 90_000))
