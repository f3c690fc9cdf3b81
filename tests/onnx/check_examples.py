# SPDX-License-Identifier: BSD-2-Clause
"""Save the functions of all examples, and compare with ONNX Runtime.

  check_examples.py PROGRAMS LIBRARY LIST FOLDER [--write]

PROGRAMS is the folder of the examples, LIBRARY is save_functions.c. LIST has a
line for each example: how many functions ONNX Runtime computes as the program
does, and what keeps the others from being models; "  # " begins a comment.
--write writes that file.
"""
import glob
import os
import re
import subprocess
import sys

import numpy as np

sys.dont_write_bytecode = True
from check_runtime import BASIC, problem

DATA = "/usr/share/datasets/fashion-mnist"
SOURCES = os.path.abspath(
    os.path.join(os.path.dirname(__file__), "../../docs/examples"))
# Arguments: DATA, SOURCES, FOLDER are replaced. Other programs get none.
ARGUMENTS = {
    "characters": ["/usr/share/common-licenses/GPL-3", "2"],
    "check": ["2"],
    "fashion": ["--epochs", "1", "--data", DATA],
    "fashion_cnn": ["--steps", "2", "--tests", "10", "--data", DATA],
    "fashion_mlp": ["--steps", "2", "--data", DATA],
    "fashion_tune":
    ["--steps", "2", "--data", DATA, "--output", "FOLDER/t.onnx"],
    "logistic": ["3"],
    "logistic_two": ["3"],
    "op_eye_file": [SOURCES + "/op_eye_file.kernels"],
    "perceptron": ["FOLDER/points.npy", "FOLDER/labels.npy", "FOLDER/p.gg"],
    "pictures":
    ["3", "1", "FOLDER/pictures.npy", "FOLDER/labels.npy", "FOLDER/c.gg"],
    "save_model": ["train", "FOLDER/model.gg"],
    "spectrogram": ["FOLDER"],
}
# These have no functions of their own: fashion_parallel has those of
# fashion_mlp, and needs MPI.
LEFT_OUT = ["fashion_parallel"]


def make_data(folder):
    rng = np.random.default_rng(1)
    np.save(folder + "/points.npy", rng.random((100, 2), np.float32))
    np.save(folder + "/labels.npy", rng.integers(0, 2, 100).astype(np.int32))
    np.save(folder + "/pictures.npy", rng.random((100, 1, 16, 16), np.float32))


def run(path, library, folder):
    """Run an example; its models are in `folder`. None: it has no data."""
    name = os.path.basename(path)
    args = [a.replace("FOLDER", folder) for a in ARGUMENTS.get(name, [])]
    if DATA in args and not os.path.exists(DATA):
        return None
    env = dict(os.environ, LD_PRELOAD=library, ONNX_SAVED=folder)
    if name == "logistic_two":
        env.update(POCL_DEVICES="pthread basic",
                   GPUARRAY_DEVICE="pthread",
                   GPUARRAY_DEVICE2="basic")
    done = subprocess.run([path] + args,
                          cwd=folder,
                          env=env,
                          text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    if "no device: " in done.stdout:
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stdout[-2000:]}")
    return name


def judge(path):
    """What is wrong with a model, in words that any machine gives; or None."""
    text = problem(path)
    if text is None:
        return None
    if problem(path, BASIC) is None:
        return "wrong with the extended optimisations of ONNX Runtime only"
    if problem(path, tolerance=1e-4) is None:
        return "four digits are equal"
    text = re.sub(r"\[.*\] is nan, .*", " is nan", text)
    return re.sub(r"\[.*\] is .*", " differs", text)


def describe(name, folder):
    """The line of an example: what became of its functions."""
    reasons, right = set(), 0
    for path in glob.glob(f"{folder}/{name}-*.txt"):
        with open(path) as f:
            text = f.read()
        found = re.findall(r"^  (\w+)\(.*models have no ", text, re.M)
        reasons.update(found)
        if not found:
            reasons.add(text.strip())
    for path in glob.glob(f"{folder}/{name}-*.onnx"):
        text = judge(path)
        right += text is None
        if text is not None:
            reasons.add(f"{os.path.basename(path)}: {text}")
    rest = "; not " + ", ".join(sorted(reasons)) if reasons else ""
    return f"{name}: {right}{rest}"


def main():
    programs, library, listed, folder = sys.argv[1:5]
    make_data(folder)
    with open(listed) as f:
        lines = [re.sub("  # .*", "", line.rstrip("\n")) for line in f]
    want = dict(line.split(": ", 1) for line in lines)
    got = {}
    for path in sorted(glob.glob(programs + "/*")):
        name = os.path.basename(path)
        if (os.path.isfile(path) and os.access(path, os.X_OK)
                and name not in LEFT_OUT and run(path, library, folder)):
            got.update([describe(name, folder).split(": ", 1)])
    if sys.argv[5:] == ["--write"]:
        with open(listed, "w") as f:
            f.writelines(f"{k}: {v}\n" for k, v in sorted(got.items()))
        return
    wrong = [k for k in got if got[k] != want.get(k)]
    for k in wrong:
        print(f"{k}: {got[k]}\n  expected: {want.get(k)}")
    print(f"{len(got)} examples, {len(wrong)} other than listed")
    sys.exit(len(wrong) != 0 or len(got) == 0)


if __name__ == "__main__":
    main()
