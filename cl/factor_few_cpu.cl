/* SPDX-License-Identifier: BSD-2-Clause */
/* Solving with a triangle for few columns on CPUs: a work-item reads the whole
 * triangle once for its column, as vectors. Macros besides those of
 * factor_cpu.cl:
 *
 *   #define ROWS 1   the elements of a row lie side by side, else those of a
 *                    column
 *   #define BACK 0   their order in memory is reversed
 */
#include "factor_matrix.cl"

/* Elements i to i + VL of a line from p on, in the order of memory; and one of
 * them. */
#if BACK
#define PLACE(p, i) ((p) - (i) - (VL - 1))
#define ONE(p, i) ((p)[-(i)])
#else
#define PLACE(p, i) ((p) + (i))
#define ONE(p, i) ((p)[i])
#endif

#define DIVIDED(v, i) (unit ? (v) : (v) / LD(a + (i) * (a_rs + a_cs)))

#if ROWS
/* x[i + q] -= sum_j a[i + q][j] x[j], for `count` rows; those above are solved.
 */
#define SOLVE(count)                                                           \
  {                                                                            \
    global const T *row = a + i * a_rs;                                        \
    WV sums[count];                                                            \
    W f[count];                                                                \
    long j = 0;                                                                \
                                                                               \
    _Pragma("unroll") for (int q = 0; q < count; ++q) sums[q] = 0;             \
    for (; j + VL <= i; j += VL) {                                             \
      const WV v = LOADW(0, PLACE(x, j));                                      \
      _Pragma("unroll") for (int q = 0; q < count; ++q) sums[q] =              \
          fma(LDV(PLACE(row + q * a_rs, j)), v, sums[q]);                      \
    }                                                                          \
    W rest[count];                                                             \
    _Pragma("unroll") for (int q = 0; q < count; ++q) {                        \
      W lanes[VL];                                                             \
                                                                               \
      STOREW(sums[q], 0, lanes);                                               \
      rest[q] = 0;                                                             \
      for (int l = 0; l < VL; ++l)                                             \
        rest[q] += lanes[l];                                                   \
    }                                                                          \
    /* The sums do not wait for each other. */                                 \
    PLAIN_LOOP                                                                 \
    for (; j < i; ++j) {                                                       \
      const W v = ONE(x, j);                                                   \
      _Pragma("unroll") for (int q = 0; q < count; ++q) rest[q] =              \
          fma(LD(row + q * a_rs + j * a_cs), v, rest[q]);                      \
    }                                                                          \
    _Pragma("unroll") for (int q = 0; q < count; ++q) {                        \
      _Pragma("unroll") for (int h = 0; h < q; ++h) rest[q] =                  \
          fma(LD(row + q * a_rs + (i + h) * a_cs), f[h], rest[q]);             \
      f[q] = ONE(x, i + q) = DIVIDED(ONE(x, i + q) - rest[q], i + q);          \
    }                                                                          \
  }
#else
/* Solve for x[i + q], and subtract its products with `count` columns from what
 * is below. */
#define SOLVE(count)                                                           \
  {                                                                            \
    global const T *column = a + i * a_cs;                                     \
    W f[count];                                                                \
    long k = i + count;                                                        \
                                                                               \
    _Pragma("unroll") for (int q = 0; q < count; ++q) {                        \
      W v = ONE(x, i + q);                                                     \
                                                                               \
      _Pragma("unroll") for (int h = 0; h < q; ++h) v =                        \
          fma(-f[h], LD(column + (i + q) * a_rs + h * a_cs), v);               \
      f[q] = ONE(x, i + q) = DIVIDED(v, i + q);                                \
    }                                                                          \
    for (; k + VL <= n; k += VL) {                                             \
      WV v = LOADW(0, PLACE(x, k));                                            \
      _Pragma("unroll") for (int q = 0; q < count; ++q) v =                    \
          fma((WV)-f[q], LDV(PLACE(column + q * a_cs, k)), v);                 \
      STOREW(v, 0, PLACE(x, k));                                               \
    }                                                                          \
    PLAIN_LOOP                                                                 \
    for (; k < n; ++k)                                                         \
      for (int q = 0; q < count; ++q)                                          \
        ONE(x, k) = fma(-f[q], LD(column + q * a_cs + k * a_rs), ONE(x, k));   \
  }
#endif

/* x = L^-1 b, both n x r, where L is the lower triangle of a, with ones on its
 * diagonal if `unit` is not 0. b may be x. `work` has n elements for each column.
 * Global size: r, batch. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
factor_few(MATRIX(a), MATRIX(b), MATRIX(x), const ulong n_, const ulong r,
           const int unit, global W *work) {
  const ulong c = get_global_id(0), z = get_global_id(1);
  const long n = (long)n_;
  global const T *a = MATRIX_AT(a, z);
  global const T *from = MATRIX_AT(b, z) + (long)c * b_cs;
  global T *to = MATRIX_AT(x, z) + (long)c * x_cs;
  global W *x = work + (long)(z * r + c) * n + (BACK ? n - 1 : 0);
  long i = 0;

  PLAIN_LOOP
  for (long k = 0; k < n; ++k)
    ONE(x, k) = LD(from + k * b_rs);
  for (; i + 8 <= n; i += 8)
    SOLVE(8)
  for (; i + 4 <= n; i += 4)
    SOLVE(4)
  for (; i < n; ++i)
    SOLVE(1)
  PLAIN_LOOP
  for (long k = 0; k < n; ++k)
    ST(ONE(x, k), to + k * x_rs);
}
