/* SPDX-License-Identifier: BSD-2-Clause */
/* Layers: parameters with PyTorch's names and first values, and the ops that
 * use them. */
#include <gpugraph/layers.h>

#include <math.h>

#include "nn/layer.h"

/* --- operands --- */

int gg__layer_given(const gg_params *p, const char *what, gg_var *x) {
  gg_graph *g = p != NULL ? p->root->g : gg_var_graph(x);

  if (g != NULL && (p == NULL || x == NULL))
    gg__nn_fail(g, what, x, GA_VALUE_ERROR, "%s is NULL",
                p == NULL ? "the group of parameters" : "the operand");
  return p != NULL && x != NULL;
}

int gg__layer_takes(const gg_params *p, const char *what, gg_var *x,
                    unsigned int least, unsigned int axis, size_t *size) {
  if (!gg__layer_given(p, what, x))
    return 0;
  const gg_type *t = gg_var_type(x);
  if (t->nd < least) {
    gg__nn_fail(p->root->g, what, x, GA_VALUE_ERROR, "expected %u axes or more",
                least);
    return 0;
  }
  if (t->dims[axis] < 0) {
    gg__nn_fail(p->root->g, what, x, GA_VALUE_ERROR,
                "the size of axis %u decides that of parameters, and is not "
                "known: gg_input_sized and gg_specify_shape tell it",
                axis);
    return 0;
  }
  *size = (size_t)t->dims[axis];
  return 1;
}

int gg__layer_flags(const gg_params *p, const char *what, gg_var *x, int flags,
                    int allowed) {
  return (flags & ~allowed) == 0
             ? GA_NO_ERROR
             : gg__nn_fail(p->root->g, what, x, GA_VALUE_ERROR,
                           "unknown flags %d", flags & ~allowed);
}

static unsigned int rank(const gg_var *x) {
  return gg_var_type(x)->nd;
}

gg_initial gg__within_root(size_t n) {
  const double most = n > 0 ? 1 / sqrt((double)n) : 0;

  return gg_init_uniform(-most, most);
}

/* --- products --- */

gg_var *gg__along_last(gg_var *x, gg_var *w) {
  gg_var *wt = gg_transpose(w);

  return rank(x) <= 2 ? gg_dot(x, wt) : gg_tensordot(x, wt, 1, NULL, NULL);
}

gg_var *gg_nn_dense(gg_params *p, const char *name, gg_var *x, size_t units,
                    int flags) {
  const unsigned int last = x != NULL && rank(x) > 0 ? rank(x) - 1 : 0;
  size_t inputs;

  if (!gg__layer_takes(p, "nn_dense", x, 1, last, &inputs) ||
      gg__layer_flags(p, "nn_dense", x, flags, GG_NN_NO_BIAS) != GA_NO_ERROR)
    return NULL;
  gg_params *own = gg_params_group(p, name);
  gg_var *w = gg_param(own, "weight", 2, (size_t[]){units, inputs},
                       gg__within_root(inputs));
  if (w == NULL)
    return NULL;
  gg_var *y = gg__along_last(x, w);
  if ((flags & GG_NN_NO_BIAS) != 0)
    return y;
  return gg_add(y, gg_param(own, "bias", 1, &units, gg__within_root(inputs)));
}

gg_var *gg_nn_embedding(gg_params *p, const char *name, gg_var *x, size_t rows,
                        size_t size) {
  gg_var *sizes[GG_MAX_ND];

  if (!gg__layer_given(p, "nn_embedding", x))
    return NULL;
  if (rank(x) >= GG_MAX_ND) {
    gg__nn_fail(gg_var_graph(x), "nn_embedding", x, GA_VALUE_ERROR,
                "the result has too many axes");
    return NULL;
  }
  gg_var *w = gg_param(gg_params_group(p, name), "weight", 2,
                       (size_t[]){rows, size}, gg_init_normal(0, 1));
  if (rank(x) == 1)
    return gg_take(w, x);
  gg_var *y = gg_take(w, gg_flatten(x));
  for (unsigned int i = 0; i < rank(x); i++)
    sizes[i] = gg_shape(x, (int)i);
  sizes[rank(x)] = gg_shape(w, 1);
  return gg_reshape_sizes(y, rank(x) + 1, sizes);
}

/* --- convolution --- */

/* A vector of channels beside x [images, channels, ...]. */
static gg_var *along_channels(gg_var *v, const gg_var *x) {
  int pattern[GG_MAX_ND];

  if (v == NULL || x == NULL)
    return NULL;
  for (unsigned int d = 0; d < rank(x); d++)
    pattern[d] = d == 1 ? 0 : -1;
  return gg_dimshuffle(v, rank(x), pattern);
}

/* The sizes of filters; *inner is how many elements each has. */
static int filter_sizes(const gg_params *p, gg_var *x, size_t channels,
                        size_t filters, const size_t *size, const GpuConv *c,
                        size_t *dims, size_t *inner) {
  const size_t groups = c != NULL ? c->groups : 1;

  if (size == NULL || rank(x) < 3 || rank(x) > 2 + GA_CONV_ND)
    return gg__nn_fail(p->root->g, "nn_conv", x, GA_VALUE_ERROR,
                       "expected 3 to %d axes and sizes of filters",
                       2 + GA_CONV_ND);
  if (groups == 0 || channels % groups != 0)
    return gg__nn_fail(p->root->g, "nn_conv", x, GA_VALUE_ERROR,
                       "%zu channels in %zu groups", channels, groups);
  dims[0] = filters;
  dims[1] = *inner = channels / groups;
  for (unsigned int i = 0; i + 2 < rank(x); i++) {
    dims[2 + i] = size[i];
    *inner = ga__times(*inner, size[i]);
  }
  return GA_NO_ERROR;
}

gg_var *gg_nn_conv(gg_params *p, const char *name, gg_var *x, size_t filters,
                   const size_t *size, const GpuConv *c, int flags) {
  size_t channels, inner = 0, dims[2 + GA_CONV_ND] = {0};

  if (!gg__layer_takes(p, "nn_conv", x, 3, 1, &channels) ||
      gg__layer_flags(p, "nn_conv", x, flags, GG_NN_NO_BIAS) != GA_NO_ERROR ||
      filter_sizes(p, x, channels, filters, size, c, dims, &inner) !=
          GA_NO_ERROR)
    return NULL;
  gg_params *own = gg_params_group(p, name);
  gg_var *y = gg_conv(
      x, gg_param(own, "weight", rank(x), dims, gg__within_root(inner)), c);
  if ((flags & GG_NN_NO_BIAS) != 0)
    return y;
  gg_var *bias = gg_param(own, "bias", 1, &filters, gg__within_root(inner));
  return gg_add(y, along_channels(bias, y));
}

/* --- normalisation --- */

/* The sizes of x from axis *first on, which may count from the end; *n is how
 * many there are. */
static int sizes_from(const gg_params *p, const char *what, gg_var *x,
                      int *first, size_t *dims, unsigned int *n) {
  if (!gg__layer_given(p, what, x))
    return 0;
  const int nd = (int)rank(x), axis = *first;

  *first += axis < 0 ? nd : 0;
  if (*first < 0 || *first >= nd) {
    gg__nn_fail(gg_var_graph(x), what, x, GA_VALUE_ERROR, "there is no axis %d",
                axis);
    return 0;
  }
  *n = (unsigned int)(nd - *first);
  for (int i = *first; i < nd; i++)
    if (!gg__layer_takes(p, what, x, 1, (unsigned int)i, &dims[i - *first]))
      return 0;
  return 1;
}

gg_var *gg_nn_layer_norm(gg_params *p, const char *name, gg_var *x, int axis) {
  size_t dims[GG_MAX_ND] = {0};
  unsigned int n;

  if (!sizes_from(p, "nn_layer_norm", x, &axis, dims, &n))
    return NULL;
  gg_params *own = gg_params_group(p, name);
  gg_var *scale = gg_param(own, "weight", n, dims, gg_init_constant(1));
  gg_var *bias = gg_param(own, "bias", n, dims, gg_init_constant(0));
  return scale != NULL && bias != NULL
             ? gg_layer_norm(x, axis, scale, bias, 1e-5)
             : NULL;
}

/* The distance from 1 to the next number of the dtype of parameters. */
static double epsilon_of(const gg_params *p) {
  switch (gg_params_dtype(p)) {
  case GA_DOUBLE:
    return 0x1p-52;
  case GA_HALF:
    return 0x1p-10;
  case GA_BFLOAT:
    return 0x1p-7;
  default:
    return 0x1p-23;
  }
}

gg_var *gg_nn_rms_norm(gg_params *p, const char *name, gg_var *x, int axis) {
  size_t dims[GG_MAX_ND] = {0};
  unsigned int n;

  if (!sizes_from(p, "nn_rms_norm", x, &axis, dims, &n))
    return NULL;
  gg_var *scale = gg_param(gg_params_group(p, name), "weight", n, dims,
                           gg_init_constant(1));
  return scale != NULL ? gg_rms_norm(x, axis, scale, epsilon_of(p)) : NULL;
}

/* Make "weight" and "bias" with an element for each channel. */
static int take_channels(gg_params *p, const char *what, const char *name,
                         gg_var *x, gg_var **scale, gg_var **bias) {
  size_t n;

  if (!gg__layer_takes(p, what, x, 2, 1, &n))
    return 0;
  gg_params *own = gg_params_group(p, name);
  *scale = gg_param(own, "weight", 1, &n, gg_init_constant(1));
  *bias = gg_param(own, "bias", 1, &n, gg_init_constant(0));
  return *scale != NULL && *bias != NULL;
}

gg_var *gg_nn_group_norm(gg_params *p, const char *name, gg_var *x,
                         unsigned int groups) {
  gg_var *scale, *bias;

  return take_channels(p, "nn_group_norm", name, x, &scale, &bias)
             ? gg_group_norm(x, groups, scale, bias, 1e-5)
             : NULL;
}

gg_var *gg_nn_instance_norm(gg_params *p, const char *name, gg_var *x) {
  gg_var *scale, *bias;

  return take_channels(p, "nn_instance_norm", name, x, &scale, &bias)
             ? gg_instance_norm(x, scale, bias, 1e-5)
             : NULL;
}

/* The channels normalised by those of the batch; the states get new values. */
static gg_var *normalised_batch(gg_params *own, gg_var *x, gg_var *scale,
                                gg_var *bias, gg_var *mean, gg_var *variance) {
  gg_var *out[3];

  if (gg_batch_norm_train(out, x, scale, bias, mean, variance, 0.1, 1, 1e-5) !=
      GA_NO_ERROR)
    return NULL;
  gg_params_update(own, mean, gg_cast(out[1], gg_params_dtype(own)));
  gg_params_update(own, variance, gg_cast(out[2], gg_params_dtype(own)));
  return out[0];
}

gg_var *gg_nn_batch_norm(gg_params *p, const char *name, gg_var *x) {
  gg_var *scale, *bias;

  if (!take_channels(p, "nn_batch_norm", name, x, &scale, &bias))
    return NULL;
  const size_t n = (size_t)gg_var_type(x)->dims[1];
  gg_params *own = gg_params_group(p, name);
  gg_var *mean =
      gg_param_state(own, "running_mean", 1, &n, gg_init_constant(0));
  gg_var *variance =
      gg_param_state(own, "running_var", 1, &n, gg_init_constant(1));
  if (mean == NULL || variance == NULL)
    return NULL;
  return gg_params_is_training(own)
             ? normalised_batch(own, x, scale, bias, mean, variance)
             : gg_batch_norm(x, scale, bias, mean, variance, 1e-5);
}

gg_var *gg_nn_dropout(gg_params *p, gg_var *x, double probability) {
  if (!gg__layer_given(p, "nn_dropout", x))
    return NULL;
  if (!gg_params_is_training(p) || probability == 0)
    return x;
  return gg_dropout(gg_params_random(p), x, probability);
}
