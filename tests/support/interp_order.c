/* SPDX-License-Identifier: BSD-2-Clause */
/* The interpreter's running sums, each result by its definition, and sorting,
 * where an element's place is the number of those before it, and selection. */
#include <math.h>
#include <stdlib.h>

#include <gpuarray/sort.h>

#include "support/interp_ops.h"

#include "ops/ops.h"
#include "ops/order/formula.h"
#include "support/device.h"

/* What `op` makes of n elements. */
static double all_of(ga_cumulate_op op, const double *x, size_t n) {
  const int is_max = op == GA_CUMULATE_MAX || op == GA_CUMULATE_LOGADDEXP;
  double best = is_max ? -INFINITY : INFINITY, sum = 0, product = 1, zeros = 0;
  double parts = 0, largest = 0; /* of e^best: smaller ones, and itself */

  for (size_t i = 0; i < n; i++) {
    sum += x[i];
    product *= x[i];
    zeros += x[i] == 0;
    best = isnan(x[i]) ? NAN
           : is_max    ? (x[i] > best ? x[i] : best)
                       : (x[i] < best ? x[i] : best);
  }
  for (size_t i = 0; i < n; i++) {
    largest += x[i] == best;
    parts += x[i] == best ? 0 : exp(x[i] - best);
  }
  switch (op) {
  case GA_CUMULATE_SUM:
    return sum;
  case GA_CUMULATE_PROD:
    return product;
  case GA_CUMULATE_ANY:
    return zeros < (double)n;
  case GA_CUMULATE_ALL:
    return zeros == 0;
  case GA_CUMULATE_LOGADDEXP:
    return isinf(best) ? best : best + log1p(parts + (largest - 1));
  default:
    return best;
  }
}

/* What the dtype has in place of an infinity: integers have limits. */
static double within(int dtype, double x) {
  double room[2];

  if (!isinf(x) || ga__dtype_kind(dtype) == GA_KIND_FLOAT)
    return x;
  ga__dtype_from_double(dtype, room, x);
  return ga__dtype_to_double(dtype, room);
}

/* a[n-1] (... (a[1] (a[0] 0 + b[0]) + b[1])) + b[n-1]. */
static double recur(const double *a, const double *b, size_t n) {
  double y = 0;

  for (size_t i = 0; i < n; i++)
    y = a[i] * y + b[i];
  return y;
}

void interp_cumulate(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__cumulate_props *p = a->props;
  const size_t n = in[0]->dim[p->axis];
  double *row[2];
  size_t step = 1;

  tensor_make(out, in[0]->nd, in[0]->dim);
  for (unsigned int d = p->axis + 1; d < in[0]->nd; d++)
    step *= in[0]->dim[d];
  row[0] = malloc((n + 1) * sizeof(double));
  row[1] = malloc((n + 1) * sizeof(double));
  for (size_t o = 0; n > 0 && o < out->n / n; o++) {
    const size_t first = o / step * n * step + o % step;

    for (size_t j = 0; j < n; j++) {
      const size_t at = first + (p->reversed ? n - 1 - j : j) * step;
      const size_t count = p->exclusive ? j : j + 1;

      for (unsigned int k = 0; k < a->n_in; k++)
        row[k][j] = in[k]->v[at];
      out->v[at] = within(
          gg_var_type(a->out[0])->dtype,
          a->n_in == 2 ? recur(row[0], row[1], count)
                       : all_of((ga_cumulate_op)(p->kind + 1), row[0], count));
    }
  }
  free(row[0]);
  free(row[1]);
}

/* What formulas compute as arrays is not used, but has a shape. */
void interp_run_value(const gg_apply *a, const tensor *const *in, tensor *out) {
  (void)a;
  tensor_make(out, in[0]->nd, in[0]->dim);
}

/* Value k of runs, whose rule is that of the formulas; each run from its
 * start. */
static void combine_rows(const gg_apply *a, const tensor *const *in,
                         tensor *out, unsigned int k) {
  const gg__cumulate_props *p = a->props;
  const size_t n = in[0]->dim[p->axis];
  double run[GG_RUN_VALUES][2], now[GG_RUN_VALUES], room[256];
  gg__formulas f;
  size_t step = 1;

  tensor_make(out, in[0]->nd, in[0]->dim);
  assert_ok(gg__formulas_read(&f, a, 0));
  for (unsigned int d = p->axis + 1; d < in[0]->nd; d++)
    step *= in[0]->dim[d];
  for (size_t i = 0; i < out->n; i++) {
    const size_t place = i / step % n, first = i - place * step;
    const size_t count =
        (p->reversed ? n - 1 - place : place) + (p->exclusive ? 0 : 1);

    for (unsigned int v = 0; v < f.n; v++)
      now[v] = in[2 * f.n + v]->v[0];
    for (size_t j = 0; j < count; j++) {
      const size_t at = first + (p->reversed ? n - 1 - j : j) * step;
      for (unsigned int v = 0; v < f.n; v++) {
        run[v][GG_RUN_BEFORE] = now[v];
        run[v][GG_RUN_AFTER] = in[v]->v[at];
      }
      assert_true(gg__formulas_eval(&f, run, room, now));
    }
    out->v[i] = now[k];
  }
  gg__formulas_clear(&f);
}

void interp_combined(const gg_apply *a, const tensor *const *in, tensor *out) {
  combine_rows(a, in, out, 0);
}

void interp_combined_1(const gg_apply *a, const tensor *const *in,
                       tensor *out) {
  combine_rows(a, in, out, 1);
}

/* Whether element b comes before a different element a; `later` is whether it
 * has the higher position. */
static int comes_before(double b, double a, int is_later, int descending) {
  if (isnan(a) || isnan(b))
    return isnan(a) && (!isnan(b) || !is_later);
  if (a == b)
    return !is_later;
  return descending ? b > a : b < a;
}

static void sort_rows(const tensor *x, unsigned int axis, int descending,
                      tensor *out, int positions) {
  const size_t n = x->dim[axis];
  size_t step = 1;

  tensor_make(out, x->nd, x->dim);
  for (unsigned int d = axis + 1; d < x->nd; d++)
    step *= x->dim[d];
  for (size_t i = 0; i < x->n; i++) {
    const size_t k = i / step % n, first = i - k * step;
    size_t place = 0;

    for (size_t j = 0; j < n; j++)
      place += j != k &&
               comes_before(x->v[first + j * step], x->v[i], j > k, descending);
    out->v[first + place * step] = positions ? (double)k : x->v[i];
  }
}

void interp_sort(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__sort_props *p = a->props;

  sort_rows(in[0], p->axis, p->descending, out, 0);
}

void interp_argsort(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__sort_props *p = a->props;

  sort_rows(in[0], p->axis, p->descending, out, 1);
}

/* Rows of tests here are sorted for that. */
static void partition_op(const gg_apply *a, const tensor *x, tensor *out,
                         int positions) {
  const unsigned int axis = ((const gg__axis_props *)a->props)->axis;

  assert_true(x->dim[axis] <= GA_PARTITION_SORTED);
  sort_rows(x, axis, 0, out, positions);
}

void interp_partition(const gg_apply *a, const tensor *const *in, tensor *out) {
  partition_op(a, in[0], out, 0);
}

void interp_argpartition(const gg_apply *a, const tensor *const *in,
                         tensor *out) {
  partition_op(a, in[0], out, 1);
}

/* The elements of each row in order of which `skip` come before the first of
 * `k`; NaN is larger than all others. */
static void select_rows(const tensor *x, unsigned int axis, size_t skip,
                        size_t k, int largest, tensor *out, int positions) {
  const size_t n = x->dim[axis];
  size_t dims[GG_MAX_ND], step = 1;

  for (unsigned int d = 0; d < x->nd; d++) {
    dims[d] = d == axis ? k : x->dim[d];
    step *= d > axis ? x->dim[d] : 1;
  }
  tensor_make(out, x->nd, dims);
  for (size_t i = 0; i < x->n; i++) {
    const size_t at = i / step % n, first = i - at * step;
    size_t place = 0;

    for (size_t j = 0; j < n; j++) {
      const double v = x->v[first + j * step], w = x->v[i];
      const int less = isnan(w) ? !isnan(v) : v < w;
      const int same = isnan(w) ? isnan(v) : v == w;

      place += same ? j < at : less != largest;
    }
    if (place >= skip && place - skip < k)
      out->v[i / step / n * k * step + i % step + (place - skip) * step] =
          positions ? (double)at : x->v[i];
  }
}

static void select_op(const gg_apply *a, const tensor *const *in, tensor *out,
                      int positions) {
  const unsigned int axis = *(const unsigned int *)a->props;
  const double k = in[1]->v[0], n = (double)in[0]->dim[axis];

  if (a->op == &gg__op_kth)
    select_rows(in[0], axis, (size_t)(k < 0 ? k + n : k), 1, 0, out, positions);
  else
    select_rows(in[0], axis, 0, (size_t)k,
                !((const gg__topk_props *)a->props)->smallest, out, positions);
}

void interp_select(const gg_apply *a, const tensor *const *in, tensor *out) {
  select_op(a, in, out, 0);
}

void interp_select_at(const gg_apply *a, const tensor *const *in, tensor *out) {
  select_op(a, in, out, 1);
}

/* --- selection --- */

/* Write what belongs to each element of `mask` that is not 0: its position, or
 * its coordinates, or the element of `x`. */
static void mask_rows(const tensor *mask, const tensor *x, int coordinates,
                      double fill, tensor *out) {
  const size_t width = coordinates ? mask->nd : 1;
  size_t k = 0, coord[GG_MAX_ND];

  for (size_t i = 0; i < out->n; i++)
    out->v[i] = fill;
  for (size_t i = 0; i < mask->n && k < out->dim[0]; i++) {
    if (mask->v[i] == 0)
      continue;
    tensor_coord(mask, i, coord);
    for (size_t d = 0; d < width; d++)
      out->v[k * width + d] = x != NULL     ? x->v[i]
                              : coordinates ? (double)coord[d]
                                            : (double)i;
    k++;
  }
}

void interp_positions(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__positions_props *p = a->props;
  const size_t dims[2] = {(size_t)in[1]->v[0], in[0]->nd};

  tensor_make(out, p->coordinates ? 2 : 1, dims);
  mask_rows(in[0], NULL, (int)p->coordinates, (double)p->fill, out);
}

void interp_compress(const gg_apply *a, const tensor *const *in, tensor *out) {
  const size_t n = (size_t)in[2]->v[0];

  (void)a;
  tensor_make(out, 1, &n);
  mask_rows(in[1], in[0], 0, 0, out);
}

void interp_search(const gg_apply *a, const tensor *const *in, tensor *out) {
  const gg__search_props *p = a->props;
  const tensor *const edges = in[0], *const x = in[1];
  const size_t m = edges->dim[edges->nd - 1];
  const size_t n = x->nd > 0 ? x->dim[x->nd - 1] : 1;

  tensor_make(out, x->nd, x->dim);
  for (size_t i = 0; i < x->n; i++) {
    const double *row = edges->v + (edges->nd > 1 ? i / n * m : 0);
    for (size_t k = 0; k < m; k++) {
      const int same = isnan(x->v[i]) ? isnan(row[k]) : row[k] == x->v[i];
      out->v[i] += same ? p->right : isnan(x->v[i]) || row[k] < x->v[i];
    }
  }
}

/* Whether bin b has v: b itself, or what is between its edges. */
static int has_element(const gg_apply *a, const tensor *const *in, size_t b,
                       double v) {
  const double *e = in[1]->v;

  if (a->op == &gg__op_bincount)
    return v == (double)b;
  return v >= e[b] && (isnan(e[b + 1]) || v < e[b + 1] ||
                       (b + 2 == in[1]->n && v == e[b + 1]));
}

void interp_bins(const gg_apply *a, const tensor *const *in, tensor *out) {
  const size_t n =
      a->op == &gg__op_bincount ? (size_t)in[1]->v[0] : in[1]->n - 1;

  tensor_make(out, 1, &n);
  for (size_t b = 0; b < n; b++)
    for (size_t i = 0; i < in[0]->n; i++)
      if (has_element(a, in, b, in[0]->v[i]))
        out->v[b] += a->n_in > 2 ? in[2]->v[i] : 1;
}
