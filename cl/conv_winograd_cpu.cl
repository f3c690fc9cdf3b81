/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions of floats by Winograd's algorithm on CPUs, in one kernel, so that
 * transformed numbers stay in caches. A unit is SPAN columns of a line: two or
 * four tiles that follow each other, which read 6 lines of SPAN + 2 positions.
 * The lanes of a vector are the tiles of several units in order. A panel is NV
 * vectors. Positions of a line are neighbours in memory. Stands behind
 * product_put.cl; further macros:
 *
 *   #define SPAN 16     or 8
 *   #define MR 8        rows of a tile of sums
 *   #define NV 2        vectors of a panel
 *   #define KC 32       channels of a block
 *   #define GAP 16      elements between the tiles of two numbers, which would
 *                       share few places of a cache if they were 2^n bytes apart
 *   #define READY 1     filters were transformed by conv_winograd_pack.cl
 *   #define C_UNIT 1    columns along the last dimension are neighbours in C
 *
 * A work-item computes one block of C after the other. Each block is of some
 * rows and panels. Its part of the workspace holds numbers of
 *
 *   tiles    [panels, 36, KC, NR], with gaps
 *   filters  [36, MR, KC], unless READY
 *   sums     [tiles of rows, panels, 36, MR, NR]
 */
#define LANES 16
#define TV float16
#include "conv_winograd.cl"
#include "conv_winograd_rows.cl"

#define NR (NV * LANES)
#define VECTOR_UNITS (4 * LANES / SPAN)
#define UNITS (NV * VECTOR_UNITS)
#define TILES (KC * NR + GAP) /* of a number */
#define PANEL (36 * TILES)
#define SUMS (36 * MR * NR)

#if SPAN == 16
#define TS float16
#define LOADS(p) vload16(0, p)
#define SPAN_INDEX ((int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
#else
#define TS float8
#define LOADS(p) vload8(0, p)
#define SPAN_INDEX ((int8)(0, 1, 2, 3, 4, 5, 6, 7))
#endif

/* Where a unit lies: its first position in B, from a channel's start, and its
 * digits. */
typedef struct winograd_unit {
  long off;
  int y, x;
  int digit[4];
} winograd_unit;

/* The units of an image, and those of all images. */
typedef struct winograd_units {
  long down, along, total;
} winograd_units;

static winograd_unit winograd_find(const window *w, winograd_units all,
                                   long index) {
  const long at = min(index, all.total - 1), line = at / all.along;
  const long image = line / all.down;
  winograd_unit u = {0, 0, 0, {(int)image, 0, (int)(line - image * all.down) * 4,
                               (int)(at - line * all.along) * SPAN}};

  u.y = u.digit[2] - w->pad[1];
  u.x = u.digit[3] - w->pad[2];
  u.off = w->z + image * w->js + u.y * w->s[1] + u.x;
  return u;
}

/* SPAN positions of line i of a unit, from position `shift` on. `channel` is
 * where the channel begins in b. */
static TS winograd_line(global const T *b, const window *w, long channel,
                        const winograd_unit *u, int i, int shift) {
  const int low = -u->x - shift, high = w->x[2] + low;
  const long from = channel + u->off + i * w->s[1] + shift;
  W each[SPAN];

  if (!window_is_inside(u->y, i, w->x[1]))
    return (TS)(0);
  if (from >= w->low && from + SPAN <= w->high) {
    const TS v = LOADS(b + from);

    if (low <= 0 && high >= SPAN)
      return v;
    return select((TS)(0), v, (SPAN_INDEX >= low) & (SPAN_INDEX < high));
  }
  PLAIN_LOOP
  for (int l = 0; l < SPAN; ++l)
    each[l] = l >= low && l < high ? LD(b + from + l) : 0;
  return LOADS(each);
}

/* The same for LANES columns, of one unit or of two. */
static TV winograd_lines(global const T *b, const window *w, long channel,
                         const winograd_unit *u, int i, int shift) {
#if SPAN == 16
  return winograd_line(b, w, channel, u, i, shift);
#else
  return (TV)(winograd_line(b, w, channel, u, i, shift),
              winograd_line(b, w, channel, u + 1, i, shift));
#endif
}

/* Positions 0 to 5 of each tile of a vector in a line; a: positions from the
 * units' first on, e: those two further. */
static void winograd_split(TV *to, const TV *a, const TV *e) {
  const TV even_0 = (TV)(a[0].even, a[1].even), odd_0 = (TV)(a[0].odd, a[1].odd);
  const TV even_1 = (TV)(a[2].even, a[3].even), odd_1 = (TV)(a[2].odd, a[3].odd);
  const TV last_0 = (TV)(e[0].s2367abef, e[1].s2367abef);
  const TV last_1 = (TV)(e[2].s2367abef, e[3].s2367abef);

  to[0] = (TV)(even_0.even, even_1.even);
  to[1] = (TV)(odd_0.even, odd_1.even);
  to[2] = (TV)(even_0.odd, even_1.odd);
  to[3] = (TV)(odd_0.odd, odd_1.odd);
  to[4] = (TV)(last_0.even, last_1.even);
  to[5] = (TV)(last_0.odd, last_1.odd);
}

/* Transform the tiles of a panel in kc channels. */
ONCE static void winograd_panel(global W *to, global const T *b,
                                const window *w, winograd_units all, long first,
                                long channel, int kc) {
  winograd_unit u[UNITS];

  PLAIN_LOOP
  for (int i = 0; i < UNITS; ++i)
    u[i] = winograd_find(w, all, first + i);
  for (int c = 0; c < kc; ++c) {
    for (int v = 0; v < NV; ++v) {
      TV line[6][6];

      for (int i = 0; i < 6; ++i) {
        TV a[4], e[4];

        for (int q = 0; q < 4; ++q) {
          const winograd_unit *at = u + v * VECTOR_UNITS + q * (LANES / SPAN);

          a[q] = winograd_lines(b, w, (channel + c) * w->ps, at, i, 0);
          e[q] = winograd_lines(b, w, (channel + c) * w->ps, at, i, 2);
        }
        winograd_split(line[i], a, e);
        winograd_input(line[i]);
      }
#pragma unroll
      for (int j = 0; j < 6; ++j) {
        TV d[6];

#pragma unroll
        for (int i = 0; i < 6; ++i)
          d[i] = line[i][j];
        winograd_input(d);
#pragma unroll
        for (int i = 0; i < 6; ++i)
          vstore16(d[i], 0, to + (i * 6 + j) * TILES + c * NR + v * LANES);
      }
    }
  }
}

/* The products of a tile of rows and a panel, added to `sums`. */
ONCE static void winograd_multiply(global W *sums, global const W *f,
                                   global const W *tiles, int kc, int is_first) {
  for (int number = 0; number < 36; ++number) {
    TV acc[MR][NV];

#pragma unroll
    for (int i = 0; i < MR * NV; ++i)
      acc[i / NV][i % NV] = is_first ? (TV)(0) : vload16(i, sums);
    for (int p = 0; p < kc; ++p) {
      TV b[NV];

#pragma unroll
      for (int v = 0; v < NV; ++v)
        b[v] = vload16(v, tiles + p * NR);
#pragma unroll
      for (int i = 0; i < MR; ++i) {
        const TV a = f[i * KC + p];

#pragma unroll
        for (int v = 0; v < NV; ++v)
          acc[i][v] = fma(a, b[v], acc[i][v]);
      }
    }
#pragma unroll
    for (int i = 0; i < MR * NV; ++i)
      vstore16(acc[i / NV][i % NV], i, sums);
    sums += MR * NR;
    f += MR * KC;
    tiles += TILES;
  }
}

/* The lanes of a, b, c and d in turns. */
static void winograd_turns(W *to, float8 a, float8 b, float8 c, float8 d) {
  TV even, odd, v;

  even.even = a;
  even.odd = c;
  odd.even = b;
  odd.odd = d;
  v.even = even.lo;
  v.odd = odd.lo;
  vstore16(v, 0, to);
  v.even = even.hi;
  v.odd = odd.hi;
  vstore16(v, 1, to);
}

/* The columns of a unit in one line. */
static void winograd_put(const W *v, global T *c, const window *w,
                         const winograd_unit *u, int line, long row,
                         product_scale s P_PARAMS) {
  const int n = (int)min((long)SPAN, w->j.n[2] - u->digit[3]);
  int i = 0;

  c += u->digit[0] * w->c[0] + (u->digit[2] + line) * w->c[2] +
       u->digit[3] * w->c[3];
#if C_UNIT && PUT_VECTORS
  for (; i + VL <= n; i += VL)
    product_put_v(LOADW(0, v + i), c + i, row, u->digit[3] + i,
                  u->digit[2] + line, 0, u->digit[0], s P_ARGS);
#endif
  PLAIN_LOOP
  for (; i < n; ++i)
    product_put(v[i], c + i * w->c[3], row, u->digit[3] + i, u->digit[2] + line,
                0, u->digit[0], s P_ARGS);
}

/* Transform the sums of `rows` rows, and store the columns. */
ONCE static void winograd_columns(global const W *sums, global T *c, long crs,
                                  const window *w, winograd_units all,
                                  long first, long row, int rows,
                                  product_scale s P_PARAMS) {
  W to[4][4 * LANES];

  for (int v = 0; v < NV; ++v) {
    const long left = first + v * VECTOR_UNITS;
    winograd_unit u[VECTOR_UNITS];

    PLAIN_LOOP
    for (int q = 0; q < VECTOR_UNITS; ++q)
      u[q] = winograd_find(w, all, left + q);
    for (int r = 0; r < rows; ++r) {
      TV line[4][6];

#pragma unroll
      for (int j = 0; j < 6; ++j) {
        TV m[6], d[4];

#pragma unroll
        for (int i = 0; i < 6; ++i)
          m[i] = vload16(v, sums + ((i * 6 + j) * MR + r) * NR);
        winograd_sums(d, m);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          line[i][j] = d[i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        TV d[4];

        winograd_sums(d, line[i]);
        winograd_turns(to[i], d[0].lo, d[1].lo, d[2].lo, d[3].lo);
        winograd_turns(to[i] + 2 * LANES, d[0].hi, d[1].hi, d[2].hi, d[3].hi);
      }
      for (int q = 0; q < VECTOR_UNITS && left + q < all.total; ++q)
        for (int i = 0; i < 4 && u[q].digit[2] + i < w->j.n[1]; ++i)
          winograd_put(to[i] + q * SPAN, c + r * crs, w, u + q, i, row + r,
                       s P_ARGS);
    }
  }
}

/* Rows [first, last) and panels [left, right). */
ONCE static void winograd_block(const winograd_filters *f, global const W *ready,
                                global const T *b, const window *w,
                                winograd_units all, global T *c, long crs,
                                long first, long last, long left, long right,
                                long channels, product_scale s,
                                global W *work P_PARAMS) {
  const long blocks = (channels + KC - 1) / KC;
  global W *filters = work + (right - left) * PANEL;
#if READY
  global W *sums = filters;
#else
  global W *sums = filters + ROWS_BLOCK;
#endif

  for (long k0 = 0; k0 < channels; k0 += KC) {
    const int kc = (int)min((long)KC, channels - k0);
    global W *at = sums;

    for (long j = left; j < right; ++j)
      winograd_panel(work + (j - left) * PANEL, b, w, all, j * UNITS, k0, kc);
    for (long i = first; i < last; i += MR) {
      const int rows = (int)min((long)MR, last - i);
#if READY
      global const W *q = ready + (i / MR * blocks + k0 / KC) * ROWS_BLOCK;
#else
      global const W *q = filters;

      winograd_rows(filters, f, i, rows, k0, kc);
#endif
      for (long j = left; j < right; ++j) {
        winograd_multiply(at, q, work + (j - left) * PANEL, kc, k0 == 0);
        if (k0 + kc >= channels)
          winograd_columns(at, c + i * crs, crs, w, all, j * UNITS, w->row + i,
                           rows, s P_ARGS);
        if (blocks > 1)
          at += SUMS;
      }
    }
  }
}

/* `rows` and `panels` are those of a block; a work-item has `room` numbers of
 * the workspace. `down` and `along` are the units of an image. */
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
conv_winograd_cpu(global const char *abuf, ulong aoff, long ars, long acs,
                  long abs_, long a_first, long a_across, long a_down,
                  long a_along, global const W *ready,
                  global const char *bbuf, ulong boff, long brs, long bcs, long bbs, global char *cbuf, ulong coff,
                  long crs, long ccs, long cbs, ulong m, ulong n, ulong k,
                  SCALE_PARAMS, ulong channels, ulong down, ulong along,
                  ulong images, ulong rows, ulong panels, ulong groups,
                  ulong room, global W *work WINDOW_PARAMS P_PARAMS) {
  const winograd_units all = {(long)down, (long)along,
                              (long)(images * down * along)};
  const product_scale s = SCALE;
  const long total = (all.total + UNITS - 1) / UNITS;
  const long across_c = (total + (long)panels - 1) / (long)panels;
  const long down_c = ((long)m + (long)rows - 1) / (long)rows;
  const long blocks = ((long)channels + KC - 1) / KC;
  const long each = ((long)m + MR - 1) / MR * blocks * ROWS_BLOCK;

  work += get_global_id(0) * room;
  for (long at = get_global_id(0); at < across_c * down_c * (long)groups;
       at += get_global_size(0)) {
    const long z = at / (across_c * down_c), block = at - z * across_c * down_c;
    const long first = block / across_c * (long)rows;
    const long left = block % across_c * (long)panels;
    const winograd_filters f = {
        (global const T *)(abuf + aoff) + z * abs_ + a_first, ars, a_across,
        a_down, a_along};
    const window w = WINDOW_IS(z * bbs, z * (long)m);

    winograd_block(&f, ready + z * each,
                   (global const T *)(bbuf + boff), &w, all,
                   (global T *)(cbuf + coff) + z * cbs, crs, first,
                   min(first + (long)rows, (long)m), left,
                   min(left + (long)panels, total), (long)channels, s,
                   work P_ARGS);
  }
}
