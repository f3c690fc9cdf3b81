#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Open the page that a Fashion-MNIST example wrote in a headless browser, on a
# phone's width, and look for its parts as the browser sees them: the graph, the
# profile, a curve of POINTS points at least, and sections with COUNT pictures
# each that the browser can show.
#   check_report.sh BROWSER PAGE FOLDER POINTS [SECTION:COUNT]...
set -u
browser=$1 page=$2 dir=$3 points=$4
shift 4
if [ ! -s "$page" ]; then
  echo "no report page: skipped"
  exit 77
fi
if grep -Eq '(src|href)="?https?:' "$page"; then
  echo "the page needs the network"
  exit 1
fi
# A script marks the pictures that are shown.
mkdir -p "$dir"
{
  cat "$page"
  echo '<script>onload = () => { for (const i of document.images)
    if (i.naturalWidth > 0) i.className = "shown"; }</script>'
} >"$dir/marked.html"
timeout 100 "$browser" --headless --no-sandbox --disable-gpu \
  --user-data-dir="$dir/browser" --window-size=390,800 --dump-dom \
  "file://$dir/marked.html" >"$dir/dom.html" 2>/dev/null
bad=0
# expect WHAT SECTION PATTERN LEAST: PATTERN stands in the section with this id
# LEAST times or more.
expect() {
  found=$(sed -n "/<section id=\"$2\">/,/<\/section>/p" "$dir/dom.html" |
    grep -Eo "$3" | wc -l)
  echo "$1: $found"
  [ "$found" -ge "$4" ] || { echo "  expected at least $4"; bad=1; }
}
expect "graph" graph '<section' 1
if command -v dot >/dev/null; then
  expect "nodes drawn" graph '<g id="[^"]*" class="node' 5
fi
expect "points of the curve" loss '[0-9.]+,[0-9.]+ ' "$points"
expect "rows of the profile" profile '<tr><td>' 4
for part in "$@"; do
  expect "pictures in ${part%:*}" "${part%:*}" '<img [^>]*class="shown"' \
    "${part#*:}"
done
exit $bad
