/* SPDX-License-Identifier: BSD-2-Clause */
/* Copy a factor of a product into panels for gemm_cpu.cl, or a complex A for
 * gemm_complex_cpu.cl: `width` rows of A, or columns of B, in which the numbers
 * that are multiplied at the same time are neighbours. Macros as there.
 *
 * The matrix is A, or B transposed: `rows` x `k`. What lies below the last row
 * becomes zeros. One work-item per `each` panels and `run` columns; the first
 * `apieces` along dimension 0 are for A, the others for B. Panel p of batch z
 * starts at (z * panels + p) * width * k. */
#include "numbers.cl"

#define ACROSS 4 /* columns at a time where memory has them as rows */

/* Rows that follow each other along k, 4 columns at a time. */
#if NL == 2
static void pack_along(global const T *a, long rs, int width, long p, long end,
                       global W *to) {
  for (; p + 4 <= end; p += 4) {
    PLAIN_LOOP
    for (int i = 0; i < width; ++i) {
      global const T *q = a + 2 * (i * rs + p);
      const W4 r0 = LD4(q), r1 = LD4(q + 4);
      global W *at = to + 2 * (p * width + i);
      STW(r0.lo, at);
      STW(r0.hi, at + 2 * width);
      STW(r1.lo, at + 4 * width);
      STW(r1.hi, at + 6 * width);
    }
  }
}
#else
static void pack_along(global const T *a, long rs, int width, long p, long end,
                       global W *to) {
  for (; p + 4 <= end; p += 4) {
    int i = 0;

    PLAIN_LOOP
    for (; i + 4 <= width; i += 4) {
      global const T *q = a + i * rs + p;
      const W4 r0 = LD4(q), r1 = LD4(q + rs);
      const W4 r2 = LD4(q + 2 * rs), r3 = LD4(q + 3 * rs);
      global W *at = to + p * width + i;
      vstore4((W4)(r0.s0, r1.s0, r2.s0, r3.s0), 0, at);
      vstore4((W4)(r0.s1, r1.s1, r2.s1, r3.s1), 0, at + width);
      vstore4((W4)(r0.s2, r1.s2, r2.s2, r3.s2), 0, at + 2 * width);
      vstore4((W4)(r0.s3, r1.s3, r2.s3, r3.s3), 0, at + 3 * width);
    }
    PLAIN_LOOP
    for (; i < width; ++i) {
      const W4 r = LD4(a + i * rs + p);
      to[p * width + i] = r.s0;
      to[(p + 1) * width + i] = r.s1;
      to[(p + 2) * width + i] = r.s2;
      to[(p + 3) * width + i] = r.s3;
    }
  }
}
#endif

/* Rows side by side: lanes that follow each other. */
static void pack_across(global const T *a, long cs, int lanes, long p, long end,
                        global W *to) {
  for (; p < end; ++p) {
    int i = 0;

    PLAIN_LOOP
    for (; i + VL <= lanes; i += VL)
      STOREW(LDV(a + NL * p * cs + i), 0, to + p * lanes + i);
    PLAIN_LOOP
    for (; i + 4 <= lanes; i += 4)
      vstore4(LD4(a + NL * p * cs + i), 0, to + p * lanes + i);
    PLAIN_LOOP
    for (; i < lanes; ++i)
      to[p * lanes + i] = LD(a + NL * p * cs + i);
  }
}

static void pack_panel(global const T *a, long rs, long cs, int rows, int width,
                       long p, long end, global W *to) {
  if (rows == width && rs == 1) {
    pack_across(a, cs, NL * width, p, end, to);
    return;
  }
  if (rows == width && cs == 1) {
    pack_along(a, rs, width, p, end, to);
    p += (end - p) / 4 * 4;
  }
  for (; p < end; ++p) {
    int i = 0;

    PLAIN_LOOP
    for (; i < rows; ++i)
      STW(LDN(a + NL * (p * cs + i * rs)), to + NL * (p * width + i));
    PLAIN_LOOP
    for (; i < width; ++i)
      STW((N)(0), to + NL * (p * width + i));
  }
}

/* Columns [from, to) of the panels that rows [first, last) are in. */
ONCE static void pack_part(global const T *a, long rs, long cs, long first,
                           long last, int width, long from, long to, long k,
                           global W *out) {
  const long step = rs == 1 ? ACROSS : to - from;

  for (long p = from; p < to; p += step) {
    for (long i = first; i < last; i += width)
      pack_panel(a + NL * i * rs, rs, cs, (int)min((long)width, last - i), width, p,
                 min(p + step, to), out + NL * i * k);
  }
}

/* Piece `i` of matrix z: `each` panels, columns [from, to). */
static void pack_piece(global const char *buf, ulong off, long rs, long cs,
                       long bs, ulong batch, ulong rows, ulong width,
                       ulong each, global W *out, ulong i, ulong z, ulong from,
                       ulong to, ulong k) {
  const ulong first = i * each * width;
  const ulong panels = (rows + width - 1) / width;

  if (z < batch)
    pack_part((global const T *)(buf + off) + NL * (long)z * bs, rs, cs, (long)first,
              (long)min(first + each * width, rows), (int)width, (long)from,
              (long)to, (long)k, out + NL * z * panels * width * k);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_pack(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
          ulong abatch, ulong arows, ulong awidth, ulong aeach, global W *ato,
          global const char *bbuf, ulong boff, long brs, long bcs, long bbs,
          ulong bbatch, ulong brows, ulong bwidth, ulong beach, global W *bto,
          ulong apieces, ulong k, ulong run) {
  const ulong i = get_global_id(0), z = get_global_id(2);
  const ulong from = get_global_id(1) * run, to = min(from + run, k);

  if (i < apieces)
    pack_piece(abuf, aoff, ars, acs, abs_, abatch, arows, awidth, aeach, ato, i,
               z, from, to, k);
  else
    pack_piece(bbuf, boff, brs, bcs, bbs, bbatch, brows, bwidth, beach, bto,
               i - apieces, z, from, to, k);
}
