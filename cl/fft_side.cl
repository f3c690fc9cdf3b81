/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements of the arrays that a step of a Fourier transform reads and writes.
 *
 * A long transform takes several steps. A step transforms `rows` elements at
 * once, which begin at p = 0 .. m - 1 and q = 0 .. s - 1:
 *
 *   from positions  q + s * (p + m * row)
 *   to positions    q + s * (rows * p + row)
 *
 * and multiplies result `row` by root p * row of rows * m. s is the product of
 * the rows of the steps before, s * m * rows the length of the transform.
 * Lanes are neighbouring p, q or transforms of the batch. */

enum {
  F_REAL = 1,   /* elements are real */
  F_MIRROR = 2, /* positions above the half repeat those below, conjugated */
  F_SWAP = 4,   /* exchange real and imaginary parts: for inverse transforms */
  F_TABLE = 8,  /* multiply by a table, by position */
  F_ALONG = 16, /* lanes are neighbours in memory */
  F_ACROSS = 32 /* rows are neighbours in memory */
};

/* One side of a step: what it reads, or what it writes. */
typedef struct side {
  global char *p;                /* row 0 of lane 0 */
  long axis, lane, row;          /* bytes from a position, lane, row to the next
                                    one */
  ulong pos, pos_lane, pos_row;  /* position of row 0 of lane 0; likewise */
  ulong end, n; /* positions that exist; of a mirrored transform */
  global const W *table;
  uint how;
} side;

/* The roots by which results are multiplied: root t of the length is
 * low[t % 2^shift] * high[t >> shift]. `lanes` has root l * row for lane l, as
 * vectors of real and imaginary parts by row. */
typedef struct twist {
  global const W *low, *high, *lanes;
  uint shift, is_used;
  ulong p; /* of lane 0 */
} twist;

#define MULTIPLY(r, i, fr, fi)                                                 \
  {                                                                            \
    const W mr = (r);                                                          \
    r = fma(mr, fr, -((i) * (fi)));                                            \
    i = fma(mr, fi, (i) * (fr));                                               \
  }

GA_INLINE void root_of(const twist t, const ulong k, W *r, W *i) {
  global const W *low = t.low + 2 * (k & ((1ul << t.shift) - 1));
  global const W *high = t.high + 2 * (k >> t.shift);

  *r = low[0];
  *i = low[1];
  MULTIPLY(*r, *i, high[0], high[1])
}

GA_INLINE void load_one(const side x, const ulong lane, const ulong row, W *r,
                        W *i) {
  const ulong at = x.pos + lane * x.pos_lane + row * x.pos_row;
  ulong pos = at;
  global const char *p = x.p + (long)lane * x.lane + (long)row * x.row;
  const int is_mirrored = (x.how & F_MIRROR) && pos > x.n / 2;

  if (is_mirrored) {
    p += (long)(x.n - 2 * at) * x.axis;
    pos = at < x.n ? x.n - at : x.end;
  }
  W a = 0, b = 0;
  if (pos < x.end) {
    a = ((global const W *)p)[0];
    if (!(x.how & F_REAL))
      b = ((global const W *)p)[1];
    if (is_mirrored)
      b = -b;
  }
  *r = x.how & F_SWAP ? b : a;
  *i = x.how & F_SWAP ? a : b;
  if ((x.how & F_TABLE) && pos < x.end)
    MULTIPLY(*r, *i, x.table[2 * at], x.table[2 * at + 1])
}

GA_INLINE void store_one(const side y, const ulong lane, const ulong row, W r,
                         W i) {
  const ulong pos = y.pos + lane * y.pos_lane + row * y.pos_row;
  global W *p =
      (global W *)(y.p + (long)lane * y.lane + (long)row * y.row);

  if (pos >= y.end)
    return;
  if (y.how & F_TABLE)
    MULTIPLY(r, i, y.table[2 * pos], y.table[2 * pos + 1])
  p[0] = y.how & F_SWAP ? i : r;
  if (!(y.how & F_REAL))
    p[1] = y.how & F_SWAP ? r : i;
}

/* What both kernels get: arrays, their bytes between lanes, and between
 * positions; the batch, as sizes and strides of x and y; the step; how lanes
 * are chosen (0: by batch, 1: p, 2: q), and their number; passes and their
 * roots; twists; ends of positions; tables; flags; scale. */
#define FFT_PARAMS                                                             \
  global char *x_p, const ulong x_o, const long x_lane, const long x_axis,     \
      global char *y_p, const ulong y_o, const long y_lane, const long y_axis, \
      global const long *batch, const uint n_batch, const ulong rows_,         \
      const ulong m, const ulong s, const uint lanes_by, const ulong lanes,    \
      global const uint *plan, global const W *roots, global const W *twists,  \
      const uint twist_shift, const ulong twist_high, const ulong x_end,       \
      const ulong y_end, const ulong x_n, global const W *x_table, global const W *y_table,     \
      const uint x_how, const uint y_how, const W scale

/* Declare what unit u works on: sides x and y, twists t, and the first lane. A
 * unit is `width` lanes; blocks of lanes are the inner ones. */
#define FFT_UNIT(u, width)                                                     \
  const ulong blocks_ = (lanes + (width) - 1) / (width);                       \
  const ulong lane0 = (u) % blocks_ * (width);                                 \
  const uint lanes_here = (uint)min((ulong)(width), lanes - lane0);            \
  ulong rest_ = (u) / blocks_;                                                 \
  ulong p_ = lanes_by == 1 ? lane0 : rest_ % m;                                \
  rest_ /= lanes_by == 1 ? 1 : m;                                              \
  ulong q_ = lanes_by == 2 ? lane0 : rest_ % s;                                \
  rest_ /= lanes_by == 2 ? 1 : s;                                              \
  long x_b = 0, y_b = 0;                                                       \
  for (uint d = 0; d < n_batch; ++d) {                                         \
    const long i_ = (long)(rest_ % (ulong)batch[3 * d]);                       \
    rest_ /= (ulong)batch[3 * d];                                              \
    x_b += i_ * batch[3 * d + 1];                                              \
    y_b += i_ * batch[3 * d + 2];                                              \
  }                                                                            \
  if (lanes_by == 0) {                                                         \
    x_b += (long)lane0 * x_lane;                                               \
    y_b += (long)lane0 * y_lane;                                               \
  }                                                                            \
  const ulong x_pos = q_ + s * p_, y_pos = q_ + s * rows_ * p_;                \
  const side x = {x_p + x_o + x_b + (long)x_pos * x_axis,                      \
                  x_axis,                                                      \
                  x_lane,                                                      \
                  (long)(s * m) * x_axis,                                      \
                  x_pos,                                                       \
                  lanes_by == 0 ? 0 : lanes_by == 1 ? s : 1,                   \
                  s * m,                                                       \
                  x_end,                                                       \
                  x_n,                                                         \
                  x_table,                                                     \
                  x_how};                                                      \
  const side y = {y_p + y_o + y_b + (long)y_pos * y_axis,                      \
                  y_axis,                                                      \
                  y_lane,                                                      \
                  (long)s * y_axis,                                            \
                  y_pos,                                                       \
                  lanes_by == 0 ? 0 : lanes_by == 1 ? s * rows_ : 1,           \
                  s,                                                           \
                  y_end,                                                       \
                  0,                                                           \
                  y_table,                                                     \
                  y_how};                                                      \
  const twist t = {twists,                                                     \
                   twists + (2ul << twist_shift),                              \
                   twists + (2ul << twist_shift) + 2 * twist_high,             \
                   twist_shift,                                                \
                   m > 1,                                                      \
                   p_};
