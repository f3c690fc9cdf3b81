/* SPDX-License-Identifier: BSD-2-Clause */
/* Sparse matrices from and to other forms, composed of sorts, searches and
 * reads by index. */
#include <gpuarray/create.h>
#include <gpuarray/index.h>
#include <gpuarray/launch.h>
#include <gpuarray/search.h>
#include <gpuarray/select.h>
#include <gpuarray/sort.h>

#include "array/elemwise_parts.h"
#include "array/geometry.h"
#include "array/operands.h"
#include "base/arith.h"
#include "base/dtype.h"
#include "sparse/sparse.h"

/* --- pieces --- */

static gpucontext *context_of(const GpuCsr *m) {
  return GpuArray_context(&m->values);
}

/* The dtype of starts and columns. */
static int index_type(size_t n_columns, size_t entries) {
  return n_columns <= INT32_MAX && entries <= INT32_MAX ? GA_INT : GA_LONG;
}

/* *a becomes an array of this dtype. */
static int become(GpuArray *a, int typecode) {
  GpuArray made;

  if (a->typecode == typecode)
    return GA_NO_ERROR;
  GA_TRY(GpuArray_cast(&made, a, typecode, GA_C_ORDER));
  GpuArray_clear(a);
  *a = made;
  return GA_NO_ERROR;
}

/* The elements of a vector at positions that are in range; the vector may be
 * empty if there are none. */
static int take(GpuArray *out, const GpuArray *x, const GpuArray *at) {
  if (at->dimensions[0] == 0)
    return GpuArray_empty(out, GpuArray_context(x), x->typecode, 1,
                          at->dimensions, GA_C_ORDER);
  return GpuArray_take(out, x, at, 0, 0);
}

/* Where each of n rows begins among the sorted rows of entries, and the end:
 * positions of i * step for i from 0 to n. With a step, these are int64. */
static int find_starts(GpuArray *starts, const GpuArray *sorted, size_t n,
                       size_t step, int typecode) {
  gpuelemwise_arg args[2] = {{"z", GA_LONG, GE_READ | GE_WRITE},
                             {"s", GA_LONG, GE_SCALAR}};
  int64_t factor = (int64_t)step;
  GpuArray at = {0};
  int err;

  GA_CHECK(GpuArray_arange(&at, GpuArray_context(sorted), sorted->typecode, 0,
                           (double)n + 1, 1));
  if (step != 1)
    GA_CHECK(ga__elemwise_map("z = z * s", 2, args, (void *[]){&at, &factor}));
  GA_CHECK(GpuArray_searchsorted(starts, sorted, &at, 0));
  GA_CHECK(become(starts, typecode));

done:
  GpuArray_clear(&at);
  return err;
}

static int check_result(const void *out, const void *const *operands,
                        unsigned int n) {
  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "the result is missing");
  for (unsigned int i = 0; i < n; i++)
    if (out == operands[i])
      return ga__fail(GA_VALUE_ERROR, "the result is an operand, too");
  return GA_NO_ERROR;
}

/* Check a matrix that is read, and the result. */
static int check_read(const void *out, const GpuCsr *m) {
  const void *const operands[4] = {m, m != NULL ? &m->starts : NULL,
                                   m != NULL ? &m->columns : NULL,
                                   m != NULL ? &m->values : NULL};

  GA_TRY(ga__csr_check_arrays("the matrix", m));
  return check_result(out, operands, 4);
}

/* Pass a matrix to the caller, or clear it. */
static int finish(GpuCsr *out, GpuCsr *m, int err) {
  if (err == GA_NO_ERROR)
    *out = *m;
  else
    GpuCsr_clear(m);
  return err;
}

/* --- rows --- */

/* Entry j is in the last row that begins at j or before. */
static int find_rows(GpuArray *out, const GpuCsr *m) {
  gpuelemwise_arg arg = {"z", GA_LONG, GE_READ | GE_WRITE};
  GpuArray at = {0}, rows = {0};
  int err;

  GA_CHECK(GpuArray_arange(&at, context_of(m), m->starts.typecode, 0,
                           (double)ga__csr_entries(m), 1));
  GA_CHECK(GpuArray_searchsorted(&rows, &m->starts, &at, GA_SEARCH_RIGHT));
  if (ga__csr_entries(m) > 0)
    GA_CHECK(
        ga__elemwise_map("z = z - (w_long)(1)", 1, &arg, (void *[]){&rows}));

done:
  GpuArray_clear(&at);
  if (err == GA_NO_ERROR)
    *out = rows;
  else
    GpuArray_clear(&rows);
  return err;
}

int GpuCsr_rows(GpuArray *out, const GpuCsr *m) {
  GA_TRY(check_read(out, m));
  return find_rows(out, m);
}

/* --- transposed --- */

int GpuCsr_transpose(GpuCsr *out, const GpuCsr *m) {
  GpuArray rows = {0}, sorted = {0}, order = {0};
  int err;

  GA_TRY(check_read(out, m));
  GpuCsr t = {.n_rows = m->n_columns, .n_columns = m->n_rows};
  const int type = index_type(m->n_rows, ga__csr_entries(m));
  GA_CHECK(find_rows(&rows, m));
  GA_CHECK(GpuArray_sort(&sorted, &order, &m->columns, 0, 0));
  GA_CHECK(find_starts(&t.starts, &sorted, m->n_columns, 1, type));
  GA_CHECK(take(&t.columns, &rows, &order));
  GA_CHECK(become(&t.columns, type));
  GA_CHECK(take(&t.values, &m->values, &order));

done:
  GpuArray_clear(&rows);
  GpuArray_clear(&sorted);
  GpuArray_clear(&order);
  return finish(out, &t, err);
}

/* --- from entries --- */

typedef struct entries {
  size_t n_rows, n_columns;
  const GpuArray *rows, *columns, *values;
} entries;

/* The places of entries in C order. */
static int find_places(GpuArray *out, const entries *e) {
  int64_t n = (int64_t)e->n_columns;
  gpuelemwise_arg args[4] = {{"z", GA_LONG, GE_WRITE},
                             {"r", e->rows->typecode, GE_READ},
                             {"c", e->columns->typecode, GE_READ},
                             {"n", GA_LONG, GE_SCALAR}};

  GA_TRY(GpuArray_empty(out, GpuArray_context(e->rows), GA_LONG, 1,
                        e->rows->dimensions, GA_C_ORDER));
  if (out->dimensions[0] == 0)
    return GA_NO_ERROR;
  return ga__elemwise_map(
      "z = w_to_long(r) * n + w_to_long(c)", 4, args,
      (void *[]){out, (void *)e->rows, (void *)e->columns, &n});
}

/* columns = places modulo n. */
static int find_columns(GpuArray *out, const GpuArray *places, size_t n_columns,
                        int typecode) {
  int64_t n = (int64_t)n_columns;
  gpuelemwise_arg args[3] = {{"z", GA_LONG, GE_WRITE},
                             {"p", GA_LONG, GE_READ},
                             {"n", GA_LONG, GE_SCALAR}};

  GA_TRY(GpuArray_empty(out, GpuArray_context(places), GA_LONG, 1,
                        places->dimensions, GA_C_ORDER));
  if (out->dimensions[0] > 0)
    GA_TRY(ga__elemwise_map("z = p % n", 3, args,
                            (void *[]){out, (void *)places, &n}));
  return become(out, typecode);
}

/* A vector of ones. */
static int make_ones(GpuArray *out, const GpuArray *like) {
  const double one[2] = {1, 0};

  GA_TRY(GpuArray_empty(out, GpuArray_context(like), like->typecode, 1,
                        like->dimensions, GA_C_ORDER));
  return GpuArray_fill(
      out, ga__dtype_is_complex(like->typecode) ? GA_CDOUBLE : GA_DOUBLE, one);
}

/* The values of runs of equal places: a product with a matrix of ones, whose
 * rows are the runs. */
static int add_up(GpuArray *out, const GpuArray *runs, const GpuArray *order,
                  const GpuArray *values) {
  const size_t n = runs->dimensions[0], all = n + 1;
  const int64_t end = (int64_t)values->dimensions[0];
  const ssize_t from = 0, to = (ssize_t)n, step = 1;
  GpuCsr m = {.n_rows = n, .n_columns = values->dimensions[0]};
  GpuArray part = {0};
  int err;

  GA_CHECK(GpuArray_empty(&m.starts, GpuArray_context(runs), GA_LONG, 1, &all,
                          GA_C_ORDER));
  GA_CHECK(GpuArray_fill(&m.starts, GA_LONG, &end));
  GA_CHECK(GpuArray_index(&part, &m.starts, &from, &to, &step));
  GA_CHECK(GpuArray_setarray(&part, runs));
  GA_CHECK(GpuArray_view(&m.columns, order));
  GA_CHECK(make_ones(&m.values, values));
  GA_CHECK(GpuCsr_dot(out, &m, values, 0));

done:
  GpuArray_clear(&part);
  GpuCsr_clear(&m);
  return err;
}

static int from_entries(GpuCsr *out, const entries *e) {
  GpuCsr m = {.n_rows = e->n_rows, .n_columns = e->n_columns};
  GpuArray places = {0}, sorted = {0}, order = {0}, own = {0}, runs = {0};
  int err;

  GA_CHECK(find_places(&places, e));
  GA_CHECK(GpuArray_sort(&sorted, &order, &places, 0, 0));
  GA_CHECK(GpuArray_run_lengths(&own, &runs, NULL, &sorted));
  const int type = index_type(e->n_columns, own.dimensions[0]);
  GA_CHECK(find_starts(&m.starts, &own, e->n_rows, e->n_columns, type));
  GA_CHECK(find_columns(&m.columns, &own, e->n_columns, type));
  if (own.dimensions[0] == places.dimensions[0])
    GA_CHECK(take(&m.values, e->values, &order));
  else
    GA_CHECK(add_up(&m.values, &runs, &order, e->values));

done:
  GpuArray_clear(&places);
  GpuArray_clear(&sorted);
  GpuArray_clear(&order);
  GpuArray_clear(&own);
  GpuArray_clear(&runs);
  return finish(out, &m, err);
}

static int check_entries(const entries *e) {
  gpucontext *ctx = GpuArray_context(e->rows);
  GA_TRY(ga__sparse_check_index("rows", e->rows, ctx));
  GA_TRY(ga__sparse_check_index("columns", e->columns, ctx));
  GA_TRY(ga__sparse_check_values("values", e->values, ctx));
  const size_t n = e->rows->dimensions[0];
  if (e->columns->typecode != e->rows->typecode)
    return ga__fail(GA_VALUE_ERROR, "columns are %s, but rows %s",
                    ga__dtype_name(e->columns->typecode),
                    ga__dtype_name(e->rows->typecode));
  if (e->columns->dimensions[0] != n || e->values->dimensions[0] != n)
    return ga__fail(GA_VALUE_ERROR,
                    "%zu rows, %zu columns and %zu values are not as many", n,
                    e->columns->dimensions[0], e->values->dimensions[0]);
  if (e->n_rows >= INT64_MAX || e->n_columns >= INT64_MAX ||
      ga__times(e->n_rows, e->n_columns) >= INT64_MAX)
    return ga__fail(GA_XLARGE_ERROR, "%zu x %zu places are too many", e->n_rows,
                    e->n_columns);
  GA_TRY(ga__sparse_check_range("rows", e->rows, e->n_rows));
  return ga__sparse_check_range("columns", e->columns, e->n_columns);
}

int GpuCsr_from_coo(GpuCsr *out, size_t n_rows, size_t n_columns,
                    const GpuArray *rows, const GpuArray *columns,
                    const GpuArray *values) {
  static const char *const names[3] = {"rows", "columns", "values"};
  const GpuArray *const operands[3] = {rows, columns, values};
  GpuArray own[3] = {{0}, {0}, {0}};
  const entries e = {n_rows, n_columns, &own[0], &own[1], &own[2]};
  int err;

  GA_TRY(check_result(out, (const void *const *)operands, 3));
  GA_TRY(ga__array_check(rows));
  for (int i = 0; i < 3; i++)
    GA_CHECK(ga__sparse_in_order(&own[i], names[i], operands[i],
                                 GpuArray_context(rows)));
  GA_CHECK(check_entries(&e));
  err = from_entries(out, &e);

done:
  for (int i = 0; i < 3; i++)
    GpuArray_clear(&own[i]);
  return err;
}

/* --- sums --- */

static int join(GpuArray *out, const GpuArray *a, const GpuArray *b) {
  const GpuArray *parts[2] = {a, b};

  return GpuArray_concatenate(out, parts, 2, 0, a->typecode);
}

static int check_sum(const GpuCsr *out, const GpuCsr *a, const GpuCsr *b) {
  GA_TRY(ga__csr_check_arrays("a", a));
  GA_TRY(ga__csr_check_arrays("b", b));
  GA_TRY(check_result(out, (const void *[]){a, b}, 2));
  if (a->n_rows != b->n_rows || a->n_columns != b->n_columns)
    return ga__fail(GA_VALUE_ERROR, "a is %zu x %zu, but b %zu x %zu",
                    a->n_rows, a->n_columns, b->n_rows, b->n_columns);
  return ga__operand_check_array("b", &b->values, context_of(a),
                                 a->values.typecode);
}

int GpuCsr_add(GpuCsr *out, const GpuCsr *a, const GpuCsr *b) {
  GpuArray of[2] = {{0}, {0}}, columns[2] = {{0}, {0}};
  GpuArray rows = {0}, joined = {0}, values = {0};
  int err;

  GA_TRY(check_sum(out, a, b));
  GA_CHECK(find_rows(&of[0], a));
  GA_CHECK(find_rows(&of[1], b));
  GA_CHECK(GpuArray_cast(&columns[0], &a->columns, GA_LONG, GA_C_ORDER));
  GA_CHECK(GpuArray_cast(&columns[1], &b->columns, GA_LONG, GA_C_ORDER));
  GA_CHECK(join(&rows, &of[0], &of[1]));
  GA_CHECK(join(&joined, &columns[0], &columns[1]));
  GA_CHECK(join(&values, &a->values, &b->values));
  GA_CHECK(
      GpuCsr_from_coo(out, a->n_rows, a->n_columns, &rows, &joined, &values));

done:
  for (unsigned int i = 0; i < 2; i++) {
    GpuArray_clear(&of[i]);
    GpuArray_clear(&columns[i]);
  }
  GpuArray_clear(&rows);
  GpuArray_clear(&joined);
  GpuArray_clear(&values);
  return err;
}

/* --- dense --- */

static int check_dense(const GpuArray *x) {
  GA_TRY(ga__array_check(x));
  GA_TRY(ga__operand_check_array("x", x, GpuArray_context(x), GA_OPERAND_ANY));
  if (x->nd != 2)
    return ga__fail(GA_VALUE_ERROR, "x: expected 2 dimensions, got %u", x->nd);
  return ga__sparse_check_type("x", x);
}

/* Column k of the coordinates. */
static int coordinate(GpuArray *out, const GpuArray *at, ssize_t k, int type) {
  const ssize_t from[2] = {0, k}, to[2] = {(ssize_t)at->dimensions[0], 0},
                step[2] = {1, 0};
  GpuArray part;

  GA_TRY(GpuArray_index(&part, at, from, to, step));
  const int err = GpuArray_cast(out, &part, type, GA_C_ORDER);
  GpuArray_clear(&part);
  return err;
}

int GpuCsr_from_dense(GpuCsr *out, const GpuArray *x) {
  GpuArray at = {0}, rows = {0};
  int err;

  GA_TRY(check_result(out, (const void *[]){x}, 1));
  GA_TRY(check_dense(x));
  GpuCsr m = {.n_rows = x->dimensions[0], .n_columns = x->dimensions[1]};
  GA_CHECK(GpuArray_nonzero(&at, x));
  const int type = index_type(m.n_columns, at.dimensions[0]);
  GA_CHECK(coordinate(&rows, &at, 0, GA_LONG));
  GA_CHECK(find_starts(&m.starts, &rows, m.n_rows, 1, type));
  GA_CHECK(coordinate(&m.columns, &at, 1, type));
  GA_CHECK(GpuArray_compress(&m.values, x, x));

done:
  GpuArray_clear(&at);
  GpuArray_clear(&rows);
  return finish(out, &m, err);
}

/* Write the values to their places in a vector. */
static int put_values(GpuArray *flat, const GpuCsr *m) {
  GpuArray rows = {0}, places = {0};
  int err;

  GA_CHECK(find_rows(&rows, m));
  GA_CHECK(become(&rows, m->columns.typecode));
  GA_CHECK(find_places(&places, &(entries){.n_columns = m->n_columns,
                                           .rows = &rows,
                                           .columns = &m->columns}));
  GA_CHECK(GpuArray_put(flat, &places, &m->values, 0, GA_PUT_SET_ANY, 0));

done:
  GpuArray_clear(&rows);
  GpuArray_clear(&places);
  return err;
}

int GpuCsr_to_dense(GpuArray *out, const GpuCsr *m) {
  GpuArray made = {0}, flat = {0};
  int err;

  GA_TRY(check_read(out, m));
  const size_t dims[2] = {m->n_rows, m->n_columns};
  const size_t total = ga__times(dims[0], dims[1]);
  GA_TRY(GpuArray_zeros(&made, context_of(m), m->values.typecode, 2, dims,
                        GA_C_ORDER));
  GA_CHECK(GpuArray_reshape(&flat, &made, 1, &total, GA_C_ORDER, 1));
  if (total > 0 && ga__csr_entries(m) > 0)
    GA_CHECK(put_values(&flat, m));

done:
  GpuArray_clear(&flat);
  if (err == GA_NO_ERROR)
    *out = made;
  else
    GpuArray_clear(&made);
  return err;
}
