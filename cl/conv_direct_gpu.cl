/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with few rows (filters of a group) and short sums, for GPUs. A
 * work-item computes RUN columns that lie below each other, for one row of one
 * group. Neighbouring work-items have neighbouring columns along the last
 * dimension, or neighbouring groups, so their windows overlap in the first
 * cache, and memory is read once. Behind product_put.cl; macros as for
 * gemm_gpu.cl, and:
 *
 *   #define CHANNELS 0    1: neighbours are groups
 *   #define GROUPS 1      neighbouring groups of a work-item, or 4, whose
 *                         elements of B and C are aligned vectors
 *   #define RUN 4
 *   #define WIDE 0        1: indices of work-items need 64 bits
 */
#if WIDE
#define PLACE ulong
#else
#define PLACE uint
#endif

#if GROUPS > 1
#define DIRECT_SUM WV
#define DIRECT_LOAD(p) LDB4(p)
#define DIRECT_FACTOR(p, apart)                                                \
  (WV)(LD(p), LD((p) + (apart)), LD((p) + 2 * (apart)), LD((p) + 3 * (apart)))
#else
#define DIRECT_SUM W
#define DIRECT_LOAD(p) LD(p)
#define DIRECT_FACTOR(p, apart) LD(p)
#endif

/* A dimension of the sum: filter elements, and elements of A between them. */
typedef struct direct_sum {
  int n;
  long a;
} direct_sum;

/* What a work-item reads: its filter, B, and the positions of column 0. */
typedef struct direct_item {
  global const T *a, *b;
  long apart; /* elements of A from one group to the next */
  int at[3];
  int rows; /* columns that it computes, at most RUN */
} direct_item;

/* Add the products of one channel and one position along dimension 0. */
GA_INLINE void direct_plane(DIRECT_SUM acc[RUN], const direct_item *t, const window *w,
                            global const T *a, global const T *b,
                            direct_sum down, direct_sum along) {
  const long next = w->jt[1] * w->s[1];

  for (int i = 0; i < down.n; ++i) {
    const int y = t->at[1] + i * w->pt[1];

    for (int j = 0; j < along.n; ++j) {
      const int x = t->at[2] + j * w->pt[2];
      const DIRECT_SUM factor =
          DIRECT_FACTOR(a + i * down.a + j * along.a, t->apart);
      global const T *from = b + y * w->s[1] + x * w->s[2];

      if (!window_is_inside(x, 0, w->x[2]))
        continue;
#pragma unroll
      for (int r = 0; r < RUN; ++r)
        if (r < t->rows && window_is_inside(y, r * w->jt[1], w->x[1]))
          acc[r] = fma(DIRECT_LOAD(from + r * next), factor, acc[r]);
    }
  }
}

/* The place of lane l in column r. Lanes go along rows, so they have the places
 * of the transposed result. */
#if GROUPS > 1
#define DIRECT_PLACE(r, l)                                                     \
  c + (r) * next + (l), d[3], row + (l), d[2] + (r), d[1], d[0], s P_ARGS
#else
#define DIRECT_PLACE(r, l)                                                     \
  c + (r) * next, row, d[3], d[2] + (r), d[1], d[0], s P_ARGS
#endif

/* Put the columns of a work-item. What vectors of them need is read first. */
GA_INLINE void direct_put(const DIRECT_SUM acc[RUN], int rows, global T *c,
                          long next, long row, const int d[4],
                          product_scale s P_PARAMS) {
#if GROUPS > 1 && PUT_VECTORS
  product_read read[RUN];

#pragma unroll
  for (int r = 0; r < RUN; ++r)
    if (r < rows)
      read[r] = product_read_v(DIRECT_PLACE(r, 0));
#pragma unroll
  for (int r = 0; r < RUN; ++r)
    if (r < rows)
      product_put_read(acc[r], read[r], DIRECT_PLACE(r, 0));
#else
#pragma unroll
  for (int r = 0; r < RUN; ++r) {
    W each[GROUPS];

#if GROUPS > 1
    STOREW(acc[r], 0, each);
#else
    each[0] = acc[r];
#endif
#pragma unroll
    for (int l = 0; l < GROUPS; ++l)
      if (r < rows)
        product_put(each[l], DIRECT_PLACE(r, l));
  }
#endif
}

kernel void conv_direct_gpu(
    global const char *abuf, ulong aoff, long ars, long acs, long abs_, long a0,
    long a1, long a2, long a3, global const char *bbuf, ulong boff, long brs,
    long bcs, long bbs, global char *cbuf, ulong coff, long crs, long ccs,
    long cbs, ulong m, ulong n, ulong k, SCALE_PARAMS, ulong batch,
    ulong runs WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const long row = get_global_id(1);
  const PLACE id = (PLACE)get_global_id(0);
  const PLACE each = (PLACE)(CHANNELS ? batch / GROUPS : runs);
  const long z = CHANNELS ? id % each * GROUPS : id / each;
  const long run = CHANNELS ? id / each : id % each;
  const window_sizes sizes = {{w_j1, (w_j2 + RUN - 1) / RUN, w_j3}};
  const long first = (long)k / (w_p1 * w_p2 * w_p3);
  direct_item t;
  DIRECT_SUM acc[RUN];
  int d[4];

  if (get_global_id(0) >= batch / GROUPS * runs)
    return;
  const window w = WINDOW_IS(z * bbs, z * (long)m);
  const direct_sum channels = {(int)(w_plast ? w_p3 : first),
                               w_plast ? a3 : a0};
  const direct_sum deep = {(int)(w_plast ? first : w_p1), w_plast ? a0 : a1};
  const direct_sum down = {(int)(w_plast ? w_p1 : w_p2), w_plast ? a1 : a2};
  const direct_sum along = {(int)(w_plast ? w_p2 : w_p3), w_plast ? a2 : a3};
  window_digits(d, run, sizes);
  d[2] *= RUN;
  t.a = (global const T *)(abuf + aoff) + z * abs_ + row * ars;
  t.b = (global const T *)(bbuf + boff) + w.z + d[0] * w.js;
  t.apart = abs_;
  t.rows = (int)min((long)RUN, w_j2 - d[2]);
#pragma unroll
  for (int i = 0; i < 3; ++i)
    t.at[i] = d[i + 1] * w.jt[i] - w.pad[i];
#pragma unroll
  for (int r = 0; r < RUN; ++r)
    acc[r] = 0;
  for (int c = 0; c < channels.n; ++c)
    for (int i = 0; i < deep.n; ++i) {
      const int at = t.at[0] + i * w.pt[0];

      if (window_is_inside(at, 0, w.x[0]))
        direct_plane(acc, &t, &w, t.a + c * channels.a + i * deep.a,
                     t.b + c * w.ps + at * w.s[0], down, along);
    }
  global T *c =
      (global T *)(cbuf + coff) + z * cbs + row * crs + window_c(d, &w);
  direct_put(acc, t.rows, c, w.c[2], w.row + row, d, s P_ARGS);
}
