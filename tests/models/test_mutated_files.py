"""Model files altered in thousands of ways: each is refused with one error, or is a model like any other."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.mutations import altered, signed
from harness.try_mutations import contents

TESTS = Path(__file__).parents[1]
SECONDS = 1.0
"""Of processor time, for reading one file."""
MEBIBYTES = 200
"""Beyond what the process had before, for reading one file and all that its model does."""


def outcomes(seeds: range, *, largest: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield what a process of its own says of the file of each seed."""
    models = contents()
    paths = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "harness.try_mutations"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": paths}
    ) as reader:
        assert reader.stdin
        assert reader.stdout
        for seed in seeds:
            draw = random.Random(seed)
            text = signed(altered(draw.choice(models), draw.choice(models), draw, largest=largest), draw).encode()
            reader.stdin.write(b"%d\n%s" % (len(text), text))
            reader.stdin.flush()
            yield seed, json.loads(reader.stdout.readline() or '{"failure": "the process died"}')
        reader.stdin.close()


def check(seeds: range, *, largest: int) -> None:
    said = dict(outcomes(seeds, largest=largest))
    failures = {seed: each["failure"] for seed, each in said.items() if "failure" in each}
    assert not failures, "\n".join(f"seed {seed}: {text}" for seed, text in list(failures.items())[:5])
    assert max(each["seconds"] for each in said.values()) < SECONDS
    assert max(each["mebibytes"] for each in said.values()) < MEBIBYTES
    accepted = sum(each["accepted"] for each in said.values()) / len(said)
    assert 0.03 < accepted < 0.5  # else they would test one half only


def test_thirty_altered_files():
    check(range(30), largest=3_000)


@pytest.mark.audit
@pytest.mark.parametrize("batch", range(10))
def test_twenty_thousand_altered_files(batch):
    check(range(10_000 + 2_000 * batch, 12_000 + 2_000 * batch), largest=500_000)
