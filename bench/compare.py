#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the benchmarks of two builds: runs each program of both in turns.

  bench/compare.py BUILD_A BUILD_B [--rounds N] PROGRAM...

A program may have arguments: "bench_compile chain 1000". A line of it is
"name value unit reference ratio"; the unit may be "ns each". For each line this
prints the median of both builds and the change of the rate, or of the time or
memory, in percent: positive is better. Lines that moved by more than both the
threshold and the spread between rounds of one build are marked.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys

LINE = re.compile(r"^(.*?)\s{2,}([0-9.e+-]+)\s+([A-Za-z]\S*(?: each)?)"
                  r"(?:\s+([0-9.e+-]+|-))?(?:\s+([0-9.e+-]+|-))?\s*$")
COSTS = {"ns", "us", "ms", "s", "B"}  # less is better


def is_cost(unit):
    return re.split("[ /]", unit)[0] in COSTS


def run(build, program):
    """The figures of one run: {name: (value, unit)}."""
    name, *arguments = program.split()
    out = subprocess.run([os.path.join(build, "bench", name), *arguments],
                         text=True, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    if out.returncode != 0:
        sys.exit(f"{build}: {program} failed:\n{out.stdout[-2000:]}")
    found, head = {}, ""
    for line in out.stdout.splitlines():
        m = LINE.match(line)
        if not m:
            continue
        if not line.startswith(" "):
            head = m.group(1)  # indented lines belong to it
        title = m.group(1) if m.group(1) == head else head + m.group(1)
        found[title] = (float(m.group(2)), m.group(3))
    return found


def spread(values):
    """Half of the distance between the extremes, as a part of the median."""
    middle = statistics.median(values)
    return (max(values) - min(values)) / (2 * middle) if middle else 0.0


def compare(program, a, b, rounds, threshold):
    """Print the lines of one program; how many are slower."""
    runs = {a: [], b: []}
    for k in range(rounds):
        for build in ((a, b), (b, a))[k % 2]:
            runs[build].append(run(build, program))
    slower = 0
    for name, (_, unit) in runs[a][0].items():
        old = [r[name][0] for r in runs[a] if name in r]
        new = [r[name][0] for r in runs[b] if name in r]
        if not new or statistics.median(old) == 0 or statistics.median(new) == 0:
            continue
        gain = statistics.median(new) / statistics.median(old)
        if is_cost(unit):
            gain = 1 / gain
        noise = max(spread(old), spread(new))
        bad = gain < 1 - max(threshold, noise)
        slower += bad
        print(f"{'SLOWER' if bad else '':7}{program:16} {name:44} "
              f"{statistics.median(old):10.4g} {statistics.median(new):10.4g} "
              f"{unit:8} {100 * (gain - 1):+6.1f} % (spread {100 * noise:.1f} %)")
        sys.stdout.flush()
    return slower


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("a")
    p.add_argument("b")
    p.add_argument("programs", nargs="+")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--threshold", type=float, default=0.03)
    args = p.parse_args()
    slower = sum(compare(name, args.a, args.b, args.rounds, args.threshold)
                 for name in args.programs)
    print(f"{slower} lines slower")
    sys.exit(slower > 0)


if __name__ == "__main__":
    main()
