#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Reads files of the library with Python's safetensors package, and the other
# way round, if it is there.
#
#   check_safetensors.sh PROGRAM SOURCE
python=$("$2/ci/onnx-runtime" 2>&1) || {
  echo "$python"
  exit 77
}
export SAFETENSORS=${TEST_DIR:-/tmp}/safetensors
rm -rf "$SAFETENSORS"
mkdir -p "$SAFETENSORS" && "$1" || exit 1
"$python" - "$SAFETENSORS" <<'END' || exit 1
import sys
import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

values = {}
with safe_open(sys.argv[1] + "/ours.safetensors", framework="np") as f:
    names = set(f.keys())
    for name in sorted(names - {"bfloat16"}):  # NumPy has no bfloat16
        x = f.get_tensor(name)
        want = np.array([[0, 1, 2], [0, 1, 2]]).astype(name)
        assert x.dtype == np.dtype(name), (name, x.dtype)
        assert np.array_equal(x, want), (name, x)
        values[name] = x
assert "bfloat16" in names and len(values) == 12, names
save_file(values, sys.argv[1] + "/theirs.safetensors", {"made": "by Python"})
END
exec "$1"
