#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause
# Runs a command if there is a device, as for what reads files that need one to
# be made; else the test is skipped.
#
#   with_device.sh GPUGRAPH COMMAND [arguments]
if ! why=$("$1" caps 2>&1 >/dev/null) && grep -qE \
  'there is no OpenCL platform|no usable device;' <<<"$why"; then
  echo "$why"
  exit 77
fi
exec "${@:2}"
