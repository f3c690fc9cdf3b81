# SPDX-License-Identifier: BSD-2-Clause
# Kernels in files of their own, compiled into a target as C with typed calls.

# Add the files ARGN (gpuarray/kernel_file.h), sections joined, to `target`:
#
#   gpugraph_add_kernels(app eye.kernels)    ->  #include "eye.h"
#
# Header and source are named after the first file, and made anew when one of
# the files changes.
function(gpugraph_add_kernels target)
  if(NOT ARGN)
    message(FATAL_ERROR "gpugraph_add_kernels: no files for ${target}")
  endif()
  if(TARGET gpugraph::program)
    set(program gpugraph::program)
  else()
    set(program gpugraph_cli)
  endif()
  set(files)
  foreach(file IN LISTS ARGN)
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND files ${file})
  endforeach()
  list(GET files 0 first)
  get_filename_component(name ${first} NAME_WE)
  set(dir ${CMAKE_CURRENT_BINARY_DIR}/${target}_kernels)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(OUTPUT ${dir}/${name}.c ${dir}/${name}.h
    COMMAND ${program} kernels -o ${dir}/${name} ${files}
    DEPENDS ${program} ${files}
    COMMENT "Kernels of ${target}: ${name}" VERBATIM)
  target_sources(${target} PRIVATE ${dir}/${name}.c ${dir}/${name}.h)
  target_include_directories(${target} PRIVATE ${dir})
endfunction()
