# SPDX-License-Identifier: BSD-2-Clause
# The fault layer, a shared library that the OpenCL loader puts before the
# driver, and the tests that run under it.
file(GLOB callers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/ocl/*.[ch]
  ${PROJECT_SOURCE_DIR}/src/blas/*.[ch])
set(layer_used ${CMAKE_CURRENT_BINARY_DIR}/layer_used.inc)
add_custom_command(OUTPUT ${layer_used}
  COMMAND ${CMAKE_COMMAND} -D OUT=${layer_used} -D "FILES=${callers}"
    -P ${CMAKE_CURRENT_SOURCE_DIR}/layer/used.cmake
  DEPENDS ${callers} ${CMAKE_CURRENT_SOURCE_DIR}/layer/used.cmake
  COMMENT "Listing the OpenCL calls of src/" VERBATIM)

file(GLOB layer_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/layer/*.c)
list(FILTER layer_sources EXCLUDE REGEX "/test_")
add_library(fault_layer SHARED ${layer_sources} ${layer_used})
target_include_directories(fault_layer
  PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
target_link_libraries(fault_layer PRIVATE gg_flags Threads::Threads)

# Run the test `name`, registered already, under the layer.
function(gg_layer_test name)
  target_link_libraries(${name} PRIVATE fault_layer)
  set_property(TEST ${name} APPEND PROPERTY
    ENVIRONMENT "OPENCL_LAYERS=$<TARGET_FILE:fault_layer>")
endfunction()

gg_layer_test(test_layer)
