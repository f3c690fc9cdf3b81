#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Exports models from PyTorch and runs them by gpugraph and by PyTorch in eager
mode, in turns.

  bench/models_torch.py GPUGRAPH [--device cpu|cuda] [--rounds N] [--calls N]
                        [--only NAME]

GPUGRAPH is the program; GPUARRAY_DEVICE says where it runs. A ResNet-18, a
MobileNet, a transformer encoder of 4 layers and an LSTM of 2, float32, with
random weights, for batches of 1 and 32. Results are compared first. One line
for each: milliseconds of a call of either, the least of the rounds' medians,
and how many times as fast gpugraph is.
"""
import argparse
import os
import subprocess
import tempfile

import numpy as np
import torch
from torch import nn

from program_time import time_gpugraph
from torch_time import median_us


def conv(channels, filters, size, stride=1, groups=1):
    return nn.Conv2d(channels,
                     filters,
                     size,
                     stride=stride,
                     padding=(size - 1) // 2,
                     groups=groups)


class Residual(nn.Module):
    """Two convolutions of size 3, and what they are added to."""

    def __init__(self, channels, filters, stride):
        super().__init__()
        self.first = conv(channels, filters, 3, stride)
        self.second = conv(filters, filters, 3)
        self.past = (conv(channels, filters, 1, stride)
                     if channels != filters else nn.Identity())

    def forward(self, x):
        y = self.second(torch.relu(self.first(x)))
        return torch.relu(self.past(x) + y)


def classes(features):
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(features, 1000)]


def resnet():
    layers = [conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for filters in (64, 128, 256, 512):
        layers.append(Residual(channels, filters, 2 if filters > 64 else 1))
        layers.append(Residual(filters, filters, 1))
        channels = filters
    return nn.Sequential(*layers, *classes(channels))


def mobilenet():
    layers, channels = [conv(3, 32, 3, 2), nn.ReLU()], 32
    for filters, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1),
                            (512, 2), (512, 1), (512, 1), (512, 1), (512, 1),
                            (512, 1), (1024, 2), (1024, 1)):
        layers += [conv(channels, channels, 3, stride, channels), nn.ReLU()]
        layers += [conv(channels, filters, 1), nn.ReLU()]
        channels = filters
    return nn.Sequential(*layers, *classes(channels))


class Attention(nn.Module):
    """Attention of 4 heads to oneself, written out as exporters see it."""

    def __init__(self, size, heads=4):
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.out = (nn.Linear(size, size)
                                            for _ in range(4))

    def split(self, x):
        n, words, size = x.shape
        return x.reshape(n, words, self.heads, size // self.heads)

    def forward(self, x):
        q = self.split(self.q(x)).permute(0, 2, 1, 3)
        k = self.split(self.k(x)).permute(0, 2, 3, 1)
        v = self.split(self.v(x)).permute(0, 2, 1, 3)
        scores = torch.softmax((q @ k) * q.shape[-1]**-0.5, -1)
        return self.out((scores @ v).permute(0, 2, 1, 3).reshape(x.shape))


class Block(nn.Module):

    def __init__(self, size):
        super().__init__()
        self.attention = Attention(size)
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)
        self.dense = nn.Sequential(nn.Linear(size, 4 * size), nn.ReLU(),
                                   nn.Linear(4 * size, size))

    def forward(self, x):
        x = self.first(x + self.attention(x))
        return self.second(x + self.dense(x))


class Recurrent(nn.Module):

    def __init__(self, size):
        super().__init__()
        self.lstm = nn.LSTM(size, size, 2, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0]


MODELS = {
    "ResNet-18": (resnet, [3, 224, 224]),
    "MobileNet": (mobilenet, [3, 224, 224]),
    "transformer":
        (lambda: nn.Sequential(*(Block(512) for _ in range(4))), [128, 512]),
    "LSTM": (lambda: Recurrent(256), [64, 256]),
}


def export(model, x, path):
    how = {"input_names": ["x"], "output_names": ["y"], "opset_version": 17}
    if hasattr(torch, "export"):
        how["dynamo"] = False
    torch.onnx.export(model, x, path, **how)


def check(program, path, x, want):
    """The largest difference of gpugraph's result, in parts of the largest
    element."""
    with tempfile.TemporaryDirectory() as folder:
        given = os.path.join(folder, "x.npy")
        np.save(given, x)
        subprocess.run(
            [program, "run", path, "--input", f"x={given}", "--output", folder],
            check=True,
            stdout=subprocess.DEVNULL)
        got = np.load(os.path.join(folder, "y.npy"))
    return np.abs(got - want).max() / np.abs(want).max()


def compare(o, name, batch, folder):
    path = os.path.join(folder, "model.onnx")
    build, shape = MODELS[name]
    torch.manual_seed(1)
    model = build().eval()
    x = torch.randn([batch] + shape)
    with torch.no_grad():
        export(model, x, path)
        want = model(x).numpy()
        off = check(o.gpugraph, path, x.numpy(), want)
        if not off < 1e-3:
            raise SystemExit(f"{name}, batch {batch}: off by {off:.2g}")
        there, given = model.to(o.device), x.to(o.device)
        ours, theirs = [], []
        for _ in range(o.rounds):
            ours.append(time_gpugraph(o.gpugraph, path, o.calls, "median"))
            theirs.append(1e-3 * median_us(lambda: there(given),
                                           o.device,
                                           times=o.calls))
    print(
        f"{name:12} {batch:3} {min(ours):9.2f} {min(theirs):9.2f} "
        f"{min(theirs) / min(ours):6.2f}   off {off:.1e}",
        flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("gpugraph")
    parser.add_argument("--device",
                        default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--calls", type=int, default=20)
    parser.add_argument("--only", choices=MODELS)
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in [o.only] if o.only else MODELS:
            for batch in (1, 32):
                compare(o, name, batch, folder)


if __name__ == "__main__":
    main()
