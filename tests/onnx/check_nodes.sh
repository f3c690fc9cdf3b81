#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs ONNX's own tests of its operators, if they are there.
#
#   check_nodes.sh PROGRAM SOURCE [arguments of the program]
folder=$("$2/ci/onnx-tests" 2>&1) || {
  echo "$folder"
  exit 77
}
exec "$1" "$folder" "$2/tests/onnx/expected.txt" "${@:3}"
