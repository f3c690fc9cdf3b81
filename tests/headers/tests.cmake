# SPDX-License-Identifier: BSD-2-Clause
# Every public header compiles alone, without a warning, as C99, C11 and C++17.
# A failure here is a failure of the build; the sanitizers have nothing to see.
# A program in C++ uses gpugraph.hpp.
if(GPUGRAPH_SANITIZE)
  return()
endif()
file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_SOURCE_DIR}/include/*/*.h)
list(APPEND headers gpugraph/elementwise.h gpugraph/elementwise_sited.h)

function(gg_check_headers language suffix standard)
  set(sources)
  foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER ${header} name)
    set(source ${PROJECT_BINARY_DIR}/headers/${name}.${suffix})
    file(CONFIGURE OUTPUT ${source} CONTENT
      "#include <@header@>\n#include <@header@>\ntypedef int not_empty;\n"
      @ONLY)
    list(APPEND sources ${source})
  endforeach()
  set(target headers_${suffix}${standard})
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target}
    PRIVATE ${PROJECT_SOURCE_DIR}/include ${made_headers})
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
  set_target_properties(${target} PROPERTIES
    ${language}_STANDARD ${standard} ${language}_EXTENSIONS OFF)
endfunction()

gg_check_headers(C c 99)
gg_check_headers(C c 11)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  gg_check_headers(CXX cpp 17)
  if(TARGET gpugraph)
    add_executable(test_cpp headers/line.cpp)
    target_link_libraries(test_cpp PRIVATE gpugraph)
    target_compile_options(test_cpp PRIVATE
      -Wall -Wextra -pedantic -Wshadow -Wconversion -Werror)
    set_target_properties(test_cpp PROPERTIES
      CXX_STANDARD 17 CXX_EXTENSIONS OFF)
    gg_test(test_cpp "headers;device")
  endif()
endif()
