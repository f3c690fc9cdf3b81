/* SPDX-License-Identifier: BSD-2-Clause */
/* Panels of LU factors in global memory, one group for each matrix of a batch:
 * of complex numbers, and on GPUs of matrices with more rows than
 * cl/factor_lu_gpu.cl has registers for. Macros, here for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *
 * Strides are in elements, of either sign; offsets in bytes. */
#include "factor_matrix.cl"
#include "factor_number.cl"
#include "factor_group.cl"
#include "factor_pivot.cl"
#include "factor_lu_memory.cl"

/* Factor a panel of m x n in place, with row exchanges, of which the first has
 * index `before` in `pivots`, [batch][each]. Pivots and `info` count from the
 * top of the matrix. Global size: G, batch. */
kernel __attribute__((reqd_work_group_size(G, 1, 1))) void
factor_lu(MATRIX(a), const ulong m, const ulong n, const ulong before,
          global int *pivots, const ulong each, global int *info) {
  const ulong z = get_group_id(1);
  local W found[G];
  local int rows[G];
  const int bad = lu_in_memory(NUMBERS_AT(a, z), a_rs, a_cs, (int)m, (int)n,
                               (int)before, pivots + z * each + before, found,
                               rows);

  if (get_local_id(0) == 0)
    report_bad(info + z, bad, before);
}
