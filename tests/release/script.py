"""What a user writes: checked by mypy, strictly, and run in fresh environments, both against the installed wheel."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, assert_type

import polars as pl
from numpy.typing import NDArray

from tacit import AutoClassifier, Categorical, Guarantee, Label, Model, Numeric, Schema, load_model
from tacit.datasets import load
from tacit.report import write_model_card

schema = Schema(
    [Numeric("age", 17, 90), Categorical("sex", ["Female", "Male"])], label=Label("income", ["<=50K", ">50K"])
)
assert_type(schema.names, tuple[str, ...])

adult = load("adult", downloads="never")  # the package brings it along
rows = adult.frame[40_000:]
model = AutoClassifier(schema, epsilon=1.0).fit(adult.frame[:40_000], adult.target[:40_000])
assert_type(model, AutoClassifier)
assert_type(model.privacy_, Guarantee)
assert_type(model.privacy_.epsilon, float)
assert_type(model.predict(rows), NDArray[Any])
assert_type(model.model_.explain(), pl.DataFrame)

with TemporaryDirectory() as folder:
    model.save(Path(folder, "model.json"))
    assert_type(load_model(Path(folder, "model.json")), Model)
    write_model_card(model.model_, Path(folder, "card.html"))

print(model.privacy_.epsilon, len(model.predict(rows)), model.model_.explain().height > 0)
