# SPDX-License-Identifier: BSD-2-Clause
"""What SciPy takes for the functions of bench_special.c, in float32. Prints
microseconds a call, or with AT the value of element AT.

    special_scipy.py NAME COUNT LOW HIGH LOW2 HIGH2 [AT]

Element i of the operands lies between LOW and HIGH, as in bench_special.c.
"""
import sys
import time

import numpy as np
from scipy import special

name = sys.argv[1]
count = int(sys.argv[2])
low, high, low2, high2 = (float(s) for s in sys.argv[3:7])
others = {
    "lgamma": special.gammaln,
    "trigamma": lambda x: special.polygamma(1, x),
    "sinc": np.sinc,
    "gammapdf": lambda a, x: np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a)),
    "lambertw": lambda x: special.lambertw(x).real,
}
f = others.get(name) or getattr(special, name)
i = np.arange(count)
x = (low + (high - low) * (i + 0.5) / count).astype(np.float32)
y = (low2 + (high2 - low2) * (i * 7919 % count + 0.5) / count).astype(np.float32)
args = (x, y) if low2 < high2 else (x,)
if len(sys.argv) > 7:
    at = int(sys.argv[7])
    print("%.9g" % f(*(a[at : at + 1].astype(float) for a in args))[0])
else:
    f(*args)
    times = []
    for _ in range(7):
        start = time.perf_counter()
        f(*args)
        times.append(time.perf_counter() - start)
    print("%.2f" % (1e6 * sorted(times)[3]))
