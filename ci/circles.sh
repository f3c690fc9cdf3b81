#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Groups of files of src/ that depend on each other in a circle. A file depends
# on those whose header it includes, and on those that define a hidden function
# or table that it uses. x.c and x.h of one folder count as one file, x; what a
# header without a .c declares counts for the files that define it.
#
#   ci/circles.sh BUILD [--edges]
#
# --edges also prints what each dependency within a group comes from.
set -u
cd "$(dirname "$0")/.." || exit 1

# Neither number may grow; both go down when a circle is opened.
max_groups=0
max_files=0

# "file uses|has symbol" for every hidden name of every object file; a build may
# still have objects of sources that are gone.
symbols() {
  find "$1"/CMakeFiles/*.dir/src -name '*.c.o' | while read -r o; do
    source=src/${o##*.dir/src/}
    [ ! -e "${source%.o}" ] || echo "$o"
  done | xargs nm -A |
    sed -nE 's|^.*\.dir/src/(.*)\.c\.o:.* U (g[ag]__.*)|\1 uses \2|p
             s|^.*\.dir/src/(.*)\.c\.o:.* [TDBR] (g[ag]__.*)|\1 has \2|p'
}

# "file includes header": of headers that are in src/.
includes() {
  grep -rHE --include='*.[ch]' '^#include "' src |
    sed -E 's|^src/(.*)\.[ch]:#include "(.*)\.h".*|\1 includes \2|' |
    while read -r file verb header; do
      [ ! -e "src/$header.h" ] || echo "$file $verb $header"
    done
}

[ -d "${1:-}/CMakeFiles" ] || { echo "circles: no build in ${1:-\"\"}"; exit 2; }
{ symbols "$1"; includes; } | awk -v edges="${2:-}" \
  -v max_groups=$max_groups -v max_files=$max_files '
  function depend(from, to, why) {
    if (from == to) return
    if (!((from, to) in reason)) targets[from] = targets[from] " " to
    reason[from, to] = reason[from, to] " " why
    seen[from]
  }

  # Tarjan: a group is complete when the walk leaves the first of its files.
  function visit(v,    n, i, w, list) {
    low[v] = number[v] = ++count
    stack[++depth] = v
    waiting[v] = 1
    n = split(targets[v], list, " ")
    for (i = 1; i <= n; i++) {
      w = list[i]
      if (!(w in number)) {
        visit(w)
        if (low[w] < low[v]) low[v] = low[w]
      } else if (waiting[w] && number[w] < low[v]) low[v] = number[w]
    }
    if (low[v] == number[v]) leave(v)
  }

  function leave(v,    w, n, text) {
    do {
      w = stack[depth--]
      waiting[w] = 0
      group[w] = v
      text = text " " w
      n++
    } while (w != v)
    if (n == 1) return
    groups++
    files += n
    print "circles: " n " files:" text
    if (edges != "") explain(v)
  }

  function explain(v,    pair, e) {
    for (pair in reason) {
      split(pair, e, SUBSEP)
      if (group[e[1]] == v && group[e[2]] == v)
        print "  " e[1] " -> " e[2] ":" reason[pair] | "sort"
    }
    close("sort")
  }

  $2 == "has" { home[$3] = $1 }
  $2 == "uses" { used[$1, $3] }
  $2 == "includes" { depend($1, $3, "include") }
  END {
    for (use in used) {
      split(use, u, SUBSEP)
      if (u[2] in home) depend(u[1], home[u[2]], u[2])
    }
    for (v in seen) if (!(v in number)) visit(v)
    print "circles: " groups + 0 " groups of " files + 0 " files (at most " \
      max_groups " and " max_files ")"
    exit groups > max_groups || files > max_files
  }'
