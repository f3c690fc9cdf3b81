# SPDX-License-Identifier: BSD-2-Clause
# Random uses of builders, which NumPy judges.
if(SYSTEM_PYTHON AND TARGET gpugraph_static AND NOT GPUGRAPH_SANITIZE)
  add_executable(numpy_cases numpy/arrangements.c numpy/complexes.c
    numpy/dtypes.c numpy/elements.c numpy/gathers.c numpy/indices.c
    numpy/numpy_cases.c numpy/order.c numpy/products.c numpy/reductions.c
    numpy/selections.c numpy/spectra.c numpy/statistics.c)
  target_compile_options(numpy_cases PRIVATE ${test_flags})
  target_link_libraries(numpy_cases PRIVATE test_graph_support)
  set(rounds 8)
  if(GPUGRAPH_QUICK_TESTS)
    set(rounds 1)
  endif()
  gg_test(numpy_builders "numpy;device;unoptimised" ${SYSTEM_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/numpy/numpy_cases.py $<TARGET_FILE:numpy_cases>
    ${PROJECT_BINARY_DIR}/test-data/numpy_builders/tmp/cases ${rounds})
endif()
