import doctest
import importlib
import pkgutil
import subprocess
import sys

import pytest

import tacit.schema

MODULES = ["tacit.schema", *(f"tacit.schema.{module.name}" for module in pkgutil.iter_modules(tacit.schema.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_public_names_have_examples():
    public = [getattr(tacit.schema, name) for name in tacit.schema.__all__]
    classes = [thing for thing in public if callable(thing) and thing.__module__.startswith("tacit")]
    assert len(classes) == 13
    assert all(">>>" in (thing.__doc__ or "") for thing in classes)


def test_importing_the_room_loads_no_reader():
    program = (
        "import sys, tacit.schema\n"
        "print(sorted({'pydantic', 'tomlkit', 'polars', 'pandas', 'narwhals'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
