#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Three ranks, of which the last one dies (kill) or stops for a while (stop):
# the job ends, and the survivors say why.
#
#   check_dead.sh kill|stop MPIEXEC NUMPROC_FLAG PROGRAM
#
# Launchers end the whole job when a rank is killed. Open MPI's can be told not
# to; then the survivors' own bounded wait is what counts. (MPICH ends them even
# so, by a signal.)
set -u
way=$1 mpiexec=$2 flag=$3 program=$4
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# mpiexec with the options ARGS; fails if the job does not end.
run() {
  timeout -k 5 120 "$mpiexec" "$@" "$flag" 3 "$program" "$way" "$dir" \
    >"$dir/output" 2>&1
  [ $? -ne 124 ] || {
    echo "check_dead: the job did not end" >&2
    exit 1
  }
}

# Is `text` what both survivors wrote? A launcher may end before they do.
both_wrote() {
  local try
  for ((try = 0; try < 200; try++)); do
    grep -qs "$1" "$dir/0" && grep -qs "$1" "$dir/1" && return 0
    sleep 0.1
  done
  return 1
}

if [ "$way" = kill ]; then
  run # as it is usually started: it must end
  "$mpiexec" --version 2>&1 | grep -q 'Open' || exit 0
  rm -f "$dir"/[01]
  run --enable-recovery
else
  run
fi
if grep -qE 'no OpenCL (device|platform)|no usable device' "$dir/output"; then
  echo "no OpenCL device: skipped"
  exit 77
fi
both_wrote survived || {
  cat "$dir"/[01] "$dir/output"
  exit 1
}
cat "$dir"/[01]
