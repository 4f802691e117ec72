"""What learners refuse of a schema, before rows are read."""

import pytest

from tacit.schema import Categorical, Identifier, Label, Numeric, Schema
from tacit.study.learners import private_learners
from tacit.study.refusals import refusals

TWO = Label("y", ["no", "yes"])


@pytest.mark.parametrize(
    ("schema", "refusing", "said"),
    [
        (Schema([Numeric("a", 0, 1, missing="indicator"), Categorical("c", ["x"])], label=TWO), set(), ""),
        (Schema([Numeric("a", "2020-01-01", "2021-01-01", private=False)], label=TWO), set(), ""),
        (Schema([Numeric("a", 0, 1)], label=Label("y", ["a", "b", "c"], positive=["c"])), set(), ""),
        (Schema([Numeric("a", 0, 1)], label=TWO, identifier=Identifier("who")), set(), ""),
        (Schema([Categorical("c", buckets=1025)], label=TWO), {"logistic", "svm"}, "1,024 categories"),
        (
            Schema([Numeric("a", 0, 1)], label=Label("y", list(range(101)))),
            {"brc", "lazybb", "radoboost", "svm"},
            "at most 100 classes",
        ),
    ],
)
def test_levels_and_classes_are_refused_before_rows_are_read(schema, refusing, said):
    found = refusals(schema)
    assert set(found) == refusing <= set(private_learners())
    assert all(said in message for message in found.values())
