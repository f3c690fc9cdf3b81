# SPDX-License-Identifier: BSD-2-Clause
"""The training step of bench_mlp.c in PyTorch. Prints microseconds a step.

    mlp_torch.py cpu|cuda [compiled]
"""
import sys

import torch

from torch_time import median_us

torch.backends.cuda.matmul.allow_tf32 = False
device = sys.argv[1]
model = torch.nn.Sequential(
    torch.nn.Linear(784, 512),
    torch.nn.ReLU(),
    torch.nn.Linear(512, 512),
    torch.nn.ReLU(),
    torch.nn.Linear(512, 10),
).to(device)
x = torch.rand(128, 784, device=device) * 2 - 1
y = torch.arange(128, device=device) % 10
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
loss_of = torch.nn.CrossEntropyLoss()


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = loss_of(model(x), y)
    loss.backward()
    optimizer.step()


if len(sys.argv) > 2:
    step = torch.compile(step, mode="reduce-overhead")

print("%.2f" % median_us(step, device, warm=20, calls=50))
