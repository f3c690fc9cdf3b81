#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs a command if the default device has at least so much of what
# "gpugraph caps --json" tells; else the test is skipped. Without a device the
# command itself has to say so.
#
#   with_caps.sh GPUGRAPH local_bytes=8192 ... -- COMMAND [arguments]
caps=$("$1" caps --json 2>/dev/null)
shift
while [ "$1" != -- ]; do
  name=${1%%=*} least=${1#*=}
  has=$(sed -n "s/^ *\"$name\": \([0-9]*\),*\$/\1/p" <<<"$caps")
  if [ -n "$caps" ] && [ -z "$has" ]; then
    echo "caps --json has no number $name"
    exit 1
  fi
  if [ -n "$caps" ] && [ "$has" -lt "$least" ]; then
    echo "the device has $name $has, and $least are needed"
    exit 77
  fi
  shift
done
exec "${@:2}"
