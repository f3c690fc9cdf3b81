#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Give the Fashion-MNIST example files that are missing, wrong or damaged: it
# must say which and why, and fail.
#   check_bad_data.sh PROGRAM DATA FOLDER
set -u
program=$1 data=$2 dir=$3/bad-data
images=train-images-idx3-ubyte.gz labels=train-labels-idx1-ubyte.gz
bad=0

fresh() {
  rm -rf "$dir"
  mkdir -p "$dir"
  for f in "$data"/*.gz; do
    ln -s "$f" "$dir/"
  done
}

# expect WHAT TEXT: the run fails and its message holds TEXT.
expect() {
  if out=$("$program" --data "$dir" --epochs 1 --report "$dir/r.html" 2>&1)
  then
    echo "$1: the program succeeded"
    bad=1
  elif ! printf '%s' "$out" | grep -qF "$2"; then
    echo "$1: expected '$2' in: $out"
    bad=1
  else
    echo "$1: $out"
  fi
}

fresh
rm "$dir/$images"
expect "missing" "$images: cannot be opened"

fresh
rm "$dir/$images"
head -c 1000000 "$data/$images" >"$dir/$images"
expect "truncated" "$images: truncated or damaged"

fresh
rm "$dir/$labels"
cp "$data/$images" "$dir/$labels"
expect "wrong file" "$labels: starts with 00000803"

fresh
rm "$dir/$labels"
printf 'no dataset' >"$dir/$labels"
expect "not gzip" "$labels: starts with 6e6f2064"

fresh
rm "$dir/$labels"
printf '\000\000\010\001\377' | gzip >"$dir/$labels"
expect "short header" "$labels: ends within the sizes"

fresh
rm "$dir/$labels"
ln -s "$data/t10k-labels-idx1-ubyte.gz" "$dir/$labels"
expect "other length" "images and labels do not belong together"

rm -rf "$dir"
exit $bad
