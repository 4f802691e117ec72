"""The folder of a study: which files are in it, who may look, and which studies go on in it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.cli.console import checked_output
from tacit.errors import ParameterError, TacitError
from tacit.saving import write_atomically

if TYPE_CHECKING:
    from tacit.study.study import Study

FILES = (
    "spec.toml",
    "store.sqlite",
    "results.csv",
    "results.parquet",
    "report.html",
    "simulated.csv",
    "schema.toml",
)
_ONLY_THE_OWNER = 0o700  # scores on private rows, without noise

# Files that sqlite makes while it writes, and parts of files that a killed process did not finish.
_BESIDE = re.compile(rf"store\.sqlite-(journal|wal|shm)|\.({'|'.join(map(re.escape, FILES))})\..*\.part")


@dataclass(frozen=True)
class StudyFolder:
    """Where a study's files are."""

    path: Path
    """Links followed."""
    given: Path
    """As it was named."""

    @classmethod
    def checked(cls, path: Path, *inputs: Path) -> StudyFolder:
        """Return the folder, once it is sure that it can be made, or holds nothing but a study; writes nothing."""
        folder = Path(os.path.realpath(path))
        if not folder.exists():
            checked_output(folder, force=False)
            return cls(folder, path)
        if not folder.is_dir():
            raise ParameterError(f"Expected a folder for --out, got {str(path)!r}, which is none. Name a folder.")
        there = {each.name for each in folder.iterdir() if not _BESIDE.fullmatch(each.name)}
        # A study that was killed before it wrote its spec had written no more than the tables that it starts from.
        if there - set(FILES) or ("spec.toml" not in there and there - {"simulated.csv", "schema.toml"}):
            raise ParameterError(
                f"Expected a new folder for --out, or one of a study, got {str(path)!r}, which holds something else. "
                "Name another."
            )
        for name in FILES:
            # A study may be read from its own folder: the same spec is not written again.
            checked_output(folder / name, *(inputs if name != "spec.toml" else ()), force=True)
        return cls(folder, path)

    def file(self, name: str) -> Path:
        """Return the path of one of the files."""
        return self.path / name

    def check_resumes(self, study: Study) -> None:
        """Refuse a folder whose study is of other tables, or splits or protects them otherwise."""
        earlier = self._earlier(study)
        if earlier and replace(study, **{name: getattr(earlier, name) for name in _GROWS}) != earlier:
            raise self._refusal()

    def open(self, study: Study, files: Mapping[str, bytes]) -> None:
        """Make the folder, or shut it to others, and write what the study starts from."""
        for name, content in files.items():
            if self.file(name).exists() and self.file(name).read_bytes() != content:
                raise self._refusal()
        self.path.mkdir(mode=_ONLY_THE_OWNER, exist_ok=True)
        self.path.chmod(_ONLY_THE_OWNER)  # mkdir leaves the mode of a folder that is there
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


_GROWS = ("learners", "epsilons", "deltas", "repeats")  # what may differ from an earlier run in the same folder
