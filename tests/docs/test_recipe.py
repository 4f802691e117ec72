"""The recipe for a new learner is true: with its nine files the commands fit, show, use and verify it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
HEAD = "from dataclasses import dataclass\nfrom typing import ClassVar\nimport numpy as np\n"
FILES = {
    "queries": "",
    "models": "from tacit.features import BinEncoding\n",
    "learners": "from tacit.features import BinEncoding\nfrom tacit.models.histogram import HistogramModel\n"
    "from tacit.privacy import PlanEntry, PrivacyUnit\nfrom tacit.queries.histogram import BinClasses\n"
    "from tacit.table import Table\n",
    "estimators": "from tacit.learners.histogram import Histogram\n",
}
"""Of each room with a block of the recipe, in its order, what the page imports in an earlier block."""


@pytest.fixture
def package(tmp_path):
    """A copy of the package with the recipe's learner."""
    source = tmp_path / "src" / "tacit"
    shutil.copytree(ROOT / "src" / "tacit", source, ignore=shutil.ignore_patterns("__pycache__"))
    for (room, imports), block in zip(FILES.items(), re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL), strict=False):
        code = f"from __future__ import annotations\n{HEAD}{imports}{block}"
        (source / room / "histogram.py").write_text(code, encoding="utf-8")
    for path, old, new in (
        (
            "models/scorer.py",
            "\nfrom tacit.models.linear",
            "\nfrom tacit.models.histogram import HistogramModel\nfrom tacit.models.linear",
        ),
        ("models/scorer.py", "    VoteModel\n    | ", "    VoteModel\n    | HistogramModel\n    | "),
        ("estimators/__init__.py", '"merging": "merge"', '"histogram": "HistogramClassifier", "merging": "merge"'),
        ("estimators/__init__.py", '    "Evaluation",\n', '    "Evaluation",\n    "HistogramClassifier",\n'),
    ):
        text = (source / path).read_text(encoding="utf-8")
        assert old in text
        (source / path).write_text(text.replace(old, new, 1), encoding="utf-8")
    return source.parent


def test_the_recipe_has_nine_files():
    rows = re.findall(r"^\| (\d) \|", TEXT.split("## Add a learner")[1].split("### The query")[0], re.MULTILINE)
    assert rows == list("123456789")


def test_commands_know_the_learner_of_the_recipe(package, tmp_path):
    ages = [at % 90 for at in range(3000)]
    (tmp_path / "rows.csv").write_text("age,retired\n" + "\n".join(f"{age},{int(age > 65)}" for age in ages))
    schema = 'format = 1\n[label]\nname = "retired"\nclasses = [0, 1]\n[[column]]\nname = "age"\nkind = "numeric"\n'
    (tmp_path / "schema.toml").write_text(schema + "low = 0\nhigh = 90\n")

    def said(*words):
        command = [sys.executable, "-m", "tacit", *words]
        env = os.environ | {"PYTHONPATH": str(package)}
        ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=False)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    fit = ("fit", "rows.csv", "--schema", "schema.toml", "-e", "1", "-o", "model.json", "--learner", "histogram")
    assert "histogram; private: epsilon 1" in said(*fit)
    assert "No effects" in said("inspect", "model.json")
    assert len(said("predict", "model.json", "rows.csv").splitlines()) == 3001
    assert said("verify", "model.json").startswith("Yes: epsilon 1")
