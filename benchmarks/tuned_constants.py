"""How many numbers of the product were tuned, and whether any is outside the table of rules.

    python benchmarks/tuned_constants.py [all]

A number is a row of the table (``tacit.rules``), one of the kinds that ``untuned.toml`` lists with what each is, or not
declared: those are printed, and a test of the architecture fails. ``all`` prints the rows.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import tacit
from tacit.rules import all_rules

SOURCE = Path(tacit.__file__).parent
DECLARED = tomllib.loads(Path(__file__).with_name("untuned.toml").read_text(encoding="utf-8"))
BOUNDS = {"Whole", "Number", "Annotated"}
"""What makes bounds of a parameter, each with what users are told of it."""
PLAIN = {1 / 4, 1 / 3, 1 / 2, 3 / 4, 3 / 2}
"""Fractions in formulas, beside whole numbers."""


def constants(path: Path) -> Iterator[tuple[str, int]]:
    """Yield names of a module's and its classes' numeric constants, and how many numbers each has."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    for block in (module, *(node for node in module.body if isinstance(node, ast.ClassDef))):
        owner = f"{block.name}." if isinstance(block, ast.ClassDef) else ""
        for node in block.body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            # Of a class what is not in capitals is a parameter's default; whole ones there are sizes of papers.
            names = [name for name in _names(node) if not owner or name.isupper() or _is_fraction(value)]
            if value is not None and names and not _is_bounds(value) and (count := len(_numbers(value))):
                yield owner + ", ".join(names), count


def literals(path: Path) -> Iterator[tuple[str, float]]:
    """Yield fractions that are written inside functions, with the function's name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            for each in ast.walk(node):
                if isinstance(each, ast.Constant) and isinstance(each.value, float) and _is_threshold(each.value):
                    yield node.name, each.value


def undeclared() -> dict[str, int]:
    """Return numbers that are neither rows of the table nor declared as not tuned."""
    known = {(path, name) for kind in DECLARED.values() for path, names in kind["names"].items() for name in names}
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        if where.startswith(("rules/", *DECLARED["rooms"]["prefixes"])):
            continue
        numbers = dict(constants(path)) | {name: 1 for name, _ in literals(path)}
        found |= {f"{where}: {name}": count for name, count in numbers.items() if (where, name) not in known}
    return found


def gone() -> list[str]:
    """Return declared names that no longer have a number."""
    return [
        f"{where}: {name}"
        for kind in DECLARED.values()
        for where, names in kind["names"].items()
        for name in names
        if name not in {each for each, _ in (*constants(SOURCE / where), *literals(SOURCE / where))}
    ]


def outside() -> int:
    """Return how many tuned numbers are declared to be outside of the table."""
    names = DECLARED["outside"]["names"].items()
    return sum(dict(constants(SOURCE / where))[name] for where, names in names for name in names)


def main(*words: str) -> None:
    """Print the table, what it counts, and what is not declared."""
    if "all" in words:
        for row in all_rules():
            print(f"{row.subject}.{row.name} = {row.value}: {row.rule.decides}; by {row.rule.by}; {row.rule.chosen}")
    by_subject = Counter({"outside of the table": outside()})
    for row in all_rules():
        by_subject[row.subject] += row.numbers
    print(f"{by_subject.total()} tuned numbers:", ", ".join(f"{name} {n}" for name, n in by_subject.most_common()))
    for kind, declared in DECLARED.items():
        print(f"{sum(map(len, declared['names'].values())):4} {kind}: {declared['what']}")
    print("\n".join(f"not declared, {count} numbers: {name}" for name, count in undeclared().items()))


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.AnnAssign):
        return [node.target.id] if isinstance(node.target, ast.Name) else []
    if not isinstance(node, ast.Assign):
        return []
    target = node.targets[0]
    return [
        each.id for each in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(each, ast.Name)
    ]


def _numbers(value: ast.AST) -> list[float]:
    found = (each.value for each in ast.walk(value) if isinstance(each, ast.Constant))
    return [each for each in found if isinstance(each, int | float) and not isinstance(each, bool)]


def _is_bounds(value: ast.AST) -> bool:
    called = (each for each in ast.walk(value) if isinstance(each, ast.Call))
    return any(isinstance(each.func, ast.Name) and each.func.id in BOUNDS for each in called)


def _is_fraction(value: ast.AST | None) -> bool:
    return value is not None and any(map(_is_threshold, _numbers(value)))


def _is_threshold(value: float) -> bool:
    return 1e-3 < abs(value) < 1e3 and value != round(value) and value not in PLAIN


if __name__ == "__main__":
    main(*sys.argv[1:])
