# SPDX-License-Identifier: BSD-2-Clause
# Writes the public headers of the elementwise ops from their table, when the
# project is configured: DIR/elementwise.h declares and documents the builders,
# DIR/elementwise_sited.h has the macros that record where they are called.
#
# Why text and not the table itself in the public header: the preprocessor
# cannot define a macro for each line of a table, and a declaration made by a
# macro has no comment and is found by no search and no editor.
function(gg_declare_elementwise table dir)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(READ ${table} text)
  # What lists of CMake are divided by.
  string(REPLACE ";" "<semicolon>" text "${text}")
  string(REPLACE "[" "<open>" text "${text}")
  string(REPLACE "]" "<close>" text "${text}")
  set(comment "/[*][*][^/]*[*]/")
  set(op "(UNARY|BINARY|TERNARY)[(]([a-z0-9_]+),[ \n]*\"([^\"]*)\"")
  string(REGEX MATCHALL "\n(${comment}|${op})" items "${text}")
  set(declarations "")
  set(macros "")
  set(open "")
  foreach(item IN LISTS items)
    if(item MATCHES "^\n${op}")
      set(name gg_${CMAKE_MATCH_2})
      set(operands "gg_var *x")
      if(CMAKE_MATCH_1 STREQUAL BINARY)
        set(operands "gg_var *a, gg_var *b")
      elseif(CMAKE_MATCH_1 STREQUAL TERNARY)
        set(operands "gg_var *a, gg_var *b, gg_var *x")
      endif()
      string(APPEND declarations
        "/** ${CMAKE_MATCH_3} */\nGG_PUBLIC gg_var *${name}(${operands})<semicolon>\n")
      string(APPEND macros
        "#define ${name}(...) GG_SITED(${name}, __VA_ARGS__)\n")
    else()
      string(APPEND declarations "${open}${item}\n/**@{*/\n")
      set(open "/**@}*/\n")
    endif()
  endforeach()
  gg_write_header(${dir} elementwise.h GPUGRAPH_ELEMENTWISE_H
    "The elementwise ops of one to three operands. ops.h, which includes this,
 *  tells how they broadcast and combine dtypes."
    "#include <gpugraph/graph.h>

#ifdef __cplusplus
extern \"C\" {
#endif
${declarations}/**@}*/

#ifdef __cplusplus
}
#endif
")
  gg_write_header(${dir} elementwise_sited.h GPUGRAPH_ELEMENTWISE_SITED_H
    "The elementwise ops as macros that tell where they are called: see site.h."
    "#include <gpugraph/site.h>

${macros}")
endfunction()

# A header that changes when its content does.
function(gg_write_header dir name guard what content)
  set(text "/* SPDX-License-Identifier: BSD-2-Clause */
/** \\file ${name}
 *  ${what}
 *  Made from the library's table of these ops: do not edit.
 */
#ifndef ${guard}
#define ${guard}

${content}
#endif
")
  string(REPLACE "<semicolon>" ";" text "${text}")
  string(REPLACE "<open>" "[" text "${text}")
  string(REPLACE "<close>" "]" text "${text}")
  file(CONFIGURE OUTPUT ${dir}/${name} CONTENT "${text}" @ONLY)
endfunction()
