#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Wall time of docs/examples/logistic with two steps, from start to end: with
# empty kernel caches, then with what that run left behind.
#   bench/startup.sh BUILD_FOLDER
set -eu
build=${1:?"usage: bench/startup.sh BUILD_FOLDER"}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GPUARRAY_CACHE_PATH=$dir/ours POCL_CACHE_DIR=$dir/pocl
mkdir -p "$POCL_CACHE_DIR"
TIMEFORMAT='%R s'
for run in cold warm warm warm; do
  printf '%s: ' "$run"
  time "$build"/docs/examples/logistic 2 >/dev/null
done
