# SPDX-License-Identifier: BSD-2-Clause
"""A convolution of bench_conv.c in ONNX Runtime, on two threads of the CPU.
Prints microseconds a call. The Python packages onnx and onnxruntime are needed.

    conv_onnxruntime.py IMAGES CHANNELS SIDE FILTERS SIZE STRIDE GROUPS DIMENSIONS
"""
import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

n, c, side, f, k, stride, groups, nd = (int(v) for v in sys.argv[1:])
rng = np.random.default_rng(1)
w = rng.random([f, c // groups] + [k] * nd, np.float32)
x = rng.random([n, c] + [side] * nd, np.float32)
node = helper.make_node("Conv", ["x", "w"], ["y"],
                        strides=[stride] * nd,
                        pads=[k // 2] * (2 * nd),
                        group=groups)
graph = helper.make_graph(
    [node], "conv",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
    [numpy_helper.from_array(w, "w")])
model = helper.make_model(graph,
                          opset_imports=[helper.make_opsetid("", 13)],
                          ir_version=8)
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 2
session = onnxruntime.InferenceSession(model.SerializeToString(), options,
                                       providers=["CPUExecutionProvider"])
times = []
for _ in range(18):
    start = time.perf_counter()
    session.run(None, {"x": x})
    times.append(time.perf_counter() - start)
print("%.2f" % (1e6 * sorted(times[3:])[7]))
