#!/usr/bin/env bash
# onnxruntime 1.32.0, operator Cast from double to string; onnx 1.23.2 and its ReferenceEvaluator.
#
# Expected: numbers that differ have texts that differ, so that a graph can look a code up in a list of texts. ONNX says
# that Cast writes plain notation; whole numbers of nine digits are exact in a double, and in int64.
# Seen: 123456781 and 123456784 are both "1.2345678e+08", as texts of doubles have eight digits at most, which the
# runtime's pull request 1210 (2019) chose as what NumPy prints. The reference writes "123456781.0", so that a list that
# fits one finds nothing in the other: of 40.0 they write "40" and "40.0". From int64 both write all digits. A graph that
# takes codes as doubles should compare numbers, or cast to int64 first.
set -euo pipefail
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip install --quiet --disable-pip-version-check onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6
venv/bin/python - <<'PY'
import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator


def texts(codes, kind):
    """Return the texts of codes in the runtime and in the reference."""
    given = helper.make_tensor_value_info("code", kind, [None])
    text = helper.make_tensor_value_info("text", TensorProto.STRING, [None])
    node = helper.make_node("Cast", ["code"], ["text"], to=TensorProto.STRING)
    graph = helper.make_graph([node], "codes", [given], [text])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return [list(each.run(None, {"code": codes})[0]) for each in (session, ReferenceEvaluator(model))]


codes = np.array([40, 123456781, 123456784])
runtime, reference = texts(codes.astype(float), TensorProto.DOUBLE)
whole, whole_reference = texts(codes, TensorProto.INT64)
print("double, runtime:  ", runtime)
print("double, reference:", reference)
print("int64, both:      ", whole)
assert runtime == ["40", "1.2345678e+08", "1.2345678e+08"], "codes have texts of their own"
assert reference == ["40.0", "123456781.0", "123456784.0"]
assert whole == whole_reference == [str(code) for code in codes]
PY
