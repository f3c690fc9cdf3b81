# SPDX-License-Identifier: BSD-2-Clause
"""The networks of bench_vision.c in PyTorch, in eager mode.

    vision_torch.py cpu|cuda resnet50|mobilenet float|half IMAGES SIDE STEPS FOLDER

Reads FOLDER/weights.safetensors. Writes to FOLDER/result.npy the scores of
inference or, if STEPS is not 0, the losses of so many steps of training. Then
prints the microseconds of a call. On a CPU half is computed as float, and not
timed.
"""
import json
import os
import sys

import numpy as np
import torch
from torch import nn

from torch_time import median_us

CLASSES = 1000
RATE = 1e-6


class Conv(nn.Module):
    """A convolution, and a batch normalisation."""

    def __init__(self, channels, filters, size, stride=1, groups=1):
        super().__init__()
        self.conv = nn.Conv2d(channels, filters, size, stride, size // 2,
                              groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(filters)

    def forward(self, x):
        return self.norm(self.conv(x))


def blocks_as_attributes(owner, blocks):
    """Names without a dot between "block" and its number."""
    for i, block in enumerate(blocks):
        setattr(owner, f"block{i}", block)


class Bottleneck(nn.Module):

    def __init__(self, channels, width, stride, changes):
        super().__init__()
        self.reduce = Conv(channels, width, 1)
        self.middle = Conv(width, width, 3, stride)
        self.expand = Conv(width, 4 * width, 1)
        self.past = (Conv(channels, 4 * width, 1, stride)
                     if changes else nn.Identity())

    def forward(self, x):
        y = torch.relu_(self.reduce(x))
        y = self.expand(torch.relu_(self.middle(y)))
        return torch.relu_(y + self.past(x))


class Stage(nn.Module):

    def __init__(self, channels, width, stride, n):
        super().__init__()
        blocks = [Bottleneck(channels, width, stride, True)]
        blocks += [Bottleneck(4 * width, width, 1, False) for _ in range(n - 1)]
        blocks_as_attributes(self, blocks)

    def forward(self, x):
        for block in self.children():
            x = block(x)
        return x


class ResNet50(nn.Module):

    def __init__(self):
        super().__init__()
        self.stem = Conv(3, 64, 7, 2)
        self.stage0 = Stage(64, 64, 1, 3)
        self.stage1 = Stage(256, 128, 2, 4)
        self.stage2 = Stage(512, 256, 2, 6)
        self.stage3 = Stage(1024, 512, 2, 3)
        self.classes = nn.Linear(2048, CLASSES)

    def forward(self, x):
        f = nn.functional
        x = f.max_pool2d(torch.relu_(self.stem(x)), 3, 2, 1)
        x = self.stage3(self.stage2(self.stage1(self.stage0(x))))
        return self.classes(f.adaptive_avg_pool2d(x, 1).flatten(1))


# The size of filters, channels within and behind the block, whether channels
# are weighted, whether activations are hard swish, the stride.
ROWS = [(3, 16, 16, 0, 0, 1), (3, 64, 24, 0, 0, 2), (3, 72, 24, 0, 0, 1),
        (5, 72, 40, 1, 0, 2), (5, 120, 40, 1, 0, 1), (5, 120, 40, 1, 0, 1),
        (3, 240, 80, 0, 1, 2), (3, 200, 80, 0, 1, 1), (3, 184, 80, 0, 1, 1),
        (3, 184, 80, 0, 1, 1), (3, 480, 112, 1, 1, 1), (3, 672, 112, 1, 1, 1),
        (5, 672, 160, 1, 1, 2), (5, 960, 160, 1, 1, 1), (5, 960, 160, 1, 1, 1)]


def quarter(n):
    near = (n // 4 + 4) // 8 * 8
    return near + 8 if near < 0.9 * (n // 4) else near


class Inverted(nn.Module):

    def __init__(self, channels, row):
        super().__init__()
        size, within, behind, weighs, swishes, stride = row
        self.act = nn.Hardswish(True) if swishes else nn.ReLU(True)
        self.expand = Conv(channels, within, 1) if channels != within else None
        self.middle = Conv(within, within, size, stride, within)
        if weighs:
            self.squeeze = nn.Conv2d(within, quarter(within), 1)
            self.excite = nn.Conv2d(quarter(within), within, 1)
        self.reduce = Conv(within, behind, 1)
        self.has_past = stride == 1 and channels == behind

    def forward(self, x):
        f = nn.functional
        y = x if self.expand is None else self.act(self.expand(x))
        y = self.act(self.middle(y))
        if hasattr(self, "squeeze"):
            w = torch.relu_(self.squeeze(f.adaptive_avg_pool2d(y, 1)))
            y = y * f.hardsigmoid(self.excite(w), True)
        y = self.reduce(y)
        return x + y if self.has_past else y


class MobileNet(nn.Module):

    def __init__(self):
        super().__init__()
        self.stem = Conv(3, 16, 3, 2)
        channels = [16] + [row[2] for row in ROWS]
        blocks = [Inverted(c, row) for c, row in zip(channels, ROWS)]
        blocks_as_attributes(self, blocks)
        self.last = Conv(160, 960, 1)
        self.hidden = nn.Linear(960, 1280)
        self.classes = nn.Linear(1280, CLASSES)

    def forward(self, x):
        f = nn.functional
        x = f.hardswish(self.stem(x), True)
        for i in range(len(ROWS)):
            x = getattr(self, f"block{i}")(x)
        x = f.hardswish(self.last(x), True)
        x = self.hidden(f.adaptive_avg_pool2d(x, 1).flatten(1))
        return self.classes(f.hardswish(x, True))


def tensors(path):
    """The tensors of a safetensors file, by name, in float32."""
    kinds = {"F16": np.float16, "F32": np.float32}
    with open(path, "rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    out = {}
    for name, t in head.items():
        if name != "__metadata__":
            start, end = t["data_offsets"]
            values = np.frombuffer(data[start:end], kinds[t["dtype"]])
            out[name] = torch.from_numpy(
                values.astype(np.float32).reshape(t["shape"]))
    return out


def images(n, side, is_last):
    i = np.arange(n * 3 * side * side)
    x = torch.from_numpy((i * 37 % 1013 / 506.5 - 1).astype(np.float32))
    if is_last:
        return x.reshape(n, side, side, 3).permute(0, 3, 1, 2)
    return x.reshape(n, 3, side, side)


def main():
    device, name, dtype = sys.argv[1:4]
    n, side, steps = (int(v) for v in sys.argv[4:7])
    folder = sys.argv[7]
    model = {"resnet50": ResNet50, "mobilenet": MobileNet}[name]()
    found = model.load_state_dict(
        tensors(os.path.join(folder, "weights.safetensors")), strict=False)
    assert not found.unexpected_keys
    assert all(k.endswith("num_batches_tracked") for k in found.missing_keys)
    x = images(n, side, dtype == "half").to(device)
    labels = torch.arange(n, device=device) * 7 % CLASSES
    model = model.to(device).train(steps > 0)
    is_timed = dtype == "float" or device == "cuda"
    if dtype == "half" and is_timed:
        x = x.half()
        model = model.half().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE, momentum=0.9)

    def infer():
        with torch.no_grad():
            return model(x)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    run = step if steps > 0 else infer
    result = torch.stack([run() for _ in range(max(1, steps))])
    np.save(os.path.join(folder, "result.npy"), result.float().cpu().numpy())
    if is_timed:
        print("%.2f" % median_us(run, device, warm=3,
                                  times=15 if device == "cuda" else 5))


if __name__ == "__main__":
    main()
