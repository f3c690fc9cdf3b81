/* SPDX-License-Identifier: BSD-2-Clause */
/** \file initial.h
 *  First values of parameters, with the names and formulas of torch.nn.init.
 *
 *  A matrix of weights is [outputs, inputs], as in PyTorch; filters of a
 *  convolution are [outputs, inputs, sizes...]. Its fan-in is the number of
 *  inputs that one output sums up: all elements over those of axis 0; its
 *  fan-out the same with axis 1 in place of axis 0.
 *
 *  The host draws the numbers. They depend on nothing but the seed: not on the
 *  device, the dtype or on what else is drawn.
 */
#ifndef GPUGRAPH_INITIAL_H
#define GPUGRAPH_INITIAL_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gg_initial_kind {
  GG_INIT_CONSTANT = 0,
  GG_INIT_UNIFORM,
  GG_INIT_NORMAL,
  GG_INIT_TRUNCATED,
  GG_INIT_GLOROT_UNIFORM,
  GG_INIT_GLOROT_NORMAL,
  GG_INIT_HE_UNIFORM,
  GG_INIT_HE_NORMAL,
  GG_INIT_ORTHOGONAL
} gg_initial_kind;

/** How values are drawn. The functions below make one; zeroed, it is zeros. */
typedef struct gg_initial {
  gg_initial_kind kind;
  double a, b;      /**< value; low, high; mean, deviation; gain; slope */
  double low, high; /**< GG_INIT_TRUNCATED: bounds */
  int by_fan_out;   /**< GG_INIT_HE_*: keep the variance of gradients instead of
                         that of values */
} gg_initial;

GG_PUBLIC gg_initial gg_init_constant(double value);
/** Uniform in [low, high). */
GG_PUBLIC gg_initial gg_init_uniform(double low, double high);
GG_PUBLIC gg_initial gg_init_normal(double mean, double deviation);
/** Normal, drawn again until it is in [low, high]. At least 1 % of the draws
 *  must be there. */
GG_PUBLIC gg_initial gg_init_truncated(double mean, double deviation,
                                       double low, double high);
/** Uniform within gain sqrt(6 / (fan-in + fan-out)), and normal with the
 *  deviation gain sqrt(2 / (fan-in + fan-out)) (Glorot and Bengio, 2010). */
GG_PUBLIC gg_initial gg_init_glorot_uniform(double gain);
GG_PUBLIC gg_initial gg_init_glorot_normal(double gain);
/** Uniform within gain sqrt(3 / fan-in), and normal with the deviation gain /
 *  sqrt(fan-in), where gain is sqrt(2 / (1 + slope^2)): for layers before
 *  gg_leaky_relu of this slope, 0 for gg_relu (He and others, 2015). */
GG_PUBLIC gg_initial gg_init_he_uniform(double slope);
GG_PUBLIC gg_initial gg_init_he_normal(double slope);
/** gain times a matrix whose rows, or columns if these are fewer, are
 *  orthonormal; all axes but the first count as columns. */
GG_PUBLIC gg_initial gg_init_orthogonal(double gain);

/** Fill host memory, in C order, with n values of a float dtype, where n is the
 *  product of the nd sizes. GA_VALUE_ERROR, before anything is written, if the
 *  numbers of `how` make no sense, or if it needs two axes and there are
 *  fewer. */
GG_PUBLIC int gg_init_fill(void *values, int dtype, unsigned int nd,
                           const size_t *dims, gg_initial how, uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif
