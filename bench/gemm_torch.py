# SPDX-License-Identifier: BSD-2-Clause
"""Matrix products by PyTorch on CUDA, without TF32, in bench_gemm's terms.

Reads lines "s|d|h n|t n|t M N K [BATCH]" and writes each with GFLOP/s behind.
"""
import sys
import time

import torch

torch.backends.cuda.matmul.allow_tf32 = False
DTYPES = {"s": torch.float32, "d": torch.float64, "h": torch.float16}


def seconds(run, inner):
    """The best of 5 times per run, each over `inner` runs and one wait."""
    run()
    best = float("inf")
    for _ in range(5):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(inner):
            run()
        torch.cuda.synchronize()
        best = min(best, (time.perf_counter() - start) / inner)
    return best


def matrix(kind, turned, rows, cols, batch):
    shape = (batch, cols, rows) if turned else (batch, rows, cols)
    a = torch.rand(shape, device="cuda", dtype=DTYPES[kind]) - 0.5
    return a.transpose(1, 2) if turned else a


for line in sys.stdin:
    kind, ta, tb, *sizes = line.split()
    m, n, k, batch = (int(s) for s in (sizes + ["1"])[:4])
    a = matrix(kind, ta == "t", m, k, batch)
    b = matrix(kind, tb == "t", k, n, batch)
    c = torch.empty((batch, m, n), device="cuda", dtype=DTYPES[kind])
    flops = 2.0 * m * n * k * batch
    inner = 50 if flops < 1e10 else 8 if flops < 2e11 else 3
    if batch == 1:
        a, b, c = a[0], b[0], c[0]
        t = seconds(lambda: torch.mm(a, b, out=c), inner)
    else:
        t = seconds(lambda: torch.bmm(a, b, out=c), inner)
    print(line.strip(), f"{1e-9 * flops / t:.0f}", flush=True)
