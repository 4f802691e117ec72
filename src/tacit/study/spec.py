"""Specification of a study, validated by pydantic; each refusal is one sentence that says what to write."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, dataclass_transform

from pydantic import AfterValidator, ConfigDict, Field, Strict, ValidationError
from pydantic.dataclasses import dataclass

from tacit.errors import ParameterError
from tacit.privacy.parameters import MAX_SEED
from tacit.schema.toml import MAX_BYTES, read_at_most

T = TypeVar("T")

MAX_REPEATS = 100_000
"""Of splits or folds: all tasks are listed in memory."""

_EXPECTED = {
    "datasets": ("a list of one or more data sets", "Write for example ['adult'], or DataSpec(path, schema=...)."),
    "learners": ("a list of one or more learners", "Write for example ['brc']."),
    "learner": ("the name of a learner", "Put it into quotes."),
    "name": ("a text", "Put it into quotes."),
    "parameters": ("a table of parameters", "Write { name = 1 }."),
    "epsilons": ("a list of numbers above 0", "Write for example [0.1, 1.0]."),
    "deltas": ("a list of numbers from 0 to below 1", "Write [0.0] for pure privacy, or for example [1e-6]."),
    "repeats": (f"a whole number from 1 to {MAX_REPEATS}", "Write for example 10."),
    "cv": (f"a whole number from 2 to {MAX_REPEATS}", "Write for example 10."),
    "test_share": ("a number between 0 and 1", "Write for example 0.25."),
    "balanced": ("true or false", "Write one."),
    "privacy": ("a list of one or more cases", "Write for example ['all-private']."),
    "seed": ("a whole number from 0 to 2**63 - 1", "Write for example 0."),
    "split": ("'shuffle' or 'official'", "Write one."),
    "path": ("the path of a file", "Write it in quotes."),
    "schema": ("the path of a file", "Write it in quotes."),
    "on_invalid": ("'raise' or 'coerce'", "Write one."),
    "encoding": ("the name of an encoding", "Write it in quotes, as 'cp1252'."),
    "sheet": ("the name of a sheet", "Write it in quotes."),
}
"""What each entry should be, and what to do if it is not."""

NAME, TABLE = "a name", "a table"
"""How pydantic calls the two kinds of data sets in the place of an error."""

_ENTRIES = {"datasets": "[[table]]", "learners": "[[learner]]"}
_LONGEST_SHOWN = 60  # characters of a refused value: a message stays one line


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def described(cls: type[T]) -> type[T]:
    """Make a frozen dataclass whose fields pydantic checks and converts; what it refuses is a `ParameterError`."""
    made: Any = dataclass(cls, frozen=True, config=ConfigDict(extra="forbid"))
    checked: Callable[..., None] = made.__init__
    names = [each.name for each in fields(made)]

    @wraps(checked)
    def init(self: T, *args: Any, **given: Any) -> None:
        # By name, so that pydantic names what it refuses.
        named = dict(zip(names, args, strict=False))
        try:
            checked(self, *args[len(names) :], **named, **given)
        except ValidationError as error:
            message = _sentence(error, names)
        else:
            return
        raise ParameterError(message)

    made.__init__ = init
    return made


def _sentence(error: ValidationError, known: Sequence[str]) -> str:
    """Return the first error as one sentence."""
    # A name that is not known comes first: it is why another is missing.
    first = min(error.errors(), key=lambda each: not each["type"].startswith("unexpected"))
    cause = first.get("ctx", {}).get("error")
    if isinstance(cause, ParameterError):
        return str(cause)
    *outer, name = [each for each in first["loc"] if isinstance(each, str) and each not in (NAME, TABLE)] or [""]
    entry = _ENTRIES[outer[0]] if outer else "the study"
    if first["type"] == "missing":
        return f"Expected {name!r} in each {entry}, got one without. Add it."
    if first["type"].startswith("unexpected"):
        near = get_close_matches(name, _EXPECTED if outer else known, n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else "Drop it, or correct its name."
        return f"Expected known entries in {entry}, got {name!r}. {remedy}"
    what, remedy = _EXPECTED[name]
    got = f"{name}={_shown(first['input'])}" if first["loc"][-1] == name else f"{_shown(first['input'])} among them"
    return f"Expected {name}{f' in {entry}' if outer else ''} to be {what}, got {got}. {remedy}"


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:  # a whole number of thousands of digits
        return f"a very long {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


def _check_path(path: Path) -> Path:
    if "\0" in str(path):
        raise ValueError("No file's name has a null character.")
    return path


Text = Annotated[str, Strict()]
FilePath = Annotated[Path, AfterValidator(_check_path)]
Share = Annotated[float, Strict(), Field(gt=0, lt=1)]
Epsilons = tuple[Annotated[float, Strict(), Field(gt=0, allow_inf_nan=False)], ...]
Deltas = tuple[Annotated[float, Strict(), Field(ge=0, lt=1)], ...]
Repeats = Annotated[int, Strict(), Field(ge=1, le=MAX_REPEATS)]
Folds = Annotated[int, Strict(), Field(ge=2, le=MAX_REPEATS)]
Seed = Annotated[int, Strict(), Field(ge=0, le=MAX_SEED)]
Flag = Annotated[bool, Strict()]


def check_different(called: Sequence[str], what: str, remedy: str) -> None:
    """Refuse two of one name."""
    for name in called:
        if called.count(name) > 1:
            raise ParameterError(f"Expected {what} of different names, got {name!r} twice. {remedy}")


def parsed(source: str | os.PathLike[str]) -> tuple[dict[str, Any], Path]:
    """Return what a TOML file, or TOML text with a line break in it, holds; and the folder of the file."""
    if isinstance(source, str) and "\n" in source:
        text, folder, where = source, Path(), "the study's spec"
    else:
        text, folder, where = _read(Path(source)), Path(source).parent, str(source)
    try:
        return tomllib.loads(text), folder
    except tomllib.TOMLDecodeError as error:
        message = f"Expected TOML in {where}, got something else: {error}. Correct it there."
    except (RecursionError, ValueError):
        message = f"Expected the spec of a study in {where}, got what none holds. Write it again."
    raise ParameterError(message) from None


def _read(path: Path) -> str:
    try:
        content = read_at_most(path, MAX_BYTES)
        if content is not None:
            return content.decode("utf-8-sig")
        message = f"Expected the spec of a study of at most {MAX_BYTES:,} bytes in {path}, got more. Check the path."
    except UnicodeDecodeError:
        message = f"Expected UTF-8 text in {path}, got another encoding. Save it as UTF-8."
    except OSError:
        message = f"Expected the spec of a study in {path}, got no file that can be read. Check the path."
    raise ParameterError(message)


def array(listed: Sequence[Mapping[str, Any]]) -> Any:
    """Return tables as TOML writes several of one name."""
    import tomlkit

    made = tomlkit.aot()
    for entry in listed:
        if None in entry.get("parameters", {}).values():
            raise ParameterError("Expected parameters that TOML can hold, got one that is None. Leave it out.")
        made.append(tomlkit.item(entry))
    return made


def entries(document: dict[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Take the tables of this name out of the document."""
    found = document.pop(name, [])
    if not (isinstance(found, list) and all(isinstance(each, Mapping) for each in found)):
        raise ParameterError(f"Expected [[{name}]] entries in the study's spec, got something else. Write [[ ]].")
    return found
