/* SPDX-License-Identifier: BSD-2-Clause */
#include "layers.h"

/* Add the operations of a product with `n` sums of `each` elements. */
static void count(vision *v, double n, double each) {
  if (v->flops == 0)
    v->first = 2 * n * each;
  v->flops += 2 * n * each;
}

static double elements(const gg_var *x) {
  const gg_type *t = gg_var_type(x);
  double n = 1;

  for (unsigned int d = 0; d < t->nd; d++)
    n *= (double)t->dims[d];
  return n;
}

static gg_var *convolve(vision *v, gg_params *p, const char *name, gg_var *x,
                        size_t filters, size_t k, size_t stride, size_t groups,
                        int flags) {
  const size_t size[2] = {k, k};
  const size_t each = (size_t)gg_var_type(x)->dims[1] / groups;
  const size_t dims[4] = {filters, each, k, k};
  const GpuConv geometry = {.nd = 2,
                            .stride = {stride, stride},
                            .dilation = {1, 1},
                            .before = {k / 2, k / 2},
                            .after = {k / 2, k / 2},
                            .groups = groups};

  gg_param(gg_params_group(p, name), "weight", 4, dims, gg_init_he_normal(0));
  gg_var *y = gg_nn_conv(p, name, x, filters, size, &geometry, flags);
  if (y != NULL)
    count(v, elements(y), (double)(each * k * k));
  return y;
}

/* Batch normalisation that changes its operand: with the values of a trained
 * network's kind. */
static gg_var *normalise(gg_params *p, const char *name, gg_var *x) {
  gg_params *own = gg_params_group(p, name);
  const size_t c = x != NULL ? (size_t)gg_var_type(x)->dims[1] : 0;

  gg_param(own, "weight", 1, &c, gg_init_uniform(0.5, 1));
  gg_param(own, "bias", 1, &c, gg_init_uniform(-0.1, 0.1));
  gg_param_state(own, "running_mean", 1, &c, gg_init_uniform(-0.1, 0.1));
  gg_param_state(own, "running_var", 1, &c, gg_init_uniform(0.8, 1.2));
  return gg_nn_batch_norm(p, name, x);
}

gg_var *vision_conv(vision *v, const char *name, gg_var *x, size_t filters,
                    size_t k, size_t stride, size_t groups) {
  gg_params *p = gg_params_group(v->p, name);

  if (x == NULL)
    return NULL;
  gg_var *y =
      convolve(v, p, "conv", x, filters, k, stride, groups, GG_NN_NO_BIAS);
  return normalise(p, "norm", y);
}

gg_var *vision_mix(vision *v, const char *name, gg_var *x, size_t filters) {
  return x != NULL ? convolve(v, v->p, name, x, filters, 1, 1, 1, 0) : NULL;
}

gg_var *vision_dense(vision *v, const char *name, gg_var *x, size_t units) {
  if (x == NULL)
    return NULL;
  count(v, (double)gg_var_type(x)->dims[0] * (double)units,
        (double)gg_var_type(x)->dims[1]);
  return gg_nn_dense(v->p, name, x, units, 0);
}

gg_var *vision_mean(gg_var *x) {
  return gg_pool_global(x, GG_POOL_MEAN, 2, 0);
}

gg_var *vision_means(gg_var *x) {
  return gg_squeeze(gg_squeeze(vision_mean(x), 3), 2);
}
