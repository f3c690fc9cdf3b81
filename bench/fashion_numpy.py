# SPDX-License-Identifier: BSD-2-Clause
# The training loop of docs/examples/fashion in NumPy, the gradient by hand.
# Prints the seconds of the median epoch.
import gzip
import sys
import time

import numpy as np

folder = sys.argv[1]
epochs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
BATCH = 128


def read(name, offset):
    with gzip.open(folder + "/" + name, "rb") as f:
        return np.frombuffer(f.read(), np.uint8, offset=offset)


x = read("train-images-idx3-ubyte.gz", 16).reshape(-1, 784)
x = x.astype(np.float32) / 255
y = read("train-labels-idx1-ubyte.gz", 8).astype(np.int64)
n = len(y)
w = np.zeros((784, 10), np.float32)
b = np.zeros(10, np.float32)
rng = np.random.RandomState(22)

times = []
for epoch in range(epochs):
    t0 = time.perf_counter()
    rate = np.float32(0.5 / (1 + 0.2 * epoch))
    order = rng.permutation(n)
    for i in range(0, n, BATCH):
        pick = order[i : i + BATCH]
        xb, yb = x[pick], y[pick]
        rows = np.arange(len(pick))
        z = xb.dot(w) + b
        z -= z.max(axis=1, keepdims=True)
        e = np.exp(z)
        s = e.sum(axis=1, keepdims=True)
        loss = (np.log(s[:, 0]) - z[rows, yb]).mean()
        g = e / s
        g[rows, yb] -= 1
        g *= rate / np.float32(len(pick))
        w -= xb.T.dot(g)
        b -= g.sum(axis=0)
    times.append(time.perf_counter() - t0)
print("%.4f" % sorted(times)[len(times) // 2])
