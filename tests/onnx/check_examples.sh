#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Saves the functions of all examples, and compares what ONNX Runtime makes of
# them, if it is there.
#
#   check_examples.sh PROGRAMS LIBRARY SOURCE [--write]
python=$("$3/ci/onnx-runtime" 2>&1) || {
  echo "$python"
  exit 77
}
folder=${TEST_DIR:-/tmp}/onnx_examples
rm -rf "$folder"
mkdir -p "$folder" || exit 1
exec "$python" "$3/tests/onnx/check_examples.py" "$1" "$2" \
  "$3/tests/onnx/examples.txt" "$folder" "${@:4}"
