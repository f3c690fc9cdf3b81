/* SPDX-License-Identifier: BSD-2-Clause */
/* A = alpha x y^T + A. Macros put in front (T, W, WV, VL, LD, ST, LDV, STV as
 * in gemm_cpu.cl, or complex_pairs.cl):
 *
 *   #define SERIAL 1    CPUs: a work-item updates `chunk` rows; else one number
 *   #define VECTOR 1    y and the rows of A have no gaps (SERIAL only)
 *
 * Strides are in numbers, of either sign; offsets in bytes. sx and sy
 * conjugate. */
#include "numbers.cl"

kernel void ger(global const char *xbuf, ulong xoff, long incx,
                global const char *ybuf, ulong yoff, long incy,
                global char *abuf, ulong aoff, long rs, long cs, ulong m,
                ulong n, N alpha SIGN(sx) SIGN(sy), ulong chunk) {
  global const T *x = (global const T *)(xbuf + xoff);
  global const T *y = (global const T *)(ybuf + yoff);
  global T *a = (global T *)(abuf + aoff);

#if SERIAL
  const long first = (long)(get_global_id(0) * chunk);
  const long last = min(first + (long)chunk, (long)m);

  for (long i = first; i < last; ++i) {
    const N s = MUL(CONJ(LDN(x + NL * i * incx), sx), alpha);
    global T *row = a + NL * i * rs;
    long j = 0;
#if VECTOR
    for (; j + VL / NL <= (long)n; j += VL / NL) {
      global T *at = row + NL * j;
      STV(MUL_ADD_V(CONJ_V(LDV(y + NL * j), sy), s, LDV(at)), at);
    }
#endif
    for (; j < (long)n; ++j) {
      global T *at = row + NL * j * cs;
      STN(MUL_ADD(CONJ(LDN(y + NL * j * incy), sy), s, LDN(at)), at);
    }
  }
#else
  const long j = (long)get_global_id(0), i = (long)get_global_id(1);

  if (j < (long)n && i < (long)m) {
    const N s = MUL(CONJ(LDN(x + NL * i * incx), sx), alpha);
    global T *at = a + NL * (i * rs + j * cs);
    STN(MUL_ADD(CONJ(LDN(y + NL * j * incy), sy), s, LDN(at)), at);
  }
#endif
}
