"""Columns of a schema as inputs of an ONNX graph, read as this package reads them, invalid cells coerced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import MissingExtra, ParameterError
from tacit.features import GRID, BinEncoding
from tacit.features.number_scale import scaled, stretch
from tacit.schema import Categorical, Column, Numeric, Schema, Value
from tacit.schema.missing_codes import spelled_codes
from tacit.table.codebook import codebook

OPSET, ML_OPSET, IR_VERSION = 18, 3, 9
"""Of 2023, which runtimes of the last years read."""


OUTPUTS = ("label", "probabilities")

_OURS = "tacit/"
"""What names of intermediate results begin with."""


def onnx_modules() -> tuple[Any, Any, Any]:
    """Return the modules ``helper``, ``numpy_helper`` and ``TensorProto`` of the extra.

    Raises
    ------
    MissingExtra
        If the extra is not installed.
    """
    try:
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        raise MissingExtra(
            "Expected the extra onnx to be installed, got no package onnx. Run pip install 'tacit[onnx]'."
        ) from None
    return helper, numpy_helper, TensorProto


class Graph:
    """Nodes of a graph while it is built; each method returns the name of a result."""

    def __init__(self, schema: Schema) -> None:
        self._helper, self._arrays, self._types = onnx_modules()
        if any(name in OUTPUTS or name.startswith(_OURS) for name in schema.names):
            raise ParameterError(
                f"Expected columns called neither {' nor '.join(OUTPUTS)}, as outputs are, nor {_OURS}..., got one. "
                "Rename it in the table and the schema, and fit again."
            )
        self.schema = schema
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._named: set[str] = set()
        self._read: dict[str, str] = {}
        self._codes: dict[tuple[Any, ...], str] = {}

    def add(self, kind: str, *given: str, domain: str = "", **attributes: Any) -> str:
        """Add a node."""
        name = f"{_OURS}{kind}_{len(self._nodes)}"
        self._nodes.append(self._helper.make_node(kind, list(given), [name], domain=domain, **attributes))
        return name

    def ascending(self, values: str, count: int) -> str:
        """Return so many numbers of each row, (n_rows, count), the smallest first."""
        name = f"{_OURS}TopK_{len(self._nodes)}"
        asked = [values, self.constant([count], np.int64)]
        self._nodes.append(self._helper.make_node("TopK", asked, [name, f"{name}_places"], axis=1, largest=0))
        return name

    def constant(self, values: Any, kind: Any = np.float64) -> str:
        """Add an array."""
        name = f"{_OURS}constant_{len(self._constants)}"
        self._constants.append(self._arrays.from_array(np.asarray(values, dtype=kind), name))
        return name

    def number(self, column: Numeric) -> str:
        """Return a column's numbers within bounds, shape (n_rows, 1)."""
        if column.name not in self._read:
            given = self._given(column)
            absent = self._absent(column)
            default = column.middle if column.missing_value is None else column.missing_value
            present = self.add("Where", absent, self.constant([[default]]), given)
            bounds = self.constant(column.lower), self.constant(column.upper)
            self._read[column.name] = self.add("Clip", present, *bounds)
        return self._read[column.name]

    def bins(self, encoding: BinEncoding, name: str) -> str:
        """Return the code of each row's cell, shape (n_rows,), as ``BinEncoding`` has them."""
        column, at = encoding.schema.column(name), encoding.positions[name]
        key = name, encoding.cuts[at]
        if key not in self._codes:
            if isinstance(column, Numeric):
                above = self.add("Greater", self.number(column), self.constant([encoding.cuts[at]]))
                self._codes[key] = self._sum(self.add("Cast", above, to=self._types.INT64))
            else:
                self._codes[key] = self._category(column)
        return self._codes[key]

    def scaled(self, column: Numeric, unit: float = 1.0) -> str:
        """Return the column from its center, the farther bound at distance one, in this unit, shape (n_rows, 1)."""
        number = self.number(column)
        if column.scale == "log":
            size = self.add("Log", self.add("Add", self.add("Abs", number), self.constant(1.0)))
            number = self.add("Mul", self.add("Sign", number), size)
        center = float(stretch(column.middle, column))
        ends = np.abs(stretch([column.lower, column.upper], column) - center)
        reach = float(ends.max()) if np.ptp(scaled(np.asarray([column.lower, column.upper]), column)) else np.inf
        return self.add("Div", self.add("Sub", number, self.constant(center)), self.constant(reach * unit))

    def feature(self, column: Numeric, clip: float = 1.0) -> str:
        """Return the column scaled to [-1, 1] on the grid, shape (n_rows, 1), as ``LinearEncoding`` has it."""
        return self.on_grid(self.scaled(column, clip * GRID))

    def on_grid(self, steps: str) -> str:
        """Return numbers that are given in steps of the features' grid as features, from -1 to 1."""
        features = self.add("Mul", self.add("Round", steps), self.constant(GRID))
        return self.add("Clip", features, self.constant(-1.0), self.constant(1.0))

    def lookup(self, codes: str, table: NDArray[np.float64]) -> str:
        """Return each code's row of a table, shape (n_rows, n_columns)."""
        return self.add("Gather", self.constant(table), codes, axis=0)

    def total(self, parts: list[str], start: NDArray[np.float64]) -> str:
        """Return the sum of the parts and a row that all start from, in this order."""
        found = self.constant(start[None, :])
        for part in parts:
            found = self.add("Add", found, part)
        return found

    def labels(self, positions: str, classes: list[Any]) -> str:
        """Return the classes at these positions."""
        kinds = {str: np.dtype(object), bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(np.float64)}
        return self.add("Gather", self.constant(classes, kinds[type(classes[0])]), positions, axis=0)

    def model(self, label: str, likely: str, classes: list[Any], metadata: dict[str, str]) -> Any:
        """Return the whole model, with outputs ``label`` and ``probabilities``."""
        kinds = {str: self._types.STRING, bool: self._types.BOOL, int: self._types.INT64, float: self._types.DOUBLE}
        probabilities = likely, self._types.DOUBLE, [None, len(classes)]
        return self._made({"label": (label, kinds[type(classes[0])], [None]), "probabilities": probabilities}, metadata)

    def number_model(self, predicted: str, metadata: dict[str, str], count: int = 1) -> Any:
        """Return the whole model of a number, or of several quantiles, with the output ``prediction``."""
        return self._made({"prediction": (predicted, self._types.DOUBLE, [None, count])}, metadata)

    def _made(self, named: Mapping[str, tuple[str, int, Sequence[int | None]]], metadata: dict[str, str]) -> Any:
        """Return the model of outputs: of each the value, its type and its shape."""
        for column in self.schema.inputs:
            self._given(column)  # also what the model does not use, so that rows may be passed as they are
        made_of = self._helper.make_node, self._helper.make_tensor_value_info
        nodes = [*self._nodes, *(made_of[0]("Identity", [value], [name]) for name, (value, *_) in named.items())]
        outputs = [made_of[1](name, kind, shape) for name, (_, kind, shape) in named.items()]
        graph = self._helper.make_graph(nodes, "tacit", self._inputs, outputs, self._constants)
        opsets = [self._helper.make_opsetid("", OPSET), self._helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        made = self._helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="tacit")
        self._helper.set_model_props(made, metadata)
        return made

    def _given(self, column: Column) -> str:
        """Return a column's cells, (n_rows, 1), an input of the graph."""
        if column.name not in self._named:
            texts = isinstance(column, Categorical) and isinstance(_listed(column)[0], str)
            kind = self._types.STRING if texts else self._types.DOUBLE
            self._inputs.append(self._helper.make_tensor_value_info(column.name, kind, [None, 1]))
            self._named.add(column.name)
        return column.name

    def _absent(self, column: Numeric) -> str:
        """Return where there is no number, or a code that stands for a missing one; texts cannot be passed."""
        given = self._given(column)
        absent = self.add("Or", self.add("IsNaN", given), self.add("IsInf", given))
        for code in column.numeric_codes:
            absent = self.add("Or", absent, self.add("Equal", given, self.constant([[code]])))
        return absent

    def _sum(self, counts: str) -> str:
        return self.add("ReduceSum", counts, self.constant([1], np.int64), keepdims=0)

    def _category(self, column: Categorical) -> str:
        """Return codes of categories; one that is not listed has the last code, or that of ``other``."""
        if column.indicates is not None:
            owner = self.schema.column(column.indicates)
            assert isinstance(owner, Numeric)
            flags = self.add("Cast", self._absent(owner), to=self._types.INT64)
            return self.add("Reshape", flags, self.constant([-1], np.int64))
        listed, unlisted = list(_listed(column)), len(column.categories) if column.other else column.n_codes
        missing = unlisted if column.missing is None or column.missing not in listed else listed.index(column.missing)
        book = codebook(column)
        replaced = {text: book.code(text) for text, _ in column.replace or ()}
        if isinstance(listed[0], str):
            keys = [*listed, *replaced, *([] if "" in listed else [""])]  # an empty text is what is missing
            codes = [*range(len(listed)), *replaced.values(), missing][: len(keys)]
            coded = self.add(
                "LabelEncoder",
                self._given(column),
                domain="ai.onnx.ml",
                keys_strings=keys,
                values_int64s=codes,
                default_int64=unlisted,
            )
            return self.add("Reshape", coded, self.constant([-1], np.int64))
        given = self._given(column)
        spelled = {number: code for text, code in replaced.items() for number in spelled_codes([text])}
        numbers, codes = [*listed, *spelled], [*range(len(listed)), *spelled.values()]
        same = self.add("Cast", self.add("Equal", given, self.constant([numbers])), to=self._types.INT64)
        # At most one is equal: its code less that of an unlisted one, and nothing where none is.
        offsets = self.constant([[code - unlisted for code in codes]], np.int64)
        found = self.add("Add", self._sum(self.add("Mul", same, offsets)), self.constant(unlisted, np.int64))
        absent = self.add("Reshape", self.add("IsNaN", given), self.constant([-1], np.int64))
        return self.add("Where", absent, self.constant(missing, np.int64), found)


def _listed(column: Categorical) -> tuple[Value, ...]:
    """Return the categories of a column whose cells are some of them."""
    if column.buckets is not None or column.match != "value":
        raise ParameterError(
            f"Expected columns of listed values, got column {column.name!r} with "
            f"{'buckets' if column.buckets is not None else 'prefixes'}, which ONNX has no operator for. Serve the "
            "model with this package, or fit on codes that you made before."
        )
    return column.categories
