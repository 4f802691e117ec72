"""What a model says in words: its columns by weight, in time proportional to their number."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from tacit.cli.model_words import in_words, summarized
from tacit.models import LinearRule, VoteModel
from tacit.models.vote import Vote
from tacit.schema import Categorical, Label, Numeric, Schema

LABEL = Label("y", ["n", "p"])


def wide(n_columns):
    kinds = (lambda name: Numeric(name, 0, 1), lambda name: Categorical(name, ["a", "b", "c"]))
    return Schema([kinds[at % 2](f"c{at}") for at in range(n_columns)], label=LABEL)


def voting(schema, encoding="ordinal"):
    weights = [(at % 7) - 3.0 for at in range(len(schema.names))]
    return VoteModel((Vote(1.5, LinearRule(tuple(weights), 0.0), "private"),), encoding)


def lines_run(function):
    """Return what a function returns, and how many lines of Python ran; those of loops count each time."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        return function(), count
    finally:
        sys.settrace(None)


def said(schema):
    return [in_words(each, schema, "p", "n") for each in summarized(voting(schema), schema).directions]


def test_twice_as_many_columns_take_twice_as_many_steps():
    small, large = wide(500), wide(1000)
    said(small), said(large)  # what a schema computes once is computed
    (words, steps), (more_words, more_steps) = lines_run(lambda: said(small)), lines_run(lambda: said(large))
    assert (len(words), len(more_words)) == (429, 857)  # one in seven has no weight
    assert more_steps < 2.2 * steps


def test_the_strongest_columns_come_first():
    schema = wide(4)
    model = replace(voting(schema), votes=(Vote(2.0, LinearRule((0.0, -3.0, 1.0, -6.0), 0.0), "private"),))
    found = summarized(model, schema)
    assert [(each.column, each.weight) for each in found.directions] == [
        ("c3", -1.0), ("c1", -0.5), ("c2", pytest.approx(1 / 6)),
    ]  # fmt: skip
    assert [in_words(each, schema, "p", "n") for each in found.directions] == [
        "later categories of c3 raise the score of n",
        "later categories of c1 raise the score of n",
        "higher c2 raises the score of p",
    ]
    assert found.sentences[1] == "Tried on protected data, with noise in the weight: 1."
