/* SPDX-License-Identifier: BSD-2-Clause */
/* Normalisations and dropout, composed of statistics and maps. */
#include <gpugraph/normalise.h>

#include <gpugraph/arrange.h>
#include <gpugraph/pooling.h>
#include <gpugraph/statistics.h>

#include "ops/compose.h"

/* --- operands --- */

/* Nonzero if x is an array of floats with at least `least` dimensions. */
static int takes(const gg_op *op, gg_var *x, unsigned int least) {
  if (!gg__given(op, 1, &x))
    return 0;
  if (ga__dtype_kind(gg_var_type(x)->dtype) != GA_KIND_FLOAT) {
    gg__refuse(op, 1, &x, GA_UNSUPPORTED_ERROR, "expected a float dtype");
    return 0;
  }
  if (gg__rank_of(x) < least) {
    gg__refuse(op, 1, &x, GA_VALUE_ERROR, "expected %u dimensions or more",
               least);
    return 0;
  }
  return 1;
}

/* Nonzero if v, which may be NULL, is a vector with an element for each
 * channel, or with one. */
static int takes_vector(const gg_op *op, gg_var *x, gg_var *v) {
  gg_var *const in[2] = {x, v};

  if (v == NULL)
    return 1;
  if (gg__rank_of(v) != 1) {
    gg__refuse(op, 2, in, GA_VALUE_ERROR,
               "expected a vector of channels, got %u dimensions",
               gg__rank_of(v));
    return 0;
  }
  const int64_t n = gg_var_type(v)->dims[0], channels = gg_var_type(x)->dims[1];
  if (n == 1 || n == channels || n == GG_ANY || channels == GG_ANY)
    return 1;
  gg__refuse(op, 2, in, GA_VALUE_ERROR,
             "a vector of %lld elements for %lld channels", (long long)n,
             (long long)channels);
  return 0;
}

static gg_var *working(gg_var *x) {
  return gg_cast(x, ga__dtype_work(gg_var_type(x)->dtype));
}

/* A vector of channels beside x [images, channels, ...]. */
static gg_var *along_channels(gg_var *v, gg_var *x) {
  int pattern[GG_MAX_ND];

  for (unsigned int d = 0; d < gg__rank_of(x); d++)
    pattern[d] = d == 1 ? 0 : -1;
  return gg_dimshuffle(v, gg__rank_of(x), pattern);
}

static gg_var *inverse_root(gg_var *variance, double epsilon) {
  return variance != NULL
             ? gg_rsqrt(
                   gg_add(variance, gg_weak(gg_var_graph(variance), epsilon)))
             : NULL;
}

/* y in the dtype of x, scaled and moved. Factors may be NULL. */
static gg_var *finish(gg_var *x, gg_var *y, gg_var *scale, gg_var *bias) {
  if (y == NULL)
    return NULL;
  if (scale != NULL)
    y = gg_mul(y, scale);
  if (bias != NULL)
    y = gg_add(y, bias);
  return gg_cast(y, gg_var_type(x)->dtype);
}

/* The same with vectors of channels. */
static gg_var *finish_channels(gg_var *x, gg_var *y, gg_var *scale,
                               gg_var *bias) {
  return finish(x, y, scale != NULL ? along_channels(scale, x) : NULL,
                bias != NULL ? along_channels(bias, x) : NULL);
}

/* (x - mean) / sqrt(variance + epsilon) over n axes, in the work type. */
static gg_var *normalised(gg_var *x, unsigned int n, const int *axes,
                          double epsilon) {
  x = working(x);
  return gg_mul(gg_sub(x, gg_mean_axes(x, n, axes, 1)),
                inverse_root(gg_variance(x, n, axes, 1, 0), epsilon));
}

/* Fill `axes` with those from `first` on. Returns how many there are. */
static unsigned int axes_from(gg_var *x, unsigned int first, int *axes) {
  unsigned int n = 0;

  for (unsigned int d = first; d < gg__rank_of(x); d++)
    axes[n++] = (int)d;
  return n;
}

/* What vectors of channels must be, for messages. */
static const char vectors[] = "vectors have an element for each channel";

/* --- over the last axes --- */

gg_var *gg_layer_norm(gg_var *x, int axis, gg_var *scale, gg_var *bias,
                      double epsilon) {
  static const gg_op op = {.name = "layer_norm"};
  unsigned int first;
  int axes[GG_MAX_ND];

  if (!gg__given_beside(&op, x, 2, (gg_var *[]){scale, bias}) ||
      !takes(&op, x, 1) || gg__axis(x, &op, axis, &first) != GA_NO_ERROR)
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 3, (gg_var *[]){x, scale, bias},
                     "scale and bias broadcast to the sizes of x");
  gg_var *y = normalised(x, axes_from(x, first, axes), axes, epsilon);
  return gg_parts_end(g, outer, finish(x, y, scale, bias));
}

gg_var *gg_rms_norm(gg_var *x, int axis, gg_var *scale, double epsilon) {
  static const gg_op op = {.name = "rms_norm"};
  unsigned int first;
  int axes[GG_MAX_ND];

  if (!gg__given_beside(&op, x, 1, &scale) || !takes(&op, x, 1) ||
      gg__axis(x, &op, axis, &first) != GA_NO_ERROR)
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 2, (gg_var *[]){x, scale},
                     "the scale broadcasts to the sizes of x");
  gg_var *v = working(x);
  gg_var *mean = gg_mean_axes(gg_sqr(v), axes_from(x, first, axes), axes, 1);
  gg_var *y = gg_mul(v, inverse_root(mean, epsilon));
  return gg_parts_end(g, outer, finish(x, y, scale, NULL));
}

/* --- channels --- */

/* x [images, channels, ...] normalised over groups of channels. */
static gg_var *normalised_groups(gg_var *x, unsigned int groups,
                                 double epsilon) {
  const int last = 2;
  gg_graph *g = gg_var_graph(x);
  gg_var *const sizes[3] = {
      gg_shape(x, 0), gg_i64(g, groups),
      gg__number_mul(gg__number_over(gg_shape(x, 1), groups),
                     gg__number_of(x, 2, gg__rank_of(x)))};
  gg_var *y = normalised(gg_reshape_sizes(x, 3, sizes), 1, &last, epsilon);

  return y != NULL ? gg__reshape_like(y, x) : NULL;
}

gg_var *gg_group_norm(gg_var *x, unsigned int groups, gg_var *scale,
                      gg_var *bias, double epsilon) {
  static const gg_op op = {.name = "group_norm"};

  if (!gg__given_beside(&op, x, 2, (gg_var *[]){scale, bias}) ||
      !takes(&op, x, 2) || !takes_vector(&op, x, scale) ||
      !takes_vector(&op, x, bias))
    return NULL;
  const int64_t channels = gg_var_type(x)->dims[1];
  if (groups == 0)
    return gg__refuse(&op, 1, &x, GA_VALUE_ERROR,
                      "0 groups, expected 1 or more");
  if (channels >= 0 && channels % groups != 0)
    return gg__refuse(&op, 1, &x, GA_VALUE_ERROR,
                      "%lld channels are no multiple of %u groups",
                      (long long)channels, groups);
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 3, (gg_var *[]){x, scale, bias},
                     "groups divide the channels, and vectors have an element "
                     "for each channel");
  return gg_parts_end(
      g, outer,
      finish_channels(x, normalised_groups(x, groups, epsilon), scale, bias));
}

gg_var *gg_instance_norm(gg_var *x, gg_var *scale, gg_var *bias,
                         double epsilon) {
  static const gg_op op = {.name = "instance_norm"};
  int axes[GG_MAX_ND];

  if (!gg__given_beside(&op, x, 2, (gg_var *[]){scale, bias}) ||
      !takes(&op, x, 3) || !takes_vector(&op, x, scale) ||
      !takes_vector(&op, x, bias))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer =
      gg_parts_begin(g, &op, 3, (gg_var *[]){x, scale, bias}, vectors);
  gg_var *y = normalised(x, axes_from(x, 2, axes), axes, epsilon);
  return gg_parts_end(g, outer, finish_channels(x, y, scale, bias));
}

/* Nonzero if all are vectors of channels of x. */
static int takes_batch(const gg_op *op, gg_var *x, gg_var *scale, gg_var *bias,
                       gg_var *mean, gg_var *variance) {
  gg_var *const in[3] = {x, mean, variance};

  return gg__given(op, 3, in) && takes(op, x, 2) &&
         takes_vector(op, x, scale) && takes_vector(op, x, bias) &&
         takes_vector(op, x, mean) && takes_vector(op, x, variance);
}

gg_var *gg_batch_norm(gg_var *x, gg_var *scale, gg_var *bias, gg_var *mean,
                      gg_var *variance, double epsilon) {
  static const gg_op op = {.name = "batch_norm"};

  if (!takes_batch(&op, x, scale, bias, mean, variance))
    return NULL;
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(
      g, &op, 5, (gg_var *[]){x, scale, bias, mean, variance}, vectors);
  gg_var *inverse = inverse_root(working(variance), epsilon);
  gg_var *centred = gg_sub(working(x), along_channels(mean, x));
  gg_var *y = gg_mul(centred, along_channels(inverse, x));
  return gg_parts_end(g, outer, finish_channels(x, y, scale, bias));
}

/* (1 - momentum) old + momentum now, in the dtype of the old ones. */
static gg_var *running(gg_var *old, gg_var *now, double momentum) {
  gg_graph *g = gg_var_graph(old);

  return gg_cast(gg_add(gg_mul(old, gg_weak(g, 1 - momentum)),
                        gg_mul(now, gg_weak(g, momentum))),
                 gg_var_type(old)->dtype);
}

/* The variance of a sample whose variance as a population is given; each of its
 * elements is that of n / channels elements of x. */
static gg_var *of_sample(gg_var *variance, gg_var *x) {
  gg_graph *g = gg_var_graph(x);
  gg_var *n = gg_cast(gg_floordiv(gg_size(x), gg_shape(x, 1)),
                      gg_var_type(variance)->dtype);

  return gg_mul(variance, gg_div(n, gg_sub(n, gg_weak_int(g, 1))));
}

int gg_batch_norm_train(gg_var **out, gg_var *x, gg_var *scale, gg_var *bias,
                        gg_var *mean, gg_var *variance, double momentum,
                        unsigned int ddof, double epsilon) {
  static const gg_op op = {.name = "batch_norm_train"};
  int axes[GG_MAX_ND] = {0};

  if (out == NULL)
    return ga__fail(GA_INVALID_ERROR, "nowhere to write results");
  out[0] = out[1] = out[2] = NULL;
  if (!takes_batch(&op, x, scale, bias, mean, variance))
    return x != NULL ? gg_graph_status(gg_var_graph(x)) : GA_VALUE_ERROR;
  if (ddof > 1) {
    gg__refuse(&op, 1, &x, GA_VALUE_ERROR, "ddof is %u, expected 0 or 1", ddof);
    return GA_VALUE_ERROR;
  }
  gg_graph *const g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(
      g, &op, 5, (gg_var *[]){x, scale, bias, mean, variance}, vectors);
  const unsigned int n = 1 + axes_from(x, 2, axes + 1);
  gg_var *v = working(x), *now = gg_mean_axes(v, n, axes, 0);
  gg_var *spread = gg_variance(v, n, axes, 0, 0);
  out[0] = gg_batch_norm(x, scale, bias, now, spread, epsilon);
  out[1] = running(mean, now, momentum);
  out[2] =
      running(variance, ddof == 1 ? of_sample(spread, v) : spread, momentum);
  gg_parts_end(g, outer, NULL);
  return gg_graph_status(g);
}

/* The mean of `size` neighbouring channels, where those that do not exist count
 * as zeros. Windows along the axes behind them have size 1; where these are too
 * many, they are joined to one. */
static gg_var *mean_near(gg_var *x, size_t size) {
  const unsigned int nd = gg__rank_of(x);
  const GpuPooling p = {.nd = nd <= 1 + GA_POOLING_ND ? nd - 1 : 2,
                        .size = {size, 1, 1},
                        .stride = {1, 1, 1},
                        .dilation = {1, 1, 1},
                        .before = {(size - 1) / 2},
                        .after = {size / 2},
                        .flags = GA_POOLING_COUNT_ALL};
  gg_var *const joined[3] = {gg_shape(x, 0), gg_shape(x, 1),
                             gg__number_of(x, 2, nd)};

  if (nd <= 1 + GA_POOLING_ND)
    return gg_pool_mean(x, &p);
  return gg__reshape_like(gg_pool_mean(gg_reshape_sizes(x, 3, joined), &p), x);
}

gg_var *gg_local_response_norm(gg_var *x, size_t size, double alpha,
                               double beta, double k) {
  static const gg_op op = {.name = "local_response_norm"};

  if (!takes(&op, x, 2))
    return NULL;
  if (size == 0 || size > INT32_MAX / 4)
    return gg__refuse(&op, 1, &x, GA_VALUE_ERROR,
                      "%zu channels around each one", size);
  gg_graph *g = gg_var_graph(x);
  const gg_parts *outer = gg_parts_begin(g, &op, 1, &x, NULL);
  gg_var *v = working(x), *mean = mean_near(gg_sqr(v), size);
  gg_var *base = gg_add(gg_mul(mean, gg_weak(g, alpha)), gg_weak(g, k));
  gg_var *root = gg_rsqrt(base);
  gg_var *y = beta == 0.75 /* the usual one: roots are faster than powers */
                  ? gg_mul(v, gg_mul(root, gg_sqrt(root)))
                  : gg_mul(v, gg_pow(base, gg_weak(g, -beta)));
  return gg_parts_end(g, outer, finish(x, y, NULL, NULL));
}

gg_var *gg_dropout(gg_random *r, gg_var *x, double p) {
  const gg_op *op = GG_CALLED("dropout");

  if (!takes(op, x, 0))
    return NULL;
  if (!(p >= 0 && p < 1))
    return gg__refuse(op, 1, &x, GA_VALUE_ERROR,
                      "the probability is %g, expected 0 or more and below 1",
                      p);
  if (r == NULL)
    return gg__refuse(op, 1, &x, GA_INVALID_ERROR, "no random numbers");
  gg_graph *g = gg_var_graph(x);
  gg_var *u = gg_random_uniform(r, GG_DRAW_LIKE(GA_FLOAT, x), gg_f32(g, 0),
                                gg_f32(g, 1));
  return gg_where(gg_lt(u, gg_f32(g, (float)p)), gg_weak(g, 0),
                  gg_mul(x, gg_weak(g, 1 / (1 - p))));
}
