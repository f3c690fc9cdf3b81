# SPDX-License-Identifier: BSD-2-Clause
"""What PyTorch takes for the ops of bench_chain.c, bench_batch_norm.c and
bench_rows.c. Prints microseconds a call.

    ops_torch.py cpu|cuda chain|chain_compiled|take_gradient
    ops_torch.py cpu|cuda batch_norm ROWS COLUMNS [ELEMENTS]
    ops_torch.py cpu|cuda softmax|log_softmax|layer_norm ROWS COLUMNS
"""
import sys

import torch

from torch_time import median_us

device, what = sys.argv[1:3]
sizes = [int(s) for s in sys.argv[3:]]


def chain(x, w):
    y = x
    for _ in range(10):
        y = y * x + w
    return y


def prepare():
    if what.startswith("chain"):
        x = (torch.arange(1 << 24, device=device) % 4096).float() / 4096
        f = torch.compile(chain) if what == "chain_compiled" else chain
        w = (torch.arange(1 << 24, device=device) % 1000).float() / 1000
        return lambda: f(x, w)
    if what == "take_gradient":
        k = torch.arange(65536, device=device)
        index = (k * 2654435761 % 4294967296) % 50000
        w = (torch.arange(65536 * 256, device=device) % 64).float()
        w = w.view(65536, 256)
        x = torch.zeros(50000, 256, device=device, requires_grad=True)
        return lambda: torch.autograd.grad((w * x[index]).sum(), x)
    x = torch.rand(*[s for s in sizes if s > 1], device=device)
    if what in ("softmax", "log_softmax"):
        return lambda: getattr(torch, what)(x, 1)
    if what == "layer_norm":
        return lambda: torch.nn.functional.layer_norm(x, sizes[1:])
    norm = torch.nn.functional.batch_norm
    return lambda: norm(x, None, None, training=True, eps=1e-5)


print("%.2f" % median_us(prepare(), device, times=15))
