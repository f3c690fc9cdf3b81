#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A library exports exactly what its public headers declare.
#
#   ci/symbols.sh libgpuarray.so [libgpugraph.so]
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# Names of the functions that the headers of a folder mark as public.
declared() {
  cat include/"$1"/*.h | sed 's|^ *#.*||' | tr '\n' ' ' |
    grep -oP '(GPUARRAY|GG)_PUBLIC\b[^;(]*?\b\w+(?=\s*\()' |
    grep -oP '\w+$' | sort -u
}

exported() {
  nm -D --defined-only "$1" | awk '$2 ~ /[TDBRVW]/ { print $3 }' |
    sed 's/@.*//' | sort -u
}

for lib in "$@"; do
  name=$(basename "$lib")
  name=${name#lib}
  name=${name%%.*}
  while read -r symbol; do
    echo "symbols: $lib exports $symbol, which no header declares"
    status=1
  done < <(comm -13 <(declared "$name") <(exported "$lib"))
  while read -r symbol; do
    echo "symbols: $lib lacks $symbol"
    status=1
  done < <(comm -23 <(declared "$name") <(exported "$lib"))
  echo "symbols: $lib exports $(exported "$lib" | wc -l) names"
done

exit $status
