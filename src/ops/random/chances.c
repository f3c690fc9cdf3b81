/* SPDX-License-Identifier: BSD-2-Clause */
/* Random counts, choices and orders: builders of the ops in sample.c. */
#include <limits.h>
#include <math.h>

#include "base/alloc.h"
#include "ops/random/draw.h"

/* --- checks of constants --- */

/* float64 for float64, else float32. */
static int real_dtype(const gg_var *p) {
  return gg_var_type(p)->dtype == GA_DOUBLE ? GA_DOUBLE : GA_FLOAT;
}

static double element(const gg_var *v, size_t k) {
  const int dtype = gg_var_type(v)->dtype;
  const char *data = gg_var_data(v);

  return ga__dtype_to_double(dtype, data + k * ga__dtype_size(dtype));
}

/* Check that p has rank 2 and, if it is constant, that its elements are finite
 * and not negative. With `sum_to_1` each row of a constant must add up to 1
 * within 10^-3. Returns 0 and records an error otherwise. */
static int check_weights(const gg_op *op, gg_var *p, int sum_to_1) {
  const gg_type *t = gg_var_type(p);

  if (t->nd != 2) {
    gg__refuse(op, 1, &p, GA_VALUE_ERROR,
               "p: expected rows of probabilities, got %u dimensions", t->nd);
    return 0;
  }
  if (gg_var_data(p) == NULL)
    return 1;
  size_t rows = (size_t)t->dims[0];
  size_t columns = (size_t)t->dims[1];
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (size_t j = 0; j < columns; j++) {
      double w = element(p, i * columns + j);
      if (!(w >= 0) || isinf(w) || (sum_to_1 && w > 1)) {
        gg__refuse(op, 1, &p, GA_VALUE_ERROR,
                   "p: %g in row %zu, column %zu, is not a probability", w, i,
                   j);
        return 0;
      }
      sum += w;
    }
    if (sum_to_1 && !(fabs(sum - 1) < 1e-3)) {
      gg__refuse(op, 1, &p, GA_VALUE_ERROR,
                 "p: row %zu adds up to %g, not to 1", i, sum);
      return 0;
    }
  }
  return 1;
}

/* Returns 0 and records an error unless `count` fits; `what` names the things
 * counted. */
static int check_count(const gg_op *op, gg_var *p, int64_t count,
                       const char *what) {
  if (count >= 0 && count <= INT_MAX)
    return 1;
  gg__refuse(op, 1, &p, GA_VALUE_ERROR, "%lld %s", (long long)count, what);
  return 0;
}

/* --- counts --- */

gg_var *gg_random_binomial(gg_random *r, const gg_draw *d, gg_var *n,
                           gg_var *p) {
  gg__sample_props props = {0, -1};
  gg_var *in[3];

  if (!gg__draw_given(r, "d", d) || !gg__draw_given(r, "n", n) ||
      !gg__draw_given(r, "p", p))
    return NULL;
  in[0] = gg__draw(r, d, GA_RANDOM_UNIFORM, real_dtype(p));
  in[1] = gg__check_range(in[0], "n", n, 0, HUGE_VAL);
  in[2] = gg__check_range(in[0], "p", p, 0, 1);
  for (unsigned int i = 1; i < 3; i++) {
    in[i] = gg__parameter(in[0], i == 1 ? "n" : "p", in[i]);
    if (in[i] == NULL)
      return NULL;
    in[i] =
        gg__pad_rank(in[i], gg_var_type(in[0])->nd - gg_var_type(in[i])->nd);
  }
  props.dtype = d->dtype;
  return gg_op_apply(NULL, &gg__op_binomial, &props, 3, in);
}

gg_var *gg_random_multinomial(gg_random *r, int dtype, int64_t count,
                              gg_var *p) {
  const gg__sample_props props = {dtype, (int)count};
  gg_var *in[2];

  if (!gg__draw_given(r, "p", p) || !check_weights(&gg__op_multinomial, p, 1) ||
      !check_count(&gg__op_multinomial, p, count, "drawings"))
    return NULL;
  in[1] = gg_cast(p, real_dtype(p));
  in[0] = gg__draw(r, GG_DRAW_LIKE(0, in[1]), GA_RANDOM_UNIFORM, real_dtype(p));
  return gg_op_apply(NULL, &gg__op_multinomial, &props, 2, in);
}

/* --- choices --- */

/* A variable with the rows of p and `count` columns, used for its shape
 * alone. */
static gg_var *make_columns(gg_var *p, int64_t count) {
  gg_graph *const g = gg_var_graph(p);
  gg_var *const sizes[2] = {gg_shape(p, 0), gg_i64(g, count)};

  return gg_alloc(gg_scalar(g, GA_BOOL, 0), 2, sizes);
}

gg_var *gg_random_choice(gg_random *r, int64_t count, gg_var *p) {
  const gg__sample_props props = {GA_LONG, (int)count};
  gg_var *in[2];

  if (!gg__draw_given(r, "p", p) || !check_weights(&gg__op_choice, p, 0) ||
      !check_count(&gg__op_choice, p, count, "choices"))
    return NULL;
  in[1] = gg_cast(p, real_dtype(p));
  in[0] = gg__draw(r, GG_DRAW_LIKE(0, make_columns(p, count)),
                   GA_RANDOM_UNIFORM, real_dtype(p));
  return gg_op_apply(NULL, &gg__op_choice, &props, 2, in);
}

/* --- orders --- */

static gg_var *permute(gg_random *r, int count, gg_var *n) {
  const gg__sample_props props = {GA_LONG, count};
  gg_var *in[2];

  if (!gg__draw_given(r, "n", n))
    return NULL;
  if (gg_var_type(n)->nd != 0)
    return gg__refuse(&gg__op_permutation, 1, &n, GA_VALUE_ERROR,
                      "the size is not one number");
  in[0] =
      gg__draw(r, GG_DRAW(0, GA_PERMUTATION_WORDS), GA_RANDOM_BITS, GA_UINT);
  in[1] = n;
  return gg_op_apply(NULL, &gg__op_permutation, &props, 2, in);
}

gg_var *gg_random_permutation(gg_random *r, gg_var *n) {
  return permute(r, -1, n);
}

gg_var *gg_random_subset(gg_random *r, int64_t count, gg_var *n) {
  if (!gg__draw_given(r, "n", n) ||
      !check_count(&gg__op_permutation, n, count, "different numbers"))
    return NULL;
  return permute(r, (int)count, n);
}

gg_var *gg_random_shuffle(gg_random *r, gg_var *x) {
  if (!gg__draw_given(r, "x", x))
    return NULL;
  return gg_take(x, gg_random_permutation(r, gg_shape(x, 0)));
}
