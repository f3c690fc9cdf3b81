# SPDX-License-Identifier: BSD-2-Clause
"""The recurrent net of bench_scan.c in PyTorch. Prints microseconds a step.

    scan_torch.py cpu|cuda forward|gradient
"""
import sys

import torch

from torch_time import median_us

torch.backends.cuda.matmul.allow_tf32 = False
device = sys.argv[1]
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


print("%.2f" % (median_us(loop, device) / STEPS))
