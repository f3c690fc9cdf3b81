#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Time from the start of docs/examples/logistic to its first result: with empty
# kernel caches, then with what that run left behind.
#   bench/startup.sh BUILD_FOLDER
set -eu
build=${1:?"usage: bench/startup.sh BUILD_FOLDER"}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GPUARRAY_CACHE_PATH=$dir/ours POCL_CACHE_DIR=$dir/pocl
mkdir -p "$POCL_CACHE_DIR"
for run in cold warm warm warm; do
  printf '%s: ' "$run"
  "$build"/docs/examples/logistic 2 | grep '^first result'
done
