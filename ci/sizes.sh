#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Files of at most 800 lines (tests 1000), functions of at most 100, no two files
# of one name in src/ and cl/, and no product of two sizes that may overflow in
# ga__malloc: ga__calloc and ga__realloc_array look.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

complain() {
  echo "sizes: $1"
  status=1
}

mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
  '*.c' '*.h' '*.cl' '*.cmake' 'ci/*' | sort -u |
  while read -r f; do [ -f "$f" ] && echo "$f"; done)
wc -l "${files[@]}" | awk '
  $2 != "total" && $1 > ($2 ~ /^tests\// ? 1000 : 800) {
    printf "sizes: %s has %d lines, too many\n", $2, $1
    bad = 1
  }
  END { exit bad }' || status=1

# With our format a function's name begins in column 1, its body starts behind
# the first line that ends in ") {" and ends with "}" in column 1.
mapfile -t c_files < <(printf '%s\n' "${files[@]}" | grep '\.c$')
awk '
  FNR == 1 { start = head = 0 }
  /^[a-z]/ && !start { head = FNR }
  /\) \{$/ && head && !start { start = head }
  /;$/ && !start { head = 0 }
  /^}/ {
    if (start && FNR - start > 100) {
      printf "sizes: %s:%d: a function of %d lines\n", FILENAME, start, FNR - start
      bad = 1
    }
    start = head = 0
  }
  END { exit bad }' "${c_files[@]}" || status=1

# A structure's size or a number may be a factor: counts have 32 bits.
unchecked=$(grep -rnE --include='*.c' 'ga__malloc\([^;]* \* ' src |
  grep -vE 'sizeof|\([0-9]+ \*')
[ -z "$unchecked" ] || complain "a product that may overflow: $unchecked"

twins=$(printf '%s\n' "${files[@]}" | grep -E '^(src|cl)/' |
  sed 's|.*/||' | sort | uniq -d)
[ -z "$twins" ] || complain "names used twice: $(echo $twins)"

exit $status
