#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A library exports exactly what its public headers declare. In libgpuarray all
# but the names of 0.7.6 have a version (src/gpuarray.map), in the others all
# have (src/gpugraph.map).
#
#   ci/symbols.sh libgpuarray.so [libgpugraph.so] [libgpugraph-onnx.so]
set -u
export LC_ALL=C # comm wants names in the order of their bytes
cd "$(dirname "$0")/.." || exit 1
status=0

# The public headers of library $1, also those made from tables in build folder
# $2. The reader of models has one of its own.
headers() {
  case $1 in
  *-onnx) ls include/gpugraph/onnx.h ;;
  *) ls include/"$1"/*.h "$2"/include/"$1"/*.h 2>/dev/null | grep -v /onnx.h ;;
  esac
}

# Names of the functions that these headers mark as public.
declared() {
  headers "$@" | xargs cat | sed 's|^ *#.*||' | tr '\n' ' ' |
    grep -oP '(GPUARRAY|GG)_PUBLIC\b[^;(]*?\b\w+(?=\s*\()' |
    grep -oP '\w+$' | sort -u
}

exported() {
  nm -D --defined-only "$1" | awk '$2 ~ /[TDBRVW]/ { print $3 }' |
    sed 's/@.*//' | sort -u
}

unversioned() {
  nm -D --defined-only "$1" | awk '$2 ~ /[TDBRVW]/ && $3 !~ /@/ { print $3 }' |
    sort -u
}

for lib in "$@"; do
  name=$(basename "$lib")
  name=${name#lib}
  name=${name%%.*}
  while read -r symbol; do
    echo "symbols: $lib exports $symbol, which no header declares"
    status=1
  done < <(comm -13 <(declared "$name" "${lib%/*}") <(exported "$lib"))
  while read -r symbol; do
    echo "symbols: $lib lacks $symbol"
    status=1
  done < <(comm -23 <(declared "$name" "${lib%/*}") <(exported "$lib"))
  old=tests/compat/names_0_7_6.txt
  while read -r symbol; do
    echo "symbols: $lib: $symbol should be $symbol@@GPUGRAPH_... (src/gpuarray.map)"
    status=1
  done < <([ "$name" != gpuarray ] || comm -13 $old <(unversioned "$lib"))
  while read -r symbol; do
    echo "symbols: $lib: $symbol is of 0.7.6 and has a version (src/gpuarray.map)"
    status=1
  done < <([ "$name" != gpuarray ] || comm -23 $old <(unversioned "$lib"))
  while read -r symbol; do
    echo "symbols: $lib: $symbol has no version (src/gpugraph.map)"
    status=1
  done < <([ "$name" = gpuarray ] || unversioned "$lib")
  echo "symbols: $lib exports $(exported "$lib" | wc -l) names"
done

exit $status
