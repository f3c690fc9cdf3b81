# SPDX-License-Identifier: BSD-2-Clause
# The Gaussian process of docs/examples/gaussian_process.c in SciPy, doubles:
# the likelihood of n points, and its derivative by the length scale. The
# inverse of the matrix, which the derivative needs, is a solution with the
# identity ("solve", as scikit-learn has it) or LAPACK's dpotri ("potri").
# Prints both results, then microseconds and microseconds of processor time of
# a call, the least of `reps` each.
import sys
import time

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.lapack import dpotri

n, way, reps = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
x = 0.5 * np.arange(n)
y = np.sin(x)
scale = 0.9


def likelihood():
    squares = np.square((x[:, None] - x[None, :]) / scale)
    k = np.exp(-0.5 * squares)
    by_scale = k * squares / scale
    k[np.diag_indices(n)] += 1e-3
    low = cholesky(k, lower=True, overwrite_a=True, check_finite=False)
    w = cho_solve((low, True), y, check_finite=False)
    loss = 0.5 * y.dot(w) + np.log(np.diag(low)).sum()
    if way == "solve":
        inverse = cho_solve((low, True), np.eye(n), check_finite=False)
        trace = 0.5 * np.vdot(inverse, by_scale)
    else:
        # One triangle; the diagonal of by_scale is 0.
        inverse, _ = dpotri(low, lower=True, overwrite_c=True)
        trace = np.vdot(np.tril(inverse), by_scale)
    return loss, trace - 0.5 * w.dot(by_scale.dot(w))


loss, slope = likelihood()
wall, cpu = [], []
for _ in range(reps):
    t0, c0 = time.perf_counter(), time.process_time()
    likelihood()
    wall.append(time.perf_counter() - t0)
    cpu.append(time.process_time() - c0)
print("%.17g %.17g %.2f %.2f" % (loss, slope, 1e6 * min(wall), 1e6 * min(cpu)))
