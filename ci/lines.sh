#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Documents have lines of at most 120 columns, and say what is so (ci/docs.sh).
set -u
cd "$(dirname "$0")/.." || exit 1

mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
  '*.md' | sort -u | while read -r f; do [ -f "$f" ] && echo "$f"; done)
if LC_ALL=C.UTF-8 grep -nE '^.{121,}$' "${files[@]}" /dev/null; then
  echo "lines: more than 120 columns"
  exit 1
fi
exec ci/docs.sh
