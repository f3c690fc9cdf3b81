/* SPDX-License-Identifier: BSD-2-Clause */
/* Strips of QR factors on GPUs: one group for each matrix of a batch, and the
 * strip in registers: work-item i has the rows i, i + G and so on. Macros, here
 * for floats:
 *
 *   #define T float          as stored; LD, ST: as in gemm_gpu.cl
 *   #define W float          as worked
 *   #define G 512            work-items of a group, a power of 2
 *   #define R 4              rows of a work-item
 *   #define C 16             most columns of a strip, a power of 2, at most G and
 *                            32
 *
 * Work-items next to each other read rows next to each other, so columns without
 * gaps are fast. Columns are scaled by powers of 2, so that sums of squares
 * neither overflow nor lose what matters. Strides are in elements, of either
 * sign; offsets in bytes. */
#define FENCE CLK_LOCAL_MEM_FENCE
#include "factor_matrix.cl"
#include "factor_group.cl"
#include "factor_panel.cl"

/* Where 32 work-items exchange values, each 32 of them join sums and make
 * reflectors for themselves: a column takes one barrier then. Others do both
 * together. What the next column writes while some still read this one's takes
 * turns. */
#if SHUFFLES
#define PARTS WARPS
#define COPIES WARPS
#define TURNS 2
#define LANE ((int)get_local_id(0) % 32)
#define OWN(s) ((s)->own + get_local_id(0) / 32)
#define SYNC_OWN asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#else
#define PARTS G
#define COPIES 1
#define TURNS 1
#define LANE ((int)get_local_id(0))
#define OWN(s) ((s)->own)
#define SYNC_OWN SYNC
#endif

/* Powers of 2: factors of columns have at most one, in either direction, and
 * sums of squares below the other one count as 0. */
#define MOST_EXPONENT (UNITS == 2 ? 1021 : 125)
#define TINY_EXPONENT (UNITS == 2 ? -900 : -100)

/* Values of all columns are read as vectors. */
#define ALIGNED __attribute__((aligned(UNITS * 16)))

/* What those who make a reflector together share. */
typedef struct own {
  W factors[C] ALIGNED; /* of a reflector, for each column that it changes */
  W dots[C] ALIGNED;    /* products of a reflector with those before it */
  W joined[C] ALIGNED;  /* sums or largest values of columns */
  W over, beta, tau;    /* of a reflector */
} own;

/* What the group shares. */
typedef struct strip {
  own own[COPIES];
  W part[TURNS][C * PARTS]; /* sums or largest values of columns */
  W top[TURNS][C];          /* the row in which a reflector begins */
  W scale[C];               /* of columns */
} strip;

/* Read values of all columns. */
GA_INLINE void strip_values(W v[C], SHARED const W *from) {
#if C >= 4
#pragma unroll
  for (int j = 0; j < C; j += 4) {
    const GA_JOIN(W, 4) four = *(SHARED const GA_JOIN(W, 4) *)(from + j);

    v[j] = four.s0;
    v[j + 1] = four.s1;
    v[j + 2] = four.s2;
    v[j + 3] = four.s3;
  }
#else
  EACH_COLUMN(j) v[j] = from[j];
#endif
}

/* Read a strip of m x n; what is missing is 0. */
GA_INLINE void strip_read(W x[R][C], global const T *a, const long rs,
                          const long cs, const int m, const int n) {
  const int me = (int)get_local_id(0);

  a += me * rs;
  EACH_ROW(r, m) {
    global const T *from = a + r * G * rs;

    EACH_COLUMN(j) {
      x[r][j] = ROW_OF(r) < m && j < n ? LD(from) : 0;
      from += cs;
    }
  }
}

/* Join C values of each work-item, v, which are lost, to the own `joined`. */
GA_INLINE void strip_join(W v[C], const int is_most, const int turn,
                          SHARED strip *s) {
  const int me = (int)get_local_id(0);
  SHARED W *part = s->part[turn % TURNS];
  W sum = 0;

#if SHUFFLES
  const int lane = LANE;

  /* Those who exchange values keep half of them each: in the end, value
   * lane % C. */
#pragma unroll
  for (int by = C / 2; by > 0; by /= 2) {
#pragma unroll
    for (int i = 0; i < C / 2; ++i) {
      if (i < by) {
        const W a = v[i], b = v[i + by], give = lane & by ? a : b;

        v[i] = group_join(lane & by ? b : a, shuffle_value(give, by), is_most);
      }
    }
  }
#pragma unroll
  for (uint by = C; by < 32; by *= 2)
    v[0] = group_join(v[0], shuffle_value(v[0], by), is_most);
  if (lane < C)
    part[me / 32 * C + lane] = v[0];
  SYNC;
#pragma unroll
  for (int i = 0; i < WARPS; i += 32 / C) {
    const int at = (i + lane / C) * C + lane % C;

    sum = i + lane / C < WARPS ? group_join(sum, part[at], is_most) : sum;
  }
#pragma unroll
  for (uint by = C; by < 32; by *= 2)
    sum = group_join(sum, shuffle_value(sum, by), is_most);
  if (lane < C)
    OWN(s)->joined[lane] = sum;
#else
  const int lanes = G / C;

  EACH_COLUMN(j) part[j * G + me] = v[j];
  SYNC;
  for (int i = 0; i < C; ++i)
    sum =
        group_join(sum, part[me / lanes * G + me % lanes + i * lanes], is_most);
  SYNC;
  part[me] = sum;
  SYNC;
  if (me < C) {
    sum = 0;
    /* Each begins elsewhere, in a bank of its own. */
    for (int i = 0; i < lanes; ++i)
      sum = group_join(sum, part[me * lanes + (i + me) % lanes], is_most);
    s->own->joined[me] = sum;
  }
#endif
  SYNC_OWN;
}

/* Scale each column so that its largest element is about 1, and keep the
 * inverses of the factors in s->scale. */
GA_INLINE void strip_scale(W x[R][C], const int rows, SHARED strip *s) {
  const int me = (int)get_local_id(0), most = MOST_EXPONENT, lane = LANE;
  SHARED own *mine = OWN(s);
  W v[C];

  EACH_COLUMN(j) v[j] = 0;
  EACH_ROW(r, rows) {
    EACH_COLUMN(j) v[j] = fmax(v[j], fabs(x[r][j]));
  }
  strip_join(v, 1, 1, s);
  if (lane < C) {
    const W largest = mine->joined[lane];
    const int is_plain = largest > 0 && largest < (W)INFINITY;
    const int e = is_plain ? clamp(ilogb(largest), -most, most) : 0;

    mine->factors[lane] = ldexp((W)1, -e);
    if (me < C)
      s->scale[me] = ldexp((W)1, e);
  }
  SYNC_OWN;
  strip_values(v, mine->factors);
  EACH_ROW(r, rows) {
    EACH_COLUMN(j) x[r][j] *= v[j];
  }
}

/* Set what applies reflector c: its factors for each column, and what makes it
 * from its column. The joined values are the products with what is below row
 * c. */
GA_INLINE void strip_reflector(const int c, const W tiny, SHARED strip *s) {
  const int lane = LANE;
  SHARED own *mine = OWN(s);

  if (lane < C) {
    SHARED const W *top = s->top[c % TURNS];
    const W a = top[0], sum = mine->joined[0], norm = sqrt(fma(a, a, sum));
    const int is_zero = sum < tiny, is_live = lane + c < C;
    const W beta = is_zero ? a : -copysign(norm, a);
    const W tau = is_zero ? 0 : (beta - a) / beta;
    const W over = is_zero ? 0 : 1 / (a - beta);
    const W dot = fma(mine->joined[lane], over, top[lane]);

    /* Finished columns are reflectors: this is their product. */
    mine->factors[lane] = is_live ? -tau * dot : 0;
    mine->dots[lane] = is_live ? 0 : dot;
    if (lane == 0) {
      mine->over = over;
      mine->beta = beta;
      mine->tau = tau;
    }
  }
  SYNC_OWN;
}

/* Add column c to T, of which a work-item has a row. Columns turn in registers,
 * as those of the strip do. */
GA_INLINE void strip_triangle(W t[C], const int c, SHARED const strip *s) {
  const int me = (int)get_local_id(0);
  SHARED const own *mine = OWN(s);
  W v[C], sum = 0;

  strip_values(v, mine->dots);
  EACH_COLUMN(j) sum = fma(t[j], v[j], sum);
#pragma unroll
  for (int j = 1; j < C; ++j)
    t[j - 1] = t[j];
  t[C - 1] = me < c ? -mine->tau * sum : me == c ? mine->tau : 0;
}

/* Make column c, which is the first one in registers, the reflector that clears
 * it below row c, where it keeps R, and apply that to the columns behind it. A
 * column whose squares add up to less than `tiny` is 0. The columns turn in
 * registers: what was the second one is the first one then, and the finished
 * one the last. */
GA_INLINE void strip_reflect(W x[R][C], W t[C], const int rows, const int c,
                             const W tiny, SHARED strip *s) {
  const int me = (int)get_local_id(0);
  SHARED const own *mine = OWN(s);
  W v[C];

  EACH_COLUMN(j) v[j] = 0;
  EACH_ROW(r, rows) {
    const W below = r > 0 || me > c ? x[r][0] : 0;

    EACH_COLUMN(j) v[j] = fma(below, x[r][j], v[j]);
  }
  strip_join(v, 0, c, s);
  strip_reflector(c, tiny, s);

  const W over = mine->over, beta = mine->beta;

  strip_values(v, mine->factors);
  EACH_ROW(r, rows) {
    const int is_below = r > 0 || me > c;
    const W u = is_below ? x[r][0] * over : me == c;
    const W first = is_below ? u : me == c ? beta : x[r][0];

#pragma unroll
    for (int j = 1; j < C; ++j)
      x[r][j - 1] = fma(v[j], u, x[r][j]);
    x[r][C - 1] = first;
  }
  if (me == c + 1) {
    EACH_COLUMN(j) s->top[(c + 1) % TURNS][j] = x[0][j];
  }
  if (me < C)
    strip_triangle(t, c, s);
}

/* The registers have the finished columns behind `skip` others. */
GA_INLINE void strip_store_r(W x[R][C], global T *a, const long cs, const int n,
                             SHARED const strip *s) {
  const int me = (int)get_local_id(0), skip = C - n;

  if (me < n) {
    a -= skip * cs;
    EACH_COLUMN(j) {
      if (j - skip >= me)
        ST(x[0][j] * s->scale[j - skip], a);
      a += cs;
    }
  }
}

GA_INLINE void strip_store_v(W x[R][C], global T *v, const long rs,
                             const long cs, const int m, const int n) {
  const int me = (int)get_local_id(0), skip = C - n;

  v -= skip * cs;
  EACH_ROW(r, m) {
    global T *to = v + r * G * rs;

    EACH_COLUMN(j) {
      const int c = j - skip;

      if (ROW_OF(r) < m && c >= 0)
        ST(r > 0 || me > c ? x[r][j] : me == c, to);
      to += cs;
    }
  }
}

/* Factor a strip of m x n, m >= n, in place: R in its upper triangle; what is
 * below stays. `v`, m x n, becomes the reflectors with ones and zeros, and
 * `above` rows above it become zeros; t, n x n, becomes T, with H1 ... Hn =
 * I - V T V^T. Global size: G, batch. */
kernel GROUP void factor_qr(MATRIX(a), const ulong m_, const ulong n_,
                            MATRIX(v), const ulong above, MATRIX(t)) {
  const ulong z = get_group_id(1);
  const int m = (int)m_, n = (int)n_, me = (int)get_local_id(0);
  const int skip = C - n; /* of the registers, when all columns are finished */
  const W tiny = ldexp((W)1, TINY_EXPONENT);
  global T *a = MATRIX_AT(a, z);
  global T *v = MATRIX_AT(v, z);
  SHARED strip s;
  W x[R][C], t[C];

  EACH_COLUMN(j) t[j] = 0;
  strip_read(x, a, a_rs, a_cs, m, n);
  strip_scale(x, m, &s);
  if (me == 0) {
    EACH_COLUMN(j) s.top[0][j] = x[0][j];
  }
#pragma unroll 1
  for (int c = 0; c < n; ++c)
    strip_reflect(x, t, m, c, tiny, &s);
  strip_store_r(x, a + me * a_rs, a_cs, n, &s);
  strip_store_v(x, v + me * v_rs, v_rs, v_cs, m, n);
  for (int i = me; i < (int)above * n; i += G)
    ST(0, v - (i / n + 1) * v_rs + i % n * v_cs);
  if (me < n) {
    global T *to = MATRIX_AT(t, z) + me * t_rs;

    EACH_COLUMN(j) {
      if (j >= skip)
        ST(t[j], to + (j - skip) * t_cs);
    }
  }
}

/* x = H1 ... Hn x, transposed, for the n reflectors v of a strip, m x n, and
 * their T: x -= V T^T V^T x. x, m x cols, has columns that a group takes one
 * after the other. Global size: G for each group, batch. */
kernel GROUP void factor_qr_apply(MATRIX(v), MATRIX(t), MATRIX(x),
                                  const ulong m_, const ulong n_,
                                  const ulong cols) {
  const ulong z = get_group_id(1);
  const int m = (int)m_, n = (int)n_, me = (int)get_local_id(0), lane = LANE;
  global const T *v = MATRIX_AT(v, z);
  global const T *t = MATRIX_AT(t, z);
  SHARED strip s;
  SHARED own *mine = OWN(&s);
  W u[R][C], column[C];
  int turn = 0;

  strip_read(u, v, v_rs, v_cs, m, n);
  EACH_COLUMN(k)
  column[k] = k <= lane && lane < n ? LD(t + k * t_rs + lane * t_cs) : 0;
#pragma unroll 1
  for (ulong j = get_group_id(0); j < cols; j += get_num_groups(0)) {
    global T *to = MATRIX_AT(x, z) + (long)j * x_cs + me * x_rs;
    W x[R], sum[C], f = 0;

    EACH_COLUMN(k) sum[k] = 0;
    EACH_ROW(r, m) x[r] = ROW_OF(r) < m ? LD(to + r * G * x_rs) : 0;
    EACH_ROW(r, m) {
      EACH_COLUMN(k) sum[k] = fma(u[r][k], x[r], sum[k]);
    }
    strip_join(sum, 0, turn, &s);
    strip_values(sum, mine->joined);
    EACH_COLUMN(k) f = fma(column[k], sum[k], f);
    if (lane < C)
      mine->factors[lane] = f;
    SYNC_OWN;
    strip_values(sum, mine->factors);
    EACH_ROW(r, m) {
      EACH_COLUMN(k) x[r] = fma(-sum[k], u[r][k], x[r]);
      if (ROW_OF(r) < m)
        ST(x[r], to + r * G * x_rs);
    }
    turn ^= 1;
  }
}
