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
  set_property(TEST onnx_nodes PROPERTY COST 100) # long: the first to begin
endif()

# Saved models, judged by ONNX Runtime.
if(NOT GPUGRAPH_QUICK_TESTS)
  gg_test(onnx_runtime "onnx;device" ${CMAKE_CURRENT_LIST_DIR}/check_runtime.sh
    $<TARGET_FILE:test_onnx_save> ${PROJECT_SOURCE_DIR})
endif()

# The functions of all examples, judged by ONNX Runtime. Their programs load a
# library that saves what they compile.
if(TARGET example_check AND NOT GPUGRAPH_QUICK_TESTS AND NOT GPUGRAPH_SANITIZE)
  add_library(save_functions MODULE onnx/save_functions.c)
  target_link_libraries(save_functions PRIVATE gg_flags ${shared_libs}
    ${CMAKE_DL_LIBS})
  gg_test(onnx_examples "onnx;device;examples"
    ${CMAKE_CURRENT_LIST_DIR}/check_examples.sh
    $<TARGET_FILE_DIR:example_check> $<TARGET_FILE:save_functions>
    ${PROJECT_SOURCE_DIR})
endif()
