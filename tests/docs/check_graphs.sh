#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# The program PROGRAM reads each block "graph" of a document: a graph as text.
#
#   check_graphs.sh PROGRAM DOCUMENT
set -u
program=$(realpath "$1") document=$(realpath "$2")
cd "${TEST_DIR:-.}" || exit 1
status=0

rm -f graph-*.txt
awk '/^```/ { out = /^```graph$/ ? "graph-" FNR ".txt" : ""; next }
  out != "" { print >out }' "$document"
ls graph-*.txt >/dev/null || exit 1
for text in graph-*.txt; do
  "$program" graph "$text" check || status=1
done
exit $status
