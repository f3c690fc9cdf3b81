#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Documents say what is so:
#
#   links      each link to a file, and to a heading, leads somewhere
#   listings   each block of C or C++ is a part, line by line, of a source that was
#              linked before it; or the program of the document's name in
#              tests/docs/listings includes it. Tests run both
#   names      each function that a document names in backticks is in a header,
#              and so is each name in the column "here" of the tables of
#              docs/coming-from.md and docs/theano.md
#   codes      docs/errors.md has all codes of gpuarray/error.h
#   messages   each message in docs/errors.md is in the sources
#
# What programs print is compared by tests/docs.
set -u
cd "$(dirname "$0")/.." || exit 1
status=0

mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
  '*.md' | sort -u | while read -r f; do [ -f "$f" ] && echo "$f"; done)

complain() {
  echo "docs: $1"
  status=1
}

# Links as FILE:LINE:TARGET, without those in code and those to other hosts.
links() {
  awk '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    fenced || /^    / { next }
    {
      gsub(/`[^`]*`/, "")
      while (match($0, /\]\([^)]*\)/)) {
        target = substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
        if (target !~ /^[a-z]+:/)
          print FILENAME ":" FNR ":" target
      }
    }' "$@"
}

# The anchors of the headings of a file, as web pages make them.
anchors() {
  awk '
    /^ *```/ { fenced = !fenced }
    !fenced && /^#+ / {
      sub(/^#+ +/, "")
      gsub(/\]\([^)]*\)/, "")
      $0 = tolower($0)
      gsub(/[^a-z0-9_ -]/, "")
      gsub(/ /, "-")
      print
    }' "$1"
}

check_links() {
  local from line target path
  while IFS=: read -r from line target; do
    path=${target%%#*}
    if [ -z "$path" ]; then
      path=$from
    else
      path=$(dirname "$from")/$path
    fi
    if [ ! -e "$path" ]; then
      complain "$from:$line: $target leads nowhere"
    elif [ "${target#*#}" != "$target" ] &&
      ! anchors "$path" | grep -qxF -- "${target#*#}"; then
      complain "$from:$line: $target: no such heading"
    fi
  done < <(links "${files[@]}")
}

# Is each block of C in file $1 a part of a source linked before it, or included
# by the program of its name? Blocks of a list are indented.
check_listings() {
  awk -v dir="$(dirname "$1")" \
    -v including="tests/docs/listings/$(basename "$1" .md).c" '
    function load(path,    line) {
      n++ # no listing goes from one source to the next
      while ((getline line < path) > 0)
        program[n++] = line
      close(path)
    }
    function is_part(    i, j, indent) {
      for (i = 0; i + rows <= n; i++) {
        indent = program[i]
        sub(/[^ ].*/, "", indent)
        for (j = 0; j < rows; j++)
          if (program[i + j] != block[j] && program[i + j] != indent block[j])
            break
        if (j == rows)
          return 1
      }
      return 0
    }
    BEGIN {
      while ((getline line < including) > 0)
        if (match(line, /^#include "[0-9]+\.h"/))
          included[substr(line, 11, RLENGTH - 13)] = 1
    }
    /^ *```/ && fenced {
      fenced = 0
      listing += language == "c"
      if (language ~ /^(c|cpp)$/ && !is_part() &&
          !(language == "c" && listing in included)) {
        print "docs: " FILENAME ":" from ": the listing is in no program"
        bad = 1
      }
      next
    }
    match($0, /^ *```/) {
      fenced = 1
      language = substr($0, RLENGTH + 1)
      indent = RLENGTH - 3
      rows = 0
      from = FNR
      next
    }
    fenced { block[rows++] = substr($0, indent + 1); next }
    {
      rest = $0
      while (match(rest, /\]\([^)]*\.(c|cpp|h|def)\)/)) {
        load(dir "/" substr(rest, RSTART + 2, RLENGTH - 3))
        rest = substr(rest, RSTART + RLENGTH)
      }
    }
    END { exit bad }' "$1" || status=1
}

# The words of public headers, also of the one that is made of elementwise.def.
header_words() {
  cat include/*/*.h | grep -oE '[A-Za-z_][A-Za-z0-9_]*'
  sed -nE 's/^(UNARY|BINARY|TERNARY)\(([a-z0-9_]+),.*/gg_\2/p' src/ops/elementwise/elementwise.def
}

# Names in backticks in the column "here" of the tables of file $1.
names_here() {
  awk -F'|' '
    !/^\|/ { column = 0; next }
    !column {
      for (i = 2; i < NF; i++)
        if ($i ~ /^ *here *$/)
          column = i
      next
    }
    {
      text = $column
      while (match(text, /`[^`]*`/)) {
        print FNR ":" substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
      }
    }' "$1"
}

# Names of public functions in backticks, outside of blocks of code; those that
# end with _ are beginnings of names.
functions_named() {
  awk '
    /^ *```/ { fenced = !fenced; next }
    fenced { next }
    {
      text = $0
      while (match(text, /`[^`]*`/)) {
        code = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH)
        while (match(code, /(gg|GpuArray|GpuKernel|GpuLaunch)_[A-Za-z0-9_]+/)) {
          name = substr(code, RSTART, RLENGTH)
          before = substr(code, RSTART - 1, RSTART > 1)
          code = substr(code, RSTART + RLENGTH)
          if (name !~ /_$/ && name !~ /^gg__/ && before !~ /[A-Za-z0-9_]/ &&
              name != "gg_test" && name != "gg_noun_verb")
            print FNR ":" name
        }
      }
    }' "$1"
}

# Are the names that function $1 finds in file $2 in headers?
check_names() {
  awk -F: -v file="$2" '
    FNR == NR { known[$0] = 1; next }
    !($2 in known) { print "docs: " file ":" $1 ": no header has " $2; bad = 1 }
    END { exit bad }' <(echo "$header_words") <("$1" "$2") || status=1
}

# The sources with strings that are cut in parts joined, in few long lines.
joined_sources() {
  find src -name '*.c' -exec cat {} + | tr '\n' ' ' | sed 's/" *"//g' | tr '{}' '\n\n'
}

# The messages of a file: names in backticks in the first column of tables under
# "## Messages", as patterns. "..." is what printf puts in.
message_patterns() {
  sed -n '/^## Messages/,/^## [^M]/s/^| `\([^`]*\)` |.*/\1/p' "$1" |
    sed 's/[][\\^$*+?(){}|.]/\\&/g
         s/"/\\\\"/g
         s/\\\.\\\.\\\./(%[-+.0-9*#]*(hh|h|ll|l|z|j|t)?[a-zA-Z])+/g'
}

check_errors() {
  local file=$1 sources word pattern
  sources=$(mktemp) || exit 1
  joined_sources >"$sources"
  while read -r word; do
    grep -q "^| \`$word\` |" "$file" || complain "$file lacks $word"
  done < <(grep -oE '^ *GA_[A-Z]+_ERROR' include/gpuarray/error.h)
  while IFS= read -r pattern; do
    grep -qE -- "$pattern" "$sources" ||
      complain "$file: no source has a message like $pattern"
  done < <(message_patterns "$file")
  rm -f "$sources"
}

check_links
check_errors docs/errors.md
header_words=$(header_words | sort -u)
for f in docs/coming-from.md docs/theano.md; do
  check_names names_here "$f"
done
for f in "${files[@]}"; do
  check_names functions_named "$f"
  check_listings "$f"
done
exit $status
