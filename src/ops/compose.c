/* SPDX-License-Identifier: BSD-2-Clause */
/* Integer scalars that stay constants where possible. */
#include "ops/compose.h"

#include <math.h>

static double add(double a, double b) {
  return a + b;
}

static double mul(double a, double b) {
  return a * b;
}

static double over(double a, double b) {
  return floor(a / b);
}

/* A constant if both operands are and doubles are exact, else a node. */
static gg_var *compute(gg_var *a, gg_var *b, double (*known)(double, double),
                       gg_var *(*node)(gg_var *, gg_var *)) {
  double x, y;

  if (a == NULL || b == NULL)
    return NULL;
  if (gg_var_uniform(a, &x) && gg_var_uniform(b, &y) && fabs(x) < 0x1p53 &&
      fabs(y) < 0x1p53 && fabs(known(x, y)) < 0x1p53)
    return gg_i64(gg_var_graph(a), (int64_t)known(x, y));
  return node(gg_cast(a, GA_LONG), gg_cast(b, GA_LONG));
}

gg_var *gg__whole_number(gg_var *like, int64_t v) {
  return gg_i64(gg_var_graph(like), v);
}

gg_var *gg__number_add(gg_var *a, gg_var *b) {
  return compute(a, b, add, gg_add);
}

gg_var *gg__number_mul(gg_var *a, gg_var *b) {
  return compute(a, b, mul, gg_mul);
}

gg_var *gg__number_least(gg_var *a, gg_var *b) {
  return compute(a, b, fmin, gg_minimum);
}

gg_var *gg__number_most(gg_var *a, gg_var *b) {
  return compute(a, b, fmax, gg_maximum);
}

gg_var *gg__number_over(gg_var *a, int64_t b) {
  return a != NULL ? compute(a, gg__whole_number(a, b), over, gg_floordiv)
                   : NULL;
}

gg_var *gg__number_of(gg_var *x, unsigned int first, unsigned int end) {
  gg_var *n = gg_i64(gg_var_graph(x), 1);

  for (unsigned int d = first; d < end; d++)
    n = gg__number_mul(n, gg_shape(x, (int)d));
  return n;
}

gg_var *gg__with_last(gg_var *x, int64_t n) {
  int64_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    dims[i] = i + 1 < gg__rank_of(x) ? GG_ANY : n;
  return gg_specify_shape(x, dims);
}

gg_var *gg__with_sizes(const gg_op *op, unsigned int n, gg_var *const *in,
                       gg_var *x, gg_var *const *sizes, const char *rule) {
  gg_var *all[GG_MAX_ND];
  int is_open = 0;
  double want;

  if (x == NULL)
    return NULL;
  for (unsigned int d = 0; d < gg__rank_of(x); d++) {
    const int64_t size = gg_var_type(x)->dims[d];
    const int is_known = sizes[d] != NULL && gg_var_uniform(sizes[d], &want);

    all[d] = sizes[d] != NULL ? sizes[d] : gg__whole_number(x, GG_ANY);
    if (is_known && size != GG_ANY && (double)size != want)
      return gg__refuse(op, n, in, GA_VALUE_ERROR,
                        "dim %u has %lld elements, expected %.0f: %s", d,
                        (long long)size, want, rule);
    is_open |= sizes[d] != NULL && !(is_known && size != GG_ANY);
  }
  if (!is_open)
    return x;
  const gg_parts *outer = gg_parts_begin(gg_var_graph(x), op, n, in, rule);
  return gg_parts_end(gg_var_graph(x), outer, gg_specify_sizes(x, all));
}

void gg__sizes_of(gg_var *x, gg_var **sizes) {
  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    sizes[i] = gg_shape(x, (int)i);
}
