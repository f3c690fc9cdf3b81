/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays computed from a few scalars, and parts of matrices, composed of the
 * basic ops. */
#include <gpugraph/create.h>

#include "ops/compose.h"

/* --- by position --- */

/* Column minus row for the last two axes of `like`; broadcasts to its shape. */
static gg_var *diagonals(gg_var *like) {
  return gg_sub(gg__iota(like, -1), gg__iota(like, -2));
}

/* The int64 scalar k, a diagonal beside x. NULL, and an error is recorded, if
 * there is none or it is no integer scalar. */
static gg_var *take_offset(const gg_op *op, gg_var *x, gg_var *k) {
  gg_var *const in[2] = {x, k};

  return gg__given(op, 2, in) && gg__check_number(op, x, k)
             ? gg_cast(k, GA_LONG)
             : NULL;
}

/* Whether each element of an n x m matrix satisfies `test`, of its column less
 * its row and k. The matrix is used for its shape only. */
static gg_var *mark(const char *name, gg_var *n, gg_var *m, gg_var *k,
                    gg_var *(*test)(gg_var *, gg_var *), int dtype) {
  gg_var *const sizes[2] = {n, m};
  const gg_op *const op = GG_CALLED(name);

  if (!gg__given(op, 2, sizes))
    return NULL;
  k = take_offset(op, n, k);
  gg_var *const like =
      gg_alloc(gg_scalar(gg_var_graph(n), GA_BOOL, 0), 2, sizes);
  return k != NULL && like != NULL ? gg_cast(test(diagonals(like), k), dtype)
                                   : NULL;
}

gg_var *gg_eye_at(gg_var *n, gg_var *m, gg_var *k, int dtype) {
  return mark("eye", n, m, k, gg_eq, dtype);
}

gg_var *gg_tri_at(gg_var *n, gg_var *m, gg_var *k, int dtype) {
  return mark("tri", n, m, k, gg_le, dtype);
}

gg_var *gg_eye(gg_var *n, gg_var *m, int64_t k, int dtype) {
  return gg_eye_at(n, m, n != NULL ? gg_i64(gg_var_graph(n), k) : NULL, dtype);
}

gg_var *gg_tri(gg_var *n, gg_var *m, int64_t k, int dtype) {
  return gg_tri_at(n, m, n != NULL ? gg_i64(gg_var_graph(n), k) : NULL, dtype);
}

/* x where `test` is true, of the column less the row and k; 0 elsewhere. */
static gg_var *keep(const char *name, gg_var *x, gg_var *k,
                    gg_var *(*test)(gg_var *, gg_var *)) {
  const gg_op *const op = GG_CALLED(name);

  k = take_offset(op, x, k);
  if (k == NULL)
    return NULL;
  if (gg__rank_of(x) < 2)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected a matrix");
  return gg_where(test(diagonals(x), k), x, gg__num(x, 0));
}

gg_var *gg_tril_at(gg_var *x, gg_var *k) {
  return keep("tril", x, k, gg_le);
}

gg_var *gg_triu_at(gg_var *x, gg_var *k) {
  return keep("triu", x, k, gg_ge);
}

gg_var *gg_tril(gg_var *x, int64_t k) {
  return x != NULL ? gg_tril_at(x, gg_i64(gg_var_graph(x), k)) : NULL;
}

gg_var *gg_triu(gg_var *x, int64_t k) {
  return x != NULL ? gg_triu_at(x, gg_i64(gg_var_graph(x), k)) : NULL;
}

gg_var *gg_one_hot(gg_var *x, gg_var *depth, int dtype) {
  gg_var *const in[2] = {x, depth};

  if (!gg__given(GG_CALLED("one_hot"), 2, in) ||
      !gg__check_number(GG_CALLED("one_hot"), x, depth))
    return NULL;
  gg_var *const classes = gg__count_up(depth);
  return classes != NULL
             ? gg_cast(gg_eq(gg__expand(x, gg__rank_of(x)), classes), dtype)
             : NULL;
}

/* --- diagonals --- */

/* Offsets are negated below. */
static int is_offset(const gg_op *op, gg_var *x, int64_t k) {
  if (k == INT64_MIN)
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "there is no diagonal %lld",
               (long long)k);
  return k != INT64_MIN;
}

/* Diagonal k of the last two axes of x, along a new last axis. Elements of a
 * diagonal lie m + 1 apart in a matrix [n, m]. */
static gg_var *take_diagonal(gg_var *x, int64_t k) {
  const unsigned int last = gg__rank_of(x) - 1;
  gg_graph *const g = gg_var_graph(x);
  gg_var *const n = gg_shape(x, -2), *const m = gg_shape(x, -1);
  gg_var *const one = gg_i64(g, 1);
  gg_var *const rows = k < 0 ? gg__number_add(n, gg_i64(g, k)) : n;
  gg_var *const columns = k > 0 ? gg__number_add(m, gg_i64(g, -k)) : m;
  gg_var *const count =
      gg__number_most(gg__number_least(rows, columns), gg_i64(g, 0));
  gg_var *const step = gg__number_add(m, one);
  gg_var *const start = k < 0 ? gg__number_mul(gg_i64(g, -k), m) : gg_i64(g, k);
  gg_var *sizes[GG_MAX_ND];

  gg__sizes_of(x, sizes);
  sizes[last - 1] = gg__number_mul(n, m);
  return gg_slice_at(gg_reshape_sizes(x, last, sizes), (int)last - 1, start,
                     gg__number_add(start, gg__number_mul(count, step)), step);
}

/* x with axes a and b, which differ, as its last ones. */
static gg_var *with_pair_last(gg_var *x, unsigned int a, unsigned int b) {
  int pattern[GG_MAX_ND];
  unsigned int n = 0;

  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    if (i != a && i != b)
      pattern[n++] = (int)i;
  pattern[n++] = (int)a;
  pattern[n++] = (int)b;
  return gg_dimshuffle(x, n, pattern);
}

/* x with equal sizes of axes a and b; calls check them if one is unknown. */
static gg_var *with_equal_sizes(gg_var *x, unsigned int a, unsigned int b) {
  gg_var *sizes[GG_MAX_ND];

  if (gg_var_type(x)->dims[a] != GG_ANY && gg_var_type(x)->dims[b] != GG_ANY)
    return x;
  for (unsigned int i = 0; i < gg__rank_of(x); i++)
    sizes[i] = gg_i64(gg_var_graph(x), GG_ANY);
  sizes[b] = gg_shape(x, (int)a);
  return gg_specify_sizes(x, sizes);
}

gg_var *gg__square_diagonal(gg_var *x, unsigned int a, unsigned int b) {
  x = with_equal_sizes(x, a, b);
  return x != NULL ? take_diagonal(with_pair_last(x, a, b), 0) : NULL;
}

gg_var *gg_diagonal(gg_var *x, int64_t k, int axis1, int axis2) {
  const gg_op *const op = GG_CALLED("diagonal");
  unsigned int a, b;

  if (x == NULL || !is_offset(op, x, k) ||
      gg__axis(x, op, axis1, &a) != GA_NO_ERROR ||
      gg__axis(x, op, axis2, &b) != GA_NO_ERROR)
    return NULL;
  if (a == b)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "axis %u is given twice", a);
  return take_diagonal(with_pair_last(x, a, b), k);
}

gg_var *gg_trace(gg_var *x, int64_t k, int axis1, int axis2) {
  gg_var *const diagonal = gg_diagonal(x, k, axis1, axis2);

  return diagonal != NULL ? gg_sum_axis(diagonal, -1) : NULL;
}

/* A square matrix with the vector x on diagonal k and 0 elsewhere. */
static gg_var *on_diagonal(gg_var *x, int64_t k) {
  gg_graph *const g = gg_var_graph(x);
  gg_var *const n = gg_shape(x, 0);
  gg_var *const size = gg__number_add(n, gg_i64(g, k < 0 ? -k : k));
  gg_var *const step = gg__number_add(size, gg_i64(g, 1));
  gg_var *const start =
      k < 0 ? gg__number_mul(gg_i64(g, -k), size) : gg_i64(g, k);
  gg_var *const elements = gg__number_mul(size, size);
  gg_var *const flat =
      gg_slice_set_at(gg_alloc(gg__num(x, 0), 1, &elements), 0, start,
                      gg__number_add(start, gg__number_mul(n, step)), step, x);

  return flat != NULL ? gg_reshape_sizes(flat, 2, (gg_var *[]){size, size})
                      : NULL;
}

gg_var *gg_diag(gg_var *x, int64_t k) {
  if (x == NULL || !is_offset(GG_CALLED("diag"), x, k))
    return NULL;
  switch (gg__rank_of(x)) {
  case 1:
    return on_diagonal(x, k);
  case 2:
    return take_diagonal(x, k);
  default:
    return gg__refuse(GG_CALLED("diag"), 1, &x, GA_VALUE_ERROR,
                      "expected a vector or a matrix");
  }
}

/* --- linspace and logspace --- */

gg_var *gg_linspace(gg_var *start, gg_var *stop, gg_var *n) {
  gg_var *const in[3] = {start, stop, n};

  if (!gg__given(GG_CALLED("linspace"), 3, in) ||
      !gg__check_number(GG_CALLED("linspace"), start, n))
    return NULL;
  const int result = gg__float_dtype(gg__common_dtype_of(2, in));
  const int dtype = ga__dtype_work(result);
  gg_var *const one = gg__whole_number(n, 1);
  gg_var *const i = gg__count_up(n);
  if (i == NULL)
    return NULL;
  gg_var *const last =
      gg_cast(gg_maximum(gg_sub(gg_cast(n, GA_LONG), one), one), dtype);
  gg_var *const from = gg_cast(start, dtype), *const to = gg_cast(stop, dtype);
  gg_var *const at = gg_div(gg_cast(i, dtype), last);

  /* This form is exact at both ends. Positions need more digits than narrow
   * floats have. */
  return gg_cast(
      gg_add(gg_mul(from, gg_sub(gg__num(at, 1), at)), gg_mul(to, at)), result);
}

gg_var *gg_logspace(gg_var *start, gg_var *stop, gg_var *n, double base) {
  gg_var *const x = gg_linspace(start, stop, n);

  return x != NULL ? gg_pow(gg__num(x, base), x) : NULL;
}
