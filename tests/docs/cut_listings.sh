#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Write each listing in C of DOCUMENT to FOLDER/N.h, N from 1 on, with the line
# where it stands. Those of other languages are not counted.
#
#   cut_listings.sh DOCUMENT FOLDER
set -eu
document=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
awk -v folder="$folder" -v document="$document" '
  /^ *```/ && out != "" { close(out); out = ""; next }
  /^ *```/ && other { other = 0; next }
  /^ *```c$/ {
    out = folder "/" ++n ".h"
    printf "#line %d \"%s\"\n", FNR + 1, document >out
    next
  }
  /^ *```/ { other = 1; next }
  out != "" { print >out }' "$document"
