# SPDX-License-Identifier: BSD-2-Clause
# Manual pages and completion, the target `uninstall`, Debian packages (cpack) and
# the source archive (cpack --config CPackSourceConfig.cmake).

# --- what the program writes about itself ---

if(TARGET gpugraph_cli AND NOT CMAKE_CROSSCOMPILING AND NOT GPUGRAPH_SANITIZE)
  find_program(GZIP_PROGRAM gzip)
  mark_as_advanced(GZIP_PROGRAM)
  set(about ${PROJECT_BINARY_DIR}/about)
  set(pack true)
  if(GZIP_PROGRAM)
    set(pack ${GZIP_PROGRAM} -9nfr man1)
  endif()
  file(MAKE_DIRECTORY ${about})
  # A page of the program, and one of each command.
  add_custom_command(
    OUTPUT ${about}/gpugraph ${about}/_gpugraph ${about}/gpugraph.fish
    COMMAND ${CMAKE_COMMAND} -E rm -rf man1
    COMMAND gpugraph_cli manual --output man1
    COMMAND ${pack}
    COMMAND gpugraph_cli completion bash > gpugraph
    COMMAND gpugraph_cli completion zsh > _gpugraph
    COMMAND gpugraph_cli completion fish > gpugraph.fish
    DEPENDS gpugraph_cli WORKING_DIRECTORY ${about}
    COMMENT "Writing manual pages and completion" VERBATIM)
  add_custom_target(about ALL DEPENDS ${about}/gpugraph)
  install(DIRECTORY ${about}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR}
    COMPONENT program)
  install(FILES ${about}/gpugraph COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${about}/_gpugraph COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${about}/gpugraph.fish COMPONENT program
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
  -D BUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/packaging/uninstall.cmake
  VERBATIM)

# --- Debian packages, of a tree for /usr ---

set(packages libraries:libgpugraph1 development:libgpugraph-dev
  program:gpugraph documents:gpugraph-doc)
if(TARGET gpuarray_mpi)
  list(APPEND packages mpi:libgpuarray-mpi)
endif()
if(GPUGRAPH_PACKAGES)
  find_program(GZIP_PROGRAM gzip REQUIRED)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  set(notes ${PROJECT_BINARY_DIR}/notes)
  file(READ LICENSE licence)
  string(REGEX REPLACE "^.*(Redistribution and use.*[^\n])\n*$" " \\1" licence
    "${licence}")
  string(REPLACE "\n\n" "\n.\n" licence "${licence}")
  string(REPLACE "\n" "\n " licence "${licence}")
  configure_file(packaging/changelog.in ${notes}/changelog.Debian)
  configure_file(packaging/copyright.in ${notes}/copyright)
  execute_process(COMMAND ${GZIP_PROGRAM} -9nf changelog.Debian
    WORKING_DIRECTORY ${notes} COMMAND_ERROR_IS_FATAL ANY)
  foreach(pair IN LISTS packages)
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 component)
    list(GET pair 1 package)
    install(FILES ${notes}/changelog.Debian.gz ${notes}/copyright
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
      COMPONENT ${component})
  endforeach()
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gpugraph)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the gpugraph contributors <packages@gpugraph.invalid>")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE
  OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL libraries development program documents)
if(TARGET gpuarray_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(this_version "(= ${PROJECT_VERSION}-1)")
set(old_version "(= 0.7.6+gpugraph${PROJECT_VERSION})")

set(CPACK_DEBIAN_LIBRARIES_PACKAGE_NAME libgpugraph1)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_SECTION libs)
# Debian 12's python3-pygpu asks for this very build.
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_PROVIDES
  "libgpuarray3 (= 0.7.6-13+b1), libgpuarray3 ${old_version}")
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_CONFLICTS libgpuarray3)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_REPLACES libgpuarray3)
set(CPACK_DEBIAN_LIBRARIES_PACKAGE_RECOMMENDS "opencl-icd")
set(CPACK_DEBIAN_LIBRARIES_DESCRIPTION
"symbolic graphs and arrays on any OpenCL device: libraries
Arrays, elementwise kernels, reductions and products on any OpenCL 1.2 device,
and symbolic graphs that are differentiated and compiled to fused kernels.
libgpuarray.so.3 takes the place of that of libgpuarray 0.7.6.")

file(WRITE ${PROJECT_BINARY_DIR}/notes/triggers "activate-noawait ldconfig\n")
foreach(component LIBRARIES MPI)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA
    ${PROJECT_BINARY_DIR}/notes/triggers)
endforeach()

set(CPACK_DEBIAN_MPI_PACKAGE_NAME libgpuarray-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "libgpugraph1 ${this_version}")
set(CPACK_DEBIAN_MPI_DESCRIPTION
"symbolic graphs and arrays on any OpenCL device: collectives
What libgpuarray loads to pass arrays between processes over MPI.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libgpugraph-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libgpugraph1 ${this_version}, ocl-icd-opencl-dev | opencl-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS gpugraph)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_PROVIDES "libgpuarray-dev ${old_version}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_CONFLICTS libgpuarray-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_REPLACES libgpuarray-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"symbolic graphs and arrays on any OpenCL device: headers
What programs in C and C++ need to be compiled with gpugraph: headers, static
libraries, and files for CMake and pkg-config.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME gpugraph)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "libgpugraph1 ${this_version}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS gpugraph-doc)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"symbolic graphs and arrays on any OpenCL device: program
Shows and tests devices and looks at saved graphs; inspects, runs, times,
trains and converts models in the ONNX format.")

set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_NAME gpugraph-doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DOCUMENTS_DESCRIPTION
"symbolic graphs and arrays on any OpenCL device: documents
Guides and reference of gpugraph as text, with the sources of its example
programs.")

set(CPACK_SOURCE_GENERATOR TXZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME gpugraph-${PROJECT_VERSION})
set(CPACK_SOURCE_IGNORE_FILES "/\\.git(/|$)" "^${PROJECT_SOURCE_DIR}/build"
  "^${PROJECT_SOURCE_DIR}/[.]claude" "~$")
include(CPack)
