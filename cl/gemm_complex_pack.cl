/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy a complex A into panels of MR rows, in which the MR numbers of a column
 * are neighbours, for gemm_complex_cpu.cl. Rows below the last become zeros.
 * Behind complex_pairs.cl, with MR as there.
 *
 * One work-item per panel and run of `run` columns. Panel p of batch z starts
 * at number (z * panels + p) * MR * k. */
ONCE static void gemm_pack_run(global const W *a, long rs, long cs, int mr,
                               long p, long end, global W *to) {
  to += 2 * p * MR;
  a += p * cs;
  for (; p < end; ++p, a += cs, to += 2 * MR) {
    if (mr == MR) {
#pragma unroll
      for (int i = 0; i < MR; ++i)
        ST2(LD2(a + i * rs), to + 2 * i);
    } else {
      for (int i = 0; i < MR; ++i)
        ST2(i < mr ? LD2(a + i * rs) : (W2)(0), to + 2 * i);
    }
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_pack(global const char *buf, ulong off, long rs, long cs, long bs, ulong m,
          ulong k, ulong run, global W *to) {
  const long i0 = (long)get_global_id(0) * MR, z = get_global_id(2);
  const long from = (long)(get_global_id(1) * run);

  gemm_pack_run((global const W *)(buf + off) + 2 * (z * bs + i0 * rs), 2 * rs,
                2 * cs, (int)min((long)MR, (long)m - i0), from,
                min(from + (long)run, (long)k),
                to + 2 * (z * (long)get_global_size(0) * MR + i0) * (long)k);
}
