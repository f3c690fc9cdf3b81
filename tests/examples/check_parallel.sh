#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Trains with one process, then with 2 and 4, compares the weights, and tells
# how well it scales. Each process computes with one thread, where the driver
# can be told so.
#
#   check_parallel.sh "mpirun -n" PROGRAM DATA
set -eu
read -ra launch <<<"$1"
# Called by its whole path, Open MPI puts its own folder in front of those where
# libraries are looked for, and with it the system's libgpuarray.
PATH=$(dirname "${launch[0]}"):$PATH
launch[0]=$(basename "${launch[0]}")
program=$2 data=$3
weights=${TEST_DIR:-/tmp}/weights.npy
export POCL_MAX_PTHREAD_COUNT=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none

# Train with $1 processes and more arguments; leaves images a second in $rate.
train() {
  local n=$1 out
  shift
  out=$("${launch[@]}" "$n" "$program" --epochs 2 --data "$data" "$@" 2>&1) || {
    echo "$out"
    exit 1
  }
  echo "$out"
  rate=$(sed -n 's/.*: \([0-9]*\) images a second/\1/p' <<<"$out")
}

train 1 --save "$weights"
one=$rate
for n in 2 4; do
  train "$n" --compare "$weights"
  awk -v n="$n" -v one="$one" -v rate="$rate" -v cores="$(nproc)" 'BEGIN {
    used = n < cores ? n : cores
    printf "%d processes on %d cores: %.2f times one, efficiency %.2f\n",
      n, cores, rate / one, rate / one / used }'
done
