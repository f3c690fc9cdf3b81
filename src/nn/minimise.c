/* SPDX-License-Identifier: BSD-2-Clause */
/* L-BFGS: directions by the two-loop recursion, and steps with the strong Wolfe
 * conditions. */
#include "nn/minimise.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arith.h"
#include "base/err.h"

/* Evaluations of one search at most. */
enum { TRIALS = 25 };

/* Part of the slope by which the cost has to fall; part of the slope that may
 * be left. */
static const double FALL = 1e-4, FLAT = 0.9;

typedef struct point {
  double t, cost, slope; /* along the direction */
} point;

typedef struct state {
  const gg__objective *f;
  const gg_lbfgs_spec *how;
  gg_lbfgs_done *done;
  size_t n, kept, next; /* pairs there are; where the next one goes */
  double *x, *grad;     /* where it is */
  double *trial, *trial_grad, *way;
  double *moved, *turned; /* the pairs, [history, n] */
  double *part, *inverse; /* of the recursion; 1 / (moved turned) */
  double *memory;
} state;

/* --- vectors --- */

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

static void add(double *to, double by, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    to[i] += by * x[i];
}

static double largest(const double *x, size_t n) {
  double most = 0;

  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most))
      most = fabs(x[i]);
  return most;
}

static double sum_of(const double *x, size_t n) {
  double sum = 0;

  for (size_t i = 0; i < n; i++)
    sum += fabs(x[i]);
  return sum;
}

/* --- the direction --- */

/* The pair that is k-th from the youngest. */
static size_t pair(const state *s, size_t k) {
  return (s->next + s->how->history - 1 - k) % s->how->history;
}

/* The pairs' estimate of the inverse Hessian times the gradient, downwards. */
static void aim(state *s) {
  const size_t n = s->n;
  double *q = s->way;

  for (size_t i = 0; i < n; i++)
    q[i] = -s->grad[i];
  for (size_t k = 0; k < s->kept; k++) {
    const size_t i = pair(s, k);
    s->part[i] = s->inverse[i] * dot(s->moved + i * n, q, n);
    add(q, -s->part[i], s->turned + i * n, n);
  }
  if (s->kept > 0) {
    const double *y = s->turned + pair(s, 0) * n;
    const double by = 1 / (s->inverse[pair(s, 0)] * dot(y, y, n));
    for (size_t i = 0; i < n; i++)
      q[i] *= by;
  }
  for (size_t k = s->kept; k-- > 0;) {
    const size_t i = pair(s, k);
    add(q, s->part[i] - s->inverse[i] * dot(s->turned + i * n, q, n),
        s->moved + i * n, n);
  }
}

/* Remember the step from the present point to the trial, unless the cost does
 * not curve upwards along it. */
static void remember(state *s) {
  double *moved = s->moved + s->next * s->n,
         *turned = s->turned + s->next * s->n;

  for (size_t i = 0; i < s->n; i++) {
    moved[i] = s->trial[i] - s->x[i];
    turned[i] = s->trial_grad[i] - s->grad[i];
  }
  const double curve = dot(moved, turned, s->n);
  if (!(curve > DBL_EPSILON * dot(turned, turned, s->n)) ||
      !isfinite(1 / curve))
    return;
  s->inverse[s->next] = 1 / curve;
  s->next = (s->next + 1) % s->how->history;
  s->kept += s->kept < s->how->history;
}

/* --- the step --- */

static int try_at(state *s, double t, point *out) {
  for (size_t i = 0; i < s->n; i++)
    s->trial[i] = s->x[i] + t * s->way[i];
  out->t = t;
  GA_TRY(s->f->at(s->f->arg, s->trial, &out->cost, s->trial_grad));
  s->done->evaluations++;
  out->slope = dot(s->trial_grad, s->way, s->n);
  if (!isfinite(out->cost) || !isfinite(out->slope))
    out->cost = INFINITY;
  return GA_NO_ERROR;
}

/* Where the cubic through two points is smallest; NAN if nowhere. */
static double cubic(const point *a, const point *b) {
  const double mean =
      a->slope + b->slope - 3 * (a->cost - b->cost) / (a->t - b->t);
  const double root =
      copysign(sqrt(mean * mean - a->slope * b->slope), b->t - a->t);

  return b->t - (b->t - a->t) * (b->slope + root - mean) /
                    (b->slope - a->slope + 2 * root);
}

static double within(double t, double lo, double hi, double otherwise) {
  return isfinite(t) ? fmin(fmax(t, lo), hi) : otherwise;
}

/* The next trial: further on if there is no end yet, else between `lo` and
 * `hi`. */
static double guess(const point *before, const point *lo, const point *hi) {
  if (isinf(hi->t))
    return within(cubic(before, lo), 1.1 * lo->t, 10 * lo->t, 4 * lo->t);
  const double width = hi->t - lo->t, near = lo->t + 0.1 * width,
               far = lo->t + 0.9 * width;
  const double t = isinf(hi->cost) ? NAN : cubic(lo, hi);
  return within(t, fmin(near, far), fmax(near, far), lo->t + 0.5 * width);
}

/* Find a step along the direction, first trial `t`. *found becomes the point,
 * with t = 0 if there is none. `lo` fell enough and points at `hi`. */
static int search(state *s, double t, point *found) {
  const point start = {0, s->done->cost, dot(s->grad, s->way, s->n)};
  point lo = start, hi = {INFINITY, INFINITY, 0}, before = start, now;

  for (int k = 0; k < TRIALS; k++) {
    GA_TRY(try_at(s, t, &now));
    if (now.cost > start.cost + FALL * t * start.slope ||
        (lo.t > 0 && now.cost >= lo.cost)) {
      hi = now;
    } else {
      if (fabs(now.slope) <= -FLAT * start.slope) {
        *found = now;
        return GA_NO_ERROR;
      }
      before = lo;
      if (now.slope * (hi.t - lo.t) >= 0)
        hi = lo;
      lo = now;
    }
    t = guess(&before, &lo, &hi);
  }
  *found = lo;
  return lo.t > 0 ? try_at(s, lo.t, found) : GA_NO_ERROR;
}

/* --- the loop --- */

static int is_flat(state *s) {
  s->done->gradient = largest(s->grad, s->n);
  if (s->done->gradient > s->how->tolerance)
    return 0;
  s->done->end = GG_LBFGS_GRADIENT;
  return 1;
}

/* Take the trial as the point. Nonzero if that was the last step. */
static int advance(state *s, double cost) {
  const double fall = s->done->cost - cost,
               size = fmax(fmax(fabs(s->done->cost), fabs(cost)), 1);

  remember(s);
  memcpy(s->x, s->trial, s->n * sizeof(double));
  memcpy(s->grad, s->trial_grad, s->n * sizeof(double));
  s->done->cost = cost;
  s->done->steps++;
  if (is_flat(s))
    return 1;
  if (fall > s->how->change * size)
    return 0;
  s->done->end = GG_LBFGS_CHANGE;
  return 1;
}

/* There is no step down. A history that misleads is forgotten; nonzero if there
 * was none. */
static int forget(state *s) {
  if (s->kept == 0)
    s->done->end = GG_LBFGS_STUCK;
  const int is_stuck = s->kept == 0;
  s->kept = 0;
  return is_stuck;
}

static int loop(state *s) {
  int is_over = is_flat(s);

  while (!is_over && s->done->steps < s->how->steps) {
    const double first = s->kept > 0 ? 1 : fmin(1, 1 / sum_of(s->grad, s->n));
    point to = {0, 0, 0};
    aim(s);
    if (dot(s->grad, s->way, s->n) < 0)
      GA_TRY(search(s, first, &to));
    if (to.t > 0) {
      is_over = advance(s, to.cost);
      if (s->how->each != NULL)
        GA_TRY(s->how->each(s->how->arg, s->done));
    } else {
      is_over = forget(s);
    }
  }
  return GA_NO_ERROR;
}

static int begin(state *s) {
  GA_TRY(s->f->at(s->f->arg, s->x, &s->done->cost, s->grad));
  s->done->evaluations = 1;
  if (isfinite(s->done->cost) && isfinite(largest(s->grad, s->n)))
    return GA_NO_ERROR;
  /* Devices give NaN a sign or not. */
  return ga__fail(GA_VALUE_ERROR,
                  "L-BFGS begins with a cost of %g and a gradient of up to %g",
                  isnan(s->done->cost) ? (double)NAN : s->done->cost,
                  largest(s->grad, s->n));
}

static int allocate(state *s) {
  const size_t n = s->n, m = s->how->history;

  s->memory = ga__calloc(ga__times(2 * m + 4, n + 1), sizeof(double));
  if (s->memory == NULL)
    return ga__fail_nomem();
  s->grad = s->memory;
  s->trial = s->grad + n;
  s->trial_grad = s->trial + n;
  s->way = s->trial_grad + n;
  s->moved = s->way + n;
  s->turned = s->moved + m * n;
  s->part = s->turned + m * n;
  s->inverse = s->part + m;
  return GA_NO_ERROR;
}

int gg__minimise(const gg__objective *f, double *x, const gg_lbfgs_spec *how,
                 gg_lbfgs_done *done) {
  state s = {.f = f, .how = how, .done = done, .n = f->n, .x = x};
  int err = allocate(&s);

  if (err == GA_NO_ERROR)
    err = begin(&s);
  if (err == GA_NO_ERROR)
    err = loop(&s);
  ga__free(s.memory);
  return err;
}
