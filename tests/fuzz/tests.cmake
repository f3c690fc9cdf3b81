# SPDX-License-Identifier: BSD-2-Clause
# Each fuzz_<noun>.c is a libFuzzer target for src/codegen/<noun>.c, built where
# clang with its fuzzer library is there. The test is a short run; run the
# program by hand, with a folder for what it learns, for as long as you like.
find_program(FUZZ_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15
  clang-14)
mark_as_advanced(FUZZ_CLANG)
if(FUZZ_CLANG AND NOT DEFINED FUZZ_WORKS)
  file(WRITE ${PROJECT_BINARY_DIR}/fuzz/probe.c
    "int LLVMFuzzerTestOneInput(const char *p, unsigned long n);\n"
    "int LLVMFuzzerTestOneInput(const char *p, unsigned long n)\n"
    "{ return n > 9 ? p[0] & 0 : 0; }\n")
  execute_process(COMMAND ${FUZZ_CLANG} -fsanitize=fuzzer,address
    ${PROJECT_BINARY_DIR}/fuzz/probe.c -o ${PROJECT_BINARY_DIR}/fuzz/probe
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_QUIET)
  if(result EQUAL 0)
    set(FUZZ_WORKS ON CACHE INTERNAL "clang can build fuzzers")
  else()
    set(FUZZ_WORKS OFF CACHE INTERNAL "clang can build fuzzers")
  endif()
endif()
if(NOT FUZZ_CLANG OR NOT FUZZ_WORKS)
  message(STATUS "No clang with libFuzzer: the fuzzers are left out")
  return()
endif()

file(GLOB fuzz_base CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/base/*.c)
file(GLOB fuzz_seeds CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/docs/examples/*.kernels
  ${CMAKE_CURRENT_SOURCE_DIR}/*/*.kernels)
set(fuzz_kernel_file_seeds ${fuzz_seeds})

file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz_*.c)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE fuzz_ "" noun ${name})
  set(sources ${source} ${PROJECT_SOURCE_DIR}/src/codegen/${noun}.c
    ${fuzz_base})
  set(program ${PROJECT_BINARY_DIR}/fuzz/${name})
  add_custom_command(OUTPUT ${program}
    COMMAND ${FUZZ_CLANG} -std=c11 -D_XOPEN_SOURCE=700 -g -O1
      -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
      -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/src
      ${sources} -lm -lpthread -o ${program}
    DEPENDS ${sources} COMMENT "Fuzzer ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${program})
  list(JOIN ${name}_seeds "," seeds)
  gg_test(${name} "fuzz;host" ${program} -runs=20000 -seed=1 -max_len=4096
    -artifact_prefix=${PROJECT_BINARY_DIR}/fuzz/ -seed_inputs=${seeds})
endforeach()
