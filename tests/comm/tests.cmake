# SPDX-License-Identifier: BSD-2-Clause
# Collectives between processes, started by MPI's own launcher, more of them
# than there are cores.
if(TARGET gpuarray_mpi AND MPIEXEC_EXECUTABLE)
  add_executable(collective_ranks ${CMAKE_CURRENT_SOURCE_DIR}/comm/ranks.c)
  target_include_directories(collective_ranks SYSTEM
    PRIVATE ${MPI_C_INCLUDE_DIRS})
  target_link_libraries(collective_ranks
    PRIVATE test_support ${MPI_C_LIBRARIES})
  add_dependencies(collective_ranks gpuarray_mpi)
  add_executable(dead_rank ${CMAKE_CURRENT_SOURCE_DIR}/comm/dead_rank.c)
  target_include_directories(dead_rank SYSTEM PRIVATE ${MPI_C_INCLUDE_DIRS})
  target_link_libraries(dead_rank
    PRIVATE gg_flags gpuarray_static ${MPI_C_LIBRARIES})
  add_dependencies(dead_rank gpuarray_mpi)
  # Under the fault layer, of which the program has the loader's copy.
  add_executable(fault_ranks ${CMAKE_CURRENT_SOURCE_DIR}/comm/fault_ranks.c)
  target_include_directories(fault_ranks SYSTEM
    PRIVATE ${MPI_C_INCLUDE_DIRS})
  target_link_libraries(fault_ranks
    PRIVATE test_support fault_layer ${MPI_C_LIBRARIES})
  add_dependencies(fault_ranks gpuarray_mpi)
  set(saved_environment "${test_environment}")
  # What MPI has the C library allocate is known for its by whole stacks only,
  # which make PoCL's compiler ten times as slow: one test looks for leaks.
  list(TRANSFORM test_environment REPLACE "detect_leaks=1" "detect_leaks=0"
    REGEX "^ASAN_OPTIONS=")
  list(APPEND test_environment
    "GPUARRAY_MPI=$<TARGET_FILE:gpuarray_mpi>"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_btl_vader_single_copy_mechanism=none)
  set(ranks 1 2)
  # Under sanitizers four take turns; they do what two do.
  if(NOT GPUGRAPH_SANITIZE AND NOT GPUGRAPH_QUICK_TESTS)
    list(APPEND ranks 4)
  endif()
  foreach(n IN LISTS ranks)
    gg_test(collectives_${n} "comm;device" ${MPIEXEC_EXECUTABLE}
      ${MPIEXEC_NUMPROC_FLAG} ${n} $<TARGET_FILE:collective_ranks>)
    set_tests_properties(collectives_${n} PROPERTIES PROCESSORS ${n})
  endforeach()
  if(GPUGRAPH_SANITIZE)
    set_property(TEST collectives_1 APPEND PROPERTY ENVIRONMENT
      "ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0:intercept_tls_get_addr=0")
  endif()
  foreach(way kill stop)
    gg_test(collectives_${way} "comm;device" bash
      ${CMAKE_CURRENT_SOURCE_DIR}/comm/check_dead.sh ${way} ${MPIEXEC_EXECUTABLE}
      ${MPIEXEC_NUMPROC_FLAG} $<TARGET_FILE:dead_rank>)
    set_tests_properties(collectives_${way} PROPERTIES PROCESSORS 3)
  endforeach()
  list(APPEND test_environment
    "OPENCL_LAYERS=${CMAKE_CURRENT_BINARY_DIR}/libfault_layer.so")
  gg_test(collectives_fail "comm;device" ${MPIEXEC_EXECUTABLE}
    ${MPIEXEC_NUMPROC_FLAG} 2 $<TARGET_FILE:fault_ranks>)
  set_tests_properties(collectives_fail PROPERTIES PROCESSORS 2)
  set(test_environment "${saved_environment}")
elseif(GPUGRAPH_MPI)
  message(STATUS "No MPI: collectives have no provider and are not tested")
endif()
