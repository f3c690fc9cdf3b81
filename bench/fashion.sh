#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Seconds an epoch of docs/examples/fashion beside the same loop in NumPy, the
# two sides alternating; medians and their ratio.
#   bench/fashion.sh BUILD_FOLDER [DATA_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?"usage: bench/fashion.sh BUILD_FOLDER [DATA_FOLDER]"}
data=${2:-/usr/share/datasets/fashion-mnist}
python=/usr/bin/python3
[ -x "$python" ] || python=python3
report=$(mktemp)
trap 'rm -f "$report"' EXIT
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
ours= peer=
for round in 1 2 3; do
  ours+=$("$build"/docs/examples/fashion --epochs 5 --data "$data" \
    --report "$report" | awk '/^epoch/ { print $(NF - 1) }' | median)$'\n'
  if "$python" -c 'import numpy' 2>/dev/null; then
    peer+=$("$python" "$here"/fashion_numpy.py "$data" 5)$'\n'
  fi
done
a=$(printf '%s' "$ours" | median)
if [ -z "$peer" ]; then
  echo "fashion: $a s an epoch; NumPy is absent"
  exit 0
fi
b=$(printf '%s' "$peer" | median)
awk -v a="$a" -v b="$b" 'BEGIN {
  printf "fashion: %.4f s an epoch, NumPy %.4f s, ratio %.2f\n", a, b, a / b }'
