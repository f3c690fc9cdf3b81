#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs a command if the default device has float64; else the test is skipped.
#
#   with_double.sh GPUGRAPH COMMAND [arguments]
if "$1" caps 2>/dev/null | grep -q '^ *double  *no$'; then
  echo "the device has no float64"
  exit 77
fi
exec "${@:2}"
