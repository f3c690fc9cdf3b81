/* SPDX-License-Identifier: BSD-2-Clause */
/* A = alpha x y^T + A. Macros put in front (T, W, WV, VL, LD, ST, LDV, STV as
 * in gemm_cpu.cl):
 *
 *   #define SERIAL 1    CPUs: a work-item updates `chunk` rows; else one element
 *   #define VECTOR 1    y and the rows of A have no gaps (SERIAL only)
 *
 * Strides are in elements, of either sign; offsets in bytes. */
kernel void ger(global const char *xbuf, ulong xoff, long incx,
                global const char *ybuf, ulong yoff, long incy,
                global char *abuf, ulong aoff, long rs, long cs, ulong m,
                ulong n, W alpha, ulong chunk) {
  global const T *x = (global const T *)(xbuf + xoff);
  global const T *y = (global const T *)(ybuf + yoff);
  global T *a = (global T *)(abuf + aoff);

#if SERIAL
  const long first = (long)(get_global_id(0) * chunk);
  const long last = min(first + (long)chunk, (long)m);

  for (long i = first; i < last; ++i) {
    const W s = alpha * LD(x + i * incx);
    global T *row = a + i * rs;
    long j = 0;
#if VECTOR
    for (; j + VL <= (long)n; j += VL)
      STV(fma((WV)s, LDV(y + j), LDV(row + j)), row + j);
#endif
    for (; j < (long)n; ++j)
      ST(fma(s, LD(y + j * incy), LD(row + j * cs)), row + j * cs);
  }
#else
  const long j = (long)get_global_id(0), i = (long)get_global_id(1);

  if (j < (long)n && i < (long)m) {
    global T *at = a + i * rs + j * cs;
    ST(fma(alpha * LD(x + i * incx), LD(y + j * incy), LD(at)), at);
  }
#endif
}
