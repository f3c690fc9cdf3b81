# SPDX-License-Identifier: BSD-2-Clause
"""The training step of bench_logistic.c in PyTorch: the gradient by hand, by
autograd, or by autograd and compiled (on GPUs as a CUDA graph). Prints
microseconds a step.

    logistic_torch.py cpu|cuda hand|autograd|compiled
"""
import sys

import torch

from torch_time import median_us

N, FEATS = 400, 784
RATE = 0.01
device, how = sys.argv[1:3]
torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(22)
x = torch.randn(N, FEATS, device=device)
y = torch.randint(0, 2, (N,), device=device).float()
w = torch.randn(FEATS, device=device, requires_grad=how != "hand")
b = torch.zeros((), device=device, requires_grad=how != "hand")
loss_of = torch.nn.functional.binary_cross_entropy_with_logits


def by_hand():
    z = torch.mv(x, w) + b
    p = torch.sigmoid(z)
    prediction = p > 0.5
    xent = loss_of(z, y, reduction="none")
    gz = (p - y) / N
    w.sub_(RATE * (torch.mv(x.t(), gz) + 0.02 * w))
    b.sub_(RATE * gz.sum())
    return prediction, xent


def by_autograd():
    z = torch.mv(x, w) + b
    prediction = torch.sigmoid(z) > 0.5
    xent = loss_of(z, y, reduction="none")
    dw, db = torch.autograd.grad(xent.mean() + 0.01 * (w * w).sum(), (w, b))
    with torch.no_grad():
        w.sub_(RATE * dw)
        b.sub_(RATE * db)
    return prediction, xent


step = by_hand if how == "hand" else by_autograd
if how == "compiled":
    step = torch.compile(step, mode="reduce-overhead")

print("%.2f" % median_us(step, device, warm=50, calls=200))
