/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/unchanged.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "graph/graph.h"

#define MOVES 24   /* evaluations with moved values */
#define MOVE 1e-13 /* relative: some hundred times the rounding of a double */
#define TOLERANCE 1e-6
/* What rounding may have left of 0: as much of it may differ as TOLERANCE
 * allows, or more. */
#define NOISE (4 * DBL_EPSILON / TOLERANCE)
#define SPREADS 6 /* evaluations for a spread */

static uint64_t state; /* of what moves values; the same in every run */

/* In [-1, 1). */
static double draw(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 40) / (1u << 23) - 1;
}

static int is_float(const gg_var *v) {
  return ga__dtype_kind(gg_var_type(v)->dtype) == GA_KIND_FLOAT;
}

static double epsilon(int dtype) {
  return dtype == GA_DOUBLE ? 0 : ga__dtype_epsilon(dtype);
}

static interp *begin(const unchanged *u) {
  interp *it = interp_new();

  assert_non_null(it);
  u->bind(u->arg, it);
  return it;
}

/* Values of `v`; the caller frees. */
static double *values(interp *it, gg_var *v, size_t *n) {
  const tensor *t = interp_eval(it, v);
  double *copy = malloc((t->n + 1) * sizeof *copy);

  assert_non_null(copy);
  memcpy(copy, t->v, t->n * sizeof *copy);
  *n = t->n;
  return copy;
}

/* --- moved values --- */

/* Move the value of a node by up to `move`, relative, or by the rounding of its
 * dtype. */
static void move_value(interp *it, gg_var *v, double move) {
  const tensor *t = interp_eval(it, v);
  const double eps = epsilon(gg_var_type(v)->dtype);
  size_t n, k, dims[GG_MAX_ND];

  if (move == 0)
    move = eps > 0 ? eps : DBL_EPSILON;
  double *data = values(it, v, &n);
  memcpy(dims, t->dim, sizeof dims);
  for (k = 0; k < n; k++)
    data[k] *= 1 + move * draw();
  interp_bind(it, v, t->nd, dims, data);
  free(data);
}

/* An interpreter in which everything that leads to `v` is moved. */
static interp *begin_moved(const unchanged *u, gg_var *v, double move) {
  interp *it = begin(u);
  gg__order order = {0};

  assert_ok(gg__toposort(&order, 1, &v));
  for (size_t i = 0; i < order.n; i++)
    if (is_float(order.v[i]->out[0]))
      move_value(it, order.v[i]->out[0], move);
  ga__vec_clear(&order);
  return it;
}

/* --- what the values on the way are like --- */

typedef struct survey {
  int finite;   /* all of them. Where not, cancelling may have taken away a NaN
                   that a choice depends on. */
  int noise;    /* some are what rounding has left of 0 */
  int in_range; /* all are normal numbers of their dtypes, or 0 */
  int beyond; /* some are finite, but beyond their dtype: a constant has them as
                   infinities, and a fused kernel as they are */
  double eps; /* the greatest of the dtypes narrower than double, or 0 */
} survey;

static void look_at(survey *s, const gg_var *v, const tensor *t) {
  const int dtype = gg_var_type(v)->dtype;

  if (is_float(v))
    s->eps = fmax(s->eps, epsilon(dtype));
  for (size_t k = 0; k < t->n; k++) {
    double x = fabs(t->v[k]);
    s->finite = s->finite && isfinite(x);
    s->noise = s->noise || (x != 0 && x < NOISE);
    s->beyond = s->beyond ||
                (is_float(v) && isfinite(x) && x > ga__dtype_largest(dtype));
    if (is_float(v) && x != 0 &&
        !(x <= ga__dtype_largest(dtype) / 4 && x >= ga__dtype_smallest(dtype)))
      s->in_range = 0;
  }
}

static survey look(interp *it, gg_var *v) {
  survey s = {.finite = 1, .in_range = 1};
  gg__order order = {0};

  assert_ok(gg__toposort(&order, 1, &v));
  for (size_t i = 0; i < order.n; i++) {
    look_at(&s, order.v[i]->out[0], interp_eval(it, order.v[i]->out[0]));
    for (unsigned int k = 0; k < order.v[i]->n_in; k++)
      look_at(&s, order.v[i]->in[k], interp_eval(it, order.v[i]->in[k]));
  }
  ga__vec_clear(&order);
  return s;
}

/* --- comparing --- */

static double tolerance(const survey *s) {
  return fmax(TOLERANCE, 64 * s->eps);
}

static int is_close(double want, double got, double tol) {
  return fabs(want - got) <= tol * (1e-3 + fabs(want));
}

/* Does element i of `v` stay about the same when values move? */
static int is_stable(const unchanged *u, gg_var *v, size_t i, double want,
                     const survey *s) {
  for (unsigned int k = 0; k < MOVES; k++) {
    interp *it = begin_moved(u, v, fmax(MOVE, s->eps));
    const double got = interp_eval(it, v)->v[i];

    interp_free(it);
    if (!is_close(want, got, 0.1 * tolerance(s)))
      return 0;
  }
  return 1;
}

/* Is a difference more than rounding? */
static int is_failure(const unchanged *u, gg_var *v, size_t i, double want,
                      double got, const survey *s) {
  if (s->noise || s->beyond || (!s->finite && isfinite(got)) ||
      (!s->in_range && !isfinite(got)))
    return 0;
  return is_stable(u, v, i, want, s);
}

int unchanged_check(const unchanged *u, gg_var *before, gg_var *after,
                    ptrdiff_t *at, double *want, double *got) {
  interp *it = begin(u);
  size_t n, n_after;
  double *x = values(it, before, &n), *y = values(it, after, &n_after);
  const survey s = look(it, before);

  *at = n == n_after ? (ptrdiff_t)n : -1;
  for (size_t i = 0; i < n && n == n_after; i++)
    if (isfinite(x[i]) && !is_close(x[i], y[i], tolerance(&s)) &&
        is_failure(u, before, i, x[i], y[i], &s)) {
      *at = (ptrdiff_t)i;
      *want = x[i];
      *got = y[i];
      break;
    }
  free(x);
  free(y);
  interp_free(it);
  return *at == (ptrdiff_t)n;
}

double *unchanged_spread(const unchanged *u, gg_var *v) {
  interp *it = begin(u);
  size_t n;
  double *want = values(it, v, &n), *spread = calloc(n + 1, sizeof *spread);
  const survey s = look(it, v);

  assert_non_null(spread);
  interp_free(it);
  for (unsigned int k = 0; k < SPREADS; k++) {
    it = begin_moved(u, v, 0);
    for (size_t i = 0; i < n; i++)
      spread[i] = fmax(spread[i], fabs(interp_eval(it, v)->v[i] - want[i]));
    interp_free(it);
  }
  for (size_t i = 0; i < n; i++)
    if (!s.finite || !s.in_range || isnan(spread[i]))
      spread[i] = INFINITY;
  free(want);
  return spread;
}
