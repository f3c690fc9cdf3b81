# SPDX-License-Identifier: BSD-2-Clause
# Installs BUILD into WORK/staging, moves that to WORK/prefix, runs the installed
# program, looks for the documents, and builds and runs programs against the
# tree: one project with find_package, others with pkg-config. Run with cmake -P.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})

# Run a command in the folder `WORK`; its failure is ours.
function(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
endfunction()

# A second tree is removed again, except for a file that is not ours.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/gone)
file(WRITE ${WORK}/gone/include/mine.h "")
run(${CMAKE_COMMAND} -D BUILD=${BUILD} -P ${UNINSTALL})
file(GLOB_RECURSE left LIST_DIRECTORIES OFF RELATIVE ${WORK}/gone ${WORK}/gone/*)
if(NOT left STREQUAL "include/mine.h" OR EXISTS ${WORK}/gone/include/gpugraph)
  message(FATAL_ERROR "uninstall leaves ${left}")
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/staging)
file(RENAME ${WORK}/staging ${WORK}/prefix)
unset(ENV{LD_LIBRARY_PATH})

if(GRAPH AND EXISTS ${BUILD}/gpugraph)
  run(${WORK}/prefix/bin/gpugraph --version)
endif()

foreach(file LICENSE README.md CHANGELOG.md docs/architecture.md
    docs/examples/logistic.c)
  if(NOT EXISTS ${WORK}/prefix/${DOCDIR}/${file})
    message(FATAL_ERROR "${DOCDIR}/${file} is not installed")
  endif()
endforeach()

run(${SOURCE}/check_links.sh ${WORK}/prefix/${DOCDIR})

run(${CMAKE_COMMAND} -S ${SOURCE}/cmake -B ${WORK}/cmake
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK}/cmake)
foreach(program arrays arrays_static graph graph_static kernels models
    models_static)
  if(EXISTS ${WORK}/cmake/${program})
    run(${WORK}/cmake/${program})
  elseif((GRAPH OR program MATCHES arrays) AND
      (ONNX OR NOT program MATCHES models))
    message(FATAL_ERROR "${program} was not built")
  endif()
endforeach()

# pkg-config sets no run paths.
set(ENV{LD_LIBRARY_PATH} ${WORK}/prefix/${LIBDIR})
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/${LIBDIR}/pkgconfig)
  set(pairs arrays gpuarray)
  if(GRAPH)
    list(APPEND pairs graph gpugraph)
  endif()
  if(ONNX)
    list(APPEND pairs models gpugraph-onnx)
  endif()
  while(pairs)
    list(POP_FRONT pairs program package)
    foreach(kind shared static)
      set(flags --cflags --libs ${package})
      if(kind STREQUAL static)
        set(flags --static ${flags})
      endif()
      execute_process(COMMAND ${PKG_CONFIG} ${flags} OUTPUT_VARIABLE options
        OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
      separate_arguments(options UNIX_COMMAND "${options}")
      run(${CC} -std=c99 -Wall -Wextra -Wpedantic -Werror
        ${SOURCE}/pkgconfig/${program}.c -o ${WORK}/${program}_${kind}
        ${options})
      run(${WORK}/${program}_${kind})
    endforeach()
  endwhile()
endif()

# The tutorial's commands, in a folder with its programs.
if(PKG_CONFIG AND GRAPH AND ONNX)
  set(ENV{CC} ${CC})
  foreach(chapter 01_first 09_onnx)
    set(at ${WORK}/prefix/${DOCDIR}/docs/tutorial)
    file(COPY ${at}/${chapter}.c DESTINATION ${WORK})
    file(STRINGS ${at}/${chapter}.md command REGEX "^cc ${chapter}.c ")
    string(REGEX REPLACE "^cc " "\"$CC\" " command "${command}")
    run(sh -c "${command}")
    if(NOT EXISTS ${WORK}/${chapter})
      message(FATAL_ERROR "${command}: made no ${chapter}")
    endif()
  endforeach()
endif()
