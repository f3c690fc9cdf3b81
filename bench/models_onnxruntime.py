#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Makes models and runs them by gpugraph and by ONNX Runtime, in turns.

  bench/models_onnxruntime.py GPUGRAPH [--rounds N] [--calls N] [--only NAME]

GPUGRAPH is the program; the Python packages onnx and onnxruntime are needed. A
ResNet-18, a MobileNet, a transformer encoder of 4 layers and an LSTM of 2, with
random weights, for batches of 1 and 32. One line for each: milliseconds of the
fastest call of either, two threads, and how many times as fast gpugraph is.
"""
import argparse
import math
import os
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from networks_onnxruntime import draw, time_runtime
from program_time import time_gpugraph


class Net:
    """A model that is being built: nodes and weights."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.rng = np.random.default_rng(1)

    def add(self, op, inputs, outputs=1, **attributes):
        names = [f"v{len(self.nodes)}_{i}" for i in range(outputs)]
        self.nodes.append(helper.make_node(op, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.array(values), name))
        return name

    def weight(self, *shape):
        return self.constant(draw(shape, self.rng))

    def conv(self, x, filters, channels, size, stride=1, group=1):
        w = self.weight(filters, channels // group, size, size)
        pads = [(size - 1) // 2] * 4
        return self.add("Conv", [x, w, self.weight(filters)],
                        strides=[stride] * 2,
                        pads=pads,
                        group=group)

    def relu(self, x):
        return self.add("Relu", [x])

    def dense(self, x, rows, columns):
        y = self.add("MatMul", [x, self.weight(rows, columns)])
        return self.add("Add", [y, self.weight(columns)])

    def classes(self, x, features):
        x = self.add("Flatten", [self.add("GlobalAveragePool", [x])])
        return self.dense(x, features, 1000)

    def save(self, path, shape, out):
        values = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
            for name, dims in (("x", shape), (out, None))
        ]
        graph = helper.make_graph(self.nodes, "model", values[:1], values[1:],
                                  self.weights)
        model = helper.make_model(graph,
                                  opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, path)


def resnet(n):
    x = n.relu(n.conv("x", 64, 3, 7, 2))
    x = n.add("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    channels = 64
    for filters in (64, 128, 256, 512):
        for block in range(2):
            stride = 2 if block == 0 and filters > 64 else 1
            y = n.relu(n.conv(x, filters, channels, 3, stride))
            y = n.conv(y, filters, filters, 3)
            if channels != filters:
                x = n.conv(x, filters, channels, 1, stride)
            x, channels = n.relu(n.add("Add", [x, y])), filters
    return n.classes(x, 512)


def mobilenet(n):
    x, channels = n.relu(n.conv("x", 32, 3, 3, 2)), 32
    for filters, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1),
                            (512, 2), (512, 1), (512, 1), (512, 1), (512, 1),
                            (512, 1), (1024, 2), (1024, 1)):
        x = n.relu(n.conv(x, channels, channels, 3, stride, channels))
        x, channels = n.relu(n.conv(x, filters, channels, 1)), filters
    return n.classes(x, 1024)


def normalise(n, x, size):
    return n.add("LayerNormalization", [x, n.weight(size), n.weight(size)])


def transformer(n, size=256, heads=4):
    x = "x"
    split = n.constant([0, 0, heads, size // heads])
    joined = n.constant([0, 0, size])
    scale = n.constant(np.float32(1 / math.sqrt(size / heads)))
    for _ in range(4):
        q, k, v = (n.add("Transpose",
                         [n.add("Reshape", [n.dense(x, size, size), split])],
                         perm=p)
                   for p in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = n.add("Mul", [n.add("MatMul", [q, k]), scale])
        y = n.add("MatMul", [n.add("Softmax", [scores], axis=-1), v])
        y = n.add("Transpose", [y], perm=[0, 2, 1, 3])
        y = n.dense(n.add("Reshape", [y, joined]), size, size)
        x = normalise(n, n.add("Add", [x, y]), size)
        y = n.relu(n.dense(x, size, 4 * size))
        y = n.dense(y, 4 * size, size)
        x = normalise(n, n.add("Add", [x, y]), size)
    return x


def lstm(n, size=256):
    x = n.add("Transpose", ["x"], perm=[1, 0, 2])
    for _ in range(2):
        w = [n.weight(1, 4 * size, size), n.weight(1, 4 * size, size)]
        y = n.add("LSTM", [x] + w, outputs=3, hidden_size=size)[0]
        x = n.add("Squeeze", [y, n.constant([1])])
    return x


MODELS = {
    "ResNet-18": (resnet, [3, 224, 224]),
    "MobileNet": (mobilenet, [3, 224, 224]),
    "transformer": (transformer, [64, 256]),
    "LSTM": (lstm, [50, 256]),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugraph")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=10)
    parser.add_argument("--only", choices=MODELS)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        for name in [o.only] if o.only else MODELS:
            for batch in (1, 32):
                build, shape = MODELS[name]
                net = Net()
                net.save(path, [batch] + shape, build(net))
                ours, theirs = [], []
                for _ in range(o.rounds):
                    ours.append(time_gpugraph(o.gpugraph, path, o.calls))
                    theirs.append(time_runtime(path, o.calls))
                print(f"{name:12} {batch:3} {min(ours):8.1f} "
                      f"{min(theirs):8.1f} {min(theirs) / min(ours):6.2f}",
                      flush=True)


if __name__ == "__main__":
    main()
