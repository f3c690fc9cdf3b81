# SPDX-License-Identifier: BSD-2-Clause
# The installed tree serves find_package and pkg-config.
find_program(PKG_CONFIG_PROGRAM pkg-config)
mark_as_advanced(PKG_CONFIG_PROGRAM)
if(CMAKE_CXX_COMPILER AND NOT GPUGRAPH_SANITIZE)
  if(TARGET gpugraph)
    set(graph ON)
  else()
    set(graph OFF)
  endif()
  set(pkg_config)
  if(PKG_CONFIG_PROGRAM)
    set(pkg_config -D PKG_CONFIG=${PKG_CONFIG_PROGRAM})
  endif()
  add_test(NAME install COMMAND ${CMAKE_COMMAND}
    -D BUILD=${PROJECT_BINARY_DIR}
    -D SOURCE=${CMAKE_CURRENT_SOURCE_DIR}/install
    -D WORK=${PROJECT_BINARY_DIR}/test-data/install
    -D UNINSTALL=${PROJECT_SOURCE_DIR}/packaging/uninstall.cmake
    -D LIBDIR=${CMAKE_INSTALL_LIBDIR}
    -D DOCDIR=${CMAKE_INSTALL_DOCDIR}
    -D CC=${CMAKE_C_COMPILER} -D CXX=${CMAKE_CXX_COMPILER}
    -D GRAPH=${graph} -D ONNX=$<TARGET_EXISTS:gpugraph_onnx> ${pkg_config}
    -P ${CMAKE_CURRENT_SOURCE_DIR}/install/check.cmake)
  set_tests_properties(install PROPERTIES LABELS "install;host"
    TIMEOUT ${test_timeout})
endif()
