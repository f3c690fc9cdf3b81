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
 * Lanes are neighbouring p, q or transforms of the batch. The text in front of
 * this one defines
 *
 *   COUNT         the type of positions, and of numbers of lanes
 *   LANES_BY      how lanes are chosen, 0: by batch, 1: p, 2: q
 *   SINGLE        is the step known to be the only one?
 *   X_HOW, Y_HOW  flags of what is read, and of what is written */

enum {
  F_REAL = 1,   /* elements are real */
  F_MIRROR = 2, /* positions above the half repeat those below, conjugated */
  F_SWAP = 4,   /* exchange real and imaginary parts: for inverse transforms */
  F_TABLE = 8,  /* multiply by a table, by position */
  F_ALONG = 16, /* lanes are neighbours in memory */
  F_ACROSS = 32, /* rows are neighbours in memory */
  F_PART = 64,   /* not all positions exist */
  F_PAIRS = 128  /* complex numbers are aligned as a whole */
};

/* One side of a step: what it reads, or what it writes. */
typedef struct side {
  global char *p;                /* row 0 of lane 0 */
  long axis, lane, row;          /* bytes from a position, lane, row to the next
                                    one */
  COUNT pos, pos_lane, pos_row;  /* position of row 0 of lane 0; likewise */
  COUNT end, n; /* positions that exist; of a mirrored transform */
  global const W *table;
  uint how;
} side;

#define MULTIPLY(r, i, fr, fi)                                                 \
  {                                                                            \
    const W mr = (r);                                                          \
    r = fma(mr, fr, -((i) * (fi)));                                            \
    i = fma(mr, fi, (i) * (fr));                                               \
  }

/* The element at p, whose position is `at`. */
GA_INLINE W2 load_one(const side x, global const char *p, const COUNT at) {
  const int is_mirrored = (x.how & F_MIRROR) && at > x.n / 2;
  COUNT pos = at;
  W2 v = (W2)0;

  if (is_mirrored) {
    p += ((long)x.n - 2 * (long)at) * x.axis;
    pos = at < x.n ? x.n - at : x.end;
  }
  if (!(x.how & F_PART) || pos < x.end) {
    if (x.how & F_REAL)
      v.x = *(global const W *)p;
    else if (x.how & F_PAIRS)
      v = *(global const W2 *)p;
    else
      v = (W2)(((global const W *)p)[0], ((global const W *)p)[1]);
    if (is_mirrored)
      v.y = -v.y;
    if (x.how & F_SWAP)
      v = v.yx;
    if (x.how & F_TABLE)
      MULTIPLY(v.x, v.y, x.table[2 * at], x.table[2 * at + 1])
  }
  return v;
}

GA_INLINE void store_one(const side y, global char *p, const COUNT at, W2 v) {
  if ((y.how & F_PART) && at >= y.end)
    return;
  if (y.how & F_TABLE)
    MULTIPLY(v.x, v.y, y.table[2 * at], y.table[2 * at + 1])
  if (y.how & F_SWAP)
    v = v.yx;
  if (y.how & F_PAIRS)
    *(global W2 *)p = v;
  else
    *(global W *)p = v.x;
  if (!(y.how & (F_REAL | F_PAIRS)))
    ((global W *)p)[1] = v.y;
}

/* What both kernels get: arrays, their bytes between lanes, and between
 * positions; the batch, as sizes and strides of x and y; the step; the number
 * of lanes; roots of passes; ends of positions; tables; scale. */
#define FFT_PARAMS                                                             \
  global char *x_p, const ulong x_o, const long x_lane, const long x_axis,     \
      global char *y_p, const ulong y_o, const long y_lane, const long y_axis, \
      global const long *batch, const uint n_batch, const ulong rows_,         \
      const ulong m_, const ulong s_, const ulong lanes_,                      \
      global const W *roots, const ulong x_end, const ulong y_end,             \
      const ulong x_n, global const W *x_table, global const W *y_table,       \
      const W scale

/* Declare what unit u works on: sides x and y, p of the first lane, and how
 * many lanes there are. A unit is `width` lanes; blocks of lanes are the inner
 * ones. */
#define FFT_UNIT(u, width)                                                     \
  const COUNT m = (COUNT)m_, s = (COUNT)s_, lanes = (COUNT)lanes_;             \
  const COUNT blocks_ = (lanes + (width) - 1) / (width);                       \
  const COUNT lane0 = (u) % blocks_ * (width);                                 \
  const uint lanes_here = (uint)min((COUNT)(width), lanes - lane0);            \
  COUNT rest_ = (u) / blocks_;                                                 \
  const COUNT p_ = SINGLE ? 0 : LANES_BY == 1 ? lane0 : rest_ % m;             \
  rest_ /= SINGLE || LANES_BY == 1 ? 1 : m;                                    \
  const COUNT q_ = SINGLE ? 0 : LANES_BY == 2 ? lane0 : rest_ % s;             \
  rest_ /= SINGLE || LANES_BY == 2 ? 1 : s;                                    \
  long x_b = 0, y_b = 0;                                                       \
  for (uint d = 0; d < n_batch; ++d) {                                         \
    const long i_ = (long)(rest_ % (COUNT)batch[3 * d]);                       \
    rest_ /= (COUNT)batch[3 * d];                                              \
    x_b += i_ * batch[3 * d + 1];                                              \
    y_b += i_ * batch[3 * d + 2];                                              \
  }                                                                            \
  if (LANES_BY == 0) {                                                         \
    x_b += (long)lane0 * x_lane;                                               \
    y_b += (long)lane0 * y_lane;                                               \
  }                                                                            \
  const COUNT x_pos = q_ + s * p_, y_pos = q_ + s * (COUNT)rows_ * p_;         \
  const side x = {x_p + x_o + x_b + (long)x_pos * x_axis,                      \
                  x_axis,                                                      \
                  x_lane,                                                      \
                  (long)(s * m) * x_axis,                                      \
                  x_pos,                                                       \
                  LANES_BY == 0 ? 0 : LANES_BY == 1 ? s : 1,                   \
                  s * m,                                                       \
                  (COUNT)x_end,                                                \
                  (COUNT)x_n,                                                  \
                  x_table,                                                     \
                  X_HOW};                                                      \
  const side y = {y_p + y_o + y_b + (long)y_pos * y_axis,                      \
                  y_axis,                                                      \
                  y_lane,                                                      \
                  (long)s * y_axis,                                            \
                  y_pos,                                                       \
                  LANES_BY == 0 ? 0 : LANES_BY == 1 ? s * (COUNT)rows_ : 1,    \
                  s,                                                           \
                  (COUNT)y_end,                                                \
                  0,                                                           \
                  y_table,                                                     \
                  Y_HOW};
