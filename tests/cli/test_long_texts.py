"""What a caller or a file gives may be of any length: no error and no warning repeats it whole."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from tacit import (
    Categorical,
    Kinds,
    Label,
    LogisticClassifier,
    Numeric,
    PaidSearch,
    PrivacyWarning,
    Schema,
    TacitError,
    load_model,
)
from tacit.cli.app import app
from tacit.errors import MAX_MESSAGE, AccountExceeded, BudgetExceeded, cut
from tacit.ledger import Account, Ledger
from tacit.models import to_json
from tacit.privacy import Budget
from tacit.study import Study

LONG = {"a word": "x" * 100_000, "words": "ab " * 33_000}
ROWS = pd.DataFrame({"a": [0.1, 0.2] * 50, "y": ["no", "yes"] * 50})
CLASSES = ["no", "yes"]


def of(column="a", label="y", **given):
    return LogisticClassifier(Schema([Numeric(column, 0, 1)], label=Label(label, CLASSES)), epsilon=1.0, **given)


def written(name, text, read):
    Path(name).write_text(text, encoding="utf-8")
    return read(name)


def predicted(long, cell):
    rows = pd.DataFrame({long: ["u", "v"] * 50})
    schema = Schema([Categorical(long, ["u", "v"])], label=Label("y", CLASSES))
    model = LogisticClassifier(schema, epsilon=1.0, random_state=0).fit(rows, ROWS["y"]).model_
    return model.predict(pd.DataFrame({cell[0]: [cell[1]]}))


def model_with(**further):
    document = json.loads(to_json(of(random_state=0).fit(ROWS, ROWS["y"]).model_, allow="simulated"))
    return written("m.json", json.dumps(document | further), load_model)


def ledger():
    book = Ledger("p.ledger")
    book.open(Account.of("people", Budget(1.0)))
    return book


DOORS = {
    "a column's name": lambda long: Numeric(long, 1, 0),
    "a bound": lambda long: Numeric("a", long, 0),
    "categories": lambda long: Categorical(long, [long, long]),
    "a class": lambda long: Label(long, [long]),
    "a positive class": lambda long: Label("y", CLASSES, positive=long),
    "the same name twice": lambda long: Schema([Numeric(long, 0, 1)] * 2, label=Label("y", CLASSES)),
    "a protected column": lambda long: Schema([Numeric("a", 0, 1, private=long)], label=Label("y", CLASSES)),
    "a schema's path": Schema.from_toml,
    "a schema's key": lambda long: written("s.toml", f'"{long}" = 3', Schema.from_toml),
    "a schema's value": lambda long: written("s.toml", f'[label]\nname = "{long}"\nclasses = "a"', Schema.from_toml),
    "a kind": lambda long: written("k.toml", f'"{long}" = "number"', Kinds.from_toml),
    "a column that lacks": lambda long: of(long).fit(ROWS, ROWS["y"]),
    "a column of a file that lacks": lambda long: of(long).fit(ROWS.to_csv("t.csv") or "t.csv"),
    "a column of a bad type": lambda long: of(long).fit(pd.DataFrame({long: ["q"] * 100}), ROWS["y"]),
    "an unlisted label": lambda long: of(label=long).fit(ROWS, [long] * 100),
    "a table's path": lambda long: of().fit(long),
    "a pattern": lambda long: of().fit(f"*{long}"),
    "a parameter": lambda long: of(on_invalid=long).fit(ROWS, ROWS["y"]),
    "a weight's class": lambda long: of(class_weight={long: 1.0}).fit(ROWS, ROWS["y"]),
    "an argument": lambda long: of().fit(ROWS, ROWS["y"], **{long: 1}),
    "a ledger": lambda long: of(ledger=long).fit(ROWS, ROWS["y"]),
    "an account": lambda long: of(ledger=f"p.ledger#{long}").fit(ROWS, ROWS["y"]),
    "an account that is asked": lambda long: ledger().balance(long),
    "an account to open": lambda long: ledger().open(Account.of(long, Budget(1.0))),
    "a model's path": load_model,
    "a model's field": lambda long: model_with(**{long: 1}),
    "a model's schema": lambda long: model_with(schema={"columns": [{long: long}]}),
    "a model's scorers": lambda long: model_with(scorers=[{long: long}]),
    "a cell to predict": lambda long: predicted(long, (long, "q")),
    "a column to predict": lambda long: predicted(long, ("a", "u")),
    "a grid": lambda long: PaidSearch(of(), {long: [1]}, epsilon=1.0).fit(ROWS, ROWS["y"]),
    "a study's path": Study.from_toml,
    "a study's key": lambda long: written("study.toml", f'"{long}" = 3', Study.from_toml),
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("door", DOORS)
def test_no_message_repeats_a_long_text(door, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as caught, pytest.raises((TacitError, TypeError)) as refused:
        warnings.simplefilter("always")
        DOORS[door](LONG[kind])
    said = [str(refused.value), *getattr(refused.value, "__notes__", []), *(str(each.message) for each in caught)]
    assert max(map(len, said)) < 2000
    assert LONG[kind][:1000] not in said[0] or kind == "words"


COMMANDS = [
    ("schema", "check", "LONG"),
    ("schema", "draft", "t.csv", "--label", "LONG"),
    ("fit", "t.csv", "--schema", "LONG", "--epsilon", "1", "--out", "m.json"),
    ("fit", "t.csv", "--schema", "s.toml", "--epsilon", "LONG", "--out", "m.json"),
    ("fit", "t.csv", "--schema", "s.toml", "--epsilon", "1", "--out", "m.json", "--set", "LONG=1"),
    ("fit", "t.csv", "--schema", "s.toml", "--epsilon", "1", "--out", "LONG"),
    ("fit", "t.csv", "--schema", "s.toml", "--epsilon", "1", "--out", "m.json", "--ledger", "p.ledger#LONG"),
    ("fit", "t.csv", "--schema", "s.toml", "--epsilon", "1", "--out", "m.json", "--cluster", "LONG"),
    ("inspect", "LONG"),
    ("predict", "LONG", "t.csv"),
    ("ledger", "show", "LONG"),
    ("LONG",),
    ("inspect", "--LONG"),
]


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_repeats_a_long_text(command, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ROWS.to_csv("t.csv", index=False)
    Path("s.toml").write_text(Schema([Numeric("a", 0, 1)], label=Label("y", CLASSES)).to_toml(), encoding="utf-8")
    done = CliRunner().invoke(app, [each.replace("LONG", LONG[kind]) for each in command])
    assert done.exit_code
    assert "Error" in done.stderr
    assert len(done.stderr) < 2000


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_what_is_expected_and_the_remedy_are_kept(text):
    said = cut(f"Expected a name, got {text!r}, and {text!r}. Take another.")
    assert said.startswith("Expected a name, got ")
    assert said.endswith(" Take another.")
    assert len(said) <= MAX_MESSAGE
    assert cut("a" * MAX_MESSAGE) == "a" * MAX_MESSAGE
    assert len(str(PrivacyWarning(text))) <= MAX_MESSAGE
    given = {"requested": 1.0, "remaining": 0.5, "currency": "epsilon"}
    assert len(str(AccountExceeded(account=text, spent=0.0, fits=0.1, **given))) <= MAX_MESSAGE
    assert len(str(BudgetExceeded(**given | {"currency": text}))) <= MAX_MESSAGE
