#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Checks the format of every file: clang-format for C, and for all of them the
# licence line, no trailing blanks, and nothing that belongs elsewhere. Golden
# files are what generators print.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

# Tracked files and new ones that git does not ignore.
files() {
  git ls-files --cached --others --exclude-standard -- "$@" | sort -u |
    while read -r f; do [ -f "$f" ] && echo "$f"; done
}

complain() {
  echo "format: $1"
  status=1
}

mapfile -t c_files < <(files '*.c' '*.h')
if command -v clang-format >/dev/null; then
  printf '%s\0' "${c_files[@]}" | xargs -0 -P "$(nproc)" -n 200 \
    clang-format --dry-run -Werror --ferror-limit=3 || status=1
else
  echo "format: no clang-format, C files not checked"
fi

# clang-format leaves comments as they were written.
grep -nE '^.{81,}$' "${c_files[@]}" /dev/null | grep -E ':[0-9]+: *(/\*|\* )' &&
  complain "comments of more than 80 columns"

mapfile -t own < <(files '*.c' '*.h' '*.cl' '*.cmake' '*.sh' 'ci/*' '*.py' \
  '*CMakeLists.txt' | grep -v '\.\(txt\|supp\)$\|^tests/golden/')
awk 'BEGIN { for (i = 1; i < ARGC; i++) lacks[ARGV[i]] = 1 }
  /SPDX-License-Identifier: BSD-2-Clause/ { delete lacks[FILENAME] }
  FNR == 2 { nextfile }
  END { for (f in lacks) { print "format: " f ": no licence line"; bad = 1 }; exit bad }' \
  "${own[@]}" || status=1

mapfile -t text < <(files '*.c' '*.h' '*.cl' '*.cmake' '*.sh' '*.md' '*.in' \
  'ci/*' '*CMakeLists.txt' '*.json' | grep -v '^tests/golden/')
grep -nE '[[:blank:]]+$' "${text[@]}" /dev/null &&
  complain "trailing blanks"
# Put together from parts, so that this file does not match itself.
grep -nwE "TO""DO|FIX""ME|X""XX" "${text[@]}" /dev/null &&
  complain "unfinished work"
grep -nE "(^|[^A-Za-z0-9_.}-])/(work|home|root)/" "${text[@]}" /dev/null &&
  complain "paths of one machine"

exit $status
