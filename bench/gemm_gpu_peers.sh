#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Our matrix products beside PyTorch's on one CUDA device, in GFLOP/s.
# Usage: gemm_gpu_peers.sh BUILD_DIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bench=${1:?build directory}/bench/bench_gemm

shapes() {
  for kind in h s d; do
    for n in 512 1024 2048 4096 8192; do
      echo "$kind n n $n $n $n"
    done
    for t in "n t" "t n" "t t"; do
      echo "$kind $t 4096 4096 4096"
    done
    echo "$kind n n 1000 1000 1000"
  done
  echo "s n n 128 10 784"
  echo "s t n 784 10 128"
  echo "s n t 128 784 10"
  echo "s n n 128 128 784"
  echo "s n n 64 2048 2048"
  echo "s n n 512 512 512 64"
}

printf '%-28s %12s %12s %8s\n' product ours PyTorch ratio
peers=$(shapes | python3 "$here/gemm_torch.py") # one at a time on the device
echo "$peers" | while read -r kind ta tb m n k rest; do
  peer=${rest##* }
  batch=${rest%"$peer"}
  # shellcheck disable=SC2086 # no batch: no argument
  ours=$("$bench" "$kind" "$ta" "$tb" "$m" "$n" "$k" $batch |
    awk '/gemm/ { print $(NF - 3) }')
  awk -v name="${kind}gemm $ta$tb $m $n $k $batch" -v o="$ours" -v p="$peer" \
    'BEGIN { printf "%-28s %12.0f %12.0f %8.2f\n", name, o, p, o / p }'
done
