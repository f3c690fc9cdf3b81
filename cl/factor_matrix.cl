/* SPDX-License-Identifier: BSD-2-Clause */
/* A matrix of a batch as arguments of a kernel: buffer, offset in bytes, and
 * strides in elements. */
#define MATRIX(x)                                                              \
  global char *x##_buf, const ulong x##_off, const long x##_rs,                \
      const long x##_cs, const long x##_bs
#define MATRIX_AT(x, z) ((global T *)(x##_buf + x##_off) + (long)(z)*x##_bs)
