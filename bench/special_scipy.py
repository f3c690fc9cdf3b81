# SPDX-License-Identifier: BSD-2-Clause
"""What SciPy takes for the functions of bench_special.c, in float32. Prints
microseconds a call, or with AT the value of element AT.

    special_scipy.py NAME COUNT LOW HIGH LOW2 HIGH2 LOW3 HIGH3 [AT]

Element i of the operands lies between LOW and HIGH, as in bench_special.c.
"""
import sys
import time

import numpy as np
from scipy import special

name = sys.argv[1]
count = int(sys.argv[2])
ends = [float(s) for s in sys.argv[3:9]]
others = {
    "lgamma": special.gammaln,
    "trigamma": lambda x: special.polygamma(1, x),
    "sinc": np.sinc,
    "gammapdf": lambda a, x: np.exp(special.xlogy(a - 1, x) - x - special.gammaln(a)),
    "betaincc": lambda a, b, x: special.betainc(b, a, 1 - x),
    "betainccinv": lambda a, b, q: 1 - special.betaincinv(b, a, q),
    "betapdf": lambda a, b, x: np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x)
                                      - special.betaln(a, b)),
    "lambertw": lambda x: special.lambertw(x).real,
}
f = others.get(name) or getattr(special, name)
i = np.arange(count)
args = [(low + (high - low) * (i * step % count + 0.5) / count).astype(np.float32)
        for low, high, step in zip(ends[::2], ends[1::2], (1, 7919, 104729)) if low < high]
if len(sys.argv) > 9:
    at = int(sys.argv[9])
    print("%.9g" % f(*(a[at : at + 1].astype(float) for a in args))[0])
else:
    f(*args)
    times = []
    for _ in range(7):
        start = time.perf_counter()
        f(*args)
        times.append(time.perf_counter() - start)
    print("%.2f" % (1e6 * sorted(times)[3]))
