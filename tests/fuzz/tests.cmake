# SPDX-License-Identifier: BSD-2-Clause
# Fuzz targets: fuzz_<what>.c with its corpus in corpus/<what>, of which the target
# must accept what accepted/<what> lists and refuse the rest: the test
# replay_<what>. With GPUGRAPH_FUZZ there are libFuzzer programs, too (ci/fuzz).
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
  if(what MATCHES "^(saved|text|onnx|safetensors|data_.*)$") # these are of graphs
    set(support test_graph_support)
  endif()
  if(NOT TARGET ${support} OR (what STREQUAL onnx AND NOT TARGET gpugraph_onnx))
    continue()
  endif()
  set(sources ${source} fuzz/files.c)
  if(support STREQUAL test_graph_support)
    list(APPEND sources fuzz/use_graph.c)
  endif()
  set(targets replay_${what})
  add_executable(replay_${what} ${sources} fuzz/replay.c)
  if(GPUGRAPH_FUZZ)
    list(APPEND targets ${name})
    add_executable(${name} ${sources})
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endif()
  foreach(target IN LISTS targets)
    target_link_libraries(${target} PRIVATE ${support})
    if(what STREQUAL onnx)
      target_link_libraries(${target} PRIVATE gpugraph_onnx_static)
    endif()
    if(what STREQUAL idx)
      target_sources(${target}
        PRIVATE ${PROJECT_SOURCE_DIR}/docs/examples/fashion/idx.c)
      target_include_directories(${target}
        PRIVATE ${PROJECT_SOURCE_DIR}/docs/examples)
      target_link_libraries(${target} PRIVATE ZLIB::ZLIB)
    endif()
  endforeach()
  gg_test(replay_${what} "fuzz;host" replay_${what}
    ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${what}
    ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/accepted/${what})
endforeach()
