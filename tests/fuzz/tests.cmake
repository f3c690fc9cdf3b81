# SPDX-License-Identifier: BSD-2-Clause
# Fuzz targets: fuzz_<what>.c with its corpus in corpus/<what>. With GPUGRAPH_FUZZ
# they are libFuzzer programs (ci/fuzz). Each is a test that replays the corpus.
find_package(ZLIB)

file(GLOB fuzz_sources CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" what ${name})
  if(what STREQUAL idx AND NOT ZLIB_FOUND)
    continue()
  endif()
  set(support test_support)
  if(what MATCHES "^(saved|text)$") # these are of graphs
    set(support test_graph_support)
  endif()
  if(NOT TARGET ${support})
    continue()
  endif()
  add_executable(${name} ${source} fuzz/files.c)
  target_link_libraries(${name} PRIVATE ${support})
  if(what STREQUAL idx)
    target_sources(${name}
      PRIVATE ${PROJECT_SOURCE_DIR}/docs/examples/fashion/idx.c)
    target_include_directories(${name}
      PRIVATE ${PROJECT_SOURCE_DIR}/docs/examples)
    target_link_libraries(${name} PRIVATE ZLIB::ZLIB)
  endif()
  set(replay)
  if(GPUGRAPH_FUZZ)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    set(replay -runs=0)
  else()
    target_sources(${name} PRIVATE fuzz/replay.c)
  endif()
  gg_test(${name} "fuzz;host" ${name} ${replay}
    ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${what})
endforeach()
