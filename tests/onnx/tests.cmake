# SPDX-License-Identifier: BSD-2-Clause
# ONNX's own tests of its operators.
if(NOT TARGET gpugraph_onnx)
  return()
endif()

add_executable(node_tests onnx/node_tests.c)
target_link_libraries(node_tests PRIVATE gg_flags gpugraph_onnx_static
  Threads::Threads m)

set(run_nodes ${CMAKE_CURRENT_LIST_DIR}/check_nodes.sh $<TARGET_FILE:node_tests>
  ${PROJECT_SOURCE_DIR})
if(GPUGRAPH_QUICK_TESTS)
  gg_test(onnx_nodes_tenth "onnx;device" ${run_nodes} --every 10)
else()
  gg_test(onnx_nodes "onnx;device" ${run_nodes})
endif()

# Saved models, judged by ONNX Runtime.
if(NOT GPUGRAPH_QUICK_TESTS)
  gg_test(onnx_runtime "onnx;device" ${CMAKE_CURRENT_LIST_DIR}/check_runtime.sh
    $<TARGET_FILE:test_onnx_save> ${PROJECT_SOURCE_DIR})
endif()
