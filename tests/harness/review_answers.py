"""For each field of a schema's entries: one that lacks it, what a person types for it, and the entry that it makes.

Tests of the terminal and of the page go through the same ones, and through all fields that there are.
"""

from __future__ import annotations

from dataclasses import replace

from tacit.schema import Categorical, FileFormat, Identifier, Label, Numeric, Schema, Target

NUMBER = Numeric("x", 0, 100, missing=1)
DAYS = Numeric("x", "2000-01-01", "2020-12-31")
LIST = Categorical("x", ["a", "b", "c"], other=True)
BUCKETS = Categorical("x", buckets=8)
LABEL = Label("y", ["no", "maybe", "yes"])
WHO = Identifier("who")
TARGET = Target("y", 0, 100)
WHOLE = Schema([NUMBER, Numeric("number", 0, 1)], label=LABEL)

TYPED = {
    ("numeric", "low"): (NUMBER, "-5", replace(NUMBER, low=-5)),
    ("numeric", "high"): (NUMBER, "150.5", replace(NUMBER, high=150.5)),
    ("numeric", "missing"): (NUMBER, "indicator", replace(NUMBER, missing="indicator")),
    ("numeric", "missing_codes"): (NUMBER, 'N, "a, b", -99', replace(NUMBER, missing_codes=["N", "a, b", -99])),
    ("numeric", "whole"): (NUMBER, True, replace(NUMBER, whole=True)),
    ("numeric", "center"): (NUMBER, "38", replace(NUMBER, center=38)),
    ("numeric", "cuts"): (DAYS, "2001-01-01, 2019-01-01", replace(DAYS, cuts=["2001-01-01", "2019-01-01"])),
    ("numeric", "scale"): (NUMBER, "log", replace(NUMBER, scale="log")),
    ("numeric", "decimal"): (NUMBER, ",", replace(NUMBER, decimal=",")),
    ("numeric", "thousands"): (NUMBER, "apostrophe", replace(NUMBER, thousands="'")),
    ("numeric", "signs"): (NUMBER, ["€", "kg"], replace(NUMBER, signs=["€", "kg"])),
    ("numeric", "negatives"): (NUMBER, "5-", replace(NUMBER, negatives="behind")),
    ("numeric", "below"): (NUMBER, "<", replace(NUMBER, below="<")),
    ("numeric", "below_counts"): (replace(NUMBER, below="<"), "half", replace(NUMBER, below="<", below_counts="half")),
    ("numeric", "dates"): (DAYS, "%d.%m.%Y or %Y-%m-%d", replace(DAYS, dates="%d.%m.%Y or %Y-%m-%d")),
    ("numeric", "date_part"): (NUMBER, "month", replace(NUMBER, date_part="month")),
    ("numeric", "replace"): (NUMBER, ["one = 1", "k.A. = "], replace(NUMBER, replace={"one": "1", "k.A.": ""})),
    ("categorical", "categories"): (LIST, ["d"], replace(LIST, categories=["a", "b", "c", "d"])),
    ("categorical", "other"): (replace(LIST, other=False), True, LIST),
    ("categorical", "match"): (LIST, "prefix", replace(LIST, match="prefix")),
    ("categorical", "missing"): (LIST, "b", replace(LIST, missing="b")),
    ("categorical", "center"): (LIST, "c", replace(LIST, center="c")),
    ("categorical", "buckets"): (BUCKETS, "64", replace(BUCKETS, buckets=64)),
    ("categorical", "salt"): (BUCKETS, "pepper", replace(BUCKETS, salt="pepper")),
    ("categorical", "replace"): (LIST, ["A = a", "B = b"], replace(LIST, replace={"A": "a", "B": "b"})),
    ("label", "classes"): (LABEL, ["never"], replace(LABEL, classes=["no", "maybe", "yes", "never"])),
    ("label", "positive"): (LABEL, ["yes"], replace(LABEL, positive=["yes"])),
    ("label", "prevalence"): (LABEL, "0.5, 0.25, 0.25", replace(LABEL, prevalence=[0.5, 0.25, 0.25])),
    ("label", "missing"): (LABEL, "drop", replace(LABEL, missing="drop")),
    ("label", "replace"): (LABEL, ["n = no"], replace(LABEL, replace={"n": "no"})),
    ("target", "low"): (TARGET, "-5", replace(TARGET, low=-5)),
    ("target", "high"): (TARGET, "150.5", replace(TARGET, high=150.5)),
    ("target", "missing"): (TARGET, "drop", replace(TARGET, missing="drop")),
    ("target", "missing_codes"): (
        replace(TARGET, missing="drop"),
        "N, -99",
        replace(TARGET, missing="drop", missing_codes=["N", -99]),
    ),
    ("target", "whole"): (TARGET, True, replace(TARGET, whole=True)),
    ("target", "scale"): (replace(TARGET, low=1), "log", replace(TARGET, low=1, scale="log")),
    ("target", "center"): (TARGET, "38", replace(TARGET, center=38)),
    ("target", "decimal"): (TARGET, ",", replace(TARGET, decimal=",")),
    ("target", "thousands"): (TARGET, "apostrophe", replace(TARGET, thousands="'")),
    ("target", "signs"): (TARGET, ["€", "kg"], replace(TARGET, signs=["€", "kg"])),
    ("target", "negatives"): (TARGET, "5-", replace(TARGET, negatives="behind")),
    ("target", "below"): (TARGET, "<", replace(TARGET, below="<")),
    ("target", "below_counts"): (
        replace(TARGET, below="<"),
        "half",
        replace(TARGET, below="<", below_counts="half"),
    ),
    ("target", "replace"): (TARGET, ["one = 1"], replace(TARGET, replace={"one": "1"})),
    ("identifier", "columns"): (WHO, ["who", "number"], Identifier(["who", "number"])),
    ("identifier", "rows"): (WHO, "3", Identifier("who", rows=3)),
    ("table", "rows_per_person"): (WHOLE, "4", replace(WHOLE, rows_per_person=4)),
    ("table", "file.encoding"): (WHOLE, "cp1252", replace(WHOLE, file=FileFormat(encoding="cp1252"))),
    ("table", "file.sheet"): (WHOLE, "Patients", replace(WHOLE, file=FileFormat(sheet="Patients"))),
    ("table", "privacy.delta"): (WHOLE, "0", replace(WHOLE, delta=0)),
}


def as_schema(entry):
    """Return a schema with this entry, and with others that it may need."""
    if isinstance(entry, Schema):
        return entry
    if isinstance(entry, Label | Target):
        return replace(WHOLE, label=entry)
    if isinstance(entry, Identifier):
        columns = [each for each in WHOLE.columns if each.name not in entry.names]
        return replace(WHOLE, columns=columns, identifier=entry)
    return replace(WHOLE, columns=[entry, *WHOLE.columns[1:]])
