/* SPDX-License-Identifier: BSD-2-Clause */
/* The networks of bench_vision.c, and the layers that they share. Parameters
 * have the names that vision_torch.py gives them. */
#ifndef BENCH_VISION_LAYERS_H
#define BENCH_VISION_LAYERS_H

#include <gpugraph/nn.h>

enum { VISION_CLASSES = 1000 };

/* A network that is being built: its parameters, and the operations of one
 * pass over a batch. */
typedef struct vision {
  gg_params *p;
  double flops, first; /* of all layers, of the first one */
} vision;

/* The scores of x [images, 3, side, side]. */
gg_var *vision_resnet50(vision *v, gg_var *x);
gg_var *vision_mobilenet(vision *v, gg_var *x);

/* A convolution with k x k elements, padded by half of them, without bias, and
 * a batch normalisation. */
gg_var *vision_conv(vision *v, const char *name, gg_var *x, size_t filters,
                    size_t k, size_t stride, size_t groups);
/* A convolution of 1 x 1 elements with a bias. */
gg_var *vision_mix(vision *v, const char *name, gg_var *x, size_t filters);
gg_var *vision_dense(vision *v, const char *name, gg_var *x, size_t units);
/* The mean of each channel: [images, channels, 1, 1], and [images, channels].
 */
gg_var *vision_mean(gg_var *x);
gg_var *vision_means(gg_var *x);

#endif
