"""The folder of a study: for its owner alone, and for one table."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.cli.outputs import checked_output
from tacit.errors import ParameterError, TacitError

if TYPE_CHECKING:
    from tacit.study.study import Study

FILES = (
    "spec.toml",
    "store.sqlite",
    "results.csv",
    "results.parquet",
    "report.html",
    "accuracy.png",
    "simulated.csv",
    "schema.toml",
)
_ONLY_THE_OWNER = 0o700

_PICTURE = r"accuracy-\d+\.png"

# What sqlite keeps beside its file while it writes, and what a killed process leaves of a file that it was writing.
_BESIDE = re.compile(
    rf"{_PICTURE}|store\.sqlite-(journal|wal|shm)|\.({'|'.join(map(re.escape, FILES))}|{_PICTURE})\..*\.part"
)


@dataclass(frozen=True)
class StudyFolder:
    """Where a study's files are.

    Attributes
    ----------
    path : Path
        Links followed.
    given : Path
        As it was named.
    """

    path: Path
    given: Path

    @classmethod
    def checked(cls, path: Path, *inputs: Path) -> StudyFolder:
        """Return the folder, once it is sure that it can be made, or holds nothing but a study; writes nothing.

        Raises
        ------
        ParameterError
            If it holds something else, cannot be written to, or an input lies where an output would.
        """
        folder = Path(os.path.realpath(path))
        if not folder.exists():
            checked_output(folder)
            return cls(folder, path)
        if not folder.is_dir():
            raise ParameterError(f"Expected a folder for --out, got {str(path)!r}, which is none. Name a folder.")
        if any(each.name not in FILES and not _BESIDE.fullmatch(each.name) for each in folder.iterdir()):
            raise ParameterError(
                f"Expected a new folder for --out, or one of a study, got {str(path)!r}, which holds something else. "
                "Name another."
            )
        for name in FILES:
            # A study may be read from its own folder: the same spec is not written again.
            checked_output(folder / name, *(inputs if name != "spec.toml" else ()))
        return cls(folder, path)

    def file(self, name: str) -> Path:
        """Return the path of one of the files."""
        return self.path / name

    def check_resumes(self, study: Study) -> None:
        """Refuse a folder whose study is of other tables, or splits or protects them otherwise.

        Raises
        ------
        ParameterError
            If it is. More learners, epsilons, deltas or repeats are welcome.
        """
        earlier = self._earlier(study)
        if earlier and replace(study, **{name: getattr(earlier, name) for name in _GROWS}) != earlier:
            raise self._refusal()

    def open(self, study: Study, files: Mapping[str, bytes]) -> None:
        """Make the folder, or shut it to others, and write what the study starts from."""
        from tacit.models import write_atomically

        for name, content in files.items():
            if self.file(name).exists() and self.file(name).read_bytes() != content:
                raise self._refusal()
        self.path.mkdir(mode=_ONLY_THE_OWNER, exist_ok=True)
        self.path.chmod(_ONLY_THE_OWNER)
        for name, content in files.items():
            if not self.file(name).exists():  # a file that is written again is another table to the store
                write_atomically(self.file(name), content)
        if self._earlier(study) != study:
            write_atomically(self.file("spec.toml"), study.to_toml())

    def _earlier(self, study: Study) -> Study | None:
        """Return the study whose folder this is, if there is one."""
        if not self.file("spec.toml").exists():
            return None
        try:
            return type(study).from_toml(self.file("spec.toml"))
        except TacitError:
            pass
        raise self._refusal()

    def _refusal(self) -> ParameterError:
        return ParameterError(
            f"Expected a folder of the same rows, splits, seed and privacy, got {str(self.given)!r}, whose study has "
            "others. Name another folder."
        )


_GROWS = ("learners", "epsilons", "deltas", "repeats")
"""What may differ from an earlier run in the same folder."""
