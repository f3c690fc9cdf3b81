# SPDX-License-Identifier: BSD-2-Clause
# The programs of the tutorial and of docs/how-to.md print what the text says.
# ci/docs.sh compares their sources with the listings.
function(gg_test_document target document)
  if(TARGET ${target})
    gg_test(${target} "docs;device" ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/check_output.sh
      $<TARGET_FILE:${target}> ${PROJECT_SOURCE_DIR}/docs/${document})
    # They tell of a missing device in the words of the library.
    set_property(TEST ${target} PROPERTY SKIP_REGULAR_EXPRESSION
      "there is no OpenCL platform|no usable device;")
  endif()
endfunction()

file(GLOB chapters CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/tutorial/*.c)
foreach(chapter IN LISTS chapters)
  get_filename_component(name ${chapter} NAME_WE)
  gg_test_document(tutorial_${name} tutorial/${name}.md)
endforeach()

file(GLOB answers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/how-to/*.c)
foreach(answer IN LISTS answers)
  get_filename_component(name ${answer} NAME_WE)
  gg_test_document(how_to_${name} how-to.md)
endforeach()

include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER AND TARGET gpugraph AND NOT GPUGRAPH_SANITIZE)
  enable_language(CXX)
  add_executable(how_to_line ${PROJECT_SOURCE_DIR}/docs/how-to/line.cpp)
  target_link_libraries(how_to_line PRIVATE gpugraph)
  target_compile_options(how_to_line PRIVATE -Wall -Wextra -pedantic -Werror)
  set_target_properties(how_to_line PROPERTIES OUTPUT_NAME line
    CXX_STANDARD 17 CXX_EXTENSIONS OFF)
  gg_test_document(how_to_line how-to.md)
endif()

# Graphs as text are graphs.
if(TARGET gpugraph_cli)
  foreach(name IN ITEMS program save)
    gg_test(graphs_${name} "docs;host"
      ${CMAKE_CURRENT_LIST_DIR}/check_graphs.sh
      $<TARGET_FILE:gpugraph_cli> ${PROJECT_SOURCE_DIR}/docs/${name}.md)
  endforeach()
endif()

# Commands are run where what they read is installed.
if(TARGET gpugraph_onnx AND TARGET gpugraph_cli)
  foreach(name IN ITEMS models program training)
    gg_test(terminal_${name} "docs;device"
      ${CMAKE_CURRENT_LIST_DIR}/check_terminal.sh $<TARGET_FILE:gpugraph_cli>
      ${PROJECT_SOURCE_DIR}/docs/${name}.md
      ${PROJECT_SOURCE_DIR}/docs/examples/models)
  endforeach()
endif()

# Listings of other documents are compiled and run, too: a program of the name of
# the document includes them, as tests/docs/listings/listings.h says.
file(GLOB programs CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/listings/*.c)
if(GPUGRAPH_SANITIZE OR NOT TARGET gpugraph_onnx)
  set(programs) # listings clear nothing
endif()
# Nor do they give memory back before their end.
if(TARGET gpugraph_cli)
  set(needs_fft ${with_caps} memory_bytes=134217728 --)
endif()
foreach(program IN LISTS programs)
  get_filename_component(name ${program} NAME_WE)
  set(document ${PROJECT_SOURCE_DIR}/docs/${name}.md)
  if(name STREQUAL README)
    set(document ${PROJECT_SOURCE_DIR}/README.md)
  endif()
  set(cut ${PROJECT_BINARY_DIR}/listings/${name})
  add_custom_command(OUTPUT ${cut}/1.h
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/cut_listings.sh ${document} ${cut}
    DEPENDS ${document} ${CMAKE_CURRENT_LIST_DIR}/cut_listings.sh VERBATIM)
  add_executable(listings_${name} ${program} ${cut}/1.h)
  set_source_files_properties(${program} PROPERTIES OBJECT_DEPENDS ${cut}/1.h)
  target_include_directories(listings_${name} PRIVATE ${cut})
  target_link_libraries(listings_${name} PRIVATE gg_flags ${shared_libs} m)
  target_compile_options(listings_${name} PRIVATE -Wno-unused -Wno-conversion)
  if(name STREQUAL add-a-kernel)
    gpugraph_add_kernels(listings_${name}
      ${PROJECT_SOURCE_DIR}/docs/examples/op_eye_file.kernels)
  endif()
  gg_test(listings_${name} "docs;device" ${needs_${name}} ${CMAKE_COMMAND} -E
    chdir ${PROJECT_BINARY_DIR}/listings $<TARGET_FILE:listings_${name}>)
  set_property(TEST listings_${name} PROPERTY SKIP_REGULAR_EXPRESSION
    "there is no OpenCL platform|no usable device;")
endforeach()

# The target docs-site fails on warnings, too.
if(DOXYGEN)
  add_test(NAME docs_site COMMAND ${CMAKE_COMMAND} -E env GG_WARN_AS_ERROR=NO
    ${make_site})
  set_tests_properties(docs_site PROPERTIES LABELS "docs;host;full")
endif()
