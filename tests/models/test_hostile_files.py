"""Model files made to hurt: each ends in one short error, from a bounded amount of work."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from tacit import load_model
from tacit.errors import ModelFileError
from tacit.features import BinEncoding, LinearEncoding, OneHotEncoding
from tacit.features.bin_encoding import even_cuts, n_even_cuts
from tacit.models import Model, from_json, to_json
from tacit.models import document as limits
from tacit.models.document import _validator, canonical, digest, validated

GOLDEN = Path(__file__).parents[1] / "golden" / "format-1"


def body(name: str) -> dict:
    return json.loads((GOLDEN / f"{name}.model.json").read_text(encoding="utf-8"))["model"]


def signed(content: dict, version: int = 1) -> str:
    """The text of a file with this content and a right digest."""
    frame = {"format": "tacit-model", "version": version, "digest": digest(canonical(content)), "model": content}
    return json.dumps(frame)


def refused(text: str | bytes) -> str:
    with pytest.raises(ModelFileError) as caught:
        from_json(text)
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_million_wrong_elements_make_one_error():
    content = body("brc") | {"fitted_with": "0.1.0"}
    content["scorers"][0]["votes"][0]["rule"]["weights"] = [[]] * 1000
    with pytest.raises(ValidationError) as caught:
        _validator(Model).validate_json(canonical(content), strict=True)
    assert caught.value.error_count() == 1
    content["scorers"] = [{}] * 1000
    with pytest.raises(ValidationError) as caught:
        _validator(Model).validate_json(canonical(content), strict=True)
    assert caught.value.error_count() == 1


def test_a_long_list_in_place_of_a_category_makes_one_error():
    content = body("brc")
    column = next(each for each in content["schema"]["columns"] if "categories" in each)
    column["categories"] = [["x"] * 1000, *column["categories"]]
    with pytest.raises(ValidationError) as caught:
        _validator(Model).validate_json(canonical(content | {"fitted_with": "0.1.0"}), strict=True)
    # Each error would keep a copy of the list.
    assert caught.value.error_count() == 1
    assert "a value of another kind" in refused(signed(content))


def test_a_kind_is_read_as_that_kind_alone():
    content = body("brc")
    del content["scorers"][0]["kind"]
    assert "scorers.0" in refused(signed(content))
    content = body("brc")
    content["scorers"][0]["votes"][0]["rule"]["kind"] = "x" * 10_000 + "\x1b[31m"
    assert "\x1b" not in refused(signed(content))


def test_the_validator_is_built_once():
    assert _validator(Model) is _validator(Model)


def test_a_name_that_occurs_twice_is_refused():
    text = signed(body("brc"))
    assert from_json(text)
    refused(text.replace('"learner": "brc"', '"learner": "brc", "learner": "brc"', 1))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 21, "-" + "9" * 20, "1" * 5000])
def test_numbers_that_no_model_has_are_refused(number):
    text = signed(body("brc"))
    assert '"epsilon": 1.0' in text
    refused(text.replace('"epsilon": 1.0', f'"epsilon": {number}', 1))


def test_many_names_long_texts_and_deep_lists_are_refused():
    refused(signed(body("brc") | {f"name {i}": 0 for i in range(100_000)}))
    refused(signed(body("brc") | {"x" * 100_000: 0}))
    deep: list = []
    for _ in range(800):
        deep = [deep]
    refused(signed(body("brc") | {"learner": deep}))
    refused(b'{"format": "tacit-model", "x": ' + b"[" * 50_000)
    refused(signed(body("brc") | {"learner": "\ud800"}))
    refused(signed(body("brc")).encode("utf-16"))


def test_what_is_too_large_is_neither_read_nor_written(monkeypatch):
    model = from_json(signed(body("brc")))
    text = to_json(model, allow="simulated")
    for name, limit in (("MAX_FILE", len(text)), ("MAX_VALUES", text.count(","))):
        monkeypatch.setattr(limits, name, limit)
        assert from_json(text) == model
        monkeypatch.setattr(limits, name, limit - 1)
        refused(text)
        with pytest.raises(ModelFileError, match="Models of fewer columns"):
            to_json(model, allow="simulated")
        monkeypatch.undo()


def infinite(name: str, change) -> str:
    content = body(name)
    change(content["scorers"][0])
    return signed(content)


def huge(scorer, *path):
    *parents, last = path
    for step in parents:
        scorer = scorer[step]
    scorer[last] = 1.7e308


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("brc", lambda s: [huge(vote, "coefficient") for vote in s["votes"]]),
        ("brc", lambda s: [huge(s, "votes", 0, "rule", "weights", i) for i in (0, 1)]),
        ("logistic", lambda s: [huge(s, "forms", 0, "weights", i) for i in (0, 20)]),
        ("svm-three-classes", lambda s: [huge(s, "forms", 0, "weights", i) for i in (0, 1)]),
        ("radoboost", lambda s: huge(s, "scale")),
        ("naive-bayes", lambda s: [huge(s, "intercepts", 0), huge(s, "slope")]),
        ("naive-bayes", lambda s: [huge(s, "tables", i, "log_ratios", 0, 1) for i in (0, 1)]),
        ("naive-bayes", lambda s: [huge(s, "tables", 0, "log_ratios", 0, 1), s.update(slope=3.0)]),
        ("naive-bayes-normal", lambda s: s["tables"][0].update(variances=[5e-324] * 3)),
        ("naive-bayes-normal", lambda s: s["tables"][0].update(means=[1e200] * 3)),
        ("lazybb-cuts", lambda s: s["start"].update(reach=10**19)),
        ("lazybb-cuts", lambda s: s["start"]["rule"].update(weights=[1e308] * len(s["start"]["rule"]["weights"]))),
    ],
)
def test_a_model_whose_scores_could_be_infinite_is_refused(name, change):
    assert "damaged" in refused(infinite(name, change))


def test_the_number_of_cuts_is_known_without_making_them():
    from tacit import Label, Numeric, Schema

    ends = [(-5, 7), (0, 1e6), (-1e-9, 0), (0.1, 0.2), (-3, 1e300), (-8, -2), (1, np.nextafter(1, 2)), (-5e-324, 1)]
    for low, high in ends:
        for scale in ("linear", "log"):
            for parts in (2, 3, 8, 33, 255):
                column = Numeric("x", float(low), float(high), scale=scale)
                assert n_even_cuts(column, parts) == len(even_cuts(column, parts))
    schema = Schema([Numeric("x", 0, 1, cuts=[0.5])], label=Label("y", [0, 1]))
    assert BinEncoding(schema, ("x",)).n_codes == (2,)


def test_the_number_of_features_is_known_without_their_names():
    schema = load_model(GOLDEN / "brc.model.json").schema
    for encoding in (
        OneHotEncoding(schema, schema.names, 9),
        LinearEncoding(schema, schema.names, "one-hot"),
        LinearEncoding(schema, schema.names),
    ):
        assert encoding.n_features == len(encoding.feature_names)


def test_bounds_with_the_same_logarithm_give_a_finite_feature():
    from tacit import Label, Numeric, Schema
    from tacit.table import read_rows

    low, high = 134364.2441124012, 134364.24411240124
    schema = Schema([Numeric("x", low, high, scale="log")], label=Label("y", [0, 1]))
    assert LinearEncoding(schema, ("x",)).transform(read_rows(np.array([[low], [high]]), schema)).tolist() == [[0], [0]]


def test_validated_names_the_first_fault():
    from tacit.privacy import Guarantee

    with pytest.raises(ModelFileError, match="fault at status"):
        validated(Guarantee, '{"status": 3}')
