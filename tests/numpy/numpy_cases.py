# SPDX-License-Identifier: BSD-2-Clause
"""What builders compute, compared with NumPy: numpy_cases.py PROGRAM FOLDER
ROUNDS [FROM TO]. The program computes random cases and names an expression for
each. Exit status 77: NumPy or a device is missing."""
import math
import os
import shutil
import subprocess
import sys
import warnings

try:
    import numpy as np
except ModuleNotFoundError as err:
    print("cannot import:", err)
    sys.exit(77)


def difference(got, want, exact):
    """Why they are not the same, or None."""
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    if got.dtype.kind in "fc" and exact:
        close = np.array_equal(got, want, equal_nan=True)
    elif got.dtype.kind in "fc":
        close = np.allclose(got, want, rtol=32 * np.finfo(got.dtype).eps,
                            atol=32 * np.finfo(got.dtype).eps * np.nanmax(
                                np.abs(want), initial=1, where=np.isfinite(want)),
                            equal_nan=True)
    else:
        close = np.array_equal(got, want)
    return None if close else f"got\n{got}\nexpected\n{want}"


def common(a, b):
    """The common dtype: NumPy's, but integers do not widen floats, 64-bit
    integers of both kinds are no floats, and bool alone computes as int8."""
    a, b = np.dtype(a), np.dtype(b)
    if "f" in (a.kind, b.kind) and a.kind != b.kind:
        return a if a.kind == "f" else b
    if {a.kind, b.kind} == {"b"}:
        return np.dtype("i1")
    both = np.promote_types(a, b)
    return np.dtype("i8") if both.kind == "f" and a.kind != "f" else both


def main():
    program, folder, rounds = sys.argv[1:4]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    code = subprocess.run([program, folder, "1", rounds, *sys.argv[4:]]).returncode
    if code:
        sys.exit(code)
    bad = total = 0
    for line in open(os.path.join(folder, "list.txt")):
        number, name, exact, expr = line.rstrip("\n").split("\t")
        case = np.load(os.path.join(folder, number + ".npz"))
        values = {k: case[k] for k in case.files}
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            want = np.asarray(eval(expr, {"np": np, "math": math, "common": common,
                                          **values}))
        why = difference(values["y"], want, exact != "0")
        total += 1
        if why:
            bad += 1
            shapes = ", ".join(f"{k} {v.dtype}{list(v.shape)}"
                               for k, v in values.items() if k != "y")
            print(f"{name} ({number}): {expr} with {shapes}: {why}")
    print(f"{total - bad} passed, {bad} failed")
    sys.exit(bad > 0)


main()
