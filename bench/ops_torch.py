# SPDX-License-Identifier: BSD-2-Clause
"""What PyTorch takes for the ops of bench_chain.c, bench_batch_norm.c,
bench_rows.c, bench_pooling.c, bench_conv.c, bench_fft.c, bench_factor.c,
bench_select.c, bench_sort.c, bench_topk.c, bench_cumulate.c and
bench_bincount.c. Prints microseconds a call.

    ops_torch.py cpu|cuda chain|chain_compiled|take_gradient
    ops_torch.py cpu|cuda batch_norm ROWS COLUMNS [ELEMENTS]
    ops_torch.py cpu|cuda softmax|log_softmax|layer_norm ROWS COLUMNS
    ops_torch.py cpu|cuda max_pool|mean_pool|upsample IMAGES
    ops_torch.py cpu|cuda conv_forward|conv_input|conv_filters|half_... IMAGES CHANNELS
        SIDE FILTERS SIZE STRIDE GROUPS DIMENSIONS
    ops_torch.py cpu|cuda fft|rfft LINES ROWS COLUMNS
    ops_torch.py cpu|cuda sort|topk|median|cumsum|cumprod|cummax|logcumsumexp
        ROWS COLUMNS [AXIS or K]
    ops_torch.py cpu|cuda bincount|weighted|histogram|searchsorted ELEMENTS BINS
    ops_torch.py cpu|cuda cholesky|double_...|lu|triangle|equations|inverse|squares|qr|eigh|svd
        BATCH SIZE COLUMNS
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


def pooling(images):
    x = torch.rand(images, 64, 112, 112, device=device)
    f = torch.nn.functional
    if what == "max_pool":
        return lambda: f.max_pool2d(x, 3, 2, 1)
    if what == "mean_pool":
        return lambda: f.avg_pool2d(x, 2)
    return lambda: f.interpolate(x, scale_factor=2, mode="bilinear")


def convolution(n, c, side, f, k, stride, groups, nd):
    x = torch.rand(n, c, *[side] * nd, device=device)
    w = torch.rand(f, c // groups, *[k] * nd, device=device)
    if what.startswith("half"):
        last = {1: torch.contiguous_format, 2: torch.channels_last,
                3: torch.channels_last_3d}[nd]
        x, w = (t.half().to(memory_format=last) for t in (x, w))
    args = dict(stride=stride, padding=k // 2, groups=groups)
    f, grad = torch.nn.functional, torch.nn.grad
    forward = {1: f.conv1d, 2: f.conv2d, 3: f.conv3d}[nd]
    by_x = {1: grad.conv1d_input, 2: grad.conv2d_input, 3: grad.conv3d_input}
    by_w = {1: grad.conv1d_weight, 2: grad.conv2d_weight,
            3: grad.conv3d_weight}
    y = forward(x, w, **args)
    if what.endswith("forward"):
        return lambda: forward(x, w, **args)
    if what.endswith("input"):
        return lambda: by_x[nd](x.shape, w, y, **args)
    return lambda: by_w[nd](x, w.shape, y, **args)


def fourier(lines, rows, columns):
    dtype = torch.float32 if what == "rfft" else torch.complex64
    x = torch.rand(lines, rows, columns, device=device).to(dtype)
    axes = (1, 2) if rows > 1 else (2,)
    f = torch.fft.rfftn if what == "rfft" else torch.fft.fftn
    return lambda: f(x, dim=axes)


FACTORS = {
    "cholesky": lambda a, b: torch.linalg.cholesky_ex(a),
    "lu": lambda a, b: torch.linalg.lu_factor_ex(a),
    "triangle": lambda a, b: torch.linalg.solve_triangular(a, b, upper=False),
    "equations": lambda a, b: torch.linalg.solve(a, b),
    "inverse": lambda a, b: torch.linalg.inv(a),
    "squares": lambda a, b: torch.linalg.lstsq(a, b).solution,
    "qr": lambda a, b: torch.linalg.qr(a),
    "eigh": lambda a, b: torch.linalg.eigh(a),
    "svd": lambda a, b: torch.linalg.svd(a),
}


def factor(batch, n, columns):
    x = torch.rand(batch, n, n, device=device) - 0.5
    a = x + x.mT + n * torch.eye(n, device=device)
    if what.startswith("double"):
        a = a.double()
    f = FACTORS[what.removeprefix("double_")]
    b = a[:, :, :columns].contiguous()
    return lambda: f(a, b)


def order(rows, columns, k=0):
    """Sorting, selection and running sums; k is how many, or the axis."""
    x = torch.rand(rows, columns, device=device)
    if what == "sort":
        return lambda: torch.sort(x, 1)
    if what == "topk":
        return lambda: torch.topk(x, k, 1, largest=False)
    if what == "median":
        return lambda: torch.kthvalue(x, columns // 2 + 1, 1)
    return lambda: getattr(torch, what)(x, k)


def bins(elements, n):
    """Counts and searches; n is the number of bins, or of edges."""
    x = torch.rand(elements, device=device)
    if what == "histogram":
        return lambda: torch.histc(x, n, 0, 1)
    if what == "searchsorted":
        edges = torch.linspace(0, 1, n, device=device)
        return lambda: torch.searchsorted(edges, x)
    at = torch.randint(0, n, (elements,), device=device).int()
    return lambda: torch.bincount(at, x if what == "weighted" else None, n)


def prepare():
    if what in ("sort", "topk", "median", "logcumsumexp") or what.startswith("cum"):
        return order(*sizes)
    if what in ("bincount", "weighted", "histogram", "searchsorted"):
        return bins(*sizes)
    if what.removeprefix("double_") in FACTORS:
        return factor(*sizes)
    if what in ("fft", "rfft"):
        return fourier(*sizes)
    if what.startswith(("conv_", "half_")):
        return convolution(*sizes)
    if what.endswith("pool") or what == "upsample":
        return pooling(sizes[0])
    if what.startswith("chain"):
        x = (torch.arange(1 << 24, device=device) % 4096).float() / 4096
        f = torch.compile(chain) if what == "chain_compiled" else chain
        w = (torch.arange(1 << 24, device=device) % 1000).float() / 1000
        return lambda: f(x, w)
    if what == "unique":
        x = torch.randint(0, sizes[1], (sizes[0],), device=device).int()
        return lambda: torch.unique(x)
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
