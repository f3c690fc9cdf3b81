#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The same program with our libgpuarray and with another one, in turns. Cases
# that a library cannot do say so: "refuses" with an error, "fails" by a crash,
# "wrong" for wrong values.
#
#   bench/frozen.sh BUILD_FOLDER [PEER_FOLDER [DEVICE [SIDE [ROUNDS [REPS]]]]]
#
# "times" is how many times faster ours is, "of copy" its share of what
# gpudata_move() reaches between its calls. Figures are medians of ROUNDS
# processes, each of which takes the median of REPS calls, or of as many as two
# seconds have room for. A side that takes long over a case has one round. Both
# start with empty kernel caches, filled by a first call that is not counted.
set -eu
build=$(cd "${1:?"usage: bench/frozen.sh BUILD_FOLDER [PEER_FOLDER ...]"}" && pwd)
peer=${2:-/usr/lib}
device=${3:-opencl0:0}
side=${4:-2048}
rounds=${5:-3}
reps=${6:-5}
program=$build/bench/bench_frozen
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
long=5 # seconds of a process, from which one round will do
export GPUARRAY_CACHE_PATH=$dir/ours POCL_CACHE_DIR=$dir/pocl
mkdir -p "$POCL_CACHE_DIR"

# Run one case with the library of a folder. What else the caller's path holds,
# OpenCL's loader perhaps, stays the same for both.
loader=${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
run() {
  LD_LIBRARY_PATH=$1$loader "$program" "$device" "$side" "$2" "$3" \
    2>>"$dir/stderr"
}

for lib in "$build" "$peer"; do
  LD_LIBRARY_PATH=$lib$loader ldd "$program" | grep -q "$lib/libgpuarray.so.3 " || {
    echo "frozen: no libgpuarray.so.3 in $lib" >&2
    exit 1
  }
done

# The rounds of a case by one side, in its turns with the other.
declare -A done_with
round_of() {
  local start=$SECONDS
  [ -z "${done_with[$2]:-}" ] || return 0
  run "$1" "$reps" "$3" | sed "s/^/$round\t$2\t/"
  [ $((SECONDS - start)) -lt "$long" ] || done_with[$2]=1
}

mapfile -t cases < <(LD_LIBRARY_PATH=$build$loader "$program" "$device" 0)
for name in "${cases[@]}"; do
  done_with=()
  for ((round = 1; round <= rounds; round++)); do
    round_of "$build" ours "$name"
    round_of "$peer" peer "$name"
  done
done >"$dir/figures"

awk -F '\t' '
# Fields: round, library, case, status, figure, unit, copy, why.
{
  key = $2 SUBSEP $3
  if ($1 == 1 && $2 == "ours") order[++cases] = $3
  if ($4 != "ok") { status[key] = $4; why[key] = $8 }
  figure[key, $1] = $5
  copy[key, $1] = $7
  ran[key] = $1
  if ($6 != "-") unit[$3] = $6
}
function median(of, key,   i, j, n, t, v) {
  n = ran[key]
  for (i = 1; i <= n; i++) {
    t = of[key, i] + 0
    for (j = i; j > 1 && v[j - 1] > t; j--) v[j] = v[j - 1]
    v[j] = t
  }
  return (v[int((n + 1) / 2)] + v[int(n / 2) + 1]) / 2
}
function show(key) {
  return key in status ? status[key] : sprintf("%.4g", median(figure, key))
}
END {
  form = "%-30s %10s %10s %-5s %9s %8s\n"
  printf form, "case", "ours", "peer", "unit", "times", "of copy"
  for (c = 1; c <= cases; c++) {
    name = order[c]
    ours = "ours" SUBSEP name
    peer = "peer" SUBSEP name
    times = share = "-"
    a = median(figure, ours)
    b = median(figure, peer)
    if (!(ours in status) && !(peer in status) && a > 0 && b > 0)
      times = sprintf("%.1f", unit[name] == "GB/s" ? a / b : b / a)
    if (!(ours in status) && median(copy, ours) > 0)
      share = sprintf("%.2f", a / median(copy, ours))
    printf form, name, show(ours), show(peer), unit[name], times, share
  }
  for (c = 1; c <= cases; c++)
    for (k = 1; k <= 2; k++) {
      key = (k == 1 ? "ours" : "peer") SUBSEP order[c]
      if (key in status)
        printf "%s, %s: %s: %s\n", k == 1 ? "ours" : "peer", order[c],
               status[key], why[key]
    }
}' "$dir/figures"
