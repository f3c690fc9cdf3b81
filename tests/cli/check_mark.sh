#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# A self-test that was killed is told of by the next one, once.
#
#   check_mark.sh PROGRAM LAYER
set -u

"$1" selftest >/dev/null || exit 77 # no device; else the cache is warm now
rm -f "$GPUARRAY_CACHE_PATH"/selftest-*.mark
OPENCL_LAYERS=$2 GG_LAYER=${GG_LAYER:+$GG_LAYER,}slow=5000 "$1" selftest >/dev/null &
victim=$!
for _ in $(seq 600); do
  ls "$GPUARRAY_CACHE_PATH"/selftest-*.mark >/dev/null 2>&1 && break
  sleep 0.1
done
kill -9 $victim || exit 1
wait $victim 2>/dev/null
told='the previous self-test did not finish: it was at "'
"$1" selftest | grep -F "$told" || exit 1
text=$("$1" selftest --json)
if grep previous_crash <<<"$text"; then
  echo "told twice"
  exit 1
fi
command -v python3 >/dev/null || exit 0
python3 -c '
import json, sys
found = json.load(sys.stdin)
sys.exit(found["failed"] or len(found["checks"]) < 20)' <<<"$text" || {
  echo "no JSON of a self-test: $text"
  exit 1
}
