"""The course's commands do what its chapters say, after the Python that comes before them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

COURSE = Path(__file__).parents[2] / "docs/course.md"
CHAPTERS = [COURSE.parent / f"{name}.md" for name in re.findall(r"^course/[a-z-]+$", COURSE.read_text(), re.MULTILINE)]

pytestmark = pytest.mark.site


def test_every_block_runs_in_one_folder(tmp_path):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    ran = 0
    for chapter in CHAPTERS:
        blocks = re.findall(r"```(python|sh)\n(.*?)```", chapter.read_text(), re.DOTALL)
        program = ""
        for language, block in blocks:
            # A page's later blocks go on with the names of its earlier ones.
            program = program + block if language == "python" else program
            command = [sys.executable, "-c", program] if language == "python" else ["bash", "-euc", block]
            done = subprocess.run(
                command,
                cwd=tmp_path,
                capture_output=True,
                text=True,
                env=os.environ | {"PATH": path, "XDG_STATE_HOME": str(tmp_path / "state")},
            )
            assert done.returncode == 0, f"{chapter.name}: {block}\n{done.stderr}"
            ran += language == "sh"
    assert ran == 8
