# SPDX-License-Identifier: BSD-2-Clause
# Some of the same matrices, measures and refusals with LAPACK in place of the
# library's own factorisations; test_lapack looks whether that is who computes.
foreach(name cholesky complex_factors complex_lu eig eigh svd unitary)
  gg_test(lapack_${name} "factor;device;unoptimised" test_${name})
  set_property(TEST lapack_${name} APPEND PROPERTY ENVIRONMENT
    GPUARRAY_LAPACK=lapacke GPUGRAPH_QUICK_TESTS=1)
endforeach()
set_property(TEST test_lapack APPEND PROPERTY ENVIRONMENT
  GPUARRAY_LAPACK=lapacke)
