#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Open the page that example_fashion wrote in a headless browser, on a phone's
# width, and look for its three parts as the browser sees them.
#   check_report.sh BROWSER PAGE FOLDER
set -u
browser=$1 page=$2 dir=$3
if [ ! -s "$page" ]; then
  echo "no report page: skipped"
  exit 77
fi
if grep -Eq '(src|href)="?https?:' "$page"; then
  echo "the page needs the network"
  exit 1
fi
timeout 100 "$browser" --headless --no-sandbox --disable-gpu \
  --user-data-dir="$dir/browser" --window-size=390,800 --dump-dom \
  "file://$page" >"$dir/dom.html" 2>/dev/null
bad=0
# expect WHAT PATTERN LEAST: PATTERN stands in the page LEAST times or more.
expect() {
  found=$(grep -Eo "$2" "$dir/dom.html" | wc -l)
  echo "$1: $found"
  [ "$found" -ge "$3" ] || { echo "  expected at least $3"; bad=1; }
}
expect "graph" '<section id="graph">' 1
if command -v dot >/dev/null; then
  expect "nodes drawn" '<g id="[^"]*" class="node' 5
fi
expect "loss" '<section id="loss">' 1
expect "points of the curve" '[0-9.]+,[0-9.]+ ' 100
expect "profile" '<section id="profile">' 1
expect "rows of the profile" '<tr><td>' 4
exit $bad
