/* SPDX-License-Identifier: BSD-2-Clause */
/* Every family of kernels on small arrays of awkward sizes, against plain
 * loops. Values are small multiples of 1/8, which every float type holds. */
#include "cli/selftest.h"

#include <gpuarray/array.h>
#include <gpuarray/blas.h>
#include <gpuarray/elemwise.h>
#include <gpuarray/reduction.h>
#include <gpugraph/gpugraph.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dtype.h"
#include "base/err.h"

enum { ROWS = 53, COLS = 37, ELEMENTS = ROWS * COLS, INNER = 29, MOST = 4096 };

static const size_t matrix[2] = {ROWS, COLS};

/* Element i of operand `which`. */
static double value(size_t which, size_t i) {
  return (double)((i * 7 + which * 5) % 17) / 8 - 1;
}

static int make(GpuArray *a, const selftest *t, int dtype, unsigned int nd,
                const size_t *dims, unsigned int which) {
  const size_t size = ga__dtype_size(dtype),
               n = nd == 1 ? dims[0] : dims[0] * dims[1];
  char *host = ga__malloc(n * size);
  int err;

  memset(a, 0, sizeof *a);
  if (host == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++)
    ga__dtype_from_double(dtype, host + i * size, value(which, i));
  err = GpuArray_empty(a, t->ctx, dtype, nd, dims, GA_C_ORDER);
  if (err == GA_NO_ERROR)
    err = GpuArray_write(a, host, n * size);
  ga__free(host);
  return err;
}

/* What a float type can be off by after a few operations. */
static double limit_of(int dtype) {
  return dtype == GA_DOUBLE ? 1e-12 : dtype == GA_HALF ? 4e-3 : 2e-6;
}

/* Compare with want[0..n). */
static int compare(selftest *t, const GpuArray *a, size_t n,
                   const double *want) {
  const size_t size = ga__dtype_size(a->typecode);
  char *host = ga__malloc(n * size);
  int err = host != NULL ? GpuArray_read(host, n * size, a) : ga__fail_nomem();

  for (size_t i = 0; err == GA_NO_ERROR && i < n; i++) {
    double got = ga__dtype_to_double(a->typecode, host + i * size);
    double off =
        fabs(got - want[i]) / (limit_of(a->typecode) * (1 + fabs(want[i])));

    if (!(off <= t->worst)) /* a NaN is kept */
      t->worst = isnan(off) ? INFINITY : off;
  }
  ga__free(host);
  return err;
}

/* --- elementwise --- */

/* c = a * b + a, with the operands as they come. */
static int elemwise(selftest *t, GpuArray *a, GpuArray *b, GpuArray *c) {
  gpuelemwise_arg args[] = {{"a", t->dtype, GE_READ},
                            {"b", t->dtype, GE_READ},
                            {"c", t->dtype, GE_WRITE}};
  GpuElemwise *ge =
      GpuElemwise_new(t->ctx, NULL, "c = a * b + a", 3, args, 2, 0);
  int err = GA_MEMORY_ERROR;

  if (ge != NULL)
    err = GpuElemwise_call(ge, (void *[]){a, b, c}, GE_BROADCAST);
  GpuElemwise_free(ge);
  return err;
}

static int check_elemwise(selftest *t) {
  GpuArray a = {0}, b = {0}, c = {0};
  double want[MOST];
  int err;

  GA_CHECK(make(&a, t, t->dtype, 2, matrix, 0));
  GA_CHECK(make(&b, t, t->dtype, 2, matrix, 1));
  GA_CHECK(make(&c, t, t->dtype, 2, matrix, 2));
  for (size_t i = 0; i < ELEMENTS; i++)
    want[i] = value(0, i) * value(1, i) + value(0, i);
  GA_CHECK(elemwise(t, &a, &b, &c));
  err = compare(t, &c, ELEMENTS, want);

done:
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  return err;
}

/* A row for every row, and an operand that lies the other way round. */
static int check_strided(selftest *t) {
  const size_t flipped[2] = {COLS, ROWS}, row[2] = {1, COLS};
  GpuArray a = {0}, b = {0}, c = {0};
  double want[MOST];
  int err;

  GA_CHECK(make(&a, t, t->dtype, 2, flipped, 0));
  GA_CHECK(GpuArray_transpose_inplace(&a, NULL));
  GA_CHECK(make(&b, t, t->dtype, 2, row, 1));
  GA_CHECK(make(&c, t, t->dtype, 2, matrix, 2));
  for (size_t r = 0; r < ROWS; r++)
    for (size_t k = 0; k < COLS; k++) {
      double x = value(0, k * ROWS + r);
      want[r * COLS + k] = x * value(1, k) + x;
    }
  GA_CHECK(elemwise(t, &a, &b, &c));
  err = compare(t, &c, ELEMENTS, want);

done:
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  return err;
}

static int check_copy(selftest *t) {
  GpuArray a = {0}, c = {0};
  double want[MOST];
  int err;

  GA_CHECK(make(&a, t, t->dtype, 2, matrix, 0));
  GA_CHECK(GpuArray_transpose_inplace(&a, NULL));
  GA_CHECK(GpuArray_copy(&c, &a, GA_C_ORDER));
  for (size_t r = 0; r < ROWS; r++)
    for (size_t k = 0; k < COLS; k++)
      want[k * ROWS + r] = value(0, r * COLS + k);
  err = compare(t, &c, ELEMENTS, want);

done:
  GpuArray_clear(&a);
  GpuArray_clear(&c);
  return err;
}

static int check_take(selftest *t) {
  const size_t n = 11, picked[2] = {11, COLS};
  int64_t rows[11];
  GpuArray a = {0}, i = {0}, c = {0};
  double want[MOST];
  int err;

  for (size_t k = 0; k < n; k++)
    rows[k] = (int64_t)(k * 19 % ROWS);
  GA_CHECK(make(&a, t, t->dtype, 2, matrix, 0));
  GA_CHECK(make(&c, t, t->dtype, 2, picked, 1));
  GA_CHECK(GpuArray_empty(&i, t->ctx, GA_LONG, 1, &n, GA_C_ORDER));
  GA_CHECK(GpuArray_write(&i, rows, sizeof rows));
  GA_CHECK(GpuArray_take1(&c, &a, &i, 1));
  for (size_t k = 0; k < n * COLS; k++)
    want[k] = value(0, (size_t)rows[k / COLS] * COLS + k % COLS);
  err = compare(t, &c, n * COLS, want);

done:
  GpuArray_clear(&a);
  GpuArray_clear(&i);
  GpuArray_clear(&c);
  return err;
}

/* --- reductions --- */

/* The result of one row or column on the host. */
static double reduce(ga_reduce_op op, size_t from, size_t n, size_t step) {
  double acc = op == GA_REDUCE_SUM ? 0 : value(0, from), v;
  size_t best = 0;

  for (size_t i = 0; i < n; i++) {
    v = value(0, from + i * step);
    if (op == GA_REDUCE_SUM) {
      acc += v;
    } else if (v > acc) {
      acc = v;
      best = i;
    }
  }
  return op == GA_REDUCE_ARGMAX ? (double)best : acc;
}

static int reduce_axis(selftest *t, const GpuArray *a, ga_reduce_op op,
                       unsigned int axis) {
  const size_t n = matrix[1 - axis];
  double want[MOST];
  GpuArray r = {0};
  int err;

  for (size_t i = 0; i < n; i++)
    want[i] =
        axis == 0 ? reduce(op, i, ROWS, COLS) : reduce(op, i * COLS, COLS, 1);
  GA_CHECK(GpuArray_reduction(&r, a, op, 1, &axis, 0, -1, -1));
  err = compare(t, &r, n, want);

done:
  GpuArray_clear(&r);
  return err;
}

static int check_reduce(selftest *t, ga_reduce_op op) {
  GpuArray a = {0};
  int err;

  GA_CHECK(make(&a, t, t->dtype, 2, matrix, 0));
  GA_CHECK(reduce_axis(t, &a, op, 0));
  err = reduce_axis(t, &a, op, 1);

done:
  GpuArray_clear(&a);
  return err;
}

static int check_sum(selftest *t) {
  return check_reduce(t, GA_REDUCE_SUM);
}

static int check_argmax(selftest *t) {
  return check_reduce(t, GA_REDUCE_ARGMAX);
}

/* --- products --- */

static int check_gemm(selftest *t) {
  const size_t left[2] = {ROWS, INNER}, right[2] = {INNER, COLS};
  GpuArray a = {0}, b = {0}, c = {0};
  double want[MOST];
  int err;

  GA_CHECK(make(&a, t, t->dtype, 2, left, 0));
  GA_CHECK(make(&b, t, t->dtype, 2, right, 1));
  GA_CHECK(make(&c, t, t->dtype, 2, matrix, 2));
  for (size_t i = 0; i < ELEMENTS; i++) {
    want[i] = value(2, i);
    for (size_t k = 0; k < INNER; k++)
      want[i] += value(0, i / COLS * INNER + k) * value(1, k * COLS + i % COLS);
  }
  GA_CHECK(GpuArray_rgemm(cb_no_trans, cb_no_trans, 1, &a, &b, 1, &c, 1));
  err = compare(t, &c, ELEMENTS, want);

done:
  GpuArray_clear(&a);
  GpuArray_clear(&b);
  GpuArray_clear(&c);
  return err;
}

static int check_gemv(selftest *t) {
  const size_t rows = ROWS, cols = COLS;
  GpuArray a = {0}, x = {0}, y = {0};
  double want[MOST];
  int err;

  GA_CHECK(make(&a, t, t->dtype, 2, matrix, 0));
  GA_CHECK(make(&x, t, t->dtype, 1, &cols, 1));
  GA_CHECK(make(&y, t, t->dtype, 1, &rows, 2));
  for (size_t r = 0; r < ROWS; r++) {
    want[r] = 0;
    for (size_t k = 0; k < COLS; k++)
      want[r] += value(0, r * COLS + k) * value(1, k);
  }
  GA_CHECK(GpuArray_rgemv(cb_no_trans, 1, &a, &x, 0, &y, 1));
  err = compare(t, &y, ROWS, want);

done:
  GpuArray_clear(&a);
  GpuArray_clear(&x);
  GpuArray_clear(&y);
  return err;
}

/* --- graphs --- */

/* out = exp(x) summed over rows, w <- w + x's row means: several kernels. */
static int call_graph(selftest *t, gg_graph *g, GpuArray *x, GpuArray *out) {
  gg_var *in = gg_input(g, "x", t->dtype, 2);
  gg_var *sum = gg_sum_axis(gg_exp(gg_mul(in, in)), 1);
  gg_func *f = NULL;
  int err = gg_func_new(&f, g,
                        &(gg_func_spec){.name = "selftest",
                                        .inputs = GG_VARS(in),
                                        .outputs = GG_VARS(sum)});

  if (err != GA_NO_ERROR)
    return ga__fail(err, "%s", gg_graph_error(g));
  err = gg_func_call(f, (GpuArray *[]){x}, (GpuArray *[]){out});
  if (err != GA_NO_ERROR)
    ga__fail(err, "%s", gg_func_error(f));
  gg_func_free(f);
  return err;
}

static int check_graph(selftest *t) {
  gg_graph *g = gg_graph_new(t->ctx);
  GpuArray x = {0}, out = {0};
  double want[MOST], v;
  int err;

  if (g == NULL)
    return ga__fail_nomem();
  GA_CHECK(make(&x, t, t->dtype, 2, matrix, 0));
  for (size_t r = 0; r < ROWS; r++) {
    want[r] = 0;
    for (size_t k = 0; k < COLS; k++) {
      v = value(0, r * COLS + k);
      want[r] += exp(v * v);
    }
  }
  GA_CHECK(call_graph(t, g, &x, &out));
  err = compare(t, &out, ROWS, want);

done:
  GpuArray_clear(&x);
  GpuArray_clear(&out);
  gg_graph_free(g);
  return err;
}

#define FLOATS                                                                 \
  { GA_FLOAT, GA_HALF, GA_DOUBLE, 0 }

const selftest_check selftest_checks[] = {
    {"elementwise", check_elemwise, FLOATS},
    {"broadcast, transposed", check_strided, FLOATS},
    {"transposed copy", check_copy, FLOATS},
    {"gather", check_take, {GA_FLOAT, 0}},
    {"sum", check_sum, FLOATS},
    {"argmax", check_argmax, {GA_FLOAT, 0}},
    {"gemv", check_gemv, FLOATS},
    {"gemm", check_gemm, FLOATS},
    {"graph", check_graph, FLOATS},
};

const size_t n_selftest_checks =
    sizeof selftest_checks / sizeof *selftest_checks;
