/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy A into panels of MR rows, in which the MR elements of a column are
 * neighbours, for gemm_cpu.cl. Rows below the last become zeros. Macros as
 * there, and
 *
 *   #define A_UNIT 1                 stride that is 1: 1 along k, 2 along m, 0
 *
 * One work-item per panel and run of `run` columns. Panel p of batch z starts
 * at (z * panels + p) * MR * k. */
ONCE static void gemm_pack_run(global const T *a, long rs, long cs, int mr,
                               long p, long end, global W *to) {
  int i;

#if A_UNIT == 1
  for (; mr == MR && p + 4 <= end; p += 4) {
#pragma unroll
    for (i = 0; i + 4 <= MR; i += 4) {
      global const T *q = a + i * rs + p;
      const W4 r0 = LD4(q), r1 = LD4(q + rs);
      const W4 r2 = LD4(q + 2 * rs), r3 = LD4(q + 3 * rs);
      global W *at = to + p * MR + i;
      vstore4((W4)(r0.s0, r1.s0, r2.s0, r3.s0), 0, at);
      vstore4((W4)(r0.s1, r1.s1, r2.s1, r3.s1), 0, at + MR);
      vstore4((W4)(r0.s2, r1.s2, r2.s2, r3.s2), 0, at + 2 * MR);
      vstore4((W4)(r0.s3, r1.s3, r2.s3, r3.s3), 0, at + 3 * MR);
    }
#pragma unroll
    for (; i < MR; ++i) {
      const W4 r = LD4(a + i * rs + p);
      to[p * MR + i] = r.s0;
      to[(p + 1) * MR + i] = r.s1;
      to[(p + 2) * MR + i] = r.s2;
      to[(p + 3) * MR + i] = r.s3;
    }
  }
#elif A_UNIT == 2
  for (; mr == MR && p < end; ++p) {
#pragma unroll
    for (i = 0; i + 4 <= MR; i += 4)
      vstore4(LD4(a + p * cs + i), 0, to + p * MR + i);
#pragma unroll
    for (; i < MR; ++i)
      to[p * MR + i] = LD(a + p * cs + i);
  }
#endif
  for (; p < end; ++p) {
    for (i = 0; i < mr; ++i)
      to[p * MR + i] = LD(a + p * cs + i * rs);
    for (; i < MR; ++i)
      to[p * MR + i] = 0;
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_pack(global const char *buf, ulong off, long rs, long cs, long bs, ulong m,
          ulong k, ulong run, global W *to) {
  const long i0 = (long)get_global_id(0) * MR, z = get_global_id(2);
  const long from = (long)(get_global_id(1) * run);

  gemm_pack_run((global const T *)(buf + off) + z * bs + i0 * rs, rs, cs,
                (int)min((long)MR, (long)m - i0), from,
                min(from + (long)run, (long)k),
                to + (z * (long)get_global_size(0) * MR + i0) * (long)k);
}
