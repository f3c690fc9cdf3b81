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

# The target docs-site fails on warnings, too.
if(DOXYGEN)
  add_test(NAME docs_site COMMAND ${CMAKE_COMMAND} -E env GG_WARN_AS_ERROR=NO
    ${make_site})
  set_tests_properties(docs_site PROPERTIES LABELS "docs;host;full")
endif()
