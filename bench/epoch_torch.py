# SPDX-License-Identifier: BSD-2-Clause
"""The epoch of bench_epoch.c in PyTorch, with rows gathered by a permutation as
there. Prints its microseconds.

    epoch_torch.py cpu|cuda
"""
import sys

import torch

from torch_time import median_us

ROWS, BATCH = 16384, 128
device = sys.argv[1]
model = torch.nn.Sequential(
    torch.nn.Linear(784, 256),
    torch.nn.ReLU(),
    torch.nn.Linear(256, 128),
    torch.nn.ReLU(),
    torch.nn.Linear(128, 10),
).to(device)
x = torch.rand(ROWS, 784) * 2 - 1
y = (x[:, 0] > 0).long()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
loss_of = torch.nn.CrossEntropyLoss()


def epoch():
    for rows in torch.randperm(ROWS).split(BATCH):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(model(x[rows].to(device)), y[rows].to(device))
        loss.backward()
        optimizer.step()


print("%.0f" % median_us(epoch, device, warm=1, times=5))
