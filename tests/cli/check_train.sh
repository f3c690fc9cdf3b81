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

# A table with a header, whose rows are those of steps.txt, and more columns.
awk 'BEGIN { print "id,a,b,c,class,y"
  for (i = 0; i < 64; i++) {
    a = i % 4 / 4; b = i % 7 / 7; c = i % 5 / 5
    print i "," a "," b "," c "," (a + b + c > 1.2) "," 2 * a - b + c + 1 } }' >t.csv
trains 0.02 steps.txt --function train --data x=t.csv:a..c y=t.csv:y \
  --epochs 60 --batch 16 --output steps.gg
"$program" graph steps.gg >log || complain "steps.gg cannot be read"
diff <(sed -n 's/^function //p' log) - <<'END' || complain "steps.gg lost functions"
predict(x) -> (p)
train(x, y) -> (cost) update (w = w1, b = b1)
END

to=(--output out.gg)
own=(steps.txt --function train --data x=t.csv:2..4 y=t.csv:6 --output)
refuses 'has updates of its own, which decide how it is trained: it takes no --rate' \
  "${own[@]}" out.gg --rate 1
refuses 'has updates of its own, which decide how it is trained: it takes no --loss' \
  "${own[@]}" out.gg --loss squared
refuses 'has updates, which ONNX models do not have' "${own[@]}" out.onnx
refuses 't.csv has 6 columns, but no "z"' \
  steps.txt --function train --data x=t.csv:a..c y=t.csv:z "${to[@]}"
refuses 't.csv: the columns c..a are none' \
  steps.txt --function train --data x=t.csv:c..a y=t.csv:y "${to[@]}"
refuses 't.csv is float32[64, 6], whose rows are no rows of input "x", float32[?, 3]' \
  steps.txt --function train --data x=t.csv y=t.csv:y "${to[@]}"
refuses 'u.npy has one array, but "a" of it is wanted' \
  steps.txt --function train --data x=u.npy:a y=t.csv:y "${to[@]}"
refuses '--divide z: there is no --data z' \
  "${own[@]}" out.gg --divide z=2
refuses '--divide is for inputs, got "y"' line.txt --loss squared \
  --data x=u.npy y=y.npy --divide y=2 "${to[@]}"
refuses '--draw v: line.txt has no weights of two axes or more whose names begin so' \
  line.txt --loss squared --data x=u.npy y=y.npy --draw v "${to[@]}"
refuses 'train needs --loss' line.txt --data x=u.npy "${to[@]}"
refuses 'got squard; did you mean squared?' line.txt --loss squard "${to[@]}"
refuses 'ends in .gg, .onnx or .safetensors, got out.pt' line.txt --output out.pt
refuses '--rate takes a number of at least 0, got -1' line.txt --rate -1
refuses '--epochs takes 1 to 4294967295, got 0' line.txt --epochs 0
refuses '"x" has two files: a and b' line.txt --data x=a --data x=b
refuses 'input "x" has no data: --data x=FILE' \
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
refuses 'cannot write /nowhere/at.gg: No such file or directory' line.txt \
  --loss squared --data x=u.npy y=y.npy --output /nowhere/at.gg
refuses 'cannot write /nowhere/at: No such file or directory' line.txt \
  --loss squared --data x=u.npy y=y.npy --state /nowhere/at "${to[@]}"
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

# Other kinds of files, and rows of other sizes, as bytes.
{
  printf '\0\0\10\3\0\0\0\100\0\0\0\3\0\0\0\1'
  for i in {0..63}; do printf %b "\\x$(printf %x $((i * 4)))\\x1\\xff"; done
} >x.idx
{
  printf '\0\0\10\1\0\0\0\100'
  for i in {0..63}; do printf %b "\\x$((i / 32))"; done
} >c.idx
trains 0.4 classes.txt --loss cross-entropy --data x=x.idx c=c.idx \
  --divide x=255 --draw w --epochs 60 --batch 16 --rate 0.1 --output idx.onnx
trains 0.4 classes.txt --loss cross-entropy --data x=t.csv:a..c c=t.csv:class \
  --epochs 60 --batch 16 --rate 0.1 --output table.onnx
if command -v python3 >/dev/null; then
  python3 - <<'END' || complain "no archive"
import zipfile
with zipfile.ZipFile("d.npz", "w", zipfile.ZIP_DEFLATED) as z:
    z.write("u.npy", "points.npy")
    z.write("y.npy", "y.npy")
END
  trains 0.02 line.txt --loss squared --data x=d.npz:points y=d.npz --epochs 60 \
    --batch 16 --rate 0.05 --output line.safetensors
fi
if command -v python3 >/dev/null; then
  "$program" train classes.onnx --loss cross-entropy --data x=u.npy c=c.npy \
    --batch 16 --rate 0.1 --freeze b --epochs 2 --output five.onnx --json \
    2>log >log.json || complain "train --json: status $?"
  grep -q '^epoch 2/2' log || complain "train --json: no progress"
  python3 - <<'END' || complain "train --json: $(cat log.json)"
import json, sys
end = json.load(open("log.json"))
sys.exit(end["epochs"] != 2 or end["output"] != "five.onnx" or end["loss"] < 0)
END
fi
"$program" run four.onnx --input x=u.npy >log || complain "four.onnx does not run"
exit $status
