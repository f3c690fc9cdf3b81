# SPDX-License-Identifier: BSD-2-Clause
# Once more where PoCL has two devices. "basic" computes when it is asked to,
# "pthread" in threads of its own.
gg_test(test_contexts_two "graph;device" ${CMAKE_COMMAND} -E env
  "POCL_DEVICES=pthread basic" $<TARGET_FILE:test_contexts>)
