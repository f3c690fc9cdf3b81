/* SPDX-License-Identifier: BSD-2-Clause */
/** \file augment.h
 *  Augmentations: training sees another version of an image in each step. They
 *  draw from the streams of the group (gg_params_random), for each image (index
 *  of axis 0) by itself, and have gradients. In inference nothing is drawn.
 *
 *      x = gg_nn_random_flip(p, x, 3, 0.5);
 *      x = gg_nn_random_crop(p, x, 2, 0, 4);
 *      x = gg_nn_random_crop(p, x, 3, 0, 4);
 *
 *  On error every function returns NULL and leaves the reason in the graph.
 */
#ifndef GPUGRAPH_AUGMENT_H
#define GPUGRAPH_AUGMENT_H

#include <gpugraph/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Reverse an axis, 1 or more, of each image with that probability. The size of
 *  the axis must be known. */
GG_PUBLIC gg_var *gg_nn_random_flip(gg_params *p, gg_var *x, int axis,
                                    double probability);
/** Add `padding` zeros at both ends of an axis, 1 or more, and take `size`
 *  elements in a row from anywhere in that; for inference from the middle,
 *  rounded down. 0 is the size that x has: images are shifted by up to
 *  `padding`. The size of the axis must be known. */
GG_PUBLIC gg_var *gg_nn_random_crop(gg_params *p, gg_var *x, int axis,
                                    size_t size, size_t padding);

#ifdef __cplusplus
}
#endif

#endif
