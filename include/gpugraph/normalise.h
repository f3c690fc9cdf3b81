/* SPDX-License-Identifier: BSD-2-Clause */
/** \file normalise.h
 *  Normalisations, and dropout. All are composed of other ops: statistics and
 *  maps fuse, and there are gradients.
 *
 *  (x - mean) / sqrt(variance + epsilon) scale + bias, with statistics over
 *  some axes of x. Arrays with channels have the order [images, channels,
 *  sizes...]. `scale` and `bias` may be NULL: 1 and 0. x is float; statistics
 *  of narrow floats are computed in float32, and the result has the dtype of x.
 *  On error every function returns NULL, or a GA_* code, and leaves the reason
 *  in the graph.
 */
#ifndef GPUGRAPH_NORMALISE_H
#define GPUGRAPH_NORMALISE_H

#include <gpugraph/random.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Normalise over axis `axis` and those behind it. scale and bias broadcast to
 *  x; mostly they have the sizes of these axes. */
GG_PUBLIC gg_var *gg_layer_norm(gg_var *x, int axis, gg_var *scale,
                                gg_var *bias, double epsilon);
/** x / sqrt(mean(x^2) + epsilon) scale, over axis `axis` and those behind
 *  it. */
GG_PUBLIC gg_var *gg_rms_norm(gg_var *x, int axis, gg_var *scale,
                              double epsilon);
/** Normalise each image over `groups` groups of neighbouring channels, whose
 *  number is a multiple of it. scale and bias have an element for each
 *  channel. */
GG_PUBLIC gg_var *gg_group_norm(gg_var *x, unsigned int groups, gg_var *scale,
                                gg_var *bias, double epsilon);
/** Normalise each channel of each image. */
GG_PUBLIC gg_var *gg_instance_norm(gg_var *x, gg_var *scale, gg_var *bias,
                                   double epsilon);
/** Normalise each channel by a mean and a variance that are given, vectors with
 *  an element for each channel: batch normalisation for inference. */
GG_PUBLIC gg_var *gg_batch_norm(gg_var *x, gg_var *scale, gg_var *bias,
                                gg_var *mean, gg_var *variance, double epsilon);
/** Normalise each channel over all images: batch normalisation for training.
 *
 *  \param mean,variance the running statistics
 *  \param momentum the part of the new statistics in the running ones
 *  \param ddof  1: the running variance is that of a sample; 0: that of a
 *               population. x is normalised by the latter in any case.
 *  \param out   the result, and the new running mean and variance, which mostly
 *               are updates of shared variables */
GG_PUBLIC int gg_batch_norm_train(gg_var **out, gg_var *x, gg_var *scale,
                                  gg_var *bias, gg_var *mean, gg_var *variance,
                                  double momentum, unsigned int ddof,
                                  double epsilon);
/** x / (k + alpha / size * s)^beta, where s is the sum of squares of the `size`
 *  channels around each one: for an even size as in ONNX, with one more behind
 *  than in front (PyTorch has one more in front). */
GG_PUBLIC gg_var *gg_local_response_norm(gg_var *x, size_t size, double alpha,
                                         double beta, double k);
/** Zeros with probability p, below 1, and else x / (1 - p). A draw of `r`, for
 *  training; in inference leave it out. The gradient uses the same zeros. */
GG_PUBLIC gg_var *gg_dropout(gg_random *r, gg_var *x, double p);

#ifdef __cplusplus
}
#endif

#endif
