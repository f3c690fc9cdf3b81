/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions by the host, element after element in double precision. */
#include <math.h>

#include "base/dtype.h"
#include "reference/reference.h"

/* What has been combined so far for one element of the result. */
typedef struct partial {
  double value; /* of a variance: the sum of squared distances from the mean */
  double at;    /* position of the value; -1 before the first element */
  double mean, n; /* of a variance */
} partial;

/* One more element (Welford, 1962). */
static void add_to_variance(partial *p, double x) {
  const double d = x - p->mean;

  p->n++;
  p->mean += d / p->n;
  p->value += d * (x - p->mean);
}

static void combine(gg_reduction op, partial *p, double x, size_t at) {
  const int first = p->at < 0;

  switch (op) {
  case GG_SUM:
    p->value += x;
    break;
  case GG_PROD:
    p->value *= x;
    break;
  case GG_ANY_OF:
    p->value = p->value != 0 || x != 0;
    break;
  case GG_ALL_OF:
    p->value = p->value != 0 && x != 0;
    break;
  case GG_MAX:
  case GG_ARGMAX:
    if (!first && (isnan(p->value) || !(isnan(x) || x > p->value)))
      return;
    p->value = x;
    break;
  case GG_MIN:
  case GG_ARGMIN:
    if (!first && (isnan(p->value) || !(isnan(x) || x < p->value)))
      return;
    p->value = x;
    break;
  case GG_VARIANCE:
    add_to_variance(p, x);
    break;
  }
  p->at = (double)at;
}

static int is_position(gg_reduction op) {
  return op == GG_ARGMAX || op == GG_ARGMIN;
}

/* Extrema and their positions need an element. */
static int is_defined(gg_reduction op, const partial *p) {
  return (op != GG_MAX && op != GG_MIN && !is_position(op)) || p->at >= 0;
}

static double result(gg_reduction op, const partial *p) {
  if (op == GG_VARIANCE)
    return p->value / p->n;
  return is_position(op) ? p->at : p->value;
}

/* Split element number i of the input: its place in the result, and its
 * position among what is reduced to it. */
static size_t locate(const gg_dims *d, unsigned int mask, size_t i,
                     size_t *position) {
  size_t place = 0, step = 1, gone = 1;

  *position = 0;
  for (unsigned int k = d->nd; k-- > 0; i /= d->dim[k]) {
    if (mask >> k & 1u) {
      *position += i % d->dim[k] * gone;
      gone *= d->dim[k];
    } else {
      place += i % d->dim[k] * step;
      step *= d->dim[k];
    }
  }
  return place;
}

int gg__reference_reduce(const gg_apply *a, const gg__host *in, gg__host *out) {
  const gg_reduce_props *props = a->props;
  const int from = a->in[0]->type.dtype, to = a->out[0]->type.dtype;
  const size_t n = gg__dims_size(&in->dims), m = gg__dims_size(&out->dims);
  partial *p = ga__malloc((m + 1) * sizeof *p);
  size_t at;
  int known = p != NULL;

  for (size_t i = 0; known && i < m; i++)
    p[i] = (partial){props->op == GG_PROD || props->op == GG_ALL_OF, -1, 0, 0};
  for (size_t i = 0; known && i < n; i++) {
    partial *q = &p[locate(&in->dims, props->axes_mask, i, &at)];
    combine(props->op, q,
            ga__dtype_to_double(from, (const char *)in->data +
                                          i * ga__dtype_size(from)),
            at);
  }
  for (size_t i = 0; known && i < m; i++)
    known = is_defined(props->op, &p[i]) &&
            gg__host_store(to, (char *)out->data + i * ga__dtype_size(to),
                           result(props->op, &p[i]));
  ga__free(p);
  return known;
}
