/* SPDX-License-Identifier: BSD-2-Clause */
/* Convolutions of floats and of integers, and transposed convolutions. */
#include <gpugraph/conv.h>
#include <gpugraph/op.h>

#include "base/err.h"
#include "onnx/ops/builders.h"
#include "onnx/ops/onnx_window.h"

/* Read the windows that the filters, input w_at, have. */
static int read_window(gg__onnx_call *c, size_t w_at, gg__window *w) {
  const gg_var *filters = gg__call_in(c, w_at);

  if (filters == NULL || gg__call_in(c, 0) == NULL)
    return ga__fail(GA_VALUE_ERROR, "input %zu is missing",
                    filters == NULL ? w_at : 0);
  if (gg__call_rank(c, w_at) != gg__call_rank(c, 0))
    return ga__fail(GA_VALUE_ERROR, "%u dimensions, and %u of the filters",
                    gg__call_rank(c, 0), gg__call_rank(c, w_at));
  return gg__window_read(c, gg_var_type(filters)->dims + 2, w);
}

static int to_conv(const gg__onnx_call *c, const gg__window *w, GpuConv *out) {
  const int64_t groups = gg__call_int(c, "group", 1);

  *out = (GpuConv){.nd = w->nd, .groups = (size_t)groups};
  if (groups < 1 || groups > INT_MAX)
    return ga__fail(GA_VALUE_ERROR, "group is %lld", (long long)groups);
  for (unsigned int i = 0; i < w->nd; i++) {
    out->stride[i] = (size_t)w->stride[i];
    out->dilation[i] = (size_t)w->dilation[i];
    out->before[i] = (size_t)w->before[i];
    out->after[i] = (size_t)w->after[i];
  }
  return GA_NO_ERROR;
}

/* y plus input `at`, a bias for each channel, if there is one. */
static gg_var *add_bias(gg__onnx_call *c, size_t at, gg_var *y) {
  gg_var *bias = gg__call_in(c, at);

  if (y == NULL || bias == NULL)
    return y;
  return gg_add(
      y, gg_cast(gg__along(bias, gg_var_type(y)->nd, 1), gg__dtype_of(y)));
}

/* The geometry of a convolution whose filters are input w_at. */
static int read_conv(gg__onnx_call *c, size_t w_at, gg__window *w,
                     GpuConv *conv) {
  GA_TRY(read_window(c, w_at, w));
  GA_TRY(gg__window_auto(c, w));
  return to_conv(c, w, conv);
}

int gg__from_conv(gg__onnx_call *c) {
  gg__window w;
  GpuConv conv;

  GA_TRY(read_conv(c, 1, &w, &conv));
  c->out[0] =
      add_bias(c, 2, gg_conv(gg__call_in(c, 0), gg__call_in(c, 1), &conv));
  return GA_NO_ERROR;
}

/* --- integers --- */

/* Elements of filters that are multiplied one by one. */
#define MOST_TAPS 1024

/* The elements of x [n, groups, channels, sizes...], which is padded, that meet
 * element `tap` of the filters. */
static gg_var *under_tap(gg_var *x, const gg__window *w, int64_t tap) {
  for (int i = (int)w->nd - 1; i >= 0; i--) {
    const int64_t at = tap % w->kernel[i], rest = w->kernel[i] - 1 - at;

    tap /= w->kernel[i];
    x = gg_slice(x, 3 + i, at * w->dilation[i],
                 rest == 0 ? GG_END : -rest * w->dilation[i], w->stride[i]);
  }
  return x;
}

/* [n, groups, channels, sizes...], with the padding. */
static gg_var *padded_groups(gg_var *x, const gg__window *w, int64_t groups) {
  int64_t before[GG_MAX_ND] = {0}, after[GG_MAX_ND] = {0};
  gg_var *sizes[GG_MAX_ND];

  for (unsigned int i = 0; i < w->nd; i++) {
    before[2 + i] = w->before[i];
    after[2 + i] = w->after[i];
  }
  x = gg_pad(x, before, after, GG_PAD_CONSTANT, NULL);
  if (x == NULL)
    return NULL;
  sizes[0] = gg__size_of(x, 0);
  sizes[1] = gg_i64(gg_var_graph(x), groups);
  sizes[2] = gg__over(gg__size_of(x, 1), groups);
  for (unsigned int i = 0; i < w->nd; i++)
    sizes[3 + i] = gg__size_of(x, 2 + (int)i);
  return gg__to_sizes(x, 3 + w->nd, sizes);
}

/* A convolution of int32 without float64: a product of integers for each
 * element of the filters. */
static int convolve_taps(gg__onnx_call *c, const gg__window *w, gg_var *x,
                         gg_var *filters, gg_var **y) {
  const int64_t groups = gg__call_int(c, "group", 1);
  gg_var *sizes[GG_MAX_ND], *sum = NULL;
  int64_t taps = 1;

  for (unsigned int i = 0; i < w->nd; i++)
    if ((taps *= w->kernel[i]) > MOST_TAPS)
      return ga__fail(GA_UNSUPPORTED_ERROR,
                      "filters of more than %d elements without float64",
                      MOST_TAPS);
  gg_var *parts[] = {gg_i64(c->g, groups),
                     gg__over(gg__size_of(filters, 0), groups),
                     gg__size_of(filters, 1), gg_i64(c->g, taps)};
  filters = gg__to_sizes(filters, 4, parts);
  x = padded_groups(x, w, groups);
  for (int64_t t = 0; t < taps; t++) {
    gg_var *one =
        gg_einsum("ngc...,gmc->ngm...", 2,
                  (gg_var *[]){under_tap(x, w, t), gg_index(filters, 3, t)});

    sum = sum == NULL ? one : gg_add(sum, one);
  }
  sizes[0] = gg__size_of(sum, 0);
  sizes[1] = gg__span(sum, 1, 3);
  for (unsigned int i = 0; i < w->nd; i++)
    sizes[2 + i] = gg__size_of(sum, 3 + (int)i);
  *y = gg__to_sizes(sum, 2 + w->nd, sizes);
  return GA_NO_ERROR;
}

/* A convolution of int32 whose filters belong to input w_at. */
static int convolve_ints(gg__onnx_call *c, size_t w_at, gg_var *x,
                         gg_var *filters, gg_var **y) {
  gg__window w;
  GpuConv conv;

  GA_TRY(read_conv(c, w_at, &w, &conv));
  if (!gg__has_double(c->g))
    return convolve_taps(c, &w, x, filters, y);
  *y = gg__wrapped(
      gg_conv(gg_cast(x, GA_DOUBLE), gg_cast(filters, GA_DOUBLE), &conv));
  return GA_NO_ERROR;
}

/* Inputs: x, w, x_zero, w_zero. */
int gg__from_conv_integer(gg__onnx_call *c) {
  return convolve_ints(c, 1, gg__centred(c, 0, 2, 1), gg__centred(c, 1, 3, 0),
                       &c->out[0]);
}

/* Inputs: x, x_scale, x_zero, w, w_scale, w_zero, y_scale, y_zero, bias. */
int gg__from_qlinear_conv(gg__onnx_call *c) {
  gg_var *y = NULL;

  GA_TRY(convolve_ints(c, 3, gg__centred(c, 0, 2, 1), gg__centred(c, 3, 5, 0),
                       &y));
  y = add_bias(c, 8, y);
  c->out[0] = gg__requantised(c, y, 1, 4, 6, 1);
  return GA_NO_ERROR;
}

/* --- transposed --- */

/* A transposed convolution: its windows, and for each dimension how many
 * elements follow the last window. */
typedef struct transposed {
  gg__window w;
  int64_t more[GG_WINDOW_ND];
} transposed;

/* Set the pads of dimension i so that the result has size `want`, or as many
 * elements as the input, times the stride, if `want` is 0. What is missing
 * follows the last window. */
static int fit_dim(gg__onnx_call *c, transposed *t, unsigned int i,
                   int64_t want) {
  const int64_t n = gg_var_type(gg__call_in(c, 0))->dims[i + 2];
  const int64_t stride = t->w.stride[i];
  int64_t total = gg__window_span(&t->w, i) + t->more[i] - stride;

  if (want != 0 && (n < 0 || n > GG_WINDOW_MOST))
    return ga__fail(GA_UNSUPPORTED_ERROR,
                    "output_shape needs the size of dim %u", i + 2);
  if (want != 0)
    total += n * stride - want;
  if (total < 0)
    t->more[i] -= total;
  gg__window_divide(&t->w, i, total < 0 ? 0 : total);
  return GA_NO_ERROR;
}

static int read_transposed(gg__onnx_call *c, transposed *t) {
  int64_t want[GG_WINDOW_ND];
  size_t n;

  GA_TRY(read_window(c, 1, &t->w));
  GA_TRY(gg__window_list(c, "output_padding", t->w.nd, 0, 0, t->more));
  GA_TRY(gg__window_list(c, "output_shape", t->w.nd, 1, 0, want));
  gg__call_ints(c, "output_shape", &n);
  for (unsigned int i = 0; i < t->w.nd; i++)
    if (n != 0 || t->w.automatic >= GG_AUTO_SAME_UPPER)
      GA_TRY(fit_dim(c, t, i, want[i]));
  return GA_NO_ERROR;
}

/* Elements behind the last window cancel pads there. If they reach a stride,
 * gg_pad appends them: no window covers them, so they are 0. */
static int settle(transposed *t, size_t *more, int64_t *zeros) {
  int any = 0;

  for (unsigned int i = 0; i < t->w.nd; i++) {
    const int64_t less =
        t->more[i] < t->w.after[i] ? t->more[i] : t->w.after[i];
    const int64_t rest = t->more[i] - less;
    const int is_far = rest >= t->w.stride[i];

    t->w.after[i] -= less;
    more[i] = is_far ? 0 : (size_t)rest;
    zeros[2 + i] = is_far ? rest : 0;
    any |= is_far;
  }
  return any;
}

int gg__from_conv_transposed(gg__onnx_call *c) {
  transposed t;
  size_t more[GG_WINDOW_ND];
  int64_t none[2 + GG_WINDOW_ND] = {0}, zeros[2 + GG_WINDOW_ND] = {0};
  GpuConv conv;

  GA_TRY(read_transposed(c, &t));
  const int any = settle(&t, more, zeros);
  GA_TRY(to_conv(c, &t.w, &conv));
  gg_var *y =
      gg_conv_transposed(gg__call_in(c, 0), gg__call_in(c, 1), &conv, more);
  if (any)
    y = gg_pad(y, none, zeros, GG_PAD_CONSTANT, NULL);
  c->out[0] = add_bias(c, 2, y);
  return GA_NO_ERROR;
}
