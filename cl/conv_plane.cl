/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions with few rows (filters of a group), one channel in a group and
 * short lines, for CPUs. A work-item copies a part of a plane of x with zeros
 * around it, so that vectors need no checks, and computes all rows of it. Lines
 * of the result lie behind each other and are put as one. Behind product_put.cl;
 * macros as for gemm_cpu.cl, and:
 *
 *   #define LINE 1      positions from column to column: 1 or 2
 *   #define TAPS 128    most indices of the sum
 *   #define PLANE 4096  most elements of the copy
 *   #define SUMS 2048   most columns of a part
 */
#define BLOCK 4      /* lines at once */
#define SLACK (3 * VL) /* elements that vectors read or write too many */

/* A part of a plane. Index p of the sum reads element at[p] of the copy for
 * column 0, and element from[p] of A. Indices go down the columns of a filter:
 * `below` of them follow each other, each of which reads `down` elements behind
 * the one before it. */
typedef struct plane_part {
  int width, height; /* of the copy */
  int columns, lines;
  int n; /* indices of the sum */
  int down; /* elements of the copy from line to line */
  int below; /* divides n */
  int at[TAPS];
  long from[TAPS];
} plane_part;

/* Lanes [0, n) of what lies at p, others are zeros. */
static WV plane_lanes(global const T *p, global const T *end, int n) {
  W each[VL];

  if (n >= VL)
    return LDV(p);
  if (p + VL <= end)
    return select((WV)(0), LDV(p), LANES < (WI)(n));
  for (int l = 0; l < VL; ++l)
    each[l] = l < n ? LD(p + l) : 0;
  return LOADW(0, each);
}

/* Copy lines from position y on, whose element 0 lies at position x. Zeros
 * behind a line are overwritten by the next one. */
static void plane_copy(W *to, const plane_part *t, global const T *b,
                       global const T *end, const window *w, int y, int x,
                       int is_inside) {
  const int first = clamp(-x, 0, t->width);
  const int n = min(t->width, w->x[2] - x) - first;

  for (int i = 0; i < t->height; ++i) {
    W *line = to + i * t->width;
    const int has = is_inside && window_is_inside(y, i, w->x[1]) ? n : 0;
    global const T *from = b + (y + i) * w->s[1] + x + first;

    for (int k = 0; k < first; ++k)
      line[k] = 0;
    for (int k = 0; k < t->width - first; k += VL) {
      const WV v = k < has ? plane_lanes(from + k, end, has - k) : (WV)(0);
      STOREW(v, 0, line + first + k);
    }
  }
  for (int k = 0; k < SLACK; ++k) /* behind the last line */
    to[t->height * t->width + k] = 0;
}

static WV plane_load(const W *p) {
#if LINE == 1
  return LOADW(0, p);
#else
  const WV u = LOADW(0, p), v = LOADW(1, p);

  return (WV)(u.even, v.even);
#endif
}

/* The sums of some lines from the one that is read at x and written at `sums`, VL
 * columns of each. From one index to the next one below, only one line is
 * new. */
#define PLANE_SUMS(name, some)                                                 \
  static void name(W *sums, const W *x, const plane_part *t,                   \
                   const W *factor) {                                          \
    WV acc[some], line[some];                                                  \
    _Pragma("unroll") for (int q = 0; q < some; ++q) acc[q] = (WV)(0);         \
    for (int p = 0; p < t->n; p += t->below) {                                 \
      const W *next = x + t->at[p];                                            \
      _Pragma("unroll") for (int q = 1; q < some; ++q, next += t->down)        \
          line[q] = plane_load(next);                                          \
      for (int i = p; i < p + t->below; ++i, next += t->down) {                \
        const WV f = (WV)(factor[i]);                                          \
        _Pragma("unroll") for (int q = 0; q < some - 1; ++q) line[q] =         \
            line[q + 1];                                                       \
        line[some - 1] = plane_load(next);                                     \
        _Pragma("unroll") for (int q = 0; q < some; ++q) acc[q] =              \
            fma(line[q], f, acc[q]);                                           \
      }                                                                        \
    }                                                                          \
    _Pragma("unroll") for (int q = 0; q < some; ++q)                           \
        STOREW(acc[q], 0, sums + q * t->columns);                              \
  }

PLANE_SUMS(plane_line, 1)
PLANE_SUMS(plane_block, BLOCK)

/* What is written behind a line is overwritten by the next line, or by its
 * first columns, which come later. The last block may compute lines again. */
static void plane_sums(W *sums, const W *x, const plane_part *t,
                       const W *factor) {
  for (int j = (t->columns - 1) / VL * VL; j >= 0; j -= VL) {
    if (t->lines < BLOCK) {
      for (int i = 0; i < t->lines; ++i)
        plane_line(sums + j + i * t->columns, x + j * LINE + i * t->down, t,
                   factor);
      continue;
    }
    for (int i = 0; i < t->lines; i += BLOCK) {
      const int from = min(i, t->lines - BLOCK);

      plane_block(sums + j + from * t->columns, x + j * LINE + from * t->down,
                  t, factor);
    }
  }
}

/* Put the sums of the part that begins at line d[2]. */
static void plane_put(const W *sums, const plane_part *t, global T *c, long row,
                      const int *d, product_scale s P_PARAMS) {
  const int n = t->lines * t->columns;
  int j = 0;

#if PUT_VECTORS
  for (; j + VL <= n; j += VL)
    product_put_v(LOADW(0, sums + j), c + j, row, j, d[2], d[1], d[0],
                  s P_ARGS);
#endif
  PLAIN_LOOP
  for (; j < n; ++j)
    product_put(sums[j], c + j, row, j % t->columns, d[2] + j / t->columns,
                d[1], d[0], s P_ARGS);
}

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv_plane(global const char *abuf, ulong aoff, long ars, long acs, long abs_,
           long a0, long a1, long a2, long a3, global const char *bbuf,
           ulong boff, long brs, long bcs, long bbs, global char *cbuf,
           ulong coff, long crs, long ccs, long cbs, ulong m, ulong n, ulong k,
           SCALE_PARAMS, ulong batch, ulong planes, ulong run,
           ulong part WINDOW_PARAMS P_PARAMS) {
  const product_scale s = SCALE;
  const ulong end = min((get_global_id(0) + 1) * run, planes);
  const int low1 = min(0, (int)(w_p2 - 1) * w_pt1) - w_pad1;
  const int low2 = min(0, (int)(w_p3 - 1) * w_pt2) - w_pad2;
  const int span1 = abs((int)(w_p2 - 1) * w_pt1);
  plane_part t = {.columns = (int)w_j3, .n = (int)k};
  W x[PLANE + SLACK], sums[SUMS + SLACK], factor[TAPS];

  t.width = (t.columns - 1) * LINE + (int)abs((int)(w_p3 - 1) * w_pt2) + 1;
  t.down = w_jt1 * t.width;
  t.below = (int)abs(w_pt1) == w_jt1 ? (int)w_p2 : 1;
  PLAIN_LOOP
  for (int p = 0; p < t.n; ++p) {
    const int j = p / (int)w_p2, rest = p - j * (int)w_p2;
    const int i = w_pt1 < 0 ? (int)w_p2 - 1 - rest : rest;

    t.at[p] = (i * w_pt1 - w_pad1 - low1) * t.width + j * w_pt2 - w_pad2 - low2;
    t.from[p] = i * a2 + j * a3;
  }
  for (uint q = get_global_id(0) * run; q < end; ++q) {
    /* the groups of an image after each other, as they mostly lie in memory */
    const uint deep = (uint)w_j1, each = (uint)batch * deep;
    const uint image = q / each, plane = q - image * each, z = plane / deep;
    const window w = WINDOW_IS((long)z * bbs, (long)z * (long)m);
    int d[3] = {(int)image, (int)(plane - z * deep), 0};
    const int at = d[1] * w_jt0 - w_pad0;
    global const T *b = (global const T *)(bbuf + boff);
    global const T *from = b + w.z + d[0] * w.js + at * w.s[0];
    global const T *a = (global const T *)(abuf + aoff) + (long)z * abs_;
    global T *c = (global T *)(cbuf + coff) + (long)z * cbs + d[0] * w.c[0] +
                  d[1] * w.c[1];

    for (; d[2] < w_j2; d[2] += (int)part) {
      t.lines = (int)min((long)part, w_j2 - d[2]);
      t.height = (t.lines - 1) * w_jt1 + span1 + 1;
      plane_copy(x, &t, from, b + w.high, &w, d[2] * w_jt1 + low1, low2,
                 window_is_inside(at, 0, w.x[0]));
      for (long row = 0; row < (long)m; ++row) {
        PLAIN_LOOP
        for (int p = 0; p < t.n; ++p)
          factor[p] = LD(a + row * ars + t.from[p]);
        plane_sums(sums, x, &t, factor);
        plane_put(sums, &t, c + row * crs + d[2] * w.c[2], w.row + row, d,
                  s P_ARGS);
      }
    }
  }
}
