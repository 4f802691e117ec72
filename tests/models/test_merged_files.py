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
