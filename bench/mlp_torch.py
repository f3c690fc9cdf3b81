# SPDX-License-Identifier: BSD-2-Clause
"""The training step of bench_mlp.c in PyTorch. Prints microseconds a step.

    mlp_torch.py cpu|cuda [compiled]
"""
import sys
import time

import torch

torch.backends.cuda.matmul.allow_tf32 = False
device = sys.argv[1]
if device == "cpu":
    torch.set_num_threads(2)
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


def wait():
    if device == "cuda":
        torch.cuda.synchronize()


STEPS = 50
for _ in range(20):
    step()
best = []
for _ in range(9):
    wait()
    start = time.perf_counter()
    for _ in range(STEPS):
        step()
    wait()
    best.append((time.perf_counter() - start) / STEPS)
print("%.2f" % (1e6 * sorted(best)[4]))
