"""The page on other tools does what it says, with the tools in the documentation's environment."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/works-with.md"
BLOCKS = re.findall(r"```py\n(.*?)```", PAGE.read_text(), re.DOTALL)
TOOLS = ("skops", "mlflow", "mapie", "fairlearn", "imblearn", "skore", "shap")

pytestmark = pytest.mark.site


def test_every_block_runs_in_one_folder(tmp_path, monkeypatch):
    for tool in TOOLS:
        pytest.importorskip(tool, reason=f"needs {tool}, of the extra works-with: make docs-test", exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    assert len(BLOCKS) >= len(TOOLS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tools' own
        for block in BLOCKS:
            exec(compile(block, PAGE.name, "exec", dont_inherit=True), names)
