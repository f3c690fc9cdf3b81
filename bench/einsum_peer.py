# SPDX-License-Identifier: BSD-2-Clause
"""What NumPy, by its best path, or PyTorch takes for an equation of
bench_einsum.c. Prints microseconds a call.

    einsum_peer.py numpy|cpu|cuda INPUTS RESULT LETTER=SIZE ...
"""
import sys
import time

library, inputs, result = sys.argv[1:4]
size = {s[0]: int(s[2:]) for s in sys.argv[4:]}
equation = inputs + "->" + result
dims = [[size[c] for c in term] for term in inputs.split(",")]
if library == "numpy":
    import numpy as np

    x = [np.random.rand(*d).astype(np.float32) for d in dims]
    path = np.einsum_path(equation, *x, optimize="optimal")[0]
    times = []
    for _ in range(15):
        t0 = time.perf_counter()
        np.einsum(equation, *x, optimize=path)
        times.append(time.perf_counter() - t0)
    print("%.2f" % (1e6 * sorted(times)[7]))
else:
    import torch

    from torch_time import median_us

    x = [torch.rand(*d, device=library) for d in dims]
    print("%.2f" % median_us(lambda: torch.einsum(equation, *x), library,
                             times=15))
