/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts by bin, and sums of weights. */
#include <gpuarray/bincount.h>
#include <gpugraph/create.h>
#include <gpugraph/search.h>
#include <gpugraph/sizes.h>
#include <math.h>
#include <string.h>

#include "ops/compose.h"
#include "ops/ops.h"
#include "ops/order/order_word.h"
#include "ops/shape/slice_bounds.h"
#include "ops/value_size.h"

enum { X, BINS, WEIGHTS }; /* operands; BINS are their number, or edges */

static int has_edges(const gg_apply *a) {
  return a->op == &gg__op_histogram;
}

static int has_weights(const gg_apply *a) {
  return a->n_in > WEIGHTS;
}

/* --- sizes --- */

static int read_count(const gg_apply *a, const double *number, int64_t *n) {
  GA_TRY(gg__read_number(a, "number of bins", number, n));
  if (*n < 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "%lld is not a number of bins",
                      (long long)*n);
  return GA_NO_ERROR;
}

static int check_bins(const gg_apply *a) {
  const int w = has_weights(a) ? gg_var_type(a->in[WEIGHTS])->dtype : GA_LONG;

  if (has_edges(a) && gg__rank(a, BINS) != 1)
    return gg_op_fail(a, GA_VALUE_ERROR, "the edges are no vector");
  if (w != GA_LONG && w != GA_FLOAT && w != GA_DOUBLE)
    return gg_op_fail(a, GA_VALUE_ERROR,
                      "weights are %s, expected float32, float64 or int64",
                      ga__dtype_name(w));
  return has_weights(a) ? gg__check_ranks(a, X, WEIGHTS) : GA_NO_ERROR;
}

static int check_weight_sizes(const gg_apply *a) {
  const gg_type *x = gg_var_type(a->in[X]);
  const gg_type *w = has_weights(a) ? gg_var_type(a->in[WEIGHTS]) : x;

  for (unsigned int d = 0; d < x->nd; d++)
    if (x->dims[d] != GG_ANY && w->dims[d] != GG_ANY &&
        x->dims[d] != w->dims[d])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the weights have %lld, expected %lld", d,
                        (long long)w->dims[d], (long long)x->dims[d]);
  return GA_NO_ERROR;
}

static int infer_bins(const gg_apply *a, gg_type *out) {
  int64_t n = GG_ANY;
  double number = 0;

  GA_TRY(check_bins(a));
  GA_TRY(check_weight_sizes(a));
  if (!has_edges(a) && gg_var_uniform(a->in[BINS], &number))
    GA_TRY(read_count(a, &number, &n));
  else if (has_edges(a) && gg_var_type(a->in[BINS])->dims[0] == 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "there are no edges");
  else if (has_edges(a) && gg_var_type(a->in[BINS])->dims[0] != GG_ANY)
    n = gg_var_type(a->in[BINS])->dims[0] - 1;
  *out = (gg_type){0};
  out->dtype = has_weights(a) ? gg_var_type(a->in[WEIGHTS])->dtype : GA_LONG;
  out->nd = 1;
  out->dims[0] = n == 1 && !has_edges(a) ? GG_ANY : n; /* see sized.c */
  return GA_NO_ERROR;
}

static int shape_bins(const gg_apply *a, const gg_dims *in,
                      const double *const *host, gg_dims *out) {
  int64_t n = 0;

  for (unsigned int d = 0; has_weights(a) && d < in[X].nd; d++)
    if (in[WEIGHTS].dim[d] != in[X].dim[d])
      return gg_op_fail(a, GA_VALUE_ERROR,
                        "dim %u: the weights have %zu, expected %zu", d,
                        in[WEIGHTS].dim[d], in[X].dim[d]);
  if (has_edges(a) && in[BINS].dim[0] == 0)
    return gg_op_fail(a, GA_VALUE_ERROR, "there are no edges");
  if (!has_edges(a))
    GA_TRY(read_count(a, host[BINS], &n));
  out->nd = 1;
  out->dim[0] = has_edges(a) ? in[BINS].dim[0] - 1 : (size_t)n;
  return GA_NO_ERROR;
}

/* --- on the device --- */

static int prepare_bins(const gg_prepare *p, GpuLaunch **out, int *slot_in,
                        int *slot_out) {
  const GpuArray *const w = has_weights(p->apply) ? p->in[WEIGHTS] : NULL;

  slot_in[X] = 0;
  if (w != NULL)
    slot_in[WEIGHTS] = 1;
  slot_out[0] = 3;
  if (!has_edges(p->apply))
    return GpuArray_bincount_prepare(out, p->out[0], p->in[X], w);
  slot_in[BINS] = 2;
  return GpuArray_histogram_prepare(out, p->out[0], p->in[X], p->in[BINS], w);
}

/* --- on the host --- */

static int is_nan(int dtype, const void *v) {
  return ga__dtype_kind(dtype) == GA_KIND_FLOAT &&
         isnan(ga__dtype_to_double(dtype, v));
}

/* The bin of element i, or SIZE_MAX or beyond all bins. */
static size_t bin_of(const gg_prepare *p, size_t i) {
  const int dtype = p->in[X]->typecode;
  const size_t size = ga__dtype_size(dtype);
  const char *v = (const char *)p->from[X] + i * size, *e = p->from[BINS];

  if (!has_edges(p->apply)) {
    const double at = ga__dtype_to_double(dtype, v);
    return at >= 0 && at < 9007199254740992.0 ? (size_t)at : SIZE_MAX;
  }
  const size_t m = p->in[BINS]->dimensions[0];
  const uint64_t word = gg__order_word(dtype, v);
  size_t pos = 0;
  while (pos < m && gg__order_word(dtype, e + pos * size) <= word)
    pos++;
  if (pos == m && gg__order_word(dtype, e + (m - 1) * size) == word &&
      !is_nan(dtype, v))
    pos--;
  return pos - 1;
}

static int reference_bins(const gg_prepare *p) {
  const int dtype = p->out[0]->typecode;
  const size_t n = p->out[0]->dimensions[0], size = ga__dtype_size(dtype);
  const size_t total = gg__array_count(p->in[X]);

  memset(p->to[0], 0, n * size);
  for (size_t i = 0; i < total; i++) {
    const size_t bin = bin_of(p, i);
    if (bin >= n)
      continue;
    char *sum = (char *)p->to[0] + bin * size;
    const double w = has_weights(p->apply)
                         ? ga__dtype_to_double(
                               dtype, (const char *)p->from[WEIGHTS] + i * size)
                         : 1;
    ga__dtype_from_double(dtype, sum, ga__dtype_to_double(dtype, sum) + w);
  }
  return GA_NO_ERROR;
}

/* --- derivatives --- */

static int connected(const gg_apply *a, unsigned int in, unsigned int out) {
  (void)a;
  (void)out;
  return in == WEIGHTS;
}

/* The bin of each element among edges; -1 or beyond all bins for others. */
static gg_var *bins_between(gg_var *x, gg_var *edges) {
  gg_graph *const g = gg_var_graph(x);
  gg_var *const below = gg_sub(gg_searchsorted(edges, x, 1), gg_i64(g, 1));
  gg_var *const last = gg_sub(gg_shape(edges, 0), gg_i64(g, 2));

  return gg_where(gg_eq(x, gg_index(edges, 0, -1)), last, below);
}

/* Weights get the gradient of their bin. Those without one get a 0 that is put
 * behind all bins, so that there is something to take if there are no bins. */
static int grad_bins(const gg_apply *a, gg_var *const *gout, gg_var **gin) {
  if (!has_weights(a) || gout[0] == NULL)
    return GA_NO_ERROR;
  gg_var *const n = gg_shape(a->out[0], 0), *one = gg__num(n, 1);
  gg_var *const bin = gg_cast(
      has_edges(a) ? bins_between(a->in[X], a->in[BINS]) : a->in[X], GA_LONG);
  gg_var *const has_one = gg_and(gg_ge(bin, gg__num(n, 0)), gg_lt(bin, n));
  gg_var *const both[2] = {gout[0], gg_alloc(gg__num(gout[0], 0), 1, &one)};
  gg_var *const read =
      gg_take(gg_join(0, 2, both), gg_flatten(gg_where(has_one, bin, n)));
  gin[WEIGHTS] = gg__reshape_like(read, a->in[X]);
  return GA_NO_ERROR;
}

static int rop_bins(const gg_apply *a, gg_var *const *din, gg_var **dout) {
  gg_var *const in[3] = {a->in[X], a->in[BINS],
                         has_weights(a) ? din[WEIGHTS] : NULL};

  if (in[WEIGHTS] != NULL)
    dout[0] = gg_op_apply(NULL, a->op, NULL, 3, in);
  return GA_NO_ERROR;
}

#define BINS_OP(text, numbers)                                                 \
  {                                                                            \
    .name = text, .kind = GG_OP_KERNEL, .half_ok = 1, .n_out = 1,              \
    .number_only = numbers, .infer = infer_bins, .shape = shape_bins,          \
    .grad = grad_bins, .rop = rop_bins, .connected = connected,                \
    .prepare = prepare_bins, .reference = reference_bins                       \
  }

const gg_op gg__op_bincount = BINS_OP("bincount", 1u << BINS);
const gg_op gg__op_histogram = BINS_OP("histogram", 0);

/* --- builders --- */

/* Weights in the dtype of their sums: floats of at least 32 bits, or int64. */
static gg_var *summed(gg_var *weights) {
  if (weights == NULL)
    return NULL;
  const int dtype = gg_var_type(weights)->dtype;
  return gg_cast(weights, ga__dtype_kind(dtype) == GA_KIND_FLOAT
                              ? ga__dtype_work(dtype)
                              : GA_LONG);
}

static gg_var *count(const gg_op *op, gg_var *x, gg_var *bins,
                     gg_var *weights) {
  gg_var *in[3] = {x, bins, summed(weights)};

  if (weights != NULL && in[WEIGHTS] == NULL)
    return NULL;
  gg_var *const v = gg_op_apply(NULL, op, NULL, weights != NULL ? 3 : 2, in);
  /* Narrow floats come back as they were. */
  return v != NULL && weights != NULL &&
                 ga__dtype_is_narrow(gg_var_type(weights)->dtype)
             ? gg_cast(v, gg_var_type(weights)->dtype)
             : v;
}

gg_var *gg_bincount(gg_var *x, gg_var *weights, gg_var *n) {
  const gg_op *const op = &gg__op_bincount;
  int64_t one = 1;
  double known = 0;

  if (!gg__given(op, 2, (gg_var *[]){x, n}) || !gg__check_number(op, x, n))
    return NULL;
  if (!gg__is_integer(gg_var_type(x)->dtype) &&
      gg_var_type(x)->dtype != GA_BOOL)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected integers, got %s",
                      ga__dtype_name(gg_var_type(x)->dtype));
  n = gg_element(n, 0);
  gg_var *const v = count(op, x, n, weights);
  return v != NULL && gg_var_uniform(n, &known) && known == 1
             ? gg_specify_shape(v, &one)
             : v;
}

gg_var *gg_histogram(gg_var *x, gg_var *edges, gg_var *weights) {
  gg_var *in[2] = {x, edges};

  if (!gg__given(&gg__op_histogram, 2, in))
    return NULL;
  const int dtype = gg__common_dtype_of(2, in);
  return count(&gg__op_histogram, gg_cast(x, dtype), gg_cast(edges, dtype),
               weights);
}

/* n + 1 edges, which ascend, from exactly lo to exactly hi. They are computed
 * with more digits than narrow floats have. NULL gives NULL. */
static gg_var *equal_edges(gg_var *lo, gg_var *hi, gg_var *n) {
  if (lo == NULL || hi == NULL)
    return NULL;
  const int result = gg_var_type(lo)->dtype, dtype = ga__dtype_work(result);
  gg_var *const zero = gg__whole_number(lo, 0);
  gg_var *const one = gg__whole_number(lo, 1);
  gg_var *const i = gg_arange(zero, gg__number_add(n, one), one);
  gg_var *const from = gg_cast(lo, dtype), *const to = gg_cast(hi, dtype);
  gg_var *const step = gg_div(gg_sub(to, from), gg_cast(n, dtype));
  gg_var *const at = gg_add(from, gg_mul(gg_cast(i, dtype), step));

  return gg_cast(
      gg_where(gg_lt(i, gg_cast(n, GA_LONG)), gg_minimum(at, to), to), result);
}

/* Refuse what GpuArray_histogram_bins refuses, where it is known. */
static int takes_bins(const gg_op *op, gg_var *x, gg_var *n, gg_var *lo,
                      gg_var *hi) {
  double count, from, to;

  if (gg_var_uniform(n, &count) && count < 1)
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "%g bins", count);
  else if (gg_var_uniform(lo, &from) && gg_var_uniform(hi, &to) &&
           !(from <= to && isfinite(from) && isfinite(to)))
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "no bins from %g to %g", from, to);
  else
    return 1;
  return 0;
}

gg_var *gg_histogram_bins(gg_var *x, gg_var *n, gg_var *lo, gg_var *hi,
                          gg_var *weights, gg_var **edges) {
  const gg_op *const op = GG_CALLED("histogram_bins");

  if (edges != NULL)
    *edges = NULL;
  if (!gg__given(op, 2, (gg_var *[]){x, n}) || !gg__check_number(op, x, n))
    return NULL;
  lo = lo != NULL ? lo : gg_min(x);
  hi = hi != NULL ? hi : gg_max(x);
  if (lo == NULL || hi == NULL)
    return NULL;
  if (gg__rank_of(lo) != 0 || gg__rank_of(hi) != 0)
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR, "the range is no two scalars");
  if (!takes_bins(op, x, n, lo, hi))
    return NULL;
  const int dtype =
      gg__float_dtype(gg__common_dtype_of(3, (gg_var *[]){x, lo, hi}));
  lo = gg_cast(lo, dtype);
  hi = gg_cast(hi, dtype);
  gg_var *const more =
      gg_where(gg_eq(lo, hi), gg__num(lo, 0.5), gg__num(lo, 0));
  gg_var *const points = equal_edges(gg_sub(lo, more), gg_add(hi, more), n);
  if (edges != NULL)
    *edges = points;
  return points != NULL ? gg_histogram(gg_cast(x, dtype), points, weights)
                        : NULL;
}

/* The bins along one axis of a grid, and how many there are. */
static gg_var *axis_bins(gg_var *x, gg_var *edges, gg_var **n) {
  gg_var *in[2] = {x, edges};

  *n = NULL;
  if (x == NULL)
    return NULL;
  const int dtype = gg__common_dtype_of(2, in);
  *n = gg__number_add(gg_shape(edges, 0), gg__whole_number(x, -1));
  return bins_between(gg_cast(x, dtype), gg_cast(edges, dtype));
}

gg_var *gg_histogram2d(gg_var *x, gg_var *y, gg_var *x_edges, gg_var *y_edges,
                       gg_var *weights) {
  const gg_op *const op = GG_CALLED("histogram2d");
  gg_var *const in[4] = {x, y, x_edges, y_edges}, *n[2], *sizes[GG_MAX_ND];

  if (!gg__given(op, 4, in))
    return NULL;
  if (gg__rank_of(x) != gg__rank_of(y))
    return gg__refuse(op, 4, in, GA_VALUE_ERROR,
                      "y has %u dimensions, expected %u", gg__rank_of(y),
                      gg__rank_of(x));
  if (gg__rank_of(x_edges) != 1 || gg__rank_of(y_edges) != 1)
    return gg__refuse(op, 4, in, GA_VALUE_ERROR, "the edges are no vectors");
  gg__sizes_of(x, sizes);
  gg_var *const i = axis_bins(x, x_edges, &n[0]);
  gg_var *const k = axis_bins(gg_specify_sizes(y, sizes), y_edges, &n[1]);
  if (i == NULL || k == NULL || n[0] == NULL || n[1] == NULL)
    return NULL;
  gg_var *const none = gg__num(i, -1);
  gg_var *const has_one =
      gg_and(gg_and(gg_ge(i, gg__num(i, 0)), gg_lt(i, n[0])),
             gg_and(gg_ge(k, gg__num(k, 0)), gg_lt(k, n[1])));
  gg_var *const bin = gg_where(has_one, gg_add(gg_mul(i, n[1]), k), none);
  return gg_reshape_sizes(gg_bincount(bin, weights, gg__number_mul(n[0], n[1])),
                          2, n);
}

/* --- in texts and files --- */

const gg_op_form gg__forms_counted[] = {GG_FORM(bincount, "li0n?", check_bins),
                                        GG_FORM(histogram, "XX1n?", check_bins),
                                        GG_FORMS_END};
