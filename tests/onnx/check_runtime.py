# SPDX-License-Identifier: BSD-2-Clause
"""Run saved models with ONNX Runtime and compare: check_runtime.py FOLDER"""
import glob
import sys

import numpy as np
import onnxruntime as ort


def rows(base, kind):
    names = glob.glob(f"{base}.{kind}*.npy")
    return [np.load(f"{base}.{kind}{i}.npy") for i in range(len(names))]


BASIC = ort.GraphOptimizationLevel.ORT_ENABLE_BASIC
ALL = ort.GraphOptimizationLevel.ORT_ENABLE_ALL


def problem(path, level=ALL, tolerance=None):
    """What is wrong with a model's results; None: nothing. Without a tolerance
    they differ by rounding only."""
    base = path[: -len(".onnx")]
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    try:
        run = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        names = [v.name for v in run.get_inputs()]
        got = run.run(None, dict(zip(names, rows(base, "in"))))
    except Exception as e:
        return str(e).splitlines()[0]
    for i, (x, y) in enumerate(zip(got, rows(base, "out"))):
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"output {i} is {x.dtype}{x.shape}, expected {y.dtype}{y.shape}"
        if y.dtype.kind == "f":
            y64, x64 = y.astype("f8"), x.astype("f8")
            e = tolerance or 40 * np.finfo(y.dtype).eps
            same = np.isclose(x64, y64, rtol=e, atol=e, equal_nan=True)
        else:
            same = x == y
        if not np.all(same):
            at = tuple(np.argwhere(~np.asarray(same))[0])
            return f"output {i}{list(map(int, at))} is {x[at]}, expected {y[at]}"
    return None


def main():
    failed = 0
    paths = sorted(glob.glob(sys.argv[1] + "/*.onnx"))
    for path in paths:
        text = problem(path)
        if text is not None:
            print(f"{path}: {text}")
            failed += 1
    print(f"{len(paths)} models, {failed} failed")
    sys.exit(failed != 0 or len(paths) == 0)


if __name__ == "__main__":
    main()
