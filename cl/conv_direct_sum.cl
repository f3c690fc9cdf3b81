/* SPDX-License-Identifier: BSD-2-Clause */
/* Long sums with few columns: gradients of convolutions by filters with few
 * channels in a group, for CPUs. The window of conv_window.cl is read directly.
 * Lanes are neighbours along the last digit of sums, or neighbouring groups
 * (conv_line.cl). A work-item adds up `run` lines of one row for all columns;
 * conv_direct_join.cl adds up the parts. Macros as for gemm_cpu.cl,
 * conv_line.cl, and:
 *
 *   #define A_UNIT 1     1: lanes of A are neighbours in memory
 *   #define COLUMNS 64   most columns
 */
#include "conv_line.cl"

#define BLOCK 5      /* columns at once */
#define LINES 64     /* most lines that are walked for one block after the other */
/* Their elements, which get sums of their own: for precision */
#define CHUNK (CHANNELS ? 256 : 2048)
#define OUTSIDE INT_MIN

/* A line of indices of the sum: where it begins in A and in B. */
typedef struct direct_line {
  global const T *a;
  long as;
  window_place at;
  int n, groups;
} direct_line;

/* The columns of a block that a line reaches. */
typedef struct direct_block {
  long from[BLOCK];
  int at[BLOCK];
  int n, least, most;
} direct_block;

/* Lanes from index p on; those past the last are 0. */
static WV direct_a(const direct_line *t, int p) {
  global const T *a = t->a + p * t->as;
  W each[VL];

#if CHANNELS
  const int n = t->groups;
  const long step = 1;
#else
  const int n = t->n - p;
  const long step = t->as;
#endif
#if A_UNIT
  if (n >= VL)
    return LDV(a);
#endif
  PLAIN_LOOP
  for (int l = 0; l < VL; ++l)
    each[l] = l < n ? LD(a + l * step) : 0;
  return LOADW(0, each);
}

#if CHANNELS
static void direct_add(WV acc[BLOCK], const direct_line *t,
                       const direct_lanes *b, const direct_block *to) {
  for (int p = 0; p < t->n; ++p) {
    const WV a = direct_a(t, p);

#pragma unroll
    for (int e = 0; e < BLOCK; ++e)
      if (e < to->n && window_is_inside(to->at[e], p * b->apart, b->size))
        acc[e] = fma(
            direct_load(b, to->from[e] + p * b->step, t->groups), a, acc[e]);
  }
}
#else
static void direct_add(WV acc[BLOCK], const direct_line *t,
                       const direct_lanes *b, const direct_block *to) {
  for (int p = 0; p < t->n; p += VL) {
    const WV a = direct_a(t, p);

    if (p + VL <= t->n && direct_is_inside(b, to->least + p * b->apart,
                                           to->most + p * b->apart, VL)) {
#pragma unroll
      for (int e = 0; e < BLOCK; ++e)
        if (e < to->n && to->at[e] != OUTSIDE)
          acc[e] = fma(direct_load(b, to->from[e] + p * b->step), a, acc[e]);
      continue;
    }
#pragma unroll
    for (int e = 0; e < BLOCK; ++e)
      if (e < to->n && to->at[e] != OUTSIDE) {
        const WV x = direct_edge(b, to->from[e] + p * b->step,
                                 to->at[e] + p * b->apart);
        /* the lanes of `a` are 0 there, but x may be infinite */
        acc[e] = fma(select((WV)(0), x, LANES < (WI)(t->n - p)), a, acc[e]);
      }
  }
}
#endif

/* Find where the columns of a block read B in a line. */
static void direct_reach(direct_block *to, const window_place *col, int n,
                         window_place row, const window *w) {
  to->n = n;
  to->least = INT_MAX;
  to->most = INT_MIN;
#pragma unroll
  for (int e = 0; e < BLOCK; ++e) {
    to->at[e] = OUTSIDE;
    to->from[e] = 0;
    if (e >= n || !window_is_inside(col[e].at[0], row.at[0], w->x[0]) ||
        !window_is_inside(col[e].at[1], row.at[1], w->x[1]))
      continue;
    to->from[e] = col[e].off + row.off;
    to->at[e] = col[e].at[2] + row.at[2];
    to->least = min(to->least, to->at[e]);
    to->most = max(to->most, to->at[e]);
  }
}

/* Add n lines to the sums of a block of columns. */
static void direct_lines(W *sums, const direct_line *lines, int n,
                         const direct_lanes *b, const window_place *col,
                         int columns, const window *w) {
  direct_block block;
  WV acc[BLOCK];

#pragma unroll
  for (int e = 0; e < BLOCK; ++e)
    acc[e] = (WV)(0);
  for (int i = 0; i < n; ++i) {
    direct_reach(&block, col, columns, lines[i].at, w);
    direct_add(acc, &lines[i], b, &block);
  }
#pragma unroll
  for (int e = 0; e < BLOCK; ++e)
    if (e < columns)
      STOREW(LOADW(e, sums) + acc[e], e, sums);
}

/* Store the sums of the columns, to[column]; lanes that are groups are `apart`
 * elements from each other. */
static void direct_store(global W *to, const W *sums, int columns, int groups,
                         long apart) {
  for (int j = 0; j < columns; ++j) {
#if CHANNELS
    for (int l = 0; l < groups; ++l)
      to[l * apart + j] = sums[j * VL + l];
#else
    W total = 0;

    for (int l = 0; l < VL; ++l)
      total += sums[j * VL + l];
    to[j] = total;
#endif
  }
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv_direct_sum(global const char *abuf, ulong aoff, long ars, long acs,
                long abs_, long a0, long a1, long a2, long a3,
                global const char *bbuf, ulong boff, long brs, long bcs,
                long bbs, ulong m, ulong n, ulong batch, ulong lines, ulong run,
                global W *to WINDOW_PARAMS) {
  const long z = (long)get_global_id(2) * (CHANNELS ? VL : 1);
  const long row = get_global_id(1);
  const window w = WINDOW_IS(z * bbs, 0);
  const ulong end = min((get_global_id(0) + 1) * run, lines);
  const int groups = (int)min((ulong)VL, batch - (ulong)z);
  const int chunk = clamp(CHUNK / (int)w_p3, 1, LINES), columns = (int)n;
  const direct_lanes b = {(global const T *)(bbuf + boff), w_pt2 * w_s2, w_low,
                          w_high, w_pt2, w_x2};
  global const T *a =
      (global const T *)(abuf + aoff) + z * abs_ + row * ars;
  window_place col[COLUMNS];
  direct_line line[LINES];
  W sums[COLUMNS * VL] __attribute__((aligned(64)));
  int d[4];

  PLAIN_LOOP
  for (int j = 0; j < columns; ++j) {
    direct_digits(d, (INDEX)j, w_j1, w_j2, w_j3);
    col[j] = window_of_column(d, &w);
    STOREW((WV)(0), j, sums);
  }
  for (ulong i = get_global_id(0) * run; i < end; i += chunk) {
    const int count = (int)min((ulong)chunk, end - i);

    PLAIN_LOOP
    for (int t = 0; t < count; ++t) {
      direct_digits(d, (INDEX)(i + t) * (INDEX)w_p3, w_p1, w_p2, w_p3);
      line[t].a = a + d[0] * a0 + d[1] * a1 + d[2] * a2;
      line[t].as = a3;
      line[t].at = window_of_sum(d, &w);
      line[t].n = (int)w_p3;
      line[t].groups = groups;
    }
    for (int j = 0; j < columns; j += BLOCK)
      direct_lines(sums + j * VL, line, count, &b, col + j,
                   min(BLOCK, columns - j), &w);
  }
  to += ((get_global_id(0) * batch + z) * m + row) * n;
  direct_store(to, sums, columns, groups, (long)n);
}
