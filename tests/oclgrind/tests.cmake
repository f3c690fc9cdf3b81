# SPDX-License-Identifier: BSD-2-Clause
# Ops of one's own under Oclgrind, which simulates a device and reports accesses
# out of bounds and data races: it finds those of out_of_bounds.c, and none in
# the examples.
find_program(OCLGRIND oclgrind)
mark_as_advanced(OCLGRIND)
if(NOT OCLGRIND OR NOT TARGET gpugraph OR GPUGRAPH_SANITIZE)
  return()
endif()

add_executable(out_of_bounds ${CMAKE_CURRENT_LIST_DIR}/out_of_bounds.c)
target_link_libraries(out_of_bounds PRIVATE gg_flags ${shared_libs})

# Run a program as test `name`; ARGN are properties that tell how it went.
function(gg_oclgrind_test name program)
  add_test(NAME ${name} COMMAND ${OCLGRIND} --data-races ${program})
  set_tests_properties(${name} PROPERTIES
    LABELS "oclgrind" TIMEOUT ${test_timeout}
    ENVIRONMENT "${test_environment};GPUARRAY_NO_POOL=1;GPUARRAY_NO_CACHE=1"
    ${ARGN})
endfunction()

gg_oclgrind_test(oclgrind_out_of_bounds $<TARGET_FILE:out_of_bounds>
  PASS_REGULAR_EXPRESSION
  "Invalid write of size 4 at global memory.*Kernel: stray.*z.i. = 1;")
foreach(name op_double op_double_kernel op_multiply op_two_outputs op_strided
    op_eye op_eye_file op_foreign)
  if(TARGET example_${name})
    gg_oclgrind_test(oclgrind_${name} $<TARGET_FILE:example_${name}>
      FAIL_REGULAR_EXPRESSION "Invalid|[Rr]ace|wrong|FATAL")
  endif()
endforeach()
