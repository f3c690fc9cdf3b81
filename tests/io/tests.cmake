# SPDX-License-Identifier: BSD-2-Clause
# Files exchanged with the system's NumPy and SciPy.
find_program(SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
mark_as_advanced(SYSTEM_PYTHON)
if(SYSTEM_PYTHON AND NOT GPUGRAPH_SANITIZE)
  gg_test(npy_numpy "io;device" ${SYSTEM_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/io/npy_numpy.py $<TARGET_FILE:gpuarray>
    ${PROJECT_BINARY_DIR}/test-data/npy_numpy/tmp)
  gg_test(csr_scipy "io;device" ${SYSTEM_PYTHON}
    ${CMAKE_CURRENT_SOURCE_DIR}/io/csr_scipy.py $<TARGET_FILE:gpuarray>
    ${PROJECT_BINARY_DIR}/test-data/csr_scipy/tmp)
endif()
