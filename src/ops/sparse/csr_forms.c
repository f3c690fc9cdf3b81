/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices made of others, of entries and of dense matrices. */
#include <gpugraph/complex.h>
#include <gpugraph/create.h>
#include <gpugraph/gather.h>
#include <gpugraph/search.h>
#include <gpugraph/select.h>

#include "ops/sparse/csr.h"

/* --- elementwise --- */

/* m with values times the elements of v at `index`. */
static gg_csr scale(const gg_op *op, gg_csr m, gg_var *v, int by_rows) {
  if (!gg__given(op, 2, (gg_var *[]){m.values, v}) || !gg__take_csr(op, &m))
    return GG_NO_CSR;
  if (gg__rank_of(v) != 1) {
    gg__refuse(op, 1, &v, GA_VALUE_ERROR, "expected a vector");
    return GG_NO_CSR;
  }
  v = gg__sized(op, v, 0, by_rows ? gg__csr_n_rows(m) : m.n_columns);
  if (v == NULL)
    return GG_NO_CSR;
  m.values =
      gg_mul(m.values, gg_take(v, by_rows ? gg__csr_entry_rows(m) : m.columns));
  return m;
}

gg_csr gg_csr_scale_rows(gg_csr m, gg_var *v) {
  return scale(GG_CALLED("csr_scale_rows"), m, v, 1);
}

gg_csr gg_csr_scale_columns(gg_csr m, gg_var *v) {
  return scale(GG_CALLED("csr_scale_columns"), m, v, 0);
}

/* The positions of entries in a dense matrix, in C order. */
static gg_var *places_of(gg_csr m) {
  return gg_add(gg_mul(gg__csr_entry_rows(m), m.n_columns),
                gg_cast(m.columns, GA_LONG));
}

gg_csr gg_csr_mul(gg_csr m, gg_var *x) {
  const gg_op *const op = GG_CALLED("csr_mul");

  if (!gg__given(op, 2, (gg_var *[]){m.values, x}) || !gg__take_csr(op, &m))
    return GG_NO_CSR;
  if (gg__rank_of(x) != 2) {
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected a dense matrix");
    return GG_NO_CSR;
  }
  x = gg__sized(op, x, 0, gg__csr_n_rows(m));
  if (x != NULL)
    x = gg__sized(op, x, 1, m.n_columns);
  if (x == NULL)
    return GG_NO_CSR;
  m.values = gg_mul(m.values, gg_take(gg_flatten(x), places_of(m)));
  return m;
}

gg_var *gg_csr_row_sums(gg_csr m) {
  if (!gg__take_csr(GG_CALLED("csr_row_sums"), &m))
    return NULL;
  gg_var *ones = gg__num(m.values, 1);
  return gg_csr_dot(m, gg_alloc(ones, 1, &m.n_columns));
}

/* --- from and to other forms --- */

/* Rows that are sorted, of entries whose places are `places`. */
static gg_csr from_places(gg_var *places, gg_var *values, gg_var *n_rows,
                          gg_var *n_columns) {
  gg_var *const rows = gg_floordiv(places, n_columns);

  return (gg_csr){.starts = gg__csr_starts(rows, n_rows, GA_LONG),
                  .columns = gg_sub(places, gg_mul(rows, n_columns)),
                  .values = values,
                  .n_columns = n_columns};
}

/* The sums of the values of each of n places; `place` is that of a value. */
static gg_var *sum_by_place(gg_var *place, gg_var *values, gg_var *n) {
  if (!ga__dtype_is_complex(gg__dtype_of(values)))
    return gg_bincount(place, values, n);
  return gg_complex(gg_bincount(place, gg_real(values), n),
                    gg_bincount(place, gg_imag(values), n));
}

gg_csr gg_csr_from_coo(gg_var *rows, gg_var *columns, gg_var *values,
                       gg_var *n_rows, gg_var *n_columns) {
  const gg_op *const op = GG_CALLED("csr_from_coo");
  gg_var *const in[5] = {rows, columns, values, n_rows, n_columns};
  gg_var *inverse;

  if (!gg__given(op, 5, in))
    return GG_NO_CSR;
  if (gg__rank_of(rows) != 1 || gg__rank_of(columns) != 1 ||
      gg__rank_of(values) != 1 || !gg__is_integer(gg__dtype_of(rows)) ||
      !gg__is_integer(gg__dtype_of(columns)) || !gg__is_size(n_rows) ||
      !gg__is_size(n_columns)) {
    gg__refuse(op, 5, in, GA_VALUE_ERROR,
               "expected vectors of rows, columns and values, and two integer "
               "scalars");
    return GG_NO_CSR;
  }
  n_columns = gg_cast(n_columns, GA_LONG);
  gg_var *const places = gg_add(gg_mul(gg_cast(rows, GA_LONG), n_columns),
                                gg_cast(columns, GA_LONG));
  gg_var *const own = gg_unique(places, NULL, &inverse, NULL);
  if (own == NULL)
    return GG_NO_CSR;
  values = gg_cast(values, gg__float_dtype(gg__dtype_of(values)));
  return from_places(own, sum_by_place(inverse, values, gg_shape(own, 0)),
                     gg_cast(n_rows, GA_LONG), n_columns);
}

/* The number of columns of a, which is checked to be that of b; or NULL. A call
 * makes that check for the size of a number that only the call knows, so the
 * array, which is never computed, has such a number as its second size. */
static gg_var *common_columns(const gg_op *op, gg_csr a, gg_csr b) {
  double m, n;
  const int is_known = gg_var_uniform(a.n_columns, &m);

  if (is_known && gg_var_uniform(b.n_columns, &n))
    return m == n ? a.n_columns
                  : gg__refuse(op, 2, (gg_var *[]){a.values, b.values},
                               GA_VALUE_ERROR,
                               "a has %.0f columns, but b has %.0f", m, n);
  gg_var *const open = is_known ? b.n_columns : a.n_columns;
  gg_var *const array =
      gg_alloc(gg__num(a.values, 0), 2, (gg_var *[]){b.n_columns, open});
  gg_var *const sized =
      gg_specify_sizes(array, (gg_var *[]){a.n_columns, open});
  return sized != NULL ? gg_shape(sized, 1) : NULL;
}

gg_csr gg_csr_add(gg_csr a, gg_csr b) {
  const gg_op *const op = GG_CALLED("csr_add");

  if (!gg__take_csr(op, &a) || !gg__take_csr(op, &b) ||
      !gg__as_floats(&a.values, &b.values))
    return GG_NO_CSR;
  b.starts = gg__sized(op, b.starts, 0, gg_shape(a.starts, 0));
  a.n_columns = common_columns(op, a, b);
  if (b.starts == NULL || a.n_columns == NULL)
    return GG_NO_CSR;
  gg_var *const rows[2] = {gg__csr_entry_rows(a), gg__csr_entry_rows(b)};
  gg_var *const columns[2] = {gg_cast(a.columns, GA_LONG),
                              gg_cast(b.columns, GA_LONG)};
  gg_var *const values[2] = {a.values, b.values};
  return gg_csr_from_coo(gg_join(0, 2, rows), gg_join(0, 2, columns),
                         gg_join(0, 2, values), gg__csr_n_rows(a), a.n_columns);
}

gg_csr gg_csr_from_dense(gg_var *x) {
  const gg_op *const op = GG_CALLED("csr_from_dense");

  if (!gg__given(op, 1, &x))
    return GG_NO_CSR;
  if (gg__rank_of(x) != 2) {
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected a matrix");
    return GG_NO_CSR;
  }
  gg_var *const at = gg_flatnonzero(x);
  return from_places(at, gg_take(gg_flatten(x), at), gg_shape(x, 0),
                     gg_shape(x, 1));
}

gg_var *gg_csr_to_dense(gg_csr m) {
  if (!gg__take_csr(GG_CALLED("csr_to_dense"), &m))
    return NULL;
  gg_var *const sizes[2] = {gg__csr_n_rows(m), m.n_columns};
  gg_var *const total = gg__number_mul(sizes[0], sizes[1]);
  gg_var *const zeros = gg_alloc(gg__num(m.values, 0), 1, &total);

  return gg_reshape_sizes(
      gg_put_along(zeros, 0, places_of(m), m.values, GG_PUT_ADD), 2, sizes);
}
