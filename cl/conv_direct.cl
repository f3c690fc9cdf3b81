/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with few rows (filters of a group) and short sums, for CPUs. The
 * window of conv_window.cl is read directly, and nothing is copied. Lanes are
 * neighbouring columns along the last spatial dimension or neighbouring groups
 * (conv_line.cl). A work-item computes `run` lines of columns. Behind
 * product_put.cl; macros as for gemm_cpu.cl, conv_line.cl, and:
 *
 *   #define TAPS 256   most indices of the sum
 */
#include "conv_line.cl"

#define BLOCK 4 /* vectors at once */

/* The type of a factor, the columns of a vector, and how one is loaded. */
#if CHANNELS
#define FACTOR WV
#define VECTOR_COLUMNS 1
#define DIRECT_LOAD(b, from, line) direct_load(b, from, (line)->groups)
#else
#define FACTOR W
#define VECTOR_COLUMNS VL
#define DIRECT_LOAD(b, from, line) direct_load(b, from)
#endif

/* Elements of A and where they read B: for all indices of the sum, or for those
 * that are inside in one line of columns. There `at[2]` belongs to column 0. */
typedef struct direct_taps {
  FACTOR factor[TAPS];
  window_place place[TAPS];
  int n;
  int least, most; /* of at[2] */
} direct_taps;

/* A line of columns, or one vector of it. */
typedef struct direct_line {
  global T *c;
  long cs, row;
  int d[4], n;
  int groups; /* lanes that are groups */
} direct_line;

static FACTOR direct_factor(global const T *a, long bs, int groups) {
#if CHANNELS
  W each[VL];

  for (int l = 0; l < VL; ++l)
    each[l] = l < groups ? LD(a + l * bs) : 0;
  return LOADW(0, each);
#else
  return LD(a);
#endif
}

/* Take the indices of the sum that are inside in the other dimensions. */
static void direct_take(direct_taps *to, const direct_taps *all,
                        const window *w, window_place col) {
  to->n = 0;
  to->least = INT_MAX;
  to->most = INT_MIN;
  PLAIN_LOOP
  for (int p = 0; p < all->n; ++p) {
    const window_place at = all->place[p];

    if (!window_is_inside(col.at[0], at.at[0], w->x[0]) ||
        !window_is_inside(col.at[1], at.at[1], w->x[1]))
      continue;
    to->factor[to->n] = all->factor[p];
    to->place[to->n].off = col.off + at.off;
    to->place[to->n].at[2] = col.at[2] + at.at[2];
    to->least = min(to->least, to->place[to->n].at[2]);
    to->most = max(to->most, to->place[to->n].at[2]);
    ++to->n;
  }
}

#if CHANNELS
/* Put column j. */
static void direct_put(WV sum, const direct_line *t, int j, int n,
                       product_scale s P_PARAMS) {
  global T *c = t->c + j * t->cs;
  W each[VL];

#if PUT_VECTORS
  if (t->groups == VL) {
    product_put_v(sum, c, j, t->row, t->d[2], t->d[1], t->d[0], s P_ARGS);
    return;
  }
#endif
  STOREW(sum, 0, each);
  for (int l = 0; l < t->groups; ++l)
    product_put(each[l], c + l, j, t->row + l, t->d[2], t->d[1], t->d[0],
                s P_ARGS);
}

/* The sum of column j, of which some elements are outside. */
static WV direct_edges(const direct_taps *t, const direct_lanes *b,
                       const direct_line *line, int j) {
  WV sum = (WV)(0);

  for (int p = 0; p < t->n; ++p)
    if (window_is_inside(t->place[p].at[2], j * b->apart, b->size))
      sum = fma(direct_load(b, t->place[p].off + j * b->step, line->groups),
                t->factor[p], sum);
  return sum;
}
#else
/* Put n columns from j on. */
static void direct_put(WV sum, const direct_line *t, int j, int n,
                       product_scale s P_PARAMS) {
  global T *c = t->c + j * t->cs;
  W each[VL];

#if PUT_VECTORS
  if (n == VL && t->cs == 1) {
    product_put_v(sum, c, t->row, j, t->d[2], t->d[1], t->d[0], s P_ARGS);
    return;
  }
#endif
  STOREW(sum, 0, each);
  PLAIN_LOOP
  for (int l = 0; l < n; ++l)
    product_put(each[l], c + l * t->cs, t->row, j + l, t->d[2], t->d[1],
                t->d[0], s P_ARGS);
}

/* The sums of the columns from j on, of which some elements are outside. */
static WV direct_edges(const direct_taps *t, const direct_lanes *b,
                       const direct_line *line, int j) {
  WV sum = (WV)(0);

  for (int p = 0; p < t->n; ++p)
    sum = fma(direct_edge(b, t->place[p].off + j * b->step,
                          t->place[p].at[2] + j * b->apart),
              (WV)(t->factor[p]), sum);
  return sum;
}
#endif

static void direct_block(const direct_taps *t, const direct_lanes *b,
                         const direct_line *line, int j,
                         product_scale s P_PARAMS) {
  WV acc[BLOCK];

#pragma unroll
  for (int v = 0; v < BLOCK; ++v)
    acc[v] = (WV)(0);
  for (int p = 0; p < t->n; ++p) {
    const long from = t->place[p].off + j * b->step;
    const WV factor = (WV)(t->factor[p]);

#pragma unroll
    for (int v = 0; v < BLOCK; ++v)
      acc[v] = fma(DIRECT_LOAD(b, from + v * VECTOR_COLUMNS * b->step, line),
                   factor, acc[v]);
  }
#pragma unroll
  for (int v = 0; v < BLOCK; ++v)
    direct_put(acc[v], line, j + v * VECTOR_COLUMNS, VECTOR_COLUMNS, s P_ARGS);
}

static void direct_walk(const direct_taps *t, const direct_lanes *b,
                        const direct_line *line, product_scale s P_PARAMS) {
  for (int j = 0; j < line->n;) {
    const int least = t->least + j * b->apart, most = t->most + j * b->apart;

    if (j + BLOCK * VECTOR_COLUMNS <= line->n &&
        direct_is_inside(b, least, most, BLOCK * VECTOR_COLUMNS)) {
      direct_block(t, b, line, j, s P_ARGS);
      j += BLOCK * VECTOR_COLUMNS;
      continue;
    }
    direct_put(direct_edges(t, b, line, j), line, j,
               min(VECTOR_COLUMNS, line->n - j), s P_ARGS);
    j += VECTOR_COLUMNS;
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv_direct(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
            long a0, long a1, long a2, long a3, global const char *bbuf,
            ulong boff, long brs, long bcs, long bbs, global char *cbuf,
            ulong coff, long crs, long ccs, long cbs, ulong m, ulong n, ulong k,
            SCALE_PARAMS, ulong batch, ulong lines,
            ulong run WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const long z = (long)get_global_id(2) * (CHANNELS ? VL : 1);
  const long row = get_global_id(1);
  const window w = WINDOW_IS(z * bbs, z * (long)m);
  const ulong end = min((get_global_id(0) + 1) * run, lines);
  const direct_lanes b = {(global const T *)(bbuf + boff), w_jt2 * w_s2, w_low,
                          w_high, w_jt2, w_x2};
  global const T *a =
      (global const T *)(abuf + aoff) + z * abs_ + row * ars;
  global T *c = (global T *)(cbuf + coff) + z * cbs + row * crs;
  direct_line line = {.cs = w_c3, .row = z * (long)m + row, .n = (int)w_j3,
                      .groups = (int)min((ulong)VL, batch - (ulong)z)};
  direct_taps all, some;

  all.n = (int)k;
  PLAIN_LOOP
  for (int p = 0; p < all.n; ++p) {
    direct_digits(line.d, (INDEX)p, w_p1, w_p2, w_p3);
    all.place[p] = window_of_sum(line.d, &w);
    all.factor[p] = direct_factor(a + line.d[0] * a0 + line.d[1] * a1 +
                                      line.d[2] * a2 + line.d[3] * a3,
                                  abs_, line.groups);
  }
  for (ulong i = get_global_id(0) * run; i < end; ++i) {
    direct_digits(line.d, (INDEX)i * (INDEX)w_j3, w_j1, w_j2, w_j3);
    direct_take(&some, &all, &w, window_of_column(line.d, &w));
    line.c = c + window_c(line.d, &w);
    direct_walk(&some, &b, &line, s P_ARGS);
  }
}
