#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Run the commands of each block "terminal" of a document, in a folder with
# copies of FILES, where PROGRAM has the name gpugraph. What else they read is
# made by terminal/<name of the document>.sh. All texts there are graphs.
#
#   check_terminal.sh PROGRAM DOCUMENT FILES
set -u
program=$(realpath "$1") document=$(realpath "$2") files=$(realpath "$3")
here=$(realpath "$(dirname "$0")")
export sources=$here/..
cd "${TEST_DIR:-.}" || exit 1
rm -rf terminal
cp -r "$files" terminal && cd terminal && mkdir bin && ln -s "$program" bin/gpugraph || exit 1
PATH=$PWD/bin:$PATH
awk '/^```/ { wanted = /^```terminal$/; next } wanted' "$document" >commands
[ -s commands ] || { echo "$document: no commands"; exit 1; }
gpugraph devices >/dev/null || exit 77
for text in *.txt; do
  gpugraph graph "$text" check || exit 1
done
bash -eux "$here/terminal/$(basename "$document" .md).sh" || exit 1
bash -eux commands
