/* SPDX-License-Identifier: BSD-2-Clause */
/* A factor B of a product that is read through a window: convolutions as
 * products (src/blas/window.h). Stands in front of product_put.cl, for the
 * templates gemm_cpu.cl and gemm_gpu.cl. Macros put in front:
 *
 *   #define WINDOW 1
 *   #define INDEX uint    holds every index of a sum and of a column
 *
 * An index has four digits: one is a channel (or an image), three are spatial.
 * Position d is digit_of_column * jt[d] + digit_of_sum * pt[d] - pad[d]. An
 * element whose positions are not all in [0, x[d]) is zero. */
typedef struct window_sizes {
  long n[3]; /* of digits 1 to 3 */
} window_sizes;

typedef struct window {
  window_sizes p, j; /* of sums and columns */
  long ps, js;     /* elements from one channel to the next */
  long s[3];       /* elements from one position to the next */
  int x[3], pt[3], jt[3], pad[3];
  long low, high; /* elements [low, high) may be read */
  int p_last, j_last; /* the channel is the last digit, of sums and of columns;
                         0: the first */
  long c[4];      /* elements of C, for each digit of a column */
  long z;         /* elements of B before the group's */
  long row;       /* rows of C before the group's */
} window;

#define WINDOW_PARAMS                                                          \
  , long w_p1, long w_p2, long w_p3, long w_j1, long w_j2, long w_j3,          \
      long w_ps, long w_js, long w_s0, long w_s1, long w_s2, int w_x0,         \
      int w_x1, int w_x2, int w_pt0, int w_pt1, int w_pt2, int w_jt0,          \
      int w_jt1, int w_jt2, int w_pad0, int w_pad1, int w_pad2, long w_low,    \
      long w_high, int w_plast, int w_jlast, long w_c0, long w_c1, long w_c2, long w_c3
#define WINDOW_IS(z, row)                                                      \
  {{{w_p1, w_p2, w_p3}},                                                       \
   {{w_j1, w_j2, w_j3}},                                                       \
   w_ps,                                                                       \
   w_js,                                                                       \
   {w_s0, w_s1, w_s2},                                                         \
   {w_x0, w_x1, w_x2},                                                         \
   {w_pt0, w_pt1, w_pt2},                                                      \
   {w_jt0, w_jt1, w_jt2},                                                      \
   {w_pad0, w_pad1, w_pad2},                                                   \
   w_low,                                                                      \
   w_high,                                                                     \
   w_plast,                                                                    \
   w_jlast,                                                                    \
   {w_c0, w_c1, w_c2, w_c3},                                                   \
   z,                                                                          \
   row}

/* The place of an element in a result: its row, and the digits of its column,
 * the last one first. */
#define AT_PARAMS long i, long j, long at_2, long at_1, long at_0
#define AT i, j, at_2, at_1, at_0

/* A part of an element's address and of its positions: from the index of the
 * sum, or from the column. */
typedef struct window_place {
  long off;
  int at[3];
} window_place;

/* By value: NVIDIA's compiler takes no array behind a pointer here. */
static void window_digits(int d[4], long index, const window_sizes size) {
  INDEX i = (INDEX)index;

  for (int t = 3; t > 0; --t) {
    const INDEX n = (INDEX)size.n[t - 1], q = i / n;

    d[t] = (int)(i - q * n);
    i = q;
  }
  d[0] = (int)i;
}

/* The digits of an index of a sum. By value: see window_digits. */
typedef struct window_index {
  int d[4];
} window_index;

static window_index window_index_of(long p, const window *w) {
  window_index r;

  window_digits(r.d, p, w->p);
  return r;
}

/* Add a step, digit by digit: divisions would take longer than the loads. */
static window_index window_next(window_index at, window_index step,
                               const window_sizes size) {
  int carry = 0;

#pragma unroll
  for (int t = 3; t > 0; --t) {
    const int n = (int)size.n[t - 1];

    at.d[t] += step.d[t] + carry;
    carry = at.d[t] >= n;
    at.d[t] -= carry ? n : 0;
  }
  at.d[0] += step.d[0] + carry;
  return at;
}

static window_place window_of_sum(const int d[4], const window *w) {
  window_place r = {d[w->p_last ? 3 : 0] * w->ps, {0, 0, 0}};

#pragma unroll
  for (int t = 0; t < 3; ++t) {
    r.at[t] = (w->p_last ? d[t] : d[t + 1]) * w->pt[t];
    r.off += r.at[t] * w->s[t];
  }
  return r;
}

static window_place window_of_column(const int d[4], const window *w) {
  window_place r = {w->z + d[w->j_last ? 3 : 0] * w->js, {0, 0, 0}};

#pragma unroll
  for (int t = 0; t < 3; ++t) {
    r.at[t] = (w->j_last ? d[t] : d[t + 1]) * w->jt[t] - w->pad[t];
    r.off += r.at[t] * w->s[t];
  }
  return r;
}

static int window_is_inside(int a, int b, int size) {
  return (uint)(a + b) < (uint)size;
}

static int window_has(window_place a, window_place b, const window *w) {
  return window_is_inside(a.at[0], b.at[0], w->x[0]) &
         window_is_inside(a.at[1], b.at[1], w->x[1]) &
         window_is_inside(a.at[2], b.at[2], w->x[2]);
}

/* Where the element of a column lies in C, from the start of its row. */
static long window_c(const int d[4], const window *w) {
  return d[0] * w->c[0] + d[1] * w->c[1] + d[2] * w->c[2] + d[3] * w->c[3];
}
