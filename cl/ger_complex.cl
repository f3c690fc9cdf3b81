/* SPDX-License-Identifier: BSD-2-Clause */
/* A = alpha x y^T + A of complex numbers. Behind complex_pairs.cl; macros put
 * in front:
 *
 *   #define SERIAL 1    CPUs: a work-item updates `chunk` rows; else one number
 *   #define VECTOR 1    y and the rows of A have no gaps (SERIAL only)
 *
 * Strides are in numbers, of either sign; offsets in bytes. sx and sy
 * conjugate. */
kernel void ger(global const char *xbuf, ulong xoff, long incx,
                global const char *ybuf, ulong yoff, long incy,
                global char *abuf, ulong aoff, long rs, long cs, ulong m,
                ulong n, W2 alpha, W sx, W sy, ulong chunk) {
  global const W *x = (global const W *)(xbuf + xoff);
  global const W *y = (global const W *)(ybuf + yoff);
  global W *a = (global W *)(abuf + aoff);

#if SERIAL
  const long first = (long)(get_global_id(0) * chunk);
  const long last = min(first + (long)chunk, (long)m);

  for (long i = first; i < last; ++i) {
    const W2 s = pair_times(LD2(x + 2 * i * incx) * (W2)(1, sx), alpha);
    global W *row = a + 2 * i * rs;
    long j = 0;
#if VECTOR
    for (; j + VL / 2 <= (long)n; j += VL / 2) {
      const WV yv = LDV(y + 2 * j) * PAIRS((W)1, sy);
      STV(LDV(row + 2 * j) + pairs_times(yv, s), row + 2 * j);
    }
#endif
    for (; j < (long)n; ++j)
      pair_put(pair_times(LD2(y + 2 * j * incy) * (W2)(1, sy), s), (W2)(1, 0),
               row + 2 * j * cs);
  }
#else
  const long j = (long)get_global_id(0), i = (long)get_global_id(1);

  if (j < (long)n && i < (long)m) {
    const W2 s = pair_times(LD2(x + 2 * i * incx) * (W2)(1, sx), alpha);
    pair_put(pair_times(LD2(y + 2 * j * incy) * (W2)(1, sy), s), (W2)(1, 0),
             a + 2 * (i * rs + j * cs));
  }
#endif
}
