#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What a call costs more under the fault layer of tests/layer: the plain OpenCL
# calls of bench_launch, without it and with it, in turns.
#   bench/layer.sh BUILD_FOLDER [ROUNDS]
set -eu
build=$(cd "${1:?"usage: bench/layer.sh BUILD_FOLDER [ROUNDS]"}" && pwd)
rounds=${2:-5}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GPUARRAY_CACHE_PATH=$dir/cache POCL_CACHE_DIR=$dir/pocl
mkdir -p "$POCL_CACHE_DIR"

for ((i = 0; i < rounds; i++)); do
  "$build/bench/bench_launch" >>"$dir/plain"
  OPENCL_LAYERS=$build/tests/libfault_layer.so \
    "$build/bench/bench_launch" >>"$dir/layer"
done

# The least of the reference, whose calls are plain OpenCL, of one line: each is a
# median already, and what else runs only adds to it.
least() {
  sed -n "s/^$2  *[0-9.e+]* ns  *\([0-9.e+]*\) .*/\1/p" "$dir/$1" | sort -g |
    head -n 1
}

# Its name, and the calls for each of which it is timed.
while read -r calls name; do
  printf '%s %s %s %s\n' "$(least plain "$name")" "$(least layer "$name")" \
    "$calls" "$name"
done <<'END' | awk '{ n = $3; printf "%d call(s): %.0f ns, with the layer %.0f, " \
  "%.0f more for each\n", n, $1, $2, ($2 - $1) / n }'
1 host time per launch
3 host time per rebound launch
END
