#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Checks every #include of src/ against ci/layers.txt, and that the examples use
# public headers only.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# The words after "NAME:" in the table.
allowed() {
  sed -n "s/^$1:\(.*\)/\1 /p" ci/layers.txt
}

complain() {
  echo "layers: $1"
  status=1
}

# Lines of "file:what is included" for a folder.
includes() {
  grep -rHoE --include='*.[ch]' '^#include [<"][^>"]+' "$1" |
    sed 's/#include //'
}

opencl=$(allowed opencl)
gpugraph=$(allowed gpugraph)
for dir in src/*/; do
  layer=$(basename "$dir")
  if ! grep -q "^$layer:" ci/layers.txt; then
    complain "src/$layer is not in ci/layers.txt"
    continue
  fi
  may=" $layer $(allowed "$layer") gpuarray "
  [[ " $gpugraph " == *" $layer "* ]] && may+=" gpugraph "
  while IFS=: read -r file what; do
    name=${what:1}
    top=${name%%/*}
    case "$what" in
    '<CL/'* | '<clblast'* | '"CL/'*)
      [[ " $opencl " == *" $layer "* ]] ||
        complain "$file includes $name: OpenCL is for $opencl"
      ;;
    '<gpuarray/'* | '<gpugraph/'* | '"'*)
      [[ "$may" == *" $top "* ]] || complain "$file includes $name"
      ;;
    esac
  done < <(includes "$dir")
done

while IFS=: read -r file what; do
  name=${what:1}
  [[ "$what" != '"'*/* ]] || complain "$file includes $name"
done < <(includes docs/examples)

exit $status
