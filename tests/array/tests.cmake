# SPDX-License-Identifier: BSD-2-Clause
foreach(test IN ITEMS test_fuzz_views test_ranks)
  foreach(source IN ITEMS view_model view_calls view_index)
    target_sources(${test}
      PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/array/${source}.c)
  endforeach()
endforeach()

# Files exchanged with the system's NumPy.
find_program(SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(SYSTEM_PYTHON)
if(SYSTEM_PYTHON AND NOT GPUGRAPH_SANITIZE)
  gg_test(npy_numpy "array;device" ${SYSTEM_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/array/npy_numpy.py $<TARGET_FILE:gpuarray>
    ${PROJECT_BINARY_DIR}/test-data/npy_numpy/tmp)
endif()
