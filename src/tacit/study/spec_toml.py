"""Specs of studies as TOML: a file that people read and edit, and that makes the equal study again."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacit.errors import ParameterError
from tacit.study.data import DataSpec
from tacit.study.learner_spec import LearnerSpec

if TYPE_CHECKING:
    from tacit.study.study import Study

FORMAT = 1
"""The version of the layout; a file of another version is refused."""


def write_study(study: Study) -> str:
    """Return the study as TOML text; what has its default is left out."""
    import tomlkit

    document = tomlkit.document()
    document.add("format", tomlkit.item(FORMAT))
    document.add("datasets", tomlkit.item([data for data in study.datasets if isinstance(data, str)]))
    for name, value in _stated(study, "datasets", "learners").items():
        document.add(name, tomlkit.item(value))
    tables = [_stated(data) for data in study.datasets if isinstance(data, DataSpec)]
    for name, entries in (("table", tables), ("learner", [_stated(learner) for learner in study.learners])):
        if entries:
            array = tomlkit.aot()
            for entry in entries:
                array.append(tomlkit.item(entry))
            document.add(name, array)
    return tomlkit.dumps(document)


def read_study(source: str | os.PathLike[str]) -> Study:
    """Return the study of a TOML file, or of TOML text, which has a line break in it.

    In a file, paths of tables are relative to it.

    Raises
    ------
    ParameterError
        If it is no TOML, or no study; the message names the entry.
    """
    from tacit.study.study import Study

    document, folder = _parsed(source)
    if document.pop("format", None) != FORMAT:
        raise ParameterError(
            f"Expected format = {FORMAT} in the study's spec, got another. Write it in its first line."
        )
    known = {each.name for each in fields(Study)} - {"learners"}
    _check_keys(document, known | {"table", "learner"}, "the study's spec")
    tables = [_table(entry, folder) for entry in _entries(document, "table")]
    learners = [_entry(LearnerSpec, entry, "learner") for entry in _entries(document, "learner")]
    datasets = [*_list(document.pop("datasets", []), "datasets"), *tables]
    for name in ("epsilons", "deltas", "privacy"):
        if name in document:
            _list(document[name], name)
    return Study(datasets=datasets, learners=learners, **({"epsilons": []} | document))


def _stated(spec: Any, *without: str) -> dict[str, Any]:
    """Return the fields that have another value than their default, in plain types."""
    stated = {}
    for field in fields(spec):
        value = getattr(spec, field.name)
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        if field.name not in without and value != default:
            stated[field.name] = _plain(value, field.name)
    return stated


def _plain(value: Any, name: str) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping) and None in value.values():
        raise ParameterError(f"Expected {name} that TOML can hold, got one that is None. Leave it out.")
    return str(value) if isinstance(value, Path) else value


def _parsed(source: str | os.PathLike[str]) -> tuple[dict[str, Any], Path]:
    if isinstance(source, str) and "\n" in source:
        text, folder, where = source, Path(), "the study's spec"
    else:
        text, folder, where = _read(Path(source)), Path(source).parent, str(source)
    try:
        return tomllib.loads(text), folder
    except tomllib.TOMLDecodeError as error:
        message = f"Expected TOML in {where}, got something else: {error}. Correct it there."
    except (RecursionError, ValueError):
        message = f"Expected the spec of a study in {where}, got what none holds. Write it anew."
    raise ParameterError(message) from None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        message = f"Expected UTF-8 text in {path}, got another encoding. Save it as UTF-8."
    except OSError:
        message = f"Expected the spec of a study in {path}, got no file that can be read. Check the path."
    raise ParameterError(message)


def _table(entry: Mapping[str, Any], folder: Path) -> DataSpec:
    data: DataSpec = _entry(DataSpec, entry, "table")
    return DataSpec(folder / data.path, folder / data.schema, data.name, data.on_invalid)


def _entry(kind: Any, entry: Mapping[str, Any], name: str) -> Any:
    _check_keys(entry, {each.name for each in fields(kind)}, f"[[{name}]]")
    for field in fields(kind):
        if field.default is MISSING and field.default_factory is MISSING and field.name not in entry:
            raise ParameterError(f"Expected {field.name!r} in each [[{name}]], got one without. Add it.")
    if not isinstance(entry.get("parameters", {}), Mapping):
        raise ParameterError(f"Expected a table of parameters in [[{name}]], got something else. Write {{ name = 1 }}.")
    return kind(**entry)


def _entries(document: dict[str, Any], name: str) -> list[Mapping[str, Any]]:
    entries = document.pop(name, [])
    if not (isinstance(entries, list) and all(isinstance(each, Mapping) for each in entries)):
        raise ParameterError(f"Expected [[{name}]] entries in the study's spec, got something else. Write [[ ]].")
    return entries


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise ParameterError(f"Expected a list of {name}, got {name}={value!r}. Put it into brackets.")
    return value


def _check_keys(entry: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in entry:
        if key not in known:
            near = get_close_matches(key, known, n=1)
            remedy = f"Did you mean {near[0]!r}?" if near else f"There are {', '.join(sorted(known))}."
            raise ParameterError(f"Expected known entries in {where}, got {key!r}. {remedy}")
