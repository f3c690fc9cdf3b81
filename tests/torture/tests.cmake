# SPDX-License-Identifier: BSD-2-Clause
# Scenarios and the loop over failures, for the tests of this folder.
file(GLOB torture_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/torture/*.c)
list(FILTER torture_sources EXCLUDE REGEX "/(test_[^/]*|soak[^/]*)\\.c$")
add_library(torture STATIC ${torture_sources} ${layer_used})
target_include_directories(torture PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_link_libraries(torture PUBLIC test_graph_support fault_layer)

target_link_libraries(test_torture PRIVATE torture)
gg_layer_test(test_torture)
set_property(TEST test_torture PROPERTY COST 100) # long: the first to begin
if(GPUGRAPH_SANITIZE OR GPUGRAPH_QUICK_TESTS) # fewer failures of each scenario
  set_property(TEST test_torture APPEND PROPERTY ENVIRONMENT
    TORTURE_MOST=4 TORTURE_ONCE=1)
endif()

# The file operations of the libraries go through the test.
foreach(test test_torture_files test_power_loss test_file_failures
    test_graph_files test_array_files)
  target_link_libraries(${test} PRIVATE torture)
  foreach(call open close read write lseek stat fstat fchmod fchown fsync
      ftruncate readlink rename mkdir unlink)
    target_link_options(${test} PRIVATE LINKER:--wrap=${call})
  endforeach()
endforeach()

target_link_libraries(test_threads PRIVATE torture)
gg_layer_test(test_threads)

# For as long as wanted (ci/soak); the test is a moment of it. The sanitizers'
# allocator does not say what it has given out, and the torture has its scenarios.
if(NOT GPUGRAPH_SANITIZE)
  add_executable(soak torture/soak.c)
  target_link_libraries(soak PRIVATE torture)
  gg_test(soak "torture;device;full" soak 0.1 200)
  gg_layer_test(soak)
endif()

# The same with OpenCL alone: what the driver itself keeps.
add_executable(soak_plain torture/soak_plain.c torture/process.c)
target_include_directories(soak_plain PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(soak_plain PRIVATE gg_flags OpenCL::OpenCL)
