#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# bench: few calls are warm even with empty caches; the limit of the device fits
# its rates, and is in all three forms of the output.
#
#   check_bench.sh PROGRAM MODEL
set -u
program=$1 model=$2

"$program" caps >/dev/null 2>&1 || exit 77 # no device
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/pocl" "$work/cache"
export POCL_CACHE_DIR=$work/pocl GPUARRAY_CACHE_PATH=$work/cache

"$program" bench "$model" --calls 3 --json --html "$work/page" >"$work/json" || exit 1
"$program" bench "$model" --calls 3 >"$work/text" || exit 1
python3 - "$work" <<'END'
import json, pathlib, re, sys

work = pathlib.Path(sys.argv[1])
found = json.loads((work / "json").read_text())
device, limit, ms = found["device"], found["limit"], found["milliseconds"]
by = {"bytes": found["bytes_moved"] / device["bytes_per_second"],
      "arithmetic": found["flop"] / device["flop_per_second"]}
wrong = []
if ms["median"] > 50:
    wrong.append("calls are not warm")
if abs(limit["milliseconds"] / 1e3 / max(by.values()) - 1) > 1e-3:
    wrong.append("the limit is not the longer time")
if by[limit["decided_by"]] != max(by.values()):
    wrong.append("the other time is longer")
if abs(limit["share"] / (limit["milliseconds"] / ms["median"]) - 1) > 1e-3:
    wrong.append("the share is another")
if not (1e8 < device["bytes_per_second"] < 1e14 and
        1e8 < device["flop_per_second"] < 1e16):
    wrong.append("no device has such rates")
said = (r"the device copies [0-9.e+]+ GB/s and computes [0-9.e+]+ GFLOP/s in "
        r"products of float32:\nat these rates a call takes [0-9.e-]+ ms, by "
        r"its (bytes|arithmetic), which is [0-9.e-]+ % of the median\n")
if not re.search(said, (work / "text").read_text()):
    wrong.append("nothing said about the limit")
if not re.search("<p>Of 3 calls .*" + said + "</p>", (work / "page").read_text()):
    wrong.append("no limit in the page")
if wrong:
    sys.exit("\n".join(wrong) + "\n" + json.dumps([ms, device, limit]))
END
