#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Each link of the installed pages to a file leads somewhere.
#
#   check_links.sh FOLDER
set -u
cd "$1" || exit 1
dead=$(find . -name '*.md' | while read -r page; do
  awk '
    /^ *```/ { fenced = !fenced }
    fenced || /^    / { next }
    {
      gsub(/`[^`]*`/, "")
      while (match($0, /\]\([^)]*\)/)) {
        target = substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
        sub(/#.*/, "", target)
        if (target != "" && target !~ /^[a-z]+:/)
          print target
      }
    }' "$page" | while read -r target; do
    [ -e "$(dirname "$page")/$target" ] || echo "$page: $target leads nowhere"
  done
done)
[ -z "$dead" ] || { echo "$dead"; exit 1; }
[ -f docs/tutorial/01_first.md ] || { echo "no pages in $1"; exit 1; }
