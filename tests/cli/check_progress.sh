#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# What takes longer than a second is shown on a terminal, and erased; nothing is
# shown otherwise. A layer makes calls of the driver slow.
#
#   check_progress.sh PROGRAM MODEL LAYER
set -u
program=$1 model=$2 status=0
erase=$'\r\033[K'
slow=(env "OPENCL_LAYERS=$3" "GG_LAYER=${GG_LAYER:+$GG_LAYER,}slow=20000")

if ! command -v script >/dev/null || ! script -qec true /dev/null >/dev/null; then
  echo "no pseudo-terminals"
  exit 77
fi
"$program" run "$model" --size batch=2 >/dev/null || exit 77 # no device

complain() {
  echo "$1"
  cat -v <<<"$2"
  status=1
}

on_terminal() {
  script -qec "$(printf '%q ' "$@")" /dev/null </dev/null
}

# The text without the lines that were drawn and erased.
left() {
  sed -E $'s/(\r[^\r]*\033\\[K)+\r\033\\[K//g' <<<"$1" | tr -d '\r'
}

run=("$program" run "$model")
said=$(on_terminal "${slow[@]}" "${run[@]}" --size batch=2)
[[ $said =~ (loading|calling)' the model: '[0-9]+' s' ]] ||
  complain "nothing shown" "$said"
[[ $said == *"$erase"* ]] || complain "nothing erased" "$said"
[ "$(left "$said" | tail -1)" = "y: float32[2, 3]" ] ||
  complain "another result" "$said"
left "$said" | grep -q ' s$' && complain "a line stays" "$said"

# An error comes after the line.
said=$(on_terminal "${slow[@]}" "${run[@]}")
[[ $said =~ 'loading the model: '[0-9]+' s' ]] ||
  complain "nothing shown before the error" "$said"
[[ $(left "$said") == "gpugraph: dim 0 of input"* ]] ||
  complain "no error behind an erased line" "$said"

# A machine that has much else to do may be as slow.
start=$(date +%s%N)
said=$(on_terminal "${run[@]}" --size batch=2)
if [ $((($(date +%s%N) - start) / 1000000)) -lt 1000 ]; then
  [[ $said == *$'\033'* ]] && complain "shown, but not slow" "$said"
fi
said=$("${slow[@]}" "${run[@]}" --size batch=2 2>&1 >/dev/null)
[ -z "$said" ] || complain "shown without a terminal" "$said"
exit $status
