#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs ONNX's 9 test networks by gpugraph and by ONNX Runtime, in turns.

  bench/networks_onnxruntime.py GPUGRAPH FOLDER [--rounds N] [--calls N]

GPUGRAPH is the program, FOLDER has the networks (`ci/onnx-tests`, ../light);
the Python packages onnx and onnxruntime are needed. The files have no weights:
each is drawn at random. One line for each network: milliseconds of the fastest
call of either, batch 1, two threads, and how many times as fast gpugraph is.
"""
import argparse
import glob
import math
import os
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from program_time import time_gpugraph


def draw(shape, rng):
    """A weight: filters by their fan-in, vectors between 0.5 and 1."""
    if len(shape) > 1:
        scale = math.sqrt(2 / max(1, math.prod(shape[1:])))
        return (rng.standard_normal(shape) * scale).astype(np.float32)
    return rng.uniform(0.5, 1, shape).astype(np.float32)


def fill(source, target):
    """Write the network with weights in place of its constant nodes."""
    model = onnx.load(source)
    graph = model.graph
    rng = np.random.default_rng(1)
    known = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    nodes = []
    for node in graph.node:
        if node.op_type == "ConstantOfShape":
            shape = [int(v) for v in known[node.input[0]]]
            graph.initializer.append(
                numpy_helper.from_array(draw(shape, rng), node.output[0]))
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    used = {name for node in nodes for name in node.input}
    for values in (graph.initializer, graph.input):
        kept = [v for v in values if v.name in used]
        del values[:]
        values.extend(kept)
    weights = {t.name for t in graph.initializer}
    inputs = [v for v in graph.input if v.name not in weights]
    del graph.input[:]
    graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)
    onnx.save(model, target)


def time_runtime(path, calls):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(path, options)
    feed = {
        v.name: np.random.default_rng(2).random(v.shape, np.float32)
        for v in session.get_inputs()
    }
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        session.run(None, feed)
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugraph")
    parser.add_argument("folder")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=10)
    o = parser.parse_args()
    rates = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.onnx")
        for source in sorted(glob.glob(os.path.join(o.folder, "*.onnx"))):
            fill(source, path)
            ours, theirs = [], []
            for _ in range(o.rounds):
                ours.append(time_gpugraph(o.gpugraph, path, o.calls))
                theirs.append(time_runtime(path, o.calls))
            rates.append(min(theirs) / min(ours))
            name = os.path.basename(source)[len("light_"):-len(".onnx")]
            print(f"{name:16} {min(ours):8.1f} {min(theirs):8.1f} "
                  f"{rates[-1]:6.2f}",
                  flush=True)
    print(f"geometric mean {math.exp(sum(map(math.log, rates)) / len(rates)):.2f}")


if __name__ == "__main__":
    main()
