#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run the program PROGRAM of a document: each block "output" after a link to its
# source, and before one to another, is a part of what it prints, line by line.
# Messages name the source as if it were compiled in its own folder.
#
#   check_output.sh PROGRAM DOCUMENT
set -u
program=$(realpath "$1") document=$(realpath "$2")
name=$(basename "$program")
cd "${TEST_DIR:-.}" || exit 1

"$program" >"$name.out" 2>&1
code=$?
sed -i "s|[^ (]*/$name\.c:|$name.c:|" "$name.out"
if [ $code -ne 0 ]; then
  cat "$name.out"
  exit $code
fi
awk -v name="$name" '
  FILENAME == ARGV[1] { said[n++] = $0; next }
  function is_part(    i, j) {
    for (i = 0; i + rows <= n; i++) {
      for (j = 0; j < rows && said[i + j] == block[j]; j++)
        ;
      if (j == rows)
        return 1
    }
    return 0
  }
  /^```/ && fenced {
    fenced = 0
    if (language == "output" && current == name) {
      blocks++
      if (!is_part()) {
        print FILENAME ":" from ": the program prints something else"
        bad = 1
      }
    }
    next
  }
  /^```/ { fenced = 1; language = substr($0, 4); rows = 0; from = FNR; next }
  fenced { block[rows++] = $0; next }
  {
    rest = $0
    while (match(rest, /\]\([^)]*\.(c|cpp)\)/)) {
      current = substr(rest, RSTART + 2, RLENGTH - 3)
      gsub(/.*\/|\.[a-z]*\)?$/, "", current)
      rest = substr(rest, RSTART + RLENGTH)
    }
  }
  END {
    if (blocks == 0) {
      print FILENAME ": no output of " name
      bad = 1
    }
    exit bad
  }' "$name.out" "$document" && exit 0
echo "The program prints:"
cat "$name.out"
exit 1
