# SPDX-License-Identifier: BSD-2-Clause
# Checks that need more than a program: the table of test_abi.c against the
# headers of libgpuarray itself, where installed, and the exported names.
find_path(LIBGPUARRAY_INCLUDE_DIR gpuarray/array.h)
find_library(LIBGPUARRAY_LIBRARY gpuarray)
mark_as_advanced(LIBGPUARRAY_INCLUDE_DIR LIBGPUARRAY_LIBRARY)

# Ours, installed in a system folder, also has launch.h.
if(LIBGPUARRAY_INCLUDE_DIR AND LIBGPUARRAY_LIBRARY AND
   NOT EXISTS ${LIBGPUARRAY_INCLUDE_DIR}/gpuarray/launch.h)
  add_executable(test_abi_original ${CMAKE_CURRENT_SOURCE_DIR}/compat/test_abi.c)
  target_compile_definitions(test_abi_original
    PRIVATE GPUARRAY_SHARED _XOPEN_SOURCE=700)
  target_include_directories(test_abi_original SYSTEM
    PRIVATE ${LIBGPUARRAY_INCLUDE_DIR})
  target_link_libraries(test_abi_original
    PRIVATE gg_cmocka ${LIBGPUARRAY_LIBRARY})
  gg_test(test_abi_original "compat;host")

  # A program built against the original runs with our library in its place,
  # and does the same with the original.
  get_filename_component(original_dir ${LIBGPUARRAY_LIBRARY} DIRECTORY)
  function(gg_dropin name)
    add_executable(${name} ${CMAKE_CURRENT_SOURCE_DIR}/compat/${name}.c)
    target_compile_definitions(${name} PRIVATE GPUARRAY_SHARED)
    target_include_directories(${name} SYSTEM
      PRIVATE ${LIBGPUARRAY_INCLUDE_DIR})
    target_link_libraries(${name} PRIVATE ${LIBGPUARRAY_LIBRARY})
    set_target_properties(${name} PROPERTIES SKIP_BUILD_RPATH ON)
    add_dependencies(${name} gpuarray)
    gg_test(test_${name} "compat;device" ${CMAKE_COMMAND} -E env
      LD_LIBRARY_PATH=${PROJECT_BINARY_DIR} $<TARGET_FILE:${name}> ours)
    if(NOT GPUGRAPH_SANITIZE) # the original leaks
      gg_test(test_${name}_original "compat;device;full" ${CMAKE_COMMAND} -E env
        LD_LIBRARY_PATH=${original_dir}
        ${CMAKE_CURRENT_SOURCE_DIR}/compat/original.sh $<TARGET_FILE:${name}>
        original)
      set_tests_properties(test_${name}_original # and lets drivers print
        PROPERTIES FAIL_REGULAR_EXPRESSION "")
    endif()
  endfunction()
  gg_dropin(dropin)
  gg_dropin(misuse)
endif()

# A library with the names of 0.7.6 and nothing else. A program that is linked to
# it runs with ours; libgpugraph with it in our place says what it misses.
if(TARGET gpugraph_cli AND UNIX AND NOT APPLE AND NOT GPUGRAPH_SANITIZE)
  set(old ${CMAKE_CURRENT_BINARY_DIR}/old)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/names_0_7_6.txt names)
  foreach(name IN LISTS names)
    string(APPEND old_code "void ${name}(void);\nvoid ${name}(void) {}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${old}/old.c CONTENT "@old_code@" @ONLY)
  add_library(old_gpuarray SHARED ${old}/old.c)
  set_target_properties(old_gpuarray PROPERTIES OUTPUT_NAME gpuarray
    SOVERSION 3 C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY ${old})
  add_executable(old_client ${CMAKE_CURRENT_LIST_DIR}/old_client.c)
  target_link_libraries(old_client PRIVATE old_gpuarray)
  set_target_properties(old_client PROPERTIES SKIP_BUILD_RPATH ON)
  add_dependencies(old_client gpuarray)
  gg_test(test_old_client "compat;host" ${CMAKE_COMMAND} -E env
    LD_LIBRARY_PATH=${PROJECT_BINARY_DIR} $<TARGET_FILE:old_client>)
  gg_test(test_old_library "compat;host" ${CMAKE_COMMAND} -E env
    LD_LIBRARY_PATH=${old}:${PROJECT_BINARY_DIR}
    $<TARGET_FILE:gpugraph_cli> --version)
  set_tests_properties(test_old_library PROPERTIES PASS_REGULAR_EXPRESSION
    "libgpugraph[^ ]*: undefined symbol: [A-Za-z0-9_]+, version GPUGRAPH_1.0")
endif()

# Errors of users' functions, through the shared libraries.
if(TARGET gpugraph)
  add_executable(test_op_errors_shared
    ${CMAKE_CURRENT_SOURCE_DIR}/func/test_op_errors.c)
  target_link_libraries(test_op_errors_shared
    PRIVATE gg_flags gg_cmocka ${shared_libs})
  gg_test(test_op_errors_shared "compat;device")
endif()

# The system's Python, because Debian's pygpu is built for that one.
find_program(SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(SYSTEM_PYTHON)
if(SYSTEM_PYTHON AND TARGET gpugraph_cli AND NOT GPUGRAPH_SANITIZE)
  gg_test(test_pygpu "compat;device" ${with_double}
    $<TARGET_FILE:gpugraph_cli> ${CMAKE_COMMAND} -E env
    LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}
    GPUARRAY_EXPECT=${PROJECT_BINARY_DIR}/libgpuarray
    ${SYSTEM_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/compat/pygpu_client.py)
endif()

if(NOT GPUGRAPH_SANITIZE) # sanitizers export names of their own
  set(libs $<TARGET_FILE:gpuarray>)
  foreach(lib gpugraph gpugraph_onnx)
    if(TARGET ${lib})
      list(APPEND libs $<TARGET_FILE:${lib}>)
    endif()
  endforeach()
  add_test(NAME symbols COMMAND ${PROJECT_SOURCE_DIR}/ci/symbols.sh ${libs}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  add_test(NAME calls COMMAND ${PROJECT_SOURCE_DIR}/ci/calls.sh
    ${PROJECT_BINARY_DIR})
  add_test(NAME circles COMMAND ${PROJECT_SOURCE_DIR}/ci/circles.sh
    ${PROJECT_BINARY_DIR})
  set_tests_properties(symbols calls circles PROPERTIES LABELS "compat;host")
endif()
