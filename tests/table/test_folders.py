"""Files of a folder, each read by the schema as if alone: other types, columns in names of folders, odd types."""

from __future__ import annotations

from decimal import Decimal

import polars as pl
import pytest

from tacit import Categorical, Identifier, Label, NaiveBayesClassifier, Numeric, Schema
from tacit.errors import TableError
from tacit.models import to_json
from tacit.table import check_source, opened_source, read_rows, read_source
from tacit.table.files import read_for_draft, reading_process

pa = pytest.importorskip("pyarrow")
parquet, feather = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow.feather")

LABEL = Label("y", ["no", "yes"])
COLUMNS = [
    Numeric("a", 0, 100, missing=50),
    Categorical("code", [1, 2], other=True, missing=0),
    Categorical("text", ["1", "2"], other=True, missing="none"),
    Numeric("day", "2020-01-01", "2020-12-31", missing="2020-06-01"),
]
SCHEMA = Schema(COLUMNS, label=LABEL)
DAY = pl.Series(["2020-02-03"]).str.to_date()
VARIANTS = {  # what one empty cell, or another program, makes of the same column
    "whole": pl.DataFrame({"a": [1], "code": [2], "text": ["2"], "day": DAY, "y": ["no"]}),
    "floating": pl.DataFrame(
        {"a": [1.0], "code": [2.0], "text": [2.0], "day": DAY.cast(pl.Datetime("ns")), "y": ["no"]}
    ),
    "texts": pl.DataFrame({"a": ["1"], "code": ["2"], "text": ["2"], "day": ["2020-02-03"], "y": ["no"]}),
    "empty": pl.DataFrame({"a": [None], "code": [None], "text": [None], "day": [None], "y": ["yes"]}),
    "levels": pl.DataFrame({"a": [Decimal(1)], "code": [2], "text": [2], "day": DAY, "y": ["no"]}).with_columns(
        pl.col("y").cast(pl.Enum(["no", "yes"]))
    ),
}


def rows(source, schema=SCHEMA):
    found = []

    def look(block):
        found.extend(zip(*(part.tolist() for part in (block.labels, *block._rows.columns.values())), strict=True))

    read_source(source, schema, place="memory").visit(look)
    return found


def test_each_file_is_read_as_if_it_were_alone(tmp_path):
    alone = {}
    for name, frame in VARIANTS.items():
        frame.write_parquet(tmp_path / f"{name}.parquet")
        alone[name] = rows(opened_source(tmp_path / f"{name}.parquet"))
    assert all(alone[name] == alone["whole"] for name in ("floating", "texts", "levels"))
    VARIANTS["texts"].write_csv(tmp_path / "zlast.csv")
    source = opened_source(tmp_path)
    check_source(source, SCHEMA)
    expected = [row for path in source.paths[:-1] for row in alone[path.stem]] + alone["whole"]
    assert rows(source) == expected


def hive(folder, write, ending):
    frame = pl.DataFrame({"a": [1, 2], "id": [7, 7], "y": ["no", "yes"]})
    for at, (year, town) in enumerate([(2019, "K%C3%B6ln"), (2020, "__HIVE_DEFAULT_PARTITION__")]):
        place = folder / f"year={year}" / f"town={town}"
        place.mkdir(parents=True)
        write(frame.with_columns(pl.col("a") + 2 * at), place / f"part.{ending}")
    return folder


HELD = Schema(
    [
        Numeric("year", 2000, 2030),
        Numeric("a", 0, 9),
        Categorical("town", ["Köln", "Bonn"], other=True, missing="none"),
    ],
    label=LABEL,
)


@pytest.mark.parametrize(
    ("write", "ending"), [(pl.DataFrame.write_parquet, "parquet"), (pl.DataFrame.write_csv, "csv")]
)
def test_names_of_folders_are_columns_that_a_schema_may_name(tmp_path, write, ending):
    source = opened_source(hive(tmp_path / "t", write, ending))
    check_source(source, HELD)
    wanted = [(0, 2019, 1, 0), (1, 2019, 2, 0), (0, 2020, 3, 2), (1, 2020, 4, 2)]
    assert rows(source, HELD) == wanted
    drafted = read_for_draft(source, "y")
    assert drafted["year"].to_list() == [2019, 2019, 2020, 2020]
    assert drafted["town"].to_list() == ["Köln", "Köln", None, None]
    ((frame, beside), *_) = source.frames([HELD.column("a")], "raise", ["year"])
    assert (frame.columns, beside["year"].to_list()) == (["a"], ["2019", "2019"])
    persons = Schema([Numeric("a", 0, 9)], label=LABEL, identifier=Identifier(["year", "id"]))
    assert read_source(opened_source(tmp_path / "t"), persons).n_persons == 2
    with pytest.raises(TableError, match="a number in every cell of column 'town'"):
        rows(source, Schema([Numeric("town", 0, 9)], label=LABEL))
    with pytest.raises(TableError, match=r"named 'month' in part\."):
        check_source(source, Schema([Numeric("month", 0, 9)], label=LABEL))
    with pytest.raises(TableError, match="got all of them in names of folders"):
        next(source.frames([HELD.column("year")], "raise"))


def test_a_file_own_column_comes_before_that_of_a_folder(tmp_path):
    (tmp_path / "a=7").mkdir()
    VARIANTS["whole"].write_parquet(tmp_path / "a=7" / "t.parquet")
    assert rows(opened_source(tmp_path)) == rows(opened_source(tmp_path / "a=7" / "t.parquet"))
    assert rows(opened_source(tmp_path))[0][1] == 1


def test_a_model_of_files_by_year_is_that_of_one_file(tmp_path):
    frame = pl.DataFrame({"year": [2019 + at % 3 for at in range(90)], "a": [at % 9 for at in range(90)]})
    frame = frame.with_columns(y=pl.when(pl.col("a") > 4).then(pl.lit("yes")).otherwise(pl.lit("no"))).sort("year")
    frame.write_parquet(tmp_path / "whole.parquet")
    for (year,), part in frame.partition_by("year", as_dict=True, include_key=False).items():
        (tmp_path / "parts" / f"year={year}").mkdir(parents=True)
        part.write_parquet(tmp_path / "parts" / f"year={year}" / "0.parquet")
    schema = Schema([HELD.column("year"), HELD.column("a")], label=LABEL)
    models = [
        to_json(NaiveBayesClassifier(schema, epsilon=1.0, random_state=0).fit(place).model_, allow="simulated")
        for place in (tmp_path / "whole.parquet", tmp_path / "parts")
    ]
    assert len(set(models)) == 1


ODD = {
    "decimal32": lambda: pa.array([Decimal("1.5"), Decimal(2)], pa.decimal32(5, 2)),
    "decimal64": lambda: pa.array([Decimal("1.5"), Decimal(2)], pa.decimal64(12, 2)),
    "decimal256": lambda: pa.array([Decimal("1.5"), Decimal(2)], pa.decimal256(50, 2)),
    "runs": lambda: pa.RunEndEncodedArray.from_arrays([1, 2], pa.array([1.5, 2.0])),
    "runs of decimals": lambda: pa.RunEndEncodedArray.from_arrays(
        [1, 2], pa.array([Decimal("1.5"), Decimal(2)], pa.decimal256(50, 2))
    ),
    "bool8": lambda: pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())),
}
NUMBERS = Schema([Numeric("x", 0, 9)], label=LABEL)


@pytest.mark.parametrize("name", ODD)
def test_other_encodings_of_numbers_are_numbers(tmp_path, name):
    try:
        table = pa.table({"x": ODD[name](), "y": ["no", "yes"]})
    except AttributeError:
        pytest.skip("this version of pyarrow has no such type")
    wanted = [1.0, 0.0] if name == "bool8" else [1.5, 2.0]
    assert read_rows(table, NUMBERS).columns["x"].tolist() == wanted
    dataset = pytest.importorskip("pyarrow.dataset").dataset(table)
    assert [row[1] for row in rows(opened_source(dataset), NUMBERS)] == wanted
    if name in ("runs", "bool8"):
        feather.write_feather(table, tmp_path / "t.arrow", compression="uncompressed")
        assert [row[1] for row in rows(opened_source(tmp_path / "t.arrow"), NUMBERS)] == wanted
    if name == "decimal256":
        parquet.write_table(table, tmp_path / "t.parquet")
        assert [row[1] for row in rows(opened_source(tmp_path / "t.parquet"), NUMBERS)] == wanted


UNKNOWN = {
    "list_view": lambda: pa.array([[1], [2]], pa.list_view(pa.int64())),
    "interval": lambda: pa.array([(1, 2, 3), (1, 2, 3)], pa.month_day_nano_interval()),
    "union": lambda: pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_column_of_another_type_is_named_by_it_and_does_no_harm_beside(tmp_path, name):
    table = pa.table({"odd": UNKNOWN[name](), "x": [1.0, 2.0], "y": ["no", "yes"]})
    odd = Schema([Numeric("odd", 0, 9)], label=LABEL)
    with pytest.raises(TableError, match=f"column 'odd', got the type .*{name}"):
        read_rows(table, odd)
    if name != "list_view":
        return
    parquet.write_table(table, tmp_path / "t.parquet")
    source = opened_source(tmp_path / "t.parquet")
    check_source(source, NUMBERS)
    assert [row[1] for row in rows(source, NUMBERS)] == [1.0, 2.0]
    with pytest.raises(TableError, match=f"column 'odd' of t.*got the type {name}"):
        rows(source, odd)


def test_rows_that_a_thread_of_polars_loses_are_missed(tmp_path, monkeypatch):
    """Polars ends without an error where a thread panics; here a query gives less than there is."""
    VARIANTS["whole"].write_parquet(tmp_path / "t.parquet")
    shorter = reading_process._PARQUET.replace("(columns)).collect_batches(", "(columns)).head(0).collect_batches(")
    monkeypatch.setattr(reading_process, "_PARQUET", shorter)
    with pytest.raises(TableError, match="got a damaged one in t"):
        rows(opened_source(tmp_path / "t.parquet"))
