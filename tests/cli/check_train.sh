#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Trainings by the program: data from a graph that computes them, a line, and
# with "all" classes, files of each kind, and going on from a file.
#
#   check_train.sh PROGRAM FOLDER_OF_GRAPHS [all]
set -u
program=$1 graphs=$2 all=${3:-}
status=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

complain() {
  echo "$*"
  cat log
  status=1
}

# Train, and check that the last loss is below $1.
trains() {
  local most=$1
  shift
  "$program" train "$@" >log 2>&1 || complain "failed: train $*"
  awk -v most="$most" '/ steps in .* loss / {
      sub(/.* loss /, ""); found = $1 + 0 < most } END { exit !found }' log ||
    complain "a loss of more than $most: train $*"
}

refuses() {
  local message=$1
  shift
  "$program" train "$@" >log 2>&1 && complain "not refused: train $*"
  grep -qF -- "$message" log || complain "without \"$message\": train $*"
}

"$program" devices >/dev/null || exit 77
cp "$graphs"/*.txt .
"$program" convert data.txt data.onnx || exit 1
"$program" run data.onnx --output . >/dev/null || exit 1

trains 0.02 line.txt --loss squared --data x=u.npy y=y.npy --epochs 60 \
  --batch 16 --rate 0.05 --output line.gg
"$program" graph line.gg check >log || complain "line.gg cannot be read"

to=(--output out.gg)
refuses 'train needs --loss' line.txt --data x=u.npy "${to[@]}"
refuses 'got squard; did you mean squared?' line.txt --loss squard "${to[@]}"
refuses 'ends in .gg, .onnx or .safetensors, got out.pt' line.txt --output out.pt
refuses '--rate takes a number of at least 0, got -1' line.txt --rate -1
refuses '--epochs takes 1 to 4294967295, got 0' line.txt --epochs 0
refuses '"x" has two files: a and b' line.txt --data x=a --data x=b
refuses 'input "x" has no data: --data x=FILE.npy' \
  line.txt --loss squared --data z=u.npy "${to[@]}"
refuses 'what should "p" be?' line.txt --loss squared --data x=u.npy "${to[@]}"
refuses 'line.txt has no input "z"' \
  line.txt --loss squared --data x=u.npy y=y.npy z=u.npy "${to[@]}"
refuses 'the output "p" is float32[?, 1], and a loss is one float' \
  line.txt --loss output --data x=u.npy "${to[@]}"
refuses 'has no weights to train' line.txt --loss squared \
  --data x=u.npy y=y.npy --freeze w --freeze b "${to[@]}"
refuses 'the other operand is float32[?]' \
  line.txt --loss squared --data x=u.npy y=c.npy "${to[@]}"
refuses 'cannot open /nowhere.npy' \
  line.txt --loss squared --data x=/nowhere.npy y=y.npy "${to[@]}"
refuses 'dim 0 of input "x" is 64, and batches have 8 rows: give --batch 64' \
  fixed.txt --loss squared --data x=u.npy y=y.npy --batch 8 "${to[@]}"
[ ! -e out.gg ] || complain "a refused training wrote a file"
[ -n "$all" ] || exit $status

trains 0.02 line.gg --loss huber --data x=u.npy y=y.npy --rate 0.01 \
  --optimiser adam-w --output line.safetensors
trains 0.2 classes.txt --loss cross-entropy --data x=u.npy c=c.npy \
  --epochs 60 --batch 16 --rate 0.1 --output classes.onnx
trains 0.2 classes.onnx --loss cross-entropy --data x=u.npy c=c.npy --batch 16 \
  --rate 0.1 --freeze b --state state.safetensors --epochs 2 --output two.onnx
trains 0.2 classes.onnx --loss cross-entropy --data x=u.npy c=c.npy --batch 16 \
  --rate 0.1 --freeze b --state state.safetensors --epochs 4 --output four.onnx
grep -q '^epoch 3/4' log || complain "does not go on from the state"
grep -q '^epoch 2/4' log && complain "begins anew in spite of the state"
"$program" run four.onnx --input x=u.npy >log || complain "four.onnx does not run"
exit $status
