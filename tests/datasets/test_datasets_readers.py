"""Readers: each layout on a few rows written by hand, and the digest."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest

from tacit.datasets import readers
from tacit.datasets.catalog import digest, load_schema, records
from tacit.schema import Categorical, Label, Numeric, Schema


def read(name, *contents):
    return records()[name].read(contents, load_schema(name))


TRAIN = b"39, State-gov, 77516, Bachelors, 13, Divorced, Sales, Wife, White, Male, 2174, 0, 40, Cuba, <=50K\n\n"
TEST = b"|1x3 Cross validator\n25, ?, 22, 11th, 7, Divorced, ?, Wife, Black, Male, 0, 0, 40, ?, >50K.\n\n"
CREDIT = b"1,20000,2,2,1,24,2,2,-1,-1,-2,-2,3913,3102,689,0,0,0,0,689,0,0,1e+05,0,1\n"


def test_adult_joins_the_files_and_strips_blanks_and_full_stops():
    table = read("adult", TRAIN, TEST)
    assert table.shape == (2, 15)
    assert table["workclass"].to_list() == ["State-gov", "?"]
    assert table["fnlwgt"].to_list() == [77516, 22]
    assert table["income"].to_list() == ["<=50K", ">50K"]


def test_semicolons():
    text = b'"x";"a";"y"\n1;"p;q";"no"\n-2;"r";"yes"\n'
    schema = Schema([Categorical("a", ["r"]), Numeric("x", 0, 1)], label=Label("y", ["no", "yes"]))
    assert readers.read_cells([text], schema, separator=";", header="names").rows() == [
        ("p;q", 1, "no"),
        ("r", -2, "yes"),
    ]


def test_commas():
    text = b"age_years,sex_0male_1female,episode_number,hospital_outcome_1alive_0dead\n21,1,2,0\n"
    assert read("sepsis-survival", text).row(0) == (21, 1, 2, 0)


@pytest.mark.parametrize("numbered", [False, True])
def test_credit_reads_both_headers_and_rounded_amounts(numbered):
    schema = load_schema("credit-default")
    names = [f"X{place}" for place in range(1, 24)] + ["Y"] if numbered else [*schema.names, schema.label.name]
    table = read("credit-default", ",".join(["ID", *names]).encode() + b"\n" + CREDIT)
    assert table.columns == [*schema.names, "default.payment.next.month"]
    row = table.row(0, named=True)
    assert (row["LIMIT_BAL"], row["PAY_AMT5"], row["default.payment.next.month"]) == (20000, 100000, 1)
    assert set(table.dtypes) == {pl.Int64}


def test_the_class_in_front_goes_last():
    table = read("mushroom", b"p,x,s,n,t,p,f,c,n,k,e,?,s,s,w,w,p,w,o,p,k,s,u\n")
    assert table.row(0, named=True)["class"] == "p"
    assert table["stalk-root"].to_list() == ["?"]
    assert table.columns[0] == "cap-shape"
    assert table["habitat"].to_list() == ["u"]


def test_sparse_text_with_blanks_at_the_ends_of_lines():
    first = b"-1 1:-766 2:128 3:.5 4:0.25 5:0 6:1 7:1e-3 8:0.2 \n"
    second = b"+1 1:5 2:76 3:.5 4:0.25 5:0 6:1 7:1 8:0.2 \n+1 1:6 2:77 3:.5 4:0.25 5:0 6:1 7:1 8:0.2 \n"
    table = read("cod-rna", first, second)
    assert table["class"].to_list() == [-1, 1, 1]
    assert table.row(0)[:8] == (-766.0, 128.0, 0.5, 0.25, 0.0, 1.0, 0.001, 0.2)
    assert table["shorter-length"].to_list() == [128.0, 76.0, 77.0]


def test_sparse_text_that_lacks_a_feature_is_refused():
    with pytest.raises((ValueError, pl.exceptions.PolarsError)):
        read("cod-rna", b"-1 1:-766 3:.5 4:0.25 5:0 6:1 7:1 8:0.2\n")


@pytest.mark.parametrize("header", [b"", b"season,a,b,c,d,e,f,g,h,output\r\n"])
def test_a_header_is_skipped_where_there_is_one(header):
    row = b"-0.33, 0.69,0,1,1,0,0.8,0,0.88,N\r\n"
    assert read("fertility", header + row).row(0)[-2:] == (0.88, "N")


def test_a_score_becomes_a_class_and_a_number_in_front_is_left_out():
    rows = b"M,0.455,0.365,0.095,0.514,0.2245,0.101,0.15,10\nF,0.35,0.265,0.09,0.2255,0.0995,0.0485,0.07,9\n"
    table = read("abalone", rows)
    assert table.to_series(-1).to_list() == [1, 0]
    assert table.row(0)[:2] == ("M", 0.455)
    sample = read("breast-cancer-wisconsin", b"1000025,5,1,1,1,2,?,3,1,1,2\n")
    assert sample.row(0)[0] == 5.0 and sample.row(0)[-1] == 2


@pytest.mark.parametrize("row", [b"1,2,3\n", b"a,b,c,d,0\n", b"1,2,3,4,5,6\n"])
def test_another_layout_is_refused(row):
    with pytest.raises((ValueError, pl.exceptions.PolarsError)):
        read("banknote", row)


def test_the_digest_is_what_its_documentation_says():
    table = pl.DataFrame({"n": [1, -1], "x": [0.5, -0.0], "t": ["é", "b"]})
    by_hand = (
        b"n\tinteger\t2\n"
        + (1).to_bytes(8, "little", signed=True)
        + (-1).to_bytes(8, "little", signed=True)
        + b"x\tfloat\t2\n\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\0\0"
        + b't\ttext\t2\n["\xc3\xa9","b"]'
    )
    assert digest(table) == hashlib.sha256(by_hand).hexdigest()


def test_the_digest_knows_names_order_types_and_cells():
    tables = [
        pl.DataFrame({"a": [1, 2], "b": [3, 4]}),
        pl.DataFrame({"a": [2, 1], "b": [3, 4]}),
        pl.DataFrame({"b": [3, 4], "a": [1, 2]}),
        pl.DataFrame({"a": [1, 2], "c": [3, 4]}),
        pl.DataFrame({"a": [1.0, 2.0], "b": [3, 4]}),
        pl.DataFrame({"a": ["1", "2"], "b": [3, 4]}),
    ]
    assert len({digest(table) for table in tables}) == len(tables)
    narrow = pl.DataFrame({"a": [1, 2], "b": [3, 4]}, schema={"a": pl.Int8, "b": pl.UInt32})
    assert digest(narrow) == digest(tables[0])


@pytest.mark.parametrize("values", [[1, None], [[1], [2]]])
def test_the_digest_refuses_nulls_and_other_types(values):
    with pytest.raises(ValueError, match="column 'a'"):
        digest(pl.DataFrame({"a": values}))
