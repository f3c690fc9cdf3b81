#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Saves models, and compares what ONNX Runtime makes of them, if it is there.
#
#   check_runtime.sh PROGRAM SOURCE
python=$("$2/ci/onnx-runtime" 2>&1) || {
  echo "$python"
  exit 77
}
export ONNX_SAVED=${TEST_DIR:-/tmp}/onnx_saved
rm -rf "$ONNX_SAVED"
mkdir -p "$ONNX_SAVED" && "$1" || exit 1
exec "$python" "$2/tests/onnx/check_runtime.py" "$ONNX_SAVED"
