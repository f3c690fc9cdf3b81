#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Hidden functions are called by the folders that may include their header: a
# declaration of one's own in a lower folder would get past ci/layers.sh.
#
#   ci/calls.sh BUILD
set -u
cd "$(dirname "$0")/.." || exit 1

# "folder kind symbol" of all objects: kind U, or a letter for what is defined. A
# build may still have objects of sources that are gone.
symbols() {
  local dir o source
  for dir in "$1"/CMakeFiles/gg_*.dir; do
    layer=${dir##*/gg_}
    find "$dir" -name '*.c.o' | while read -r o; do
      source=src/${o##*.dir/src/}
      [[ $o == */src/* && ! -e ${source%.o} ]] || echo "$o"
    done | xargs nm |
      awk -v layer="${layer%.dir}" \
        'NF >= 2 && $NF ~ /^g[ag]__/ { print layer, $(NF - 1), $NF }'
  done
}

symbols "$1" | awk '
  FNR == NR {
    if ($0 ~ /^(#|$)/) next
    split($0, part, ":")
    n = split(part[2], name, " ")
    for (i = 1; i <= n; i++) may[part[1] " " name[i]] = 1
    next
  }
  $2 == "U" { user[$1 " " $3] = 1; next }
  $2 ~ /[TDBR]/ { home[$3] = $1 }
  END {
    for (use in user) {
      split(use, u, " ")
      to = home[u[2]]
      if (to == "" || to == u[1] || (u[1] " " to) in may) continue
      print "calls: src/" u[1] " calls " u[2] " of src/" to
      bad = 1
    }
    print "calls: " length(user) " of hidden functions"
    exit bad
  }' ci/layers.txt -
