/* SPDX-License-Identifier: BSD-2-Clause */
/* A step of Fourier transforms on GPUs. A group transforms WIDTH lanes, each by
 * ITEMS work-items, which hold its numbers in registers and exchange them in
 * local memory between passes (Stockham's algorithm: T. Stockham, 1966). With
 * S the product of the radices before, and m that of those behind, pass R takes
 * numbers q + S (p + m k) of a lane, k = 0 .. R - 1, to numbers q + S (R p + k)
 * and multiplies them by roots p k of R m. So the numbers of butterfly
 * b = q + S p are b + k ROWS / R in the first place. Macros, here for floats and
 * transforms of 1024:
 *
 *   #define W float           work type
 *   #define W2 float2
 *   #define F_ODD 0           radices may be odd
 *   #define F_DOUBLE 0
 *   #define COUNT uint, SIGNED int
 *   #define LANES_BY 0, X_HOW 160, Y_HOW 160
 *                             as in fft_side.cl
 *   #define ROWS 1024
 *   #define ITEMS 64          work-items of a lane
 *   #define EACH 16           numbers of a work-item, at most
 *   #define WIDTH 2
 *   #define SINGLE 1          s == 1 and m == 1
 *   #define TWISTED 0         m > 1
 *   #define SPLIT 0           real parts are exchanged before imaginary ones
 *   #define LINE 1087         words of a lane in local memory; 0: lanes are the
 *                             inner ones
 *   #define PASSES LOAD(16) PASS(16, 1, 0) MOVE(16, 1, 8, 16, 1) ... STORE(8)
 */
#define V W
#include "fft_radix.cl"
#include "fft_side.cl"

/* --- roots of the length --- */

/* Root k of n, for k below n. `by` is 4 / n. The angle is reduced to at most an
 * eighth of a turn, exactly; there these polynomials, which are those of
 * FreeBSD's libm, err by less than a rounding. */
GA_INLINE W2 root_of(const COUNT k, const COUNT n, const W by) {
  const COUNT quarter = (COUNT)fma((W)k, by, NUMBER(0.5));
  const W a = (W)(SIGNED)(4 * k - quarter * n) * by *
              NUMBER(0.39269908169872415481);
  const W x = a * a;
  W s = NUMBER(2.75573137070700676789e-06);
  W c = NUMBER(-2.75573143513906633035e-07);

#if F_DOUBLE
  s = fma(x, fma(x, 1.58969099521155010221e-10, -2.50507602534068634195e-08), s);
  c = fma(x, fma(x, -1.13596475577881948265e-11, 2.08757232129817482790e-09), c);
#endif
  s = fma(x, s, NUMBER(-1.98412698298579493134e-04));
  s = fma(x, s, NUMBER(8.33333333332248946124e-03));
  s = fma(x, s, NUMBER(-1.66666666666666324348e-01));
  s = fma(a * x, s, a);
  c = fma(x, c, NUMBER(2.48015872894767294178e-05));
  c = fma(x, c, NUMBER(-1.38888888888741095749e-03));
  c = fma(x, c, NUMBER(4.16666666666666019037e-02));
  c = fma(x * x, c, fma(x, NUMBER(-0.5), NUMBER(1.0)));

  const W2 v = quarter & 1 ? (W2)(-s, -c) : (W2)(c, -s);
  return quarter & 2 ? -v : v;
}

/* --- local memory --- */

#if LINE
#define ROW_BY 1
#define LANE_BY LINE
#else
#define ROW_BY WIDTH
#define LANE_BY 1
#endif

/* Where number p of a lane lies: behind each block of numbers there is a pad,
 * so that work-items that write at once use different banks. */
GA_INLINE uint place_of(const uint p, const uint block, const uint pad) {
  return p * ROW_BY + p / block * pad;
}

/* Where number first + k * step lies; `at` is the place of `first`. */
GA_INLINE uint place_from(const uint at, const uint first, const uint k,
                          const uint step, const uint block, const uint pad) {
  return step % block == 0 ? at + k * (step * ROW_BY + step / block * pad)
                           : place_of(first + k * step, block, pad);
}

/* --- passes --- */

/* A loop over the butterflies of a work-item. */
#define EACH_OF(R, item)                                                       \
  _Pragma("unroll") for (uint u = 0; u < (ROWS / R + ITEMS - 1) / ITEMS; ++u)  \
    if (ROWS / R % ITEMS == 0 || item + u * ITEMS < ROWS / R)

#define LOAD(R)                                                                \
  EACH_OF(R, item_x) {                                                         \
    const uint b = item_x + u * ITEMS;                                         \
    global const char *p = x.p + (long)lane_x * x.lane + (long)b * x.row;      \
    COUNT at = x.pos + lane_x * x.pos_lane + b * x.pos_row;                    \
    _Pragma("unroll") for (uint k = 0; k < R; ++k) {                           \
      const W2 v = lane_x < lanes_here ? load_one(x, p, at) : (W2)0;           \
      r[u * R + k] = v.x;                                                      \
      i[u * R + k] = v.y;                                                      \
      p += ROWS / R * x.row;                                                   \
      at += ROWS / R * x.pos_row;                                              \
    }                                                                          \
  }

/* The highest power of two up to k, and the logarithm of a power of two. */
#define HIGHEST(k) ((k) >= 8 ? 8 : (k) >= 4 ? 4 : (k) >= 2 ? 2 : 1)
#define LOG2(k) ((k) == 8 ? 3 : (k) == 4 ? 2 : (k) - 1)

/* From number `first` on, `roots` has those of R, then, for k = 1, 2, 4, 8, the
 * roots j * k of the block. The others are products of at most four, which
 * costs less than reading them. */
#define PASS(R, S, first)                                                      \
  EACH_OF(R, item) {                                                           \
    const uint m_here = ROWS / (R * S), j = (item + u * ITEMS) / S;            \
    dft##R(r + u * R, i + u * R, roots + 2 * first);                           \
    if (m_here > 1) {                                                          \
      global const W2 *f = (global const W2 *)roots + first + R + j;           \
      W2 f_k[R];                                                               \
      _Pragma("unroll") for (uint k = 1; k < R; ++k) {                         \
        const uint high = HIGHEST(k);                                          \
        if (k == high) {                                                       \
          f_k[k] = f[LOG2(k) * m_here];                                        \
        } else {                                                               \
          f_k[k] = f_k[high];                                                  \
          MULTIPLY(f_k[k].x, f_k[k].y, f_k[k - high].x, f_k[k - high].y)       \
        }                                                                      \
        MULTIPLY(r[u * R + k], i[u * R + k], f_k[k].x, f_k[k].y)               \
      }                                                                        \
    }                                                                          \
  }

#define PUT(R, S, block, pad, value)                                           \
  EACH_OF(R, item) {                                                           \
    const uint b = item + u * ITEMS, q = b % S, to = (b - q) * R + q;          \
    const uint at = place_of(to, block, pad);                                  \
    _Pragma("unroll") for (uint k = 0; k < R; ++k) {                           \
      const uint e = u * R + k;                                                \
      const uint place = block % (R * S) == 0                                  \
                             ? at + k * S * ROW_BY                             \
                             : place_from(at, to, k, S, block, pad);           \
      w[place + lane * LANE_BY] = value;                                       \
    }                                                                          \
  }

#define GET(R, block, pad, item, lane, assign)                                 \
  EACH_OF(R, item) {                                                           \
    const uint b = item + u * ITEMS, at = place_of(b, block, pad);             \
    _Pragma("unroll") for (uint k = 0; k < R; ++k) {                           \
      const uint e = u * R + k;                                                \
      const WORD v = w[place_from(at, b, k, ROWS / R, block, pad) +            \
                       lane * LANE_BY];                                        \
      assign;                                                                  \
    }                                                                          \
  }

/* From the results of radix R to the operands of radix NEXT. The last pass is
 * done by the work-items that store. */
#define MOVE(R, S, NEXT, block, pad)                                           \
  {                                                                            \
    const int is_last = R * S * NEXT == ROWS;                                  \
    const uint to_item = is_last ? item_y : item;                              \
    const uint to_lane = is_last ? lane_y : lane;                              \
    if (S > 1)                                                                 \
      barrier(CLK_LOCAL_MEM_FENCE);                                            \
    MOVE_PARTS(R, S, NEXT, block, pad)                                         \
    item = to_item;                                                            \
    lane = to_lane;                                                            \
  }
#if SPLIT
#define WORD W
#define MOVE_PARTS(R, S, NEXT, block, pad)                                     \
  PUT(R, S, block, pad, r[e])                                                  \
  barrier(CLK_LOCAL_MEM_FENCE);                                                \
  GET(NEXT, block, pad, to_item, to_lane, r[e] = v)                            \
  barrier(CLK_LOCAL_MEM_FENCE);                                                \
  PUT(R, S, block, pad, i[e])                                                  \
  barrier(CLK_LOCAL_MEM_FENCE);                                                \
  GET(NEXT, block, pad, to_item, to_lane, i[e] = v)
#else
#define WORD W2
#define MOVE_PARTS(R, S, NEXT, block, pad)                                     \
  PUT(R, S, block, pad, ((W2)(r[e], i[e])))                                    \
  barrier(CLK_LOCAL_MEM_FENCE);                                                \
  GET(NEXT, block, pad, to_item, to_lane, r[e] = v.x; i[e] = v.y)
#endif

#define STORE(R)                                                               \
  EACH_OF(R, item) {                                                           \
    const uint b = item + u * ITEMS;                                           \
    global char *p = y.p + (long)lane * y.lane + (long)b * y.row;              \
    COUNT at = y.pos + lane * y.pos_lane + b * y.pos_row;                      \
    const COUNT p_here = p_ + (LANES_BY == 1 ? lane : 0);                      \
    _Pragma("unroll") for (uint k = 0; k < R; ++k) {                           \
      W2 v = (W2)(r[u * R + k] * scale, i[u * R + k] * scale);                 \
      if (TWISTED) {                                                           \
        const W2 f = root_of(p_here * (b + ROWS / R * k), ROWS * m, by);       \
        MULTIPLY(v.x, v.y, f.x, f.y)                                           \
      }                                                                        \
      if (lane < lanes_here)                                                   \
        store_one(y, p, at, v);                                                \
      p += ROWS / R * y.row;                                                   \
      at += ROWS / R * y.pos_row;                                              \
    }                                                                          \
  }

/* Work-items are neighbours along what is contiguous in memory. */
#define ITEM_OF(how) (uint)((how) & F_ACROSS ? id % ITEMS : id / WIDTH)
#define LANE_OF(how) (uint)((how) & F_ACROSS ? id / ITEMS : id % WIDTH)

/* Global size: groups for units. */
kernel __attribute__((reqd_work_group_size(ITEMS * WIDTH, 1, 1))) void fft_gpu(
    FFT_PARAMS, const W by, local WORD *w) {
  const uint id = (uint)get_local_id(0);
  const uint item_x = ITEM_OF(X_HOW), lane_x = LANE_OF(X_HOW);
  const uint item_y = ITEM_OF(Y_HOW), lane_y = LANE_OF(Y_HOW);
  uint item = item_x, lane = lane_x;
  W r[EACH], i[EACH];

  FFT_UNIT((COUNT)get_group_id(0), WIDTH)
  PASSES
}
