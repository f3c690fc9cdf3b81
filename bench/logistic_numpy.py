# SPDX-License-Identifier: BSD-2-Clause
# The logistic regression of docs/examples/logistic.c in NumPy, the gradient by
# hand. Prints microseconds a step.
import sys
import time

import numpy as np

N, FEATS = 400, 784
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
rng = np.random.RandomState(22)
x = rng.randn(N, FEATS).astype(np.float32)
y = rng.randint(0, 2, N).astype(np.float32)
w = rng.randn(FEATS).astype(np.float32)
b = np.float32(0)
rate = np.float32(0.01)


def step(w, b):
    z = x.dot(w) + b
    p = 1 / (1 + np.exp(-z))
    prediction = p > 0.5
    xent = y * np.logaddexp(0, -z) + (1 - y) * np.logaddexp(0, z)
    gz = (p - y) / np.float32(N)
    w = w - rate * (x.T.dot(gz) + np.float32(0.02) * w)
    return prediction, xent, w, b - rate * gz.sum()


with np.errstate(over="ignore"):
    times = []
    for _ in range(9):
        t0 = time.perf_counter()
        for _ in range(steps // 9 + 1):
            prediction, xent, w, b = step(w, b)
        times.append((time.perf_counter() - t0) / (steps // 9 + 1))
print("%.2f" % (1e6 * sorted(times)[4]))
