# SPDX-License-Identifier: BSD-2-Clause
"""The recurrent net of bench_scan.c in PyTorch. Prints microseconds a step.

    scan_torch.py cpu|cuda forward|gradient
"""
import sys
import time

import torch

torch.backends.cuda.matmul.allow_tf32 = False
device = sys.argv[1]
if device == "cpu":
    torch.set_num_threads(2)
STEPS, BATCH, UNITS = 100, 64, 256
x = torch.rand(STEPS, BATCH, UNITS, device=device) * 2 - 1
u = (torch.rand(UNITS, UNITS, device=device) - 0.5) * 0.1
w = (torch.rand(UNITS, UNITS, device=device) - 0.5) * 0.1
h0 = torch.rand(BATCH, UNITS, device=device) * 2 - 1
gradient = sys.argv[2] == "gradient"
u.requires_grad_(gradient)
w.requires_grad_(gradient)


def loop():
    h = h0
    for t in range(STEPS):
        h = torch.tanh(x[t] @ u + h @ w)
    if gradient:
        torch.autograd.grad((h * h).sum(), (u, w))
    return h


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


for _ in range(3):
    loop()
best = []
for _ in range(9):
    wait()
    start = time.perf_counter()
    loop()
    wait()
    best.append((time.perf_counter() - start) / STEPS)
print("%.2f" % (1e6 * sorted(best)[4]))
