/* SPDX-License-Identifier: BSD-2-Clause */
/* What turns a complex product into a real one, see gemm_as_real.c. Behind
 * complex_pairs.cl. Strides are in numbers, of either sign, except those of the
 * expanded B, which are in W; offsets in bytes. A work-item takes one number of
 * `slow` lines of `fast` numbers, which follow each other where they are
 * written, or those of several lines. */
#define EACH_LINE(i, slow)                                                     \
  for (long i = get_global_id(1); i < (long)slow; i += get_global_size(1))

/* B times alpha to rows of (x, y) above rows of (-y, x). The second ones stand
 * for imaginary parts of A: sa conjugates those, sb conjugates B. */
kernel void gemm_expand(global const char *bbuf, ulong boff, long brs, long bcs,
                        long bbs, global char *tbuf, ulong toff, long trs,
                        long tcs, long tbs, ulong fast, ulong slow, W2 alpha,
                        W sa, W sb, int by_rows) {
  const long at = get_global_id(0), z = get_global_id(2);
  global const W *b = (global const W *)(bbuf + boff) + 2 * z * bbs;
  global W *to = (global W *)(tbuf + toff) + z * tbs;

  if (at >= (long)fast)
    return;
  EACH_LINE(line, slow) {
    const long p = by_rows ? line : at, j = by_rows ? at : line;
    const W2 from = LD2(b + 2 * (p * brs + j * bcs));
    const W2 v = pair_times(from * (W2)(1, sb), alpha);
    global W *first = to + 2 * (p * trs + j * tcs);

    if (by_rows) {
      ST2(v, first);
      ST2((W2)(-v.y, v.x) * sa, first + trs);
    } else {
      ST2((W2)(v.x, -v.y * sa), first);
      ST2((W2)(v.y, v.x * sa), first + tcs);
    }
  }
}

/* A copy of A. */
kernel void gemm_rows(global const char *abuf, ulong aoff, long ars, long acs,
                      long abs_, global char *tbuf, ulong toff, long trs,
                      long tcs, long tbs, ulong fast, ulong slow) {
  const long p = get_global_id(0), z = get_global_id(2);
  global const W *a = (global const W *)(abuf + aoff) + 2 * z * abs_;
  global W *to = (global W *)(tbuf + toff) + 2 * z * tbs;

  if (p >= (long)fast)
    return;
  EACH_LINE(i, slow)
  ST2(LD2(a + 2 * (i * ars + p * acs)), to + 2 * (i * trs + p * tcs));
}

/* C = beta C. */
kernel void gemm_scale(global char *cbuf, ulong coff, long crs, long ccs,
                       long cbs, ulong fast, ulong slow, W2 beta) {
  const long j = get_global_id(0), z = get_global_id(2);
  global W *c = (global W *)(cbuf + coff) + 2 * z * cbs;

  if (j >= (long)fast)
    return;
  EACH_LINE(i, slow) {
    global W *at = c + 2 * (i * crs + j * ccs);
    ST2(pair_times(LD2(at), beta), at);
  }
}
