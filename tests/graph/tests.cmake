# SPDX-License-Identifier: BSD-2-Clause
# Once more where PoCL has two devices. "basic" computes when it is asked to,
# "pthread" in threads of its own.
foreach(name test_contexts test_contexts_func)
  gg_test(${name}_two "graph;device" ${CMAKE_COMMAND} -E env
    "POCL_DEVICES=pthread basic" $<TARGET_FILE:${name}>)
endforeach()

foreach(name test_graph test_graph_shapes)
  target_sources(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/graph/bare_graph.c)
endforeach()
