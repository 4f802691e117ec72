"""Files of merged models altered in hundreds of ways, parts sealed again: one error, or a model like any other."""

from __future__ import annotations

import copy
import json
import random
import warnings

import numpy as np
import polars as pl
import pytest

from harness.mutations import altered
from tacit import Categorical, Label, LogisticClassifier, NaiveBayesClassifier, Numeric, Schema, TreeClassifier, merge
from tacit.errors import ModelFileError
from tacit.models import from_json, to_json
from tacit.models.document import canonical, digest
from tacit.verify import recomputed, written_of

SCHEMA = Schema(
    [Numeric("age", 0, 100, cuts=[25, 50]), Categorical("sky", ["clear", "rain"])], label=Label("y", ["no", "yes"])
)
FRAME = pl.DataFrame({"age": [0.0, 30.0, 100.0], "sky": ["clear", "rain", "clear"]})


@pytest.fixture(scope="module")
def content():
    draw = np.random.default_rng(0)
    frame = pl.DataFrame({"age": draw.uniform(0, 100, 300), "sky": draw.choice(["clear", "rain"], 300)})
    labels = np.where(frame["age"].to_numpy() > 50, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learners = (NaiveBayesClassifier, LogisticClassifier, TreeClassifier)
        own = [learner(SCHEMA, epsilon=0.5).fit(frame, labels).model_ for learner in learners]
    return json.loads(to_json(merge(own)))["model"]


def sealed(body):
    """Return the file's text, with right digests of its parts where there are parts."""
    try:
        pairs = list(zip(body["parts"], body["guarantee"]["parts"], strict=True))
        for part, line in pairs:
            line["digest"] = digest(canonical(part | {"guarantee": line["certificate"]}))
        pairs.sort(key=lambda each: each[1]["digest"])
        body["parts"], body["guarantee"]["parts"] = map(list, zip(*pairs, strict=True))
    except (AttributeError, LookupError, ModelFileError, TypeError, ValueError):
        pass
    return json.dumps({"format": "tacit-model", "version": 2, "digest": digest(canonical(body)), "model": body})


def test_two_hundred_altered_files(content):
    read = 0
    for seed in range(200):
        draw = random.Random(seed)
        try:
            text = sealed(altered(copy.deepcopy(content), content, draw, largest=1_000))
        except ModelFileError:
            continue  # numbers that JSON does not have
        try:
            model = from_json(text)
        except ModelFileError:
            pass
        else:
            read += 1
            assert np.isfinite(model.decision_function(FRAME)).all()
            assert from_json(to_json(model, allow=model.guarantee.status)).guarantee == model.guarantee
        try:
            written = written_of(text)
        except ModelFileError:
            continue
        assert recomputed(written.certificate, written.model).delta <= 1
    assert read > 5


def rewritten(body, change):
    """Return the file's text as if each part's own file, and its digest, had been written in another way."""
    body = copy.deepcopy(body)
    for part, line in zip(body["parts"], body["guarantee"]["parts"], strict=True):
        change(part, line["certificate"])
    return sealed(body)


def without_defaults(part, certificate):
    """Take away what a version that did not have these fields yet would not have written."""
    del part["why"], part["released_shares"], certificate["labeled_public"]
    for column in part["schema"]["columns"]:
        del column["from_table"]


def in_other_numbers(part, certificate):
    """Write whole numbers of a part without a point."""
    certificate["delta"] = int(certificate["delta"])
    part["schema"]["columns"][0].update(low=0, high=100)


@pytest.mark.parametrize("change", [without_defaults, in_other_numbers])
def test_parts_stay_as_an_earlier_version_wrote_them(content, change):
    text = rewritten(content, change)
    assert text != rewritten(content, lambda *_: None)
    model = from_json(text)
    newer = from_json(rewritten(content, lambda *_: None))
    assert model.predict_proba(FRAME) == pytest.approx(newer.predict_proba(FRAME))
    # Saved again, it has the very parts that its certificate has the digests of.
    again = to_json(model)
    assert json.loads(again)["digest"] == json.loads(text)["digest"]
    assert from_json(again) == model
    for each in (text, again):
        written = written_of(each)
        assert recomputed(written.certificate, written.model).holds


def test_a_part_that_is_not_as_it_was_written_is_refused(content):
    body = json.loads(rewritten(content, without_defaults))["model"]
    body["parts"][0]["why"] = ""  # says the same, and is not what the digest is of
    text = json.dumps({"format": "tacit-model", "version": 2, "digest": digest(canonical(body)), "model": body})
    with pytest.raises(ModelFileError, match="parts that the certificate lists"):
        from_json(text)
