/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices of variables: checked, their rows, transposed, sampled
 * products. */
#include <gpugraph/gather.h>
#include <gpugraph/search.h>
#include <gpugraph/sort.h>

#include "ops/sparse/csr.h"

/* --- operands --- */

int gg__is_size(const gg_var *v) {
  return gg__rank_of(v) == 0 && gg__is_integer(gg_var_type(v)->dtype);
}

int gg__take_csr(const gg_op *op, gg_csr *m) {
  gg_var *const in[4] = {m->starts, m->columns, m->values, m->n_columns};

  if (!gg__given(op, 4, in))
    return 0;
  const int starts = gg__dtype_of(in[0]), columns = gg__dtype_of(in[1]);
  if (gg__rank_of(in[0]) != 1 || gg__rank_of(in[1]) != 1 ||
      gg__rank_of(in[2]) != 1 || !gg__is_integer(starts) ||
      !gg__is_integer(columns) || !gg__is_size(in[3])) {
    gg__refuse(op, 4, in, GA_VALUE_ERROR,
               "expected a sparse matrix: vectors of starts, columns and "
               "values, and an integer scalar");
    return 0;
  }
  const int dtype = starts == GA_INT && columns == GA_INT ? GA_INT : GA_LONG;
  m->starts = gg_cast(m->starts, dtype);
  m->columns = gg_cast(m->columns, dtype);
  m->n_columns = gg_cast(m->n_columns, GA_LONG);
  return m->starts != NULL && m->columns != NULL && m->n_columns != NULL;
}

gg_var *gg__csr_n_rows(gg_csr m) {
  return gg__number_add(gg_shape(m.starts, 0), gg__whole_number(m.starts, -1));
}

int gg__as_floats(gg_var **a, gg_var **b) {
  const int dtype =
      gg__float_dtype(gg__common_dtype_of(2, (gg_var *[]){*a, *b}));

  *a = gg_cast(*a, dtype);
  *b = gg_cast(*b, dtype);
  return *a != NULL && *b != NULL;
}

gg_var *gg__sized(const gg_op *op, gg_var *x, unsigned int axis, gg_var *n) {
  const int64_t have = gg_var_type(x)->dims[axis];
  gg_var *sizes[2];
  double want;

  if (gg_var_uniform(n, &want) && have == (int64_t)want)
    return x;
  if (gg_var_uniform(n, &want) && have != GG_ANY)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "dim %u: expected %.0f, got %lld", axis, want,
                      (long long)have);
  if (n == gg_shape(x, (int)axis))
    return x;
  for (unsigned int d = 0; d < gg__rank_of(x); d++)
    sizes[d] = d == axis ? n : gg__whole_number(x, -1);
  return gg_specify_sizes(x, sizes);
}

/* --- rows, transposed --- */

/* 0, 1 ... n - 1 of a dtype. */
static gg_var *count_to(gg_var *n, int dtype) {
  return gg_cast(gg_arange(gg__whole_number(n, 0), n, gg__whole_number(n, 1)),
                 dtype);
}

gg_var *gg__csr_starts(gg_var *sorted, gg_var *n_rows, int dtype) {
  gg_var *const all = gg__number_add(n_rows, gg__whole_number(n_rows, 1));

  return gg_cast(
      gg_searchsorted(sorted, count_to(all, gg__dtype_of(sorted)), 0), dtype);
}

gg_var *gg__csr_entry_rows(gg_csr m) {
  gg_var *const at = count_to(gg_shape(m.columns, 0), gg__dtype_of(m.starts));

  return gg_sub(gg_searchsorted(m.starts, at, 1), gg__whole_number(at, 1));
}

gg_var *gg_csr_rows(gg_csr m) {
  return gg__take_csr(GG_CALLED("csr_rows"), &m) ? gg__csr_entry_rows(m) : NULL;
}

static gg_csr transpose(gg_csr m) {
  const int dtype = gg__dtype_of(m.columns);
  gg_var *const order = gg_argsort(m.columns, 0, 0);

  return (gg_csr){
      .starts = gg__csr_starts(gg_take(m.columns, order), m.n_columns, dtype),
      .columns = gg_cast(gg_take(gg__csr_entry_rows(m), order), dtype),
      .values = gg_take(m.values, order),
      .n_columns = gg__csr_n_rows(m)};
}

gg_csr gg_csr_transpose(gg_csr m) {
  return gg__take_csr(GG_CALLED("csr_transpose"), &m) ? transpose(m)
                                                      : GG_NO_CSR;
}

gg_var *gg__csr_sample(gg_csr m, gg_var *a, gg_var *b) {
  gg_var *const x = gg_take(a, gg__csr_entry_rows(m)), *const y = gg_take(
                                                           b, m.columns);
  gg_var *const terms = gg_mul(x, y);

  return terms != NULL && gg__rank_of(terms) > 1 ? gg_sum_axis(terms, 1)
                                                 : terms;
}

gg_var *gg_csr_sample(gg_csr m, gg_var *a, gg_var *b) {
  const gg_op *const op = GG_CALLED("csr_sample");

  if (!gg__given(op, 3, (gg_var *[]){m.values, a, b}) || !gg__take_csr(op, &m))
    return NULL;
  if (gg__rank_of(a) != 2 || gg__rank_of(b) != 2)
    return gg__refuse(op, 2, (gg_var *[]){a, b}, GA_VALUE_ERROR,
                      "expected two dense matrices");
  if (!gg__as_floats(&a, &b))
    return NULL;
  a = gg__sized(op, a, 0, gg__csr_n_rows(m));
  b = gg__sized(op, b, 1, m.n_columns);
  return a != NULL && b != NULL ? gg__csr_sample(m, a, gg_transpose(b)) : NULL;
}
