/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of cases, and before it a line for each that builds its graph: one
 * list, to be looked up rather than read. */
#include "support/cases.h"

#include <gpugraph/grad.h>

/* --- elementwise --- */

/* Those of the library's table. */
#define UNARY(name, ...)                                                       \
  static gg_var *case_##name(gg_var *const *x) {                               \
    return gg_##name(x[0]);                                                    \
  }
#define BINARY(name, ...)                                                      \
  static gg_var *case_##name(gg_var *const *x) {                               \
    return gg_##name(x[0], x[1]);                                              \
  }
#define TERNARY(name, ...)                                                     \
  static gg_var *case_##name(gg_var *const *x) {                               \
    return gg_##name(x[0], x[1], x[2]);                                        \
  }
#include "ops/elementwise/elementwise.def"
#undef UNARY
#undef BINARY
#undef TERNARY

static gg_var *case_stop_gradient(gg_var *const *x) {
  return gg_stop_gradient(x[0]);
}

static gg_var *case_clip(gg_var *const *x) {
  return gg_clip(x[0], x[1], x[2]);
}

static gg_var *case_where(gg_var *const *x) {
  return gg_where(x[0], x[1], x[2]);
}

/* A constant exponent has a gradient of its own. */
static gg_var *case_cube(gg_var *const *x) {
  return gg_pow(x[0], gg__num(x[0], 3));
}

static gg_var *case_int_pow(gg_var *const *x) {
  return gg_pow(x[0], gg__num(x[0], 5));
}

static gg_var *case_int_div(gg_var *const *x) {
  return gg_div(x[0], gg_cast(x[1], GA_BYTE));
}

static gg_var *case_to_float(gg_var *const *x) {
  return gg_cast(x[0], GA_FLOAT);
}

static gg_var *case_to_int(gg_var *const *x) {
  return gg_cast(x[0], GA_INT);
}

static gg_var *case_to_bool(gg_var *const *x) {
  return gg_cast(x[0], GA_BOOL);
}

/* int8 to float16, say: whatever the operands have meets in the wider. */
static gg_var *case_mixed(gg_var *const *x) {
  return gg_mul(x[0], x[1]);
}

/* --- shapes --- */

static gg_var *case_fill(gg_var *const *x) {
  return gg_fill(x[0], x[1]);
}

static gg_var *case_alloc(gg_var *const *x) {
  return gg_alloc(x[0], 2, (gg_var *[]){gg_shape(x[1], 0), gg_shape(x[0], 1)});
}

static gg_var *case_arange(gg_var *const *x) {
  gg_var *const n = gg_shape(x[0], 0);

  return gg_arange(n, gg_neg(n), gg_i64(gg_var_graph(n), -3));
}

static gg_var *case_positions(gg_var *const *x) {
  return gg_positions(x[0], 1);
}

static gg_var *case_size(gg_var *const *x) {
  return gg_add(gg_size(x[0]), gg_shape(x[0], -1));
}

static gg_var *case_vector(gg_var *const *x) {
  gg_var *const n[3] = {gg_shape(x[0], 1), gg_neg(gg_size(x[0])),
                        gg_i64(gg_var_graph(x[0]), 7)};
  gg_var *const both[2] = {gg_vector(3, n), gg_shape_vector(x[0])};

  return gg_join(0, 2, both);
}

static gg_var *case_transpose(gg_var *const *x) {
  return gg_transpose(x[0]);
}

static gg_var *case_dimshuffle(gg_var *const *x) {
  return gg_dimshuffle(x[0], 4, (const int[]){2, -1, 0, 1});
}

static gg_var *case_drop_axis(gg_var *const *x) {
  gg_var *const row = gg_reduce(GG_SUM, x[0], 1, (const int[]){0}, 1);

  return gg_dimshuffle(row, 1, (const int[]){1});
}

static gg_var *case_reshape(gg_var *const *x) {
  return gg_reshape(x[0], 2, (const int64_t[]){-1, 6});
}

static gg_var *case_specify_shape(gg_var *const *x) {
  return gg_neg(gg_specify_shape(x[0], (const int64_t[]){3, GG_ANY, 2}));
}

static gg_var *case_reshape_sizes(gg_var *const *x) {
  gg_var *const rows = gg_mul(gg_shape(x[0], 0), gg_shape(x[0], 2));

  return gg_reshape_sizes(
      x[0], 2,
      (gg_var *[]){gg_i64(gg_var_graph(x[0]), GG_ANY), gg_neg(gg_neg(rows))});
}

static gg_var *case_specify_sizes(gg_var *const *x) {
  gg_var *const rows = gg_shape(x[1], 0), *const any = gg_i64(
                                              gg_var_graph(x[0]), GG_ANY);

  return gg_neg(gg_specify_sizes(x[0], (gg_var *[]){rows, any, any}));
}

/* Strides that no reshape can express. */
static gg_var *case_flatten_transposed(gg_var *const *x) {
  return gg_flatten(gg_transpose(x[0]));
}

static gg_var *case_slice(gg_var *const *x) {
  return gg_slice(x[0], 1, 1, -1, 2);
}

static gg_var *case_slice_back(gg_var *const *x) {
  return gg_slice(x[0], 0, GG_END, GG_END, -1);
}

static gg_var *case_slice_empty(gg_var *const *x) {
  return gg_slice(x[0], 1, 4, 2, 1);
}

static gg_var *case_index(gg_var *const *x) {
  return gg_index(x[0], 1, -2);
}

static gg_var *case_join(gg_var *const *x) {
  return gg_join(1, 3, x);
}

static gg_var *case_take_axis(gg_var *const *x) {
  return gg_take_axis(x[0], -1, x[1]);
}
static gg_var *case_put(gg_var *const *x) {
  return gg_put(x[0], 0, x[1], x[2]);
}
static gg_var *case_put_add(gg_var *const *x) {
  return gg_put_add(x[0], 1, x[1], x[2]);
}
static gg_var *case_put_mul(gg_var *const *x) {
  return gg_put_with(x[0], 0, x[1], x[2], GG_PUT_MUL);
}
static gg_var *case_put_max(gg_var *const *x) {
  return gg_put_along(x[0], 1, x[1], x[2], GG_PUT_MAX);
}
static gg_var *case_put_min(gg_var *const *x) {
  return gg_put_along(x[0], 0, x[1], x[2], GG_PUT_MIN);
}
static gg_var *case_cumsum(gg_var *const *x) {
  return gg_cumsum(x[0], 1);
}
static gg_var *case_cumsum_before(gg_var *const *x) {
  return gg_cumulate(GA_CUMULATE_SUM, x[0], 0,
                     GA_CUMULATE_EXCLUSIVE | GA_CUMULATE_REVERSED);
}
static gg_var *case_cumprod(gg_var *const *x) {
  return gg_cumprod(x[0], -1);
}
static gg_var *case_cumprod_before(gg_var *const *x) {
  return gg_cumulate(GA_CUMULATE_PROD, x[0], 1, GA_CUMULATE_EXCLUSIVE);
}
static gg_var *case_cummax(gg_var *const *x) {
  return gg_cummax(x[0], 1);
}
static gg_var *case_cummin(gg_var *const *x) {
  return gg_cumulate(GA_CUMULATE_MIN, x[0], 1, GA_CUMULATE_REVERSED);
}
static gg_var *case_logcumsumexp(gg_var *const *x) {
  return gg_logcumsumexp(x[0], 1);
}
static gg_var *case_recurrence(gg_var *const *x) {
  return gg_recurrence(x[0], x[1], 1, 0);
}
static gg_var *case_recurrence_before(gg_var *const *x) {
  return gg_exp(gg_recurrence(x[0], x[1], 1,
                              GA_CUMULATE_EXCLUSIVE | GA_CUMULATE_REVERSED));
}
/* A run multiplies what comes before it, and adds to it. */
static void follow(void *arg, gg_var *const *a, gg_var *const *b,
                   gg_var **out) {
  (void)arg;
  out[0] = gg_mul(a[0], b[0]);
  out[1] = gg_add(gg_mul(a[1], b[0]), b[1]);
}
static gg_var *case_cumulate_by(gg_var *const *x) {
  gg_var *y[2];

  gg_cumulate_by(y, 2, x, (double[]){1, 0}, follow, NULL, 1,
                 GA_CUMULATE_REVERSED);
  return y[1];
}
static gg_var *case_sort(gg_var *const *x) {
  return gg_sort(x[0], 1, 0);
}
static gg_var *case_sort_down(gg_var *const *x) {
  return gg_sort(x[0], 0, 1);
}
static gg_var *case_argsort(gg_var *const *x) {
  return gg_argsort(x[0], -1, 1);
}
static gg_var *case_topk(gg_var *const *x) {
  return gg_topk(x[0], gg_shape(x[0], 0), 1, 0, NULL);
}
static gg_var *case_topk_smallest(gg_var *const *x) {
  return gg_topk(x[0], gg_i64(gg_var_graph(x[0]), 4), 0, GA_TOPK_SMALLEST,
                 NULL);
}
static gg_var *case_topk_places(gg_var *const *x) {
  gg_var *places;

  gg_topk(x[0], gg_i64(gg_var_graph(x[0]), 2), -1, GA_TOPK_SMALLEST, &places);
  return places;
}
static gg_var *case_kth(gg_var *const *x) {
  return gg_kth(x[0], gg_neg(gg_shape(x[0], 0)), 1, NULL);
}
static gg_var *case_median(gg_var *const *x) {
  return gg_median(x[0], 1);
}
static gg_var *case_quantile(gg_var *const *x) {
  return gg_quantile(x[0], 0.3, 0, GG_QUANTILE_LINEAR);
}
static gg_var *case_rank(gg_var *const *x) {
  return gg_rank(x[0], 1);
}
/* Rows that are left over, and too few. */
static gg_var *case_nonzero(gg_var *const *x) {
  return gg_nonzero_bounded(x[0], gg_i64(gg_var_graph(x[0]), 20), -3, NULL);
}
static gg_var *case_flatnonzero(gg_var *const *x) {
  gg_var *count, *at = gg_flatnonzero_bounded(
                     x[0], gg_i64(gg_var_graph(x[0]), 3), 7, &count);

  return gg_add(at, count);
}
static gg_var *case_compress(gg_var *const *x) {
  return gg_compress_bounded(x[0], x[1], gg_shape(x[0], 0), NULL);
}
static gg_var *case_compress_few(gg_var *const *x) {
  return gg_compress_bounded(x[0], x[1], gg_i64(gg_var_graph(x[0]), 2), NULL);
}
static gg_var *case_mask_put(gg_var *const *x) {
  return gg_mask_put(x[0], x[1], x[2], GG_PUT_SET);
}
static gg_var *case_mask_add(gg_var *const *x) {
  return gg_mask_put(x[0], x[1], x[2], GG_PUT_ADD);
}
static gg_var *case_searchsorted(gg_var *const *x) {
  return gg_searchsorted(gg_sort(x[0], 1, 0), x[1], 0);
}
static gg_var *case_bucketize(gg_var *const *x) {
  return gg_bucketize(x[0], gg_sort(x[1], 0, 0), 1);
}
static gg_var *case_bincount(gg_var *const *x) {
  return gg_bincount(x[0], NULL, gg_shape(x[0], 1));
}
static gg_var *case_bincount_weights(gg_var *const *x) {
  return gg_bincount(x[0], x[1], gg_i64(gg_var_graph(x[0]), 6));
}
static gg_var *case_histogram(gg_var *const *x) {
  return gg_histogram(x[0], gg_sort(x[1], 0, 0), NULL);
}
static gg_var *case_histogram_weights(gg_var *const *x) {
  return gg_histogram(x[0], gg_sort(x[1], 0, 0), x[2]);
}
static gg_var *case_lexsort(gg_var *const *x) {
  return gg_lexsort(3, x, 0);
}
static gg_var *case_sort_by(gg_var *const *x) {
  gg_var *y;

  gg_sort_by(&y, x[1], 1, x, 1, 1);
  return y;
}
static gg_var *case_partition(gg_var *const *x) {
  return gg_partition(x[0], -1, 1);
}
static gg_var *case_argpartition(gg_var *const *x) {
  return gg_argpartition(x[0], 2, 1);
}
static gg_var *case_take_along(gg_var *const *x) {
  return gg_take_along(x[0], 1, x[1]);
}
/* The operand and the indices repeat along one axis each. */
static gg_var *case_take_stretched(gg_var *const *x) {
  return gg_take_along(x[0], 0, x[1]);
}
static gg_var *case_put_along(gg_var *const *x) {
  return gg_put_along(x[0], -1, x[1], x[2], GG_PUT_ADD);
}
/* x[i, :, j]: the axes of the indices come first. */
static gg_var *case_index_take(gg_var *const *x) {
  return gg_index_take(
      x[0], GG_ITEMS(gg_item_of(x[1]), gg_item_all(), gg_item_of(x[2])));
}
/* x[i, None, 1:, 1] += v */
static gg_var *case_index_add(gg_var *const *x) {
  return gg_index_put(x[0],
                      GG_ITEMS(gg_item_of(x[1]), gg_item_new(),
                               gg_item_slice(1, GG_END, 1), gg_item_at(1)),
                      x[2], GG_PUT_ADD);
}
/* Indices whose last size is known to be 2. */
static gg_var *pairs(gg_var *index) {
  int64_t dims[GG_MAX_ND];

  for (unsigned int i = 0; i < gg_var_type(index)->nd; i++)
    dims[i] = i + 1 < gg_var_type(index)->nd ? -1 : 2;
  return gg_specify_shape(index, dims);
}
static gg_var *case_gather_nd(gg_var *const *x) {
  return gg_gather_nd(x[0], pairs(x[1]), 0);
}
static gg_var *case_gather_batch(gg_var *const *x) {
  return gg_gather_nd(x[0], pairs(x[1]), 1);
}
static gg_var *case_scatter_nd(gg_var *const *x) {
  return gg_scatter_nd(x[0], pairs(x[1]), x[2], GG_PUT_ADD);
}
/* Bounds that follow from sizes. */
static gg_var *case_slice_at(gg_var *const *x) {
  return gg_slice_at(x[0], 1, gg_shape(x[1], 0), NULL, gg_shape(x[1], 1));
}

static gg_var *case_index_at(gg_var *const *x) {
  return gg_index_at(x[0], 1, gg_neg(gg_shape(x[1], 0)));
}

static gg_var *case_slice_set_at(gg_var *const *x) {
  gg_var *const start = gg_shape(x[1], 0);

  return gg_slice_set_at(x[0], 1, start, gg_add(start, gg_shape(x[1], 1)), NULL,
                         x[1]);
}

static gg_var *case_slice_set(gg_var *const *x) {
  return gg_slice_set(x[0], 1, 1, 7, 2, x[1]);
}
static gg_var *case_take(gg_var *const *x) {
  return gg_take(x[0], x[1]);
}

/* --- reductions --- */

static gg_var *case_sum(gg_var *const *x) {
  return gg_sum(x[0]);
}

static gg_var *case_prod(gg_var *const *x) {
  return gg_prod(x[0]);
}

static gg_var *case_max(gg_var *const *x) {
  return gg_max(x[0]);
}

static gg_var *case_min(gg_var *const *x) {
  return gg_min(x[0]);
}

static gg_var *case_mean(gg_var *const *x) {
  return gg_mean(x[0]);
}

static gg_var *case_sum_first(gg_var *const *x) {
  return gg_sum_axis(x[0], 0);
}

static gg_var *case_sum_last(gg_var *const *x) {
  return gg_sum_axis(x[0], -1);
}

static gg_var *case_sum_outer(gg_var *const *x) {
  return gg_reduce(GG_SUM, x[0], 2, (const int[]){0, 2}, 1);
}

static gg_var *case_prod_axis(gg_var *const *x) {
  return gg_reduce(GG_PROD, x[0], 1, (const int[]){1}, 0);
}

static gg_var *case_max_axis(gg_var *const *x) {
  return gg_max_axis(x[0], 1);
}

static gg_var *case_min_kept(gg_var *const *x) {
  return gg_reduce(GG_MIN, x[0], 1, (const int[]){0}, 1);
}

static gg_var *case_mean_axis(gg_var *const *x) {
  return gg_mean_axis(x[0], 0);
}

static gg_var *case_argmax(gg_var *const *x) {
  return gg_argmax_axis(x[0], 1);
}

static gg_var *case_argmin(gg_var *const *x) {
  return gg_reduce(GG_ARGMIN, x[0], 0, NULL, 0);
}

static gg_var *case_variance(gg_var *const *x) {
  return gg_reduce(GG_VARIANCE, x[0], 0, NULL, 0);
}

static gg_var *case_variance_columns(gg_var *const *x) {
  return gg_reduce(GG_VARIANCE, x[0], 1, (const int[]){0}, 0);
}

static gg_var *case_variance_rows(gg_var *const *x) {
  return gg_reduce(GG_VARIANCE, x[0], 1, (const int[]){1}, 1);
}

static gg_var *case_any_of(gg_var *const *x) {
  return gg_reduce(GG_ANY_OF, x[0], 1, (const int[]){0}, 0);
}

static gg_var *case_all_of(gg_var *const *x) {
  return gg_reduce(GG_ALL_OF, x[0], 1, (const int[]){1}, 0);
}

/* --- linear algebra --- */

static gg_var *case_dot(gg_var *const *x) {
  return gg_dot(x[0], x[1]);
}

static gg_var *case_dot_transposed(gg_var *const *x) {
  return gg_dot(gg_transpose(x[0]), gg_transpose(x[1]));
}

static gg_var *case_outer(gg_var *const *x) {
  return gg_outer(x[0], x[1]);
}

static gg_var *apply3(const gg_op *op, const void *props, gg_var *const *x) {
  return gg_op_apply(NULL, op, props, 3, x);
}

static gg_var *case_gemm(gg_var *const *x) {
  return apply3(&gg__op_gemm, &(gg__gemm_props){0.5, -2}, x);
}

static gg_var *case_gemv(gg_var *const *x) {
  return apply3(&gg__op_gemv, &(gg__gemm_props){-1, 0.25}, x);
}

static gg_var *case_ger(gg_var *const *x) {
  return apply3(&gg__op_ger, &(gg__dot_props){1.5}, x);
}

static gg_var *case_batched_dot(gg_var *const *x) {
  return gg_batched_dot(x[0], x[1]);
}

/* Rows of the batch's matrices lie apart: by the first axis and by the last. */
static gg_var *case_batched_dot_views(gg_var *const *x) {
  return gg_batched_dot(gg_dimshuffle(x[0], 3, (const int[]){1, 0, 2}),
                        gg_transpose(x[1]));
}

static gg_var *case_batched_gemm(gg_var *const *x) {
  return apply3(&gg__op_batched_gemm, &(gg__gemm_props){0.5, -2}, x);
}

static gg_var *case_tensordot(gg_var *const *x) {
  return gg_tensordot(x[0], x[1], 2, (const int[]){-1, 0}, (const int[]){0, 2});
}

static gg_var *case_batched_tensordot(gg_var *const *x) {
  return gg_batched_tensordot(x[0], x[1], 2, (const int[]){3, 2},
                              (const int[]){2, 1});
}

/* --- classification --- */

static gg_var *case_softmax(gg_var *const *x) {
  return gg_softmax(x[0]);
}

static gg_var *case_log_softmax(gg_var *const *x) {
  return gg_log_softmax(x[0]);
}

static gg_var *case_softmax_grad(gg_var *const *x) {
  return gg__softmax_grad(x[0], x[1]);
}

static gg_var *case_crossentropy(gg_var *const *x) {
  return gg_crossentropy(x[0], x[1]);
}

static gg_var *case_crossentropy_grad(gg_var *const *x) {
  return gg__crossentropy_grad(x[0], x[1], x[2]);
}

static gg_var *case_softmax_xent(gg_var *const *x) {
  return gg__softmax_xent(x[0], x[1]);
}

static gg_var *case_softmax_xent_grad(gg_var *const *x) {
  return gg__softmax_xent_grad(x[0], x[1], x[2]);
}

/* --- the table --- */

/* Elementwise operands: a row that stretches against a matrix. */
#define WHOLE(dtypes, lo, hi)                                                  \
  {                                                                            \
    dtypes, lo, hi, 2, {                                                       \
      5, 7                                                                     \
    }                                                                          \
  }
#define ROW(dtypes, lo, hi)                                                    \
  {                                                                            \
    dtypes, lo, hi, 2, {                                                       \
      1, 7                                                                     \
    }                                                                          \
  }
#define DIMS(dtypes, lo, hi, ...)                                              \
  {                                                                            \
    dtypes, lo, hi, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), {        \
      __VA_ARGS__                                                              \
    }                                                                          \
  }

/* What the kinds of elementwise ops take, and whether they have a gradient. */
#define DTYPES_number NUMBERS
#define DTYPES_size DTYPES_number
#define DTYPES_comparison (NUMBERS | BOOLS)
#define DTYPES_bits (INTEGERS | BOOLS)
#define DTYPES_integral INTEGERS
#define DTYPES_real REALS
#define DTYPES_predicate REALS
#define DTYPES_parametric REALS
#define DTYPES_whole REALS
#define DTYPES_quotient REALS
#define DTYPES_power REALS
#define GRADIENT_number 1
#define GRADIENT_size GRADIENT_number
#define GRADIENT_comparison 0
#define GRADIENT_bits 0
#define GRADIENT_integral 0
#define GRADIENT_real 1
#define GRADIENT_predicate 0
#define GRADIENT_parametric 0
#define GRADIENT_whole 1
#define GRADIENT_quotient 1
#define GRADIENT_power 1

#define UNARY(name, doc, kind, text, flops, host, tolerance, lo, hi, ...)      \
  {#name,     case_##name,    1, {WHOLE(DTYPES_##kind, lo, hi)},               \
   tolerance, GRADIENT_##kind},
#define BINARY(name, doc, kind, text, flops, host, tolerance, lo, hi, lo2,     \
               hi2, ...)                                                       \
  {#name,     case_##name,                                                     \
   2,         {WHOLE(DTYPES_##kind, lo, hi), ROW(DTYPES_##kind, lo2, hi2)},    \
   tolerance, GRADIENT_##kind},
#define TERNARY(name, doc, kind, text, flops, host, tolerance, lo, hi, lo2,    \
                hi2, lo3, hi3, ...)                                            \
  {#name,                                                                      \
   case_##name,                                                                \
   3,                                                                          \
   {WHOLE(DTYPES_##kind, lo, hi), ROW(DTYPES_##kind, lo2, hi2),                \
    WHOLE(DTYPES_##kind, lo3, hi3)},                                           \
   tolerance,                                                                  \
   GRADIENT_##kind},

/* clang-format off */
const op_case op_cases[] = {
#include "ops/elementwise/elementwise.def"
    {"stop_gradient", case_stop_gradient, 1, {WHOLE(REALS, -1, 1)}, 0, 0},
    {"clip", case_clip, 3,
     {WHOLE(NUMBERS, -9, 9), ROW(NUMBERS, -5, -1), ROW(NUMBERS, 1, 5)}, 0, 1},
    {"where", case_where, 3,
     {WHOLE(BOOLS, 0, 2), ROW(NUMBERS, -9, 9), WHOLE(NUMBERS, -9, 9)}, 0, 1},
    {"pow number", case_cube, 1, {WHOLE(REALS, -3, 3)}, 20, 1},
    {"pow of integers", case_int_pow, 1, {WHOLE(INTEGERS, -2, 2)}, 0, 0},
    {"pow of integer arrays", case_pow, 2,
     {WHOLE(INTEGERS, -2, 3), ROW(INTEGERS, -2, 7)}, 0, 0},
    {"div of integers", case_int_div, 2,
     {WHOLE(INTEGERS, 0, 9), ROW(INTEGERS, 1, 9)}, 3, 0},
    {"cast to float32", case_to_float, 1,
     {WHOLE(NUMBERS | BOOLS, -9, 9)}, 1, 1},
    {"cast to int32", case_to_int, 1, {WHOLE(NUMBERS | BOOLS, -9, 9)}, 0, 0},
    {"cast to bool", case_to_bool, 1, {WHOLE(NUMBERS, -2, 2)}, 0, 0},
    {"mixed dtypes", case_mixed, 2,
     {WHOLE(NUMBERS | BOOLS, 0, 9), ROW(CLASSES, 0, 9)}, 1, 1},

    {"fill", case_fill, 2, {WHOLE(NUMBERS, 0, 1), ROW(REALS, -9, 9)}, 0, 1},
    {"alloc", case_alloc, 2, {ROW(REALS, -9, 9), DIMS(CLASSES, 0, 1, 5)}, 0, 1},
    {"arange", case_arange, 1, {DIMS(CLASSES, 0, 1, 5)}, 0, 0},
    {"positions", case_positions, 1, {DIMS(REALS, 0, 1, 2, 3, 4)}, 0, 0},
    {"size and shape", case_size, 1, {DIMS(REALS, 0, 1, 2, 3, 4)}, 0, 0},
    {"vector", case_vector, 1, {DIMS(REALS, 0, 1, 2, 3, 4)}, 0, 0},
    {"transpose", case_transpose, 1, {DIMS(NUMBERS, -9, 9, 2, 3, 4)}, 0, 1},
    {"dimshuffle", case_dimshuffle, 1, {DIMS(NUMBERS, -9, 9, 2, 3, 4)}, 0, 1},
    {"dropped axis", case_drop_axis, 1, {DIMS(REALS, -9, 9, 3, 4)}, 4, 1},
    {"reshape", case_reshape, 1, {DIMS(NUMBERS, -9, 9, 3, 4, 2)}, 0, 1},
    {"specify_shape",
     case_specify_shape,
     1,
     {DIMS(NUMBERS, -9, 9, 3, 4, 2)},
     0,
     1},
    {"reshape_sizes", case_reshape_sizes, 1, {DIMS(REALS, -9, 9, 3, 4, 2)},
     0, 1},
    {"specify_sizes", case_specify_sizes, 2,
     {DIMS(REALS, -9, 9, 3, 4, 2), DIMS(CLASSES, -9, 9, 3)}, 0, 1},
    {"flatten of a transpose", case_flatten_transposed, 1,
     {DIMS(REALS, -9, 9, 3, 4, 2)}, 0, 1},
    {"slice", case_slice, 1, {DIMS(NUMBERS, -9, 9, 3, 8)}, 0, 1},
    {"slice backwards", case_slice_back, 1, {DIMS(NUMBERS, -9, 9, 5, 3)}, 0, 1},
    {"empty slice", case_slice_empty, 1, {DIMS(NUMBERS, -9, 9, 3, 8)}, 0, 1},
    {"index", case_index, 1, {DIMS(NUMBERS, -9, 9, 3, 4, 2)}, 0, 1},
    {"slice_at", case_slice_at, 2,
     {DIMS(NUMBERS, -9, 9, 3, 8), DIMS(CLASSES, 0, 1, 1, 3)}, 0, 1},
    {"index_at", case_index_at, 2,
     {DIMS(NUMBERS, -9, 9, 3, 4, 2), DIMS(CLASSES, 0, 1, 3)}, 0, 1},
    {"join", case_join, 3,
     {DIMS(NUMBERS, -9, 9, 3, 2), DIMS(NUMBERS, -9, 9, 3, 5),
      DIMS(NUMBERS, -9, 9, 3, 1)}, 0, 1},
    {"take", case_take, 2,
     {DIMS(NUMBERS, -9, 9, 6, 3), DIMS(CLASSES, -6, 6, 9)}, 0, 1},
    {"take of columns", case_take_axis, 2,
     {DIMS(NUMBERS, -9, 9, 3, 6), DIMS(CLASSES, -6, 6, 9)}, 0, 1},
    {"put", case_put, 3,
     {DIMS(NUMBERS, -9, 9, 6, 3), DIMS(CLASSES, 2, 3, 1),
      DIMS(NUMBERS, -9, 9, 1, 3)}, 0, 1},
    {"put_add", case_put_add, 3,
     {DIMS(NUMBERS, -2, 2, 3, 6), DIMS(CLASSES, -6, 6, 9),
      DIMS(NUMBERS, -2, 2, 3, 9)}, 8, 1},
    {"put_with mul", case_put_mul, 3,
     {DIMS(NUMBERS, 1, 3, 6, 3), DIMS(CLASSES, -6, 6, 7),
      DIMS(NUMBERS, 1, 2, 7, 3)}, 16, 1},
    {"put_along max", case_put_max, 3,
     {DIMS(NUMBERS, -9, 9, 3, 6), DIMS(CLASSES, -6, 6, 3, 9),
      DIMS(NUMBERS, -9, 9, 3, 9)}, 0, 1},
    {"put_along min", case_put_min, 3,
     {DIMS(NUMBERS, -9, 9, 6, 3), DIMS(CLASSES, -6, 6, 4, 1),
      DIMS(NUMBERS, -9, 9, 4, 3)}, 0, 1},
    {"put_along add", case_put_along, 3,
     {DIMS(NUMBERS, -2, 2, 3, 6), DIMS(CLASSES, -6, 6, 3, 9),
      DIMS(NUMBERS, -2, 2, 3, 9)}, 8, 1},
    {"take_along", case_take_along, 2,
     {DIMS(NUMBERS, -9, 9, 3, 6), DIMS(CLASSES, -6, 6, 3, 9)}, 0, 1},
    {"take_along stretched", case_take_stretched, 2,
     {DIMS(NUMBERS, -9, 9, 6, 1, 3), DIMS(CLASSES, -6, 6, 4, 2, 1)}, 0, 1},
    {"gather_nd", case_gather_nd, 2,
     {DIMS(NUMBERS, -9, 9, 3, 3, 2), DIMS(CLASSES, -3, 3, 2, 4, 2)}, 0, 1},
    {"gather_nd in batches", case_gather_batch, 2,
     {DIMS(NUMBERS, -9, 9, 2, 3, 3, 2), DIMS(CLASSES, -3, 3, 2, 5, 2)}, 0, 1},
    {"index_take", case_index_take, 3,
     {DIMS(NUMBERS, -9, 9, 3, 2, 4), DIMS(CLASSES, -3, 3, 2, 1),
      DIMS(CLASSES, -4, 4, 3)}, 0, 1},
    {"index_put that adds", case_index_add, 3,
     {DIMS(NUMBERS, -9, 9, 3, 3, 4), DIMS(CLASSES, -3, 3, 5),
      DIMS(NUMBERS, -9, 9, 5, 1, 2)}, 8, 1},
    {"scatter_nd", case_scatter_nd, 3,
     {DIMS(NUMBERS, -2, 2, 3, 3, 2), DIMS(CLASSES, -3, 3, 4, 2),
      DIMS(NUMBERS, -2, 2, 4, 2)}, 8, 1},
    {"slice_set_at", case_slice_set_at, 2,
     {DIMS(NUMBERS, -9, 9, 3, 8), DIMS(NUMBERS, -9, 9, 3, 2)}, 0, 1},
    {"slice_set", case_slice_set, 2,
     {DIMS(NUMBERS, -9, 9, 3, 8), DIMS(NUMBERS, -9, 9, 3, 3)}, 0, 1},

    {"sum", case_sum, 1, {DIMS(NUMBERS | BOOLS, -3, 3, 4, 5)}, 8, 1},
    {"prod", case_prod, 1, {DIMS(NUMBERS, 0.5, 2, 3, 4)}, 16, 1},
    {"max", case_max, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 4, 5)}, 0, 1},
    {"min", case_min, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 4, 5)}, 0, 1},
    {"mean", case_mean, 1, {DIMS(NUMBERS | BOOLS, -3, 3, 4, 5)}, 8, 1},
    {"sum of columns", case_sum_first, 1, {DIMS(NUMBERS, -3, 3, 9, 5)}, 8, 1},
    {"sum of rows", case_sum_last, 1, {DIMS(NUMBERS, -3, 3, 9, 5)}, 8, 1},
    {"sum of two axes", case_sum_outer, 1,
     {DIMS(NUMBERS, -3, 3, 2, 3, 4)}, 8, 1},
    {"prod of an axis", case_prod_axis, 1,
     {DIMS(NUMBERS, 0.5, 2, 2, 3, 4)}, 16, 1},
    {"max of rows", case_max_axis, 1, {DIMS(NUMBERS, -9, 9, 4, 5)}, 0, 1},
    {"min of columns", case_min_kept, 1, {DIMS(NUMBERS, -9, 9, 4, 5)}, 0, 1},
    {"mean of columns", case_mean_axis, 1, {DIMS(NUMBERS, -9, 9, 4, 5)}, 8, 1},
    {"cumsum", case_cumsum, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 3, 7)}, 8, 1},
    {"cumsum from the end", case_cumsum_before, 1,
     {DIMS(NUMBERS, -9, 9, 5, 3)}, 8, 1},
    {"cumprod", case_cumprod, 1, {DIMS(NUMBERS, 1, 2, 3, 7)}, 16, 1},
    {"cumprod before", case_cumprod_before, 1, {DIMS(REALS, -2, 2, 3, 6)}, 16,
     1},
    {"cummax", case_cummax, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 3, 7)}, 0, 1},
    {"cummin", case_cummin, 1, {DIMS(NUMBERS, -9, 9, 3, 7)}, 0, 1},
    {"logcumsumexp", case_logcumsumexp, 1, {DIMS(REALS, -3, 3, 3, 7)}, 16, 1},
    {"recurrence", case_recurrence, 2,
     {DIMS(REALS, -1, 1, 3, 7), DIMS(REALS, -2, 2, 3, 7)}, 16, 1},
    {"recurrence before", case_recurrence_before, 2,
     {DIMS(REALS, -1, 1, 3, 7), DIMS(REALS, -1, 1, 1, 7)}, 32, 1},
    {"cumulate_by", case_cumulate_by, 2,
     {DIMS(REALS, -1, 1, 3, 7), DIMS(REALS, -2, 2, 3, 7)}, 16, 1},
    {"sort", case_sort, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 3, 40)}, 0, 1},
    {"sort down", case_sort_down, 1, {DIMS(NUMBERS, -9, 9, 7, 3)}, 0, 1},
    {"argsort", case_argsort, 1, {DIMS(NUMBERS, -9, 9, 3, 7)}, 0, 0},
    {"topk", case_topk, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 3, 40)}, 0, 1},
    {"topk, smallest", case_topk_smallest, 1, {DIMS(NUMBERS, -9, 9, 7, 3)}, 0,
     1},
    {"topk, places", case_topk_places, 1, {DIMS(NUMBERS, -9, 9, 3, 7)}, 0, 0},
    {"kth", case_kth, 1, {DIMS(NUMBERS, -9, 9, 3, 40)}, 0, 1},
    {"median", case_median, 1, {DIMS(NUMBERS, -9, 9, 3, 40)}, 8, 1},
    {"quantile", case_quantile, 1, {DIMS(REALS, -9, 9, 6, 3)}, 8, 1},
    {"rank", case_rank, 1, {DIMS(NUMBERS, -9, 9, 3, 7)}, 0, 0},
    {"nonzero", case_nonzero, 1, {DIMS(NUMBERS | BOOLS, -2, 2, 3, 7)}, 0, 0},
    {"flatnonzero", case_flatnonzero, 1, {DIMS(NUMBERS, -1, 2, 3, 7)}, 0, 0},
    {"compress", case_compress, 2,
     {DIMS(NUMBERS, -9, 9, 9, 5), DIMS(BOOLS, 0, 2, 9, 5)}, 0, 1},
    {"compress to a few", case_compress_few, 2,
     {DIMS(NUMBERS, -9, 9, 9), DIMS(BOOLS, 0, 2, 9)}, 0, 1},
    {"mask_put", case_mask_put, 3,
     {DIMS(NUMBERS, -9, 9, 4, 5), DIMS(BOOLS, 0, 2, 4, 5),
      DIMS(NUMBERS, -9, 9, 7)}, 0, 1},
    {"mask_put that adds", case_mask_add, 3,
     {DIMS(REALS, -9, 9, 4, 5), DIMS(BOOLS, 0, 2, 4, 5),
      DIMS(REALS, -9, 9, 20)}, 4, 1},
    {"searchsorted", case_searchsorted, 2,
     {DIMS(NUMBERS, -9, 9, 3, 7), DIMS(NUMBERS, -9, 9, 3, 5)}, 0, 0},
    {"bucketize", case_bucketize, 2,
     {DIMS(NUMBERS, -9, 9, 3, 5), DIMS(NUMBERS, -9, 9, 4)}, 0, 0},
    {"bincount", case_bincount, 1, {DIMS(INTEGERS | BOOLS, 0, 9, 3, 7)}, 0, 0},
    {"bincount, weights", case_bincount_weights, 2,
     {DIMS(CLASSES, -1, 8, 20), DIMS(NUMBERS, 0, 3, 20)}, 8, 1},
    {"histogram", case_histogram, 2,
     {DIMS(NUMBERS, -9, 9, 3, 7), DIMS(NUMBERS, -9, 9, 5)}, 0, 0},
    {"histogram, weights", case_histogram_weights, 3,
     {DIMS(CLASSES, -9, 9, 20), DIMS(CLASSES, -9, 9, 5),
      DIMS(REALS, -2, 2, 20)}, 8, 1},
    {"lexsort", case_lexsort, 3,
     {DIMS(NUMBERS, -9, 9, 20, 2), DIMS(CLASSES, -2, 2, 20, 2),
      DIMS(CLASSES, 0, 2, 20, 2)}, 0, 0},
    {"sort_by", case_sort_by, 2,
     {DIMS(REALS, -9, 9, 3, 7), DIMS(CLASSES, -9, 9, 3, 7)}, 0, 1},
    {"partition", case_partition, 1, {DIMS(REALS, -9, 9, 3, 40)}, 0, 1},
    {"argpartition", case_argpartition, 1, {DIMS(REALS, -9, 9, 3, 7)}, 0, 0},
    {"argmax", case_argmax, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 4, 7)}, 0, 0},
    {"argmin", case_argmin, 1, {DIMS(NUMBERS | BOOLS, -9, 9, 4, 7)}, 0, 0},
    {"variance", case_variance, 1, {DIMS(NUMBERS | BOOLS, -3, 3, 4, 5)}, 8, 1},
    {"variance of columns", case_variance_columns, 1,
     {DIMS(NUMBERS, -3, 3, 9, 5)}, 8, 1},
    {"variance of rows", case_variance_rows, 1,
     {DIMS(REALS, -3, 3, 3, 17)}, 8, 1},
    {"any_of", case_any_of, 1, {DIMS(NUMBERS | BOOLS, 0, 2, 3, 9)}, 0, 0},
    {"all_of", case_all_of, 1, {DIMS(NUMBERS | BOOLS, 0, 2, 9, 3)}, 0, 0},

    {"dot vv", case_dot, 2, {DIMS(REALS, -2, 2, 9), DIMS(REALS, -2, 2, 9)},
     16, 1},
    {"dot mv", case_dot, 2, {DIMS(REALS, -2, 2, 5, 9), DIMS(REALS, -2, 2, 9)},
     16, 1},
    {"dot vm", case_dot, 2, {DIMS(REALS, -2, 2, 5), DIMS(REALS, -2, 2, 5, 9)},
     16, 1},
    {"dot mm", case_dot, 2,
     {DIMS(REALS, -2, 2, 3, 5), DIMS(REALS, -2, 2, 5, 4)}, 16, 1},
    {"dot m'm'", case_dot_transposed, 2,
     {DIMS(REALS, -2, 2, 5, 3), DIMS(REALS, -2, 2, 4, 5)}, 16, 1},
    {"dot of a number", case_dot, 2,
     {{REALS, -2, 2, 0, {0}}, DIMS(REALS, -2, 2, 5, 4)}, 2, 1},
    {"outer", case_outer, 2, {DIMS(REALS, -2, 2, 5), DIMS(REALS, -2, 2, 4)},
     1, 1},
    {"gemm", case_gemm, 3,
     {DIMS(REALS, -2, 2, 3, 4), DIMS(REALS, -2, 2, 3, 5),
      DIMS(REALS, -2, 2, 5, 4)}, 16, 0},
    {"gemv", case_gemv, 3,
     {DIMS(REALS, -2, 2, 3), DIMS(REALS, -2, 2, 3, 5), DIMS(REALS, -2, 2, 5)},
     16, 0},
    {"ger", case_ger, 3,
     {DIMS(REALS, -2, 2, 3, 5), DIMS(REALS, -2, 2, 3), DIMS(REALS, -2, 2, 5)},
     4, 0},

    {"batched_dot mm", case_batched_dot, 2,
     {DIMS(REALS, -2, 2, 4, 3, 5), DIMS(REALS, -2, 2, 4, 5, 2)}, 16, 1},
    {"batched_dot mv", case_batched_dot, 2,
     {DIMS(REALS, -2, 2, 4, 3, 5), DIMS(REALS, -2, 2, 4, 5)}, 16, 1},
    {"batched_dot vm", case_batched_dot, 2,
     {DIMS(REALS, -2, 2, 4, 5), DIMS(REALS, -2, 2, 4, 5, 2)}, 16, 1},
    {"batched_dot vv", case_batched_dot, 2,
     {DIMS(REALS, -2, 2, 4, 5), DIMS(REALS, -2, 2, 4, 5)}, 16, 1},
    {"batched_dot of numbers", case_batched_dot, 2,
     {DIMS(REALS, -2, 2, 4), DIMS(REALS, -2, 2, 4, 5, 2)}, 2, 1},
    {"batched_dot of views", case_batched_dot_views, 2,
     {DIMS(REALS, -2, 2, 3, 4, 5), DIMS(REALS, -2, 2, 2, 5, 4)}, 16, 1},
    {"batched_gemm", case_batched_gemm, 3,
     {DIMS(REALS, -2, 2, 4, 3, 2), DIMS(REALS, -2, 2, 4, 3, 5),
      DIMS(REALS, -2, 2, 4, 5, 2)}, 16, 0},
    {"tensordot", case_tensordot, 2,
     {DIMS(REALS, -2, 2, 3, 2, 4), DIMS(REALS, -2, 2, 4, 5, 3)}, 16, 1},
    {"batched_tensordot", case_batched_tensordot, 2,
     {DIMS(REALS, -2, 2, 3, 2, 4, 5), DIMS(REALS, -2, 2, 3, 4, 5, 2)}, 16, 1},

    {"softmax", case_softmax, 1, {DIMS(REALS, -4, 4, 4, 5)}, 16, 1},
    {"softmax of a vector", case_softmax, 1, {DIMS(REALS, -4, 4, 5)}, 16, 1},
    {"log_softmax", case_log_softmax, 1, {DIMS(REALS, -4, 4, 4, 5)}, 16, 1},
    {"softmax_grad", case_softmax_grad, 2,
     {DIMS(REALS, -2, 2, 4, 5), DIMS(REALS, 0.1, 1, 4, 5)}, 16, 1},
    {"crossentropy", case_crossentropy, 2,
     {DIMS(REALS, 0.1, 1, 6, 5), DIMS(CLASSES, 0, 5, 6)}, 8, 1},
    {"crossentropy_grad", case_crossentropy_grad, 3,
     {DIMS(REALS, -2, 2, 6), DIMS(REALS, 0.1, 1, 6, 5),
      DIMS(CLASSES, 0, 5, 6)}, 8, 1},
    {"softmax_xent", case_softmax_xent, 2,
     {DIMS(REALS, -4, 4, 6, 5), DIMS(CLASSES, 0, 5, 6)}, 16, 1},
    {"softmax_xent_grad", case_softmax_xent_grad, 3,
     {DIMS(REALS, -2, 2, 6), DIMS(REALS, -4, 4, 6, 5),
      DIMS(CLASSES, 0, 5, 6)}, 16, 1},
};
/* clang-format on */

const size_t n_op_cases = sizeof op_cases / sizeof op_cases[0];
