# SPDX-License-Identifier: BSD-2-Clause
"""How the scripts here time PyTorch, on its own clock and with its own waits."""
import time

import torch

# Products and convolutions of float32 in full precision, as ours are.
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def median_us(run, device, warm=3, times=9, calls=1):
    """Microseconds of a call of run(): the median of `times` rounds of `calls`
    each, after `warm` calls that are not counted."""
    if device == "cpu":
        torch.set_num_threads(2)

    def wait():
        if device == "cuda":
            torch.cuda.synchronize()

    for _ in range(warm):
        run()
    rounds = []
    for _ in range(times):
        wait()
        start = time.perf_counter()
        for _ in range(calls):
            run()
        wait()
        rounds.append((time.perf_counter() - start) / calls)
    return 1e6 * sorted(rounds)[times // 2]
