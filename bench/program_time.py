# SPDX-License-Identifier: BSD-2-Clause
"""How the scripts here time `gpugraph bench`."""
import re
import subprocess


def time_gpugraph(program, path, calls, what="least"):
    """Milliseconds of a call of the model: the least, or the median."""
    text = subprocess.run([program, "bench", path, "--calls",
                           str(calls)],
                          check=True,
                          text=True,
                          stdout=subprocess.PIPE).stdout
    return float(re.search(what + r" ([0-9.e+-]+)", text).group(1))
