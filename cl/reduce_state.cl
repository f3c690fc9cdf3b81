/* SPDX-License-Identifier: BSD-2-Clause */
/* What a reduction carries along, for one lane count. The text stands twice in
 * a program, for R_LANES lanes (names end in _w) and for one (_1); a program
 * of single lanes has it once. Macros in front of it, here for the largest of
 * ints in 16 lanes:
 *
 *   #define R_FN(name) name##_w
 *   #define R_ACC_T w_int           accumulator, in w_ types
 *   #define R_AT_T w_int            position, for R_ARG
 *   #define R_MASK_T w_int          what comparing accumulators gives
 *   #define R_MASK_TO_AT(m) (m)     the mask as wide as a position
 *   #define R_AT_TO_MASK(m) (m)     and back
 *   #define R_NEUTRAL INT_MIN
 *   #define R_COMBINE(a, b) max(a, b)
 *   #define R_ARG 0                 1: carry the position, with
 *   #define R_BETTER(b, a) ...        b wins against a
 *   #define R_SAME(b, a) ...          neither wins, the lower position does
 *   #define R_IN_ORDER 1            positions only grow, ties need no look
 *   #define R_COMPENSATED 0         1: carry the rounding error of the sum
 *   #define R_MOMENTS 0             1: v is the sum of squared distances from
 *                                   the mean, which `at` and `low` carry
 *   #define R_ACCS 1                accumulators side by side, of the same
 *                                   elements; 1 with R_ARG and R_MOMENTS
 */
#define R_EACH(a) (uint a = 0; a < R_ACCS; ++a)

typedef R_ACC_T R_FN(r_acc);
typedef R_AT_T R_FN(r_at);
typedef R_MASK_T R_FN(r_mask);

typedef struct R_FN(r_state) {
  R_FN(r_acc) v[R_ACCS];
#if R_ARG
  R_FN(r_at) at;
#elif R_COMPENSATED
  R_FN(r_acc) excess[R_ACCS]; /* what v is too large by */
#elif R_MOMENTS
  /* The mean is at + low. Between elements v is about `at`, the first of them,
   * and `sum` is what they are above it, until r_settle. Lanes have seen as
   * many. */
  R_FN(r_at) at, low;
  R_FN(r_acc) sum;
  R_ACC n;
#endif
} R_FN(r_state);

/* States go by pointer: structures as results cost some compilers dear. */

/* Nothing seen yet. `at` is the position to report if nothing ever wins: that
 * of the first element to come, or past the end when the order is free. */
static void R_FN(r_start)(R_FN(r_state) * s, R_POS at) {
  for R_EACH(a)
    s->v[a] = (R_FN(r_acc))(R_NEUTRAL);
#if R_ARG
  s->at = (R_FN(r_at))(R_IN_ORDER ? at : R_POS_MAX);
#elif R_COMPENSATED
  for R_EACH(a)
    s->excess[a] = (R_FN(r_acc))(0);
#elif R_MOMENTS
  s->at = s->low = (R_FN(r_at))(0);
  s->sum = (R_FN(r_acc))(0);
  s->n = 0;
#endif
}

/* One element per lane seen. */
static void R_FN(r_first)(R_FN(r_state) * s, const R_FN(r_acc) * v,
                          R_FN(r_at) at) {
  R_FN(r_start)(s, 0);
  for R_EACH(a)
    s->v[a] = v[a];
#if R_ARG
  s->at = at;
#endif
}

/* Add one element per lane. */
static void R_FN(r_take)(R_FN(r_state) * s, const R_FN(r_acc) * v,
                         R_FN(r_at) at) {
#if R_ARG
  R_FN(r_mask) wins = R_BETTER(*v, s->v[0]);
#if !R_IN_ORDER
  wins |= R_SAME(*v, s->v[0]) & R_AT_TO_MASK(at < s->at);
#endif
  s->v[0] = wins ? *v : s->v[0];
  s->at = R_MASK_TO_AT(wins) ? at : s->at;
#elif R_MOMENTS
  s->at = s->n == 0 ? *v : s->at;
  {
    const R_FN(r_acc) d = *v - s->at;
    s->sum += d;
    s->v[0] += d * d;
  }
  s->n += 1;
#else
  for R_EACH(a)
    s->v[a] = R_COMBINE(s->v[a], v[a]);
#endif
}

#if R_MOMENTS
/* Rounding leaves no variance below zero. */
static void R_FN(r_settle)(R_FN(r_state) * s) {
  const R_FN(r_acc) d = s->n > 0 ? s->sum / s->n : s->sum;
  const R_FN(r_acc) v = s->v[0] - s->sum * d;
  s->v[0] = v < 0 ? (R_FN(r_acc))(0) : v;
  s->low += d;
  s->sum = (R_FN(r_acc))(0);
}

/* Settled states of two sets (Chan, Golub and LeVeque, 1979). A mean that is
 * rounded off would make distances between means of large sets wrong, so `low`
 * has what does not fit in `at`. */
static void R_FN(r_unite)(R_FN(r_state) * s, const R_FN(r_state) * t) {
  const R_ACC n = s->n + t->n, share = n > 0 ? t->n / n : 0;
  const R_FN(r_acc) d = (t->at - s->at) + (t->low - s->low);
  const R_FN(r_acc) low = s->n > 0 ? s->low + d * share : t->low;
  const R_FN(r_acc) at = s->n > 0 ? s->at : t->at;

  s->v[0] += t->v[0] + d * (d * (s->n * share));
  s->at = at + low;
  s->low = low - (s->at - at);
  s->n = n;
}
#endif

/* Add another state, of a few elements. */
static void R_FN(r_join)(R_FN(r_state) * s, const R_FN(r_state) * t) {
#if R_ARG
  const R_FN(r_acc) v = t->v[0], old = s->v[0];
  const R_FN(r_mask) wins =
      R_BETTER(v, old) | (R_SAME(v, old) & R_AT_TO_MASK(t->at < s->at));
  s->v[0] = wins ? v : old;
  s->at = R_MASK_TO_AT(wins) ? t->at : s->at;
#elif R_MOMENTS
  R_FN(r_state) other = *t;
  R_FN(r_settle)(&other);
  R_FN(r_settle)(s);
  R_FN(r_unite)(s, &other);
#else
  for R_EACH(a)
    s->v[a] = R_COMBINE(s->v[a], t->v[a]);
#endif
}

/* Add the state of a block to one that has seen nothing but blocks. With
 * compensation (Kahan's sum over the blocks) the error of a sum does not grow
 * with its length. */
static void R_FN(r_merge)(R_FN(r_state) * s, const R_FN(r_state) * t) {
#if R_COMPENSATED
  for R_EACH(a) {
    const R_FN(r_acc) y = t->v[a] - s->excess[a];
    const R_FN(r_acc) sum = s->v[a] + y;
    const R_FN(r_acc) e = (sum - s->v[a]) - y;
    /* An infinite sum would turn itself into a NaN. */
    s->excess[a] = e - e == (R_FN(r_acc))(0) ? e : (R_FN(r_acc))(0);
    s->v[a] = sum;
  }
#elif R_MOMENTS
  R_FN(r_state) other = *t;
  R_FN(r_settle)(&other);
  R_FN(r_unite)(s, &other);
#else
  R_FN(r_join)(s, t);
#endif
}
