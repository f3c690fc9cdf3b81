/* SPDX-License-Identifier: BSD-2-Clause */
/* A step of Fourier transforms on CPUs: a work-item does VL transforms at once,
 * one in each lane, by passes over a work array. Real parts of a row are a
 * vector, imaginary parts the next one. Macros, here for floats on 16 lanes:
 *
 *   #define W float           work type
 *   #define W2 float2
 *   #define VL 16, WV float16, LOADW, STOREW, ONCE: as in gemm_cpu.cl
 *   #define F_ODD 1           radices may be odd
 *   #define F_DOUBLE 0
 */
#define V WV
#define WORK global W *
#define COUNT ulong
#define LANES_BY lanes_by
#define SINGLE 0
#define X_HOW x_how
#define Y_HOW y_how
#include "fft_radix.cl"
#include "fft_side.cl"

/* --- passes --- */

/* One pass: rows are blocks of R * m rows. Rows j, j + m, ... of a block are
 * transformed, and result k is multiplied by root j * k of the block, so blocks
 * of m rows are left, which are independent. `t` has the roots of R, then, for
 * each j, those of results 1 to R - 1. */
#define PASS(R)                                                                \
  ONCE static void pass##R(WORK w, const uint rows, const uint m,              \
                           global const W *t) {                                \
    for (uint b = 0; b < rows; b += R * m)                                     \
      for (uint j = 0; j < m; ++j) {                                           \
        WORK at = w + (size_t)(b + j) * 2 * VL;                                \
        V r[R], i[R];                                                          \
        _Pragma("unroll") for (int k = 0; k < R; ++k) {                        \
          r[k] = LOADW(0, at + (size_t)k * m * 2 * VL);                        \
          i[k] = LOADW(1, at + (size_t)k * m * 2 * VL);                        \
        }                                                                      \
        dft##R(r, i, t);                                                       \
        global const W *f = t + 2 * R + 2 * (R - 1) * j;                       \
        if (m > 1) {                                                           \
          _Pragma("unroll") for (int k = 1; k < R; ++k, f += 2) {              \
            const V fr = (V)f[0], fi = (V)f[1], rk = r[k];                     \
            r[k] = fma(rk, fr, -(i[k] * fi));                                  \
            i[k] = fma(rk, fi, i[k] * fr);                                     \
          }                                                                    \
        }                                                                      \
        _Pragma("unroll") for (int k = 0; k < R; ++k) {                        \
          STOREW(r[k], 0, at + (size_t)k * m * 2 * VL);                        \
          STOREW(i[k], 1, at + (size_t)k * m * 2 * VL);                        \
        }                                                                      \
      }                                                                        \
  }
PASS(2)
PASS(4)
PASS(8)
#if F_ODD
PASS(3)
PASS(5)
PASS(7)
PASS(11)
PASS(13)
#endif

/* All passes. `plan` has their number, then for each its radix, its m, and
 * where its roots begin. */
GA_INLINE void all_passes(WORK w, const uint rows, global const uint *plan,
                          global const W *roots) {
  for (uint pass = 0; pass < plan[0]; ++pass) {
    global const uint *now = plan + 1 + 3 * pass;
    const uint radix = now[0], m = now[1];
    global const W *t = roots + now[2];

    if (radix == 8)
      pass8(w, rows, m, t);
    else if (radix == 4)
      pass4(w, rows, m, t);
    else if (radix == 2)
      pass2(w, rows, m, t);
#if F_ODD
    else if (radix == 3)
      pass3(w, rows, m, t);
    else if (radix == 5)
      pass5(w, rows, m, t);
    else if (radix == 7)
      pass7(w, rows, m, t);
    else if (radix == 11)
      pass11(w, rows, m, t);
    else
      pass13(w, rows, m, t);
#endif
  }
}

/* Ask for the vector at p of the next unit. `by`: bytes between lanes. Where
 * clang compiles for the CPU itself, as in PoCL; other compilers refuse the
 * function for pointers to global memory. */
#if defined(__clang__) && (defined(__x86_64__) || defined(__aarch64__))
#define PREFETCH(p, by) __builtin_prefetch((p) + VL * (by))
#define PREFETCH_TO(p, by) __builtin_prefetch((p) + VL * (by), 1)
#else
#define PREFETCH(p, by)
#define PREFETCH_TO(p, by)
#endif

/* --- loads --- */

/* Transpose VL vectors: each step moves one bit of the index of a vector to
 * that of a lane. */
GA_INLINE void transpose(V *a) {
  V b[VL];

  _Pragma("unroll") for (int bit = 1; bit < VL; bit *= 2) {
    _Pragma("unroll") for (int k = 0; k < VL / 2; ++k) {
      b[2 * k].even = a[k].lo;
      b[2 * k].odd = a[k + VL / 2].lo;
      b[2 * k + 1].even = a[k].hi;
      b[2 * k + 1].odd = a[k + VL / 2].hi;
    }
    _Pragma("unroll") for (int k = 0; k < VL; ++k) a[k] = b[k];
  }
}

/* The number of rows, from 0 on, of which all lanes have elements. */
GA_INLINE uint whole_rows(const side x, const uint rows) {
  const ulong end = x.how & F_MIRROR ? min(x.end, x.n / 2 + 1) : x.end;
  const ulong last = x.pos + (VL - 1) * x.pos_lane;

  return end > last ? (uint)min((end - 1 - last) / x.pos_row + 1, (ulong)rows)
                    : 0;
}

GA_INLINE void load_along(WORK w, const uint rows, const side x) {
  const uint r = x.how & F_SWAP ? VL : 0;
  global const char *p = x.p;

  for (uint e = 0; e < rows; ++e, p += x.row, w += 2 * VL) {
    const V a = LOADW(0, (global const W *)p), b = LOADW(1, (global const W *)p);

    PREFETCH(p, x.lane);
    PREFETCH(p + sizeof(V), x.lane);
    STOREW(((V)(a.even, b.even)), 0, w + r);
    STOREW(((V)(a.odd, b.odd)), 0, w + VL - r);
  }
}

GA_INLINE void load_across(WORK w, const uint rows, const side x) {
  const uint r = x.how & F_SWAP ? 1 : 0;

  for (uint e = 0; e < rows; e += VL / 2) {
    V a[VL];

    _Pragma("unroll") for (int l = 0; l < VL; ++l) {
      a[l] = LOADW(0, (global const W *)(x.p + l * x.lane) + 2 * e);
      PREFETCH(x.p + l * x.lane + e * 2 * sizeof(W), x.lane);
    }
    transpose(a);
    _Pragma("unroll") for (int k = 0; k < VL; ++k)
        STOREW(a[k], k ^ r, w + (size_t)e * 2 * VL);
  }
}

GA_INLINE void load_real_along(WORK w, const uint rows, const side x) {
  const uint r = x.how & F_SWAP ? VL : 0;
  global const char *p = x.p;

  for (uint e = 0; e < rows; ++e, p += x.row, w += 2 * VL) {
    STOREW(LOADW(0, (global const W *)p), 0, w + r);
    STOREW((V)0, 0, w + VL - r);
  }
}

GA_INLINE void load_real_across(WORK w, const uint rows, const side x) {
  const uint r = x.how & F_SWAP ? 1 : 0;

  for (uint e = 0; e < rows; e += VL, w += 2 * VL * VL) {
    V a[VL];

    _Pragma("unroll") for (int l = 0; l < VL; ++l) a[l] =
        LOADW(0, (global const W *)(x.p + l * x.lane) + e);
    transpose(a);
    _Pragma("unroll") for (int k = 0; k < VL; ++k) {
      STOREW(a[k], 2 * k + r, w);
      STOREW((V)0, 2 * k + 1 - r, w);
    }
  }
}

GA_INLINE void load_each(WORK w, const uint first, const uint rows,
                           const uint lanes, const side x) {
  for (uint e = first; e < rows; ++e)
    for (uint l = 0; l < VL; ++l) {
      W2 v = (W2)0;

      if (l < lanes)
        v = load_one(x, x.p + l * x.lane + e * x.row,
                     x.pos + l * x.pos_lane + e * x.pos_row);
      w[(size_t)e * 2 * VL + l] = v.x;
      w[(size_t)e * 2 * VL + VL + l] = v.y;
    }
}

GA_INLINE void load(WORK w, const uint rows, const uint lanes, const side x) {
  uint done = 0;

  if (lanes == VL && x.how & (F_ALONG | F_ACROSS))
    done = whole_rows(x, rows);
  if (x.how & F_ALONG) {
    if (x.how & F_REAL)
      load_real_along(w, done, x);
    else
      load_along(w, done, x);
  } else if (x.how & F_REAL) {
    done -= done % VL;
    load_real_across(w, done, x);
  } else {
    done -= done % (VL / 2);
    load_across(w, done, x);
  }
  load_each(w, done, rows, lanes, x);
}

/* --- stores --- */

/* The roots by which results are multiplied: root t of the length is
 * low[t % 2^shift] * high[t >> shift]. `lanes` has root l * row for lane l, as
 * vectors of real and imaginary parts by row. */
typedef struct twist {
  global const W *low, *high, *lanes;
  uint shift, is_used;
  ulong p; /* of lane 0 */
} twist;

GA_INLINE void root_of(const twist t, const ulong k, W *r, W *i) {
  global const W *low = t.low + 2 * (k & ((1ul << t.shift) - 1));
  global const W *high = t.high + 2 * (k >> t.shift);

  *r = low[0];
  *i = low[1];
  MULTIPLY(*r, *i, high[0], high[1])
}

/* Result k of the transform in w, twisted and scaled. */
GA_INLINE void result(const WORK w, global const uint *at, const uint k,
                      const twist t, const int by_lane, const W scale, V *r,
                      V *i) {
  const WORK p = w + (size_t)at[k] * 2 * VL;
  V a = LOADW(0, p) * scale, b = LOADW(1, p) * scale;

  if (t.is_used) {
    W fr, fi;

    root_of(t, t.p * k, &fr, &fi);
    V vr = (V)fr, vi = (V)fi;
    if (by_lane) {
      const V lr = LOADW(2 * k, t.lanes), li = LOADW(2 * k + 1, t.lanes);
      const V old = vr;

      vr = fma(old, lr, -(vi * li));
      vi = fma(old, li, vi * lr);
    }
    const V old = a;
    a = fma(old, vr, -(b * vi));
    b = fma(old, vi, b * vr);
  }
  *r = a;
  *i = b;
}

#define RESULT(k) result(w, at, k, t, by_lane, scale, &r, &i)
#define STORE_PARAMS                                                           \
  const WORK w, global const uint *at, const twist t, const int by_lane,       \
      const W scale, const side y

GA_INLINE void store_along(STORE_PARAMS, const uint rows) {
  global char *p = y.p;

  for (uint k = 0; k < rows; ++k, p += y.row) {
    V r, i, a, b;

    RESULT(k);
    if (y.how & F_SWAP) {
      const V old = r;

      r = i;
      i = old;
    }
    a.even = r.lo;
    a.odd = i.lo;
    b.even = r.hi;
    b.odd = i.hi;
    STOREW(a, 0, (global W *)p);
    STOREW(b, 1, (global W *)p);
    PREFETCH_TO(p, y.lane);
    PREFETCH_TO(p + sizeof(V), y.lane);
  }
}

GA_INLINE void store_across(STORE_PARAMS, const uint rows) {
  const int s = y.how & F_SWAP ? 1 : 0;

  for (uint k = 0; k < rows; k += VL / 2) {
    V a[VL];

    _Pragma("unroll") for (int h = 0; h < VL / 2; ++h) {
      V r, i;

      RESULT(k + h);
      a[2 * h] = s ? i : r;
      a[2 * h + 1] = s ? r : i;
    }
    transpose(a);
    _Pragma("unroll") for (int l = 0; l < VL; ++l) {
      STOREW(a[l], 0, (global W *)(y.p + l * y.lane) + 2 * k);
      PREFETCH_TO(y.p + l * y.lane + k * 2 * sizeof(W), y.lane);
    }
  }
}

GA_INLINE void store_real_along(STORE_PARAMS, const uint rows) {
  global char *p = y.p;

  for (uint k = 0; k < rows; ++k, p += y.row) {
    V r, i;

    RESULT(k);
    STOREW(y.how & F_SWAP ? i : r, 0, (global W *)p);
  }
}

GA_INLINE void store_real_across(STORE_PARAMS, const uint rows) {
  for (uint k = 0; k < rows; k += VL) {
    V a[VL];

    _Pragma("unroll") for (int h = 0; h < VL; ++h) {
      V r, i;

      RESULT(k + h);
      a[h] = y.how & F_SWAP ? i : r;
    }
    transpose(a);
    _Pragma("unroll") for (int l = 0; l < VL; ++l)
        STOREW(a[l], 0, (global W *)(y.p + l * y.lane) + k);
  }
}

GA_INLINE void store_each(STORE_PARAMS, const uint first, const uint rows,
                            const uint lanes) {
  for (uint k = first; k < rows; ++k) {
    V r, i;
    W pr[VL], pi[VL];

    RESULT(k);
    STOREW(r, 0, pr);
    STOREW(i, 0, pi);
    for (uint l = 0; l < lanes; ++l)
      store_one(y, y.p + l * y.lane + k * y.row,
                y.pos + l * y.pos_lane + k * y.pos_row, (W2)(pr[l], pi[l]));
  }
}

GA_INLINE void store(STORE_PARAMS, const uint rows, const uint lanes) {
  uint done = 0;

  if (lanes == VL && y.how & (F_ALONG | F_ACROSS))
    done = whole_rows(y, rows);
  if (y.how & F_ALONG) {
    if (y.how & F_REAL)
      store_real_along(w, at, t, by_lane, scale, y, done);
    else
      store_along(w, at, t, by_lane, scale, y, done);
  } else if (y.how & F_REAL) {
    done -= done % VL;
    store_real_across(w, at, t, by_lane, scale, y, done);
  } else {
    done -= done % (VL / 2);
    store_across(w, at, t, by_lane, scale, y, done);
  }
  store_each(w, at, t, by_lane, scale, y, done, rows, lanes);
}

/* Global size: work-items, each with a part of `work`. Arguments beside those
 * of all devices: how lanes are chosen; passes; twists; flags. */
kernel void fft_cpu(FFT_PARAMS, const uint lanes_by, global const uint *plan,
                    global const W *twists, const uint twist_shift,
                    const ulong twist_high, const uint x_how, const uint y_how,
                    const ulong units, const ulong each, global W *work) {
  const uint rows = (uint)rows_;
  WORK w = work + get_global_id(0) * (size_t)rows * 2 * VL;
  const ulong first = get_global_id(0) * each;
  const ulong last = min(units, first + each);
  global const uint *at = plan + 1 + 3 * plan[0];

  for (ulong u = first; u < last; ++u) {
    FFT_UNIT(u, VL)
    global const W *high = twists + (2ul << twist_shift);
    const twist t = {twists,      high,  high + 2 * twist_high,
                     twist_shift, m > 1, p_};

    load(w, rows, lanes_here, x);
    all_passes(w, rows, plan, roots);
    store(w, at, t, lanes_by == 1, scale, y, rows, lanes_here);
  }
}
