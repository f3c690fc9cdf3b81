/* SPDX-License-Identifier: BSD-2-Clause */
/* A matrix of a batch as arguments of a kernel: buffer, offset in bytes, and
 * strides in elements. */
#define MATRIX(x)                                                              \
  global char *x##_buf, const ulong x##_off, const long x##_rs,                \
      const long x##_cs, const long x##_bs
#define MATRIX_AT(x, z) ((global T *)(x##_buf + x##_off) + (long)(z)*x##_bs)

/* Keep in `info` the first row of a matrix whose pivot is bad, counted from 1;
 * 0 is none. The block that found `bad` has `before` rows above it. */
GA_INLINE void report_bad(global int *info, const int bad, const ulong before) {
  if (before == 0)
    *info = bad;
  else if (bad != 0 && *info == 0)
    *info = bad + (int)before;
}
