#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Help, the manual page, completion and JSON agree with each other and are valid;
# output that cannot be written is an error.
#
#   check_words.sh PROGRAM [MODEL]
set -u
program=$1 model=${2:-}
status=0

complain() {
  echo "$*"
  status=1
}

# --- help ---

manual=$("$program" manual) bash=$("$program" completion bash)
commands=$(COLUMNS=80 "$program" help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
[ "$(wc -w <<<"$commands")" -ge 10 ] || complain "help lists: $commands"
for c in $commands; do
  "$program" help "$c" >/dev/null || complain "help $c fails"
  [ "$("$program" help "$c")" = "$("$program" "$c" --help)" ] ||
    complain "help $c is not $c --help"
  for n in 20 40 80 100; do
    COLUMNS=$n "$program" "$c" -h | grep -nE "^.{$((n > 40 ? n : 40))}" &&
      complain "$c: wider than $n columns"
  done
  options=$("$program" "$c" -h | grep -oE '^  --?[a-z]+' | sort -u)
  for o in $options; do
    grep -qF -- "${o//-/\\-}" <<<"$manual" || complain "manual lacks $o of $c"
    grep -qF -- "$o" <<<"$bash" || complain "bash lacks $o of $c"
  done
  grep -q "^.SS \"$c " <<<"$manual" || complain "the manual lacks $c"
  "$program" "$c" --frobnicate >/dev/null 2>&1
  [ $? = 2 ] || complain "$c --frobnicate: another status than 2"
done

# A terminal of 40 columns, where there are pseudo-terminals.
if command -v script >/dev/null && script -qec true /dev/null >/dev/null; then
  for c in help "help train" "help graph"; do
    env -u COLUMNS script -qec "stty cols 40; '$program' $c" /dev/null </dev/null |
      tr -d '\r' | grep -nE '^.{40}' && complain "$c: wider than its terminal"
  done
fi

# --- shells and man, where there are any ---

"$program" completion bash | bash -n || complain "bash refuses its script"
completed=$(bash -c 'source <("$0" completion bash); COMP_WORDS=(gpugraph de)
  COMP_CWORD=1; _gpugraph; echo "${COMPREPLY[*]}"' "$program")
[ "$completed" = devices ] || complain "bash completes de to: $completed"
completed=$(bash -c 'source <("$0" completion bash)
  COMP_WORDS=(gpugraph cache --j); COMP_CWORD=2; _gpugraph
  echo "${COMPREPLY[*]}"' "$program")
[ "$completed" = --json ] || complain "bash completes --j to: $completed"
if command -v zsh >/dev/null; then
  "$program" completion zsh | zsh -n || complain "zsh refuses its script"
fi
if command -v fish >/dev/null; then
  "$program" completion fish | fish -n || complain "fish refuses its script"
fi
# A page of each command, which says what its help says, and one of all.
pages=$(mktemp -d) || exit 1
trap 'rm -rf "$pages"' EXIT
"$program" manual --output "$pages/man1" || complain "manual --output fails"
for c in $commands; do
  [ "$("$program" manual "$c")" = "$(cat "$pages/man1/gpugraph-$c.1")" ] ||
    complain "no page of $c"
done
if command -v groff >/dev/null; then
  warnings=$(groff -man -Tascii -ww "$pages"/man1/*.1 2>&1 >"$pages/text")
  [ -z "$warnings" ] || complain "groff: $warnings"
  grep -q '^GPUGRAPH-TRAIN(1)' "$pages/text" || complain "groff: no train"
fi
if command -v lexgrog >/dev/null; then
  lexgrog "$pages"/man1/*.1 >"$pages/names" || complain "lexgrog: no names"
fi

# --- JSON ---

if command -v python3 >/dev/null; then
  check() {
    "$program" "$@" --json | python3 -m json.tool >/dev/null ||
      complain "no JSON: $*"
  }
  # Without a device: the reason, and nothing that looks like a result.
  check_device() {
    if [ -z "$no_device" ]; then
      check "$@"
      return
    fi
    said=$("$program" "$@" --json 2>"$pages/why")
    [ $? = 1 ] || complain "another status than 1 without a device: $*"
    [ -z "$said" ] || complain "without a device: $*: $said"
    [ "$(cat "$pages/why")" = "$no_device" ] ||
      complain "$*: no reason: $(cat "$pages/why")"
  }
  no_device=$("$program" caps 2>&1 >/dev/null |
    grep -E 'there is no OpenCL platform|no usable device;')
  [ -z "$no_device" ] || echo "only that these are refused: run, bench, caps"
  check cache
  check devices
  check version
  check_device caps
  [ -z "$model" ] || check inspect "$model"
  [ -z "$model" ] ||
    check_device run "$model" --size batch=2 --output "$pages/run"
  [ -z "$model" ] || check_device bench "$model" --size batch=2 --calls 3
fi

# --- output that nobody reads ---

for c in help version manual cache "completion zsh"; do
  # shellcheck disable=SC2086
  "$program" $c 2>&1 >/dev/full | grep -q 'cannot write: No space left' ||
    complain "$c: nothing said about a full output"
  # shellcheck disable=SC2086
  "$program" $c >/dev/full 2>&1 && complain "$c: status 0 with a full output"
  # shellcheck disable=SC2086
  "$program" $c 2>&1 >&- | grep -q 'cannot write: Bad file' ||
    complain "$c: nothing said about a closed output"
done
# So does what the libraries write.
"$program" graph "$(dirname "$0")/model.txt" 2>&1 >/dev/full |
  grep -q 'cannot write the text: No space left' ||
  complain "graph: no reason for a full output"
"$program" graph "$(dirname "$0")/model.txt" dot 2>&1 >&- |
  grep -q 'cannot write the graph: Bad file' ||
  complain "graph dot: no reason for a closed output"
# Who reads no further ends the program, or is the reason that it gives where
# the signal is ignored.
said=$({
  "$program" manual | head -1 >/dev/null
  echo "status ${PIPESTATUS[0]}"
} 2>&1)
case $said in
"status 0" | "status 141" | *"cannot write: Broken pipe"*"status 1") ;;
*) complain "manual: a pipe that ends: $said" ;;
esac
exit $status
