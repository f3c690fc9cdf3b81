#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A C program has at most so many lines without blanks and comments.
#   check_lines.sh FILE MOST
set -u
lines=$(awk '{
  text = ""
  while (length($0) > 0) {
    if (inside) {
      end = index($0, "*/")
      inside = !end
      $0 = end ? substr($0, end + 2) : ""
    } else {
      begin = index($0, "/*")
      text = text (begin ? substr($0, 1, begin - 1) : $0)
      inside = begin > 0
      $0 = begin ? substr($0, begin + 2) : ""
    }
  }
  sub("//.*", "", text)
  if (text ~ /[^ \t]/)
    n++
} END { print n + 0 }' "$1")
echo "$1: $lines lines, at most $2"
[ "$lines" -gt 10 ] && [ "$lines" -le "$2" ]
