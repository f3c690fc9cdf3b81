/* SPDX-License-Identifier: BSD-2-Clause */
/* Reductions, and graphs with reductions. */
#include <gpuarray/bincount.h>
#include <gpuarray/cumulate.h>
#include <gpuarray/reduction.h>
#include <gpuarray/search.h>
#include <gpuarray/select.h>
#include <gpuarray/sort.h>
#include <gpuarray/topk.h>
#include <gpugraph/gpugraph.h>
#include <math.h>

#include "base/alloc.h"
#include "base/err.h"
#include "cli/selftest.h"

enum {
  ROWS = SELFTEST_ROWS,
  COLS = SELFTEST_COLS,
  CELLS = ROWS * COLS,
  LONG_ROW = 1 << 19,
  VALUES = 17 /* that selftest_value() has, from -1 to 1 */
};

/* Reduce one row or column of operand 0 on the host: n elements from index
 * `from` on, `step` apart. */
static double fold(ga_reduce_op op, size_t from, size_t n, size_t step) {
  double acc = op == GA_REDUCE_SUM ? 0 : selftest_value(0, from);
  size_t best = 0;

  for (size_t i = 0; i < n; i++) {
    double v = selftest_value(0, from + i * step);
    if (op == GA_REDUCE_SUM) {
      acc += v;
    } else if (v > acc) {
      acc = v;
      best = i;
    }
  }
  return op == GA_REDUCE_ARGMAX ? (double)best : acc;
}

/* a[1] = `op` of a[0] over an axis; compare it with t->want. */
static int reduce(selftest *t, ga_reduce_op op, unsigned int axis) {
  GpuArray_clear(&t->a[1]);
  GA_TRY(GpuArray_reduction(&t->a[1], &t->a[0], op, 1, &axis, 0, -1, -1));
  return selftest_compare(t, 1);
}

static int reduce_columns(selftest *t, ga_reduce_op op) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  for (size_t i = 0; i < COLS; i++)
    t->want[i] = fold(op, i, ROWS, COLS);
  return reduce(t, op, 0);
}

/* Sums of columns, and the sum of a vector so long that its sum is computed in
 * chunks. */
int selftest_sum(selftest *t) {
  const size_t n = LONG_ROW;

  GA_TRY(reduce_columns(t, GA_REDUCE_SUM));
  GpuArray_clear(&t->a[0]);
  GA_TRY(selftest_make(t, 0, 1, &n));
  t->want[0] = fold(GA_REDUCE_SUM, 0, n, 1);
  return reduce(t, GA_REDUCE_SUM, 0);
}

int selftest_argmax(selftest *t) {
  return reduce_columns(t, GA_REDUCE_ARGMAX);
}

/* Running sums along rows, and along columns from their ends. */
int selftest_cumsum(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  for (size_t i = 0; i < CELLS; i++)
    t->want[i] = selftest_value(0, i) + (i % COLS > 0 ? t->want[i - 1] : 0);
  GA_TRY(GpuArray_cumulate(&t->a[1], &t->a[0], GA_CUMULATE_SUM, 1, 0, -1));
  GA_TRY(selftest_compare(t, 1));
  GpuArray_clear(&t->a[1]);
  for (size_t i = CELLS; i-- > 0;)
    t->want[i] =
        selftest_value(0, i) + (i + COLS < CELLS ? t->want[i + COLS] : 0);
  GA_TRY(GpuArray_cumulate(&t->a[1], &t->a[0], GA_CUMULATE_SUM, 0,
                           GA_CUMULATE_REVERSED, -1));
  return selftest_compare(t, 1);
}

/* Make t->want the sorted columns of the matrix. */
static void sort_columns(selftest *t) {
  for (size_t i = 0; i < CELLS; i++) {
    const double v = selftest_value(0, i);
    size_t k = i;

    for (; k >= COLS && t->want[k - COLS] > v; k -= COLS)
      t->want[k] = t->want[k - COLS];
    t->want[k] = v;
  }
}

/* Columns, which are long enough for sorting by digits. */
int selftest_sort(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  sort_columns(t);
  GA_TRY(GpuArray_sort(&t->a[1], NULL, &t->a[0], 0, 0));
  return selftest_compare(t, 1);
}

/* The smallest half of columns, which is selected by digits. */
int selftest_topk(selftest *t) {
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  sort_columns(t);
  GA_TRY(
      GpuArray_topk(&t->a[1], NULL, &t->a[0], ROWS / 2, 0, GA_TOPK_SMALLEST));
  return selftest_compare(t, 1);
}

/* Whether x has the values of operand 0, smaller ones than `pivot` first, then
 * equal ones, then larger ones, each in their order. */
static int is_split(const float *x, size_t n, double pivot) {
  size_t k = 0;

  for (int which = -1; which <= 1; which++)
    for (size_t i = 0; i < n; i++) {
      const double v = selftest_value(0, i);
      if ((v > pivot) - (v < pivot) == which && x[k++] != (float)v)
        return 0;
    }
  return 1;
}

/* A row that is too long to be sorted for that. */
int selftest_partition(selftest *t) {
  static const size_t n = LONG_ROW / 64, rank = LONG_ROW / 128;
  float *x = ga__calloc(n, sizeof *x);
  int err;

  if (x == NULL)
    return ga__fail_nomem();
  GA_CHECK(selftest_make(t, 0, 1, &n));
  GA_CHECK(GpuArray_partition(&t->a[1], NULL, &t->a[0], rank, 0));
  GA_CHECK(GpuArray_read(x, n * sizeof *x, &t->a[1]));
  selftest_judge(t, is_split(x, n, x[rank]));

done:
  ga__free(x);
  return err;
}

/* The values of the matrix are multiples of 1/8 from -1 on. */
int selftest_search(selftest *t) {
  static const size_t n = 17;
  float edges[17];

  for (size_t i = 0; i < n; i++)
    edges[i] = (float)i / 8 - 1;
  GA_TRY(selftest_make(t, 0, 2, selftest_matrix));
  GA_TRY(selftest_put(t, 2, GA_FLOAT, 1, &n, edges));
  for (size_t i = 0; i < CELLS; i++)
    t->want[i] = (selftest_value(0, i) + 1) * 8;
  GA_TRY(GpuArray_searchsorted(&t->a[1], &t->a[2], &t->a[0], 0));
  return selftest_compare(t, 1);
}

/* The elements under a mask that is set at the end of each of several parts. */
int selftest_select(selftest *t) {
  static const size_t n = LONG_ROW, step = LONG_ROW / 64;
  unsigned char *mask = ga__calloc(n, 1);
  int err;

  if (mask == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < 64; i++) {
    mask[(i + 1) * step - 1] = 1;
    t->want[i] = selftest_value(0, (i + 1) * step - 1);
  }
  GA_CHECK(selftest_make(t, 0, 1, &n));
  GA_CHECK(selftest_put(t, 2, GA_BOOL, 1, &n, mask));
  GA_CHECK(GpuArray_compress(&t->a[1], &t->a[0], &t->a[2]));
  err = selftest_compare(t, 1);

done:
  ga__free(mask);
  return err;
}

/* How often each value occurs in a long vector. */
int selftest_unique(selftest *t) {
  static const size_t n = LONG_ROW;

  for (size_t i = 0; i < n; i++)
    t->want[(size_t)((selftest_value(0, i) + 1) * 8)]++;
  GA_TRY(selftest_make(t, 0, 1, &n));
  GA_TRY(GpuArray_unique(&t->a[1], NULL, NULL, &t->a[2], &t->a[0]));
  selftest_judge(t, t->a[1].dimensions[0] == VALUES);
  GA_TRY(selftest_compare(t, 2));
  for (size_t i = 0; i < VALUES; i++)
    t->want[i] = (double)i / 8 - 1;
  return selftest_compare(t, 1);
}

/* Run k begins at k^2, so runs end in different places of their parts. */
int selftest_runs(selftest *t) {
  static const size_t n = LONG_ROW;
  float *x = ga__calloc(n, sizeof *x);
  size_t k = 0;
  int err;

  if (x == NULL)
    return ga__fail_nomem();
  for (size_t i = 0; i < n; i++) {
    k += i == (k + 1) * (k + 1);
    x[i] = (float)selftest_value(0, k);
    t->want[k]++;
  }
  GA_CHECK(selftest_put(t, 0, GA_FLOAT, 1, &n, x));
  GA_CHECK(GpuArray_run_lengths(NULL, NULL, &t->a[1], &t->a[0]));
  selftest_judge(t, t->a[1].dimensions[0] == k + 1);
  err = selftest_compare(t, 1);

done:
  ga__free(x);
  return err;
}

/* The vector is long enough for several parts. */
int selftest_histogram(selftest *t) {
  static const size_t n = LONG_ROW, m = 17;
  float edges[17];

  for (size_t i = 0; i < m; i++)
    edges[i] = (float)i / 8 - 1;
  GA_TRY(selftest_make(t, 0, 1, &n));
  GA_TRY(selftest_put(t, 2, GA_FLOAT, 1, &m, edges));
  for (size_t i = 0; i + 1 < m; i++)
    t->want[i] = 0;
  for (size_t i = 0; i < n; i++) {
    const size_t bin = (size_t)((selftest_value(0, i) + 1) * 8);
    t->want[bin < m - 1 ? bin : m - 2]++;
  }
  GA_TRY(GpuArray_histogram(&t->a[1], &t->a[0], &t->a[2], NULL));
  return selftest_compare(t, 1);
}

/* --- graphs --- */

/* Compute a[1] = `out` from `in` = a[0]. */
static int call_graph(selftest *t, gg_graph *g, gg_var *in, gg_var *out) {
  GpuArray *args[] = {&t->a[0]}, *results[] = {&t->a[1]};
  gg_func *f = NULL;
  int err = gg_func_new(&f, g,
                        &(gg_func_spec){.name = "selftest",
                                        .inputs = GG_VARS(in),
                                        .outputs = GG_VARS(out)});

  if (err != GA_NO_ERROR)
    return ga__fail(err, "%s", gg_graph_error(g));
  err = gg_func_call(f, args, results);
  if (err != GA_NO_ERROR)
    ga__fail(err, "%s", gg_func_error(f));
  gg_func_free(f);
  return err;
}

/* Compare the expression of `build` on a matrix with t->want. */
static int check_graph(selftest *t, gg_var *(*build)(gg_var *x)) {
  gg_graph *g = gg_graph_new(t->ctx);
  gg_var *in = g != NULL ? gg_input(g, "x", t->dtype, 2) : NULL;

  if (g == NULL)
    return ga__fail_nomem();
  int err = selftest_make(t, 0, 2, selftest_matrix);
  if (err == GA_NO_ERROR)
    err = call_graph(t, g, in, build(in));
  gg_graph_free(g);
  return err == GA_NO_ERROR ? selftest_compare(t, 1) : err;
}

static gg_var *sum_exp(gg_var *x) {
  return gg_sum_axis(gg_exp(gg_mul(x, x)), 1);
}

static gg_var *softmax(gg_var *x) {
  return gg_softmax(x);
}

int selftest_graph(selftest *t) {
  for (size_t r = 0; r < ROWS; r++) {
    t->want[r] = 0;
    for (size_t k = 0; k < COLS; k++) {
      const double v = selftest_value(0, r * COLS + k);

      t->want[r] += exp(v * v);
    }
  }
  return check_graph(t, sum_exp);
}

/* A row program: maximum, sum, quotient. */
int selftest_softmax(selftest *t) {
  for (size_t r = 0; r < ROWS; r++) {
    double sum = 0;

    for (size_t k = 0; k < COLS; k++)
      sum += exp(selftest_value(0, r * COLS + k));
    for (size_t k = 0; k < COLS; k++)
      t->want[r * COLS + k] = exp(selftest_value(0, r * COLS + k)) / sum;
  }
  return check_graph(t, softmax);
}

enum { PARTS = 5 };

/* The largest elements of parts of all of x, which overlap. */
static gg_var *regions(gg_var *x) {
  static const float corners[4] = {0, 0, COLS - 1, ROWS - 1};
  static const int64_t first[1] = {0};
  gg_graph *g = gg_var_graph(x);
  const gg_regions r = {.rows = PARTS, .columns = PARTS, .scale = 1};

  x = gg_reshape(x, 4, (int64_t[]){1, 1, ROWS, COLS});
  return gg_roi_pool(x, gg_constant(g, GA_FLOAT, 2, (size_t[]){1, 4}, corners),
                     gg_constant(g, GA_LONG, 1, (size_t[]){1}, first), &r);
}

int selftest_regions(selftest *t) {
  for (size_t o = 0; o < (size_t)PARTS * PARTS; o++) {
    const size_t i = o / PARTS, j = o % PARTS;

    t->want[o] = -INFINITY;
    for (size_t r = i * ROWS / PARTS; r * PARTS < (i + 1) * ROWS; r++)
      for (size_t k = j * COLS / PARTS; k * PARTS < (j + 1) * COLS; k++)
        t->want[o] = fmax(t->want[o], selftest_value(0, r * COLS + k));
  }
  return check_graph(t, regions);
}
