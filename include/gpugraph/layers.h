/* SPDX-License-Identifier: BSD-2-Clause */
/** \file layers.h
 *  Layers: functions of a group of parameters and a variable.
 *
 *  A layer makes its parameters in the group `name` within `p`, with the names,
 *  sizes and first values that they have in PyTorch, so that models can be
 *  exchanged by safetensors files. A layer of the same name shares them.
 *  params.h says how to choose other first values, and how layers are built for
 *  training or inference.
 *
 *  Sizes that decide those of parameters must be known when the layer is built
 *  (gg_specify_shape), else GA_VALUE_ERROR. Parameters have the dtype of the
 *  group; results have the common dtype of x and the parameters. Every function
 *  returns NULL on error and leaves the reason in the graph. Each is a few
 *  lines (src/nn/layers.c): an example of how to write others.
 */
#ifndef GPUGRAPH_LAYERS_H
#define GPUGRAPH_LAYERS_H

#include <gpugraph/conv.h>
#include <gpugraph/params.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GG_NN_NO_BIAS 1 /**< a layer without the parameter "bias" */
#define GG_NN_CAUSAL 2  /**< attention that does not look at later positions */
#define GG_NN_BOTH_WAYS                                                        \
  4 /**< recurrent layers that also read from the last step to the first */

/** x W^T + b along the last axis of x [..., inputs]: "weight" [units, inputs],
 *  "bias" [units], both uniform within 1 / sqrt(inputs). torch.nn.Linear.
 *
 *  \param flags 0 or GG_NN_NO_BIAS */
GG_PUBLIC gg_var *gg_nn_dense(gg_params *p, const char *name, gg_var *x,
                              size_t units, int flags);
/** The rows of a table that the integers x, of any rank, select along a new
 *  last axis: "weight" [rows, size], standard normal. torch.nn.Embedding. */
GG_PUBLIC gg_var *gg_nn_embedding(gg_params *p, const char *name, gg_var *x,
                                  size_t rows, size_t size);
/** gg_conv of x [images, channels, sizes...]: "weight" [filters, channels of a
 *  group, sizes...], "bias" [filters], both uniform within 1 / sqrt(elements of
 *  a filter). torch.nn.Conv1d, 2d, 3d.
 *
 *  \param size  of the filters along each spatial dimension
 *  \param c     the geometry; NULL: as in gg_conv
 *  \param flags 0 or GG_NN_NO_BIAS */
GG_PUBLIC gg_var *gg_nn_conv(gg_params *p, const char *name, gg_var *x,
                             size_t filters, const size_t *size,
                             const GpuConv *c, int flags);
/** gg_layer_norm over axis `axis` and those behind it: "weight", ones, and
 *  "bias", zeros, of their sizes; epsilon is 1e-5. torch.nn.LayerNorm. */
GG_PUBLIC gg_var *gg_nn_layer_norm(gg_params *p, const char *name, gg_var *x,
                                   int axis);
/** gg_rms_norm over axis `axis` and those behind it: "weight", ones, of their
 *  sizes; epsilon is that of the dtype. torch.nn.RMSNorm. */
GG_PUBLIC gg_var *gg_nn_rms_norm(gg_params *p, const char *name, gg_var *x,
                                 int axis);
/** gg_group_norm of x [images, channels, sizes...] over `groups` groups, which
 *  divide the channels: "weight", ones, and "bias", zeros, with an element for
 *  each channel; epsilon is 1e-5. torch.nn.GroupNorm. */
GG_PUBLIC gg_var *gg_nn_group_norm(gg_params *p, const char *name, gg_var *x,
                                   unsigned int groups);
/** gg_instance_norm of x [images, channels, sizes...]: the same parameters and
 *  epsilon. torch.nn.InstanceNorm1d, 2d, 3d with affine=True. */
GG_PUBLIC gg_var *gg_nn_instance_norm(gg_params *p, const char *name,
                                      gg_var *x);
/** Batch normalisation of each channel of x [images, channels, sizes...]:
 *  "weight", ones, "bias", zeros, and the states "running_mean", zeros, and
 *  "running_var", ones; epsilon is 1e-5, momentum 0.1. In training the updates
 *  of an optimiser advance the states; in inference x is normalised by them.
 *  torch.nn.BatchNorm1d, 2d, 3d. */
GG_PUBLIC gg_var *gg_nn_batch_norm(gg_params *p, const char *name, gg_var *x);
/** gg_dropout in training, x itself in inference. torch.nn.Dropout. */
GG_PUBLIC gg_var *gg_nn_dropout(gg_params *p, gg_var *x, double probability);

/** How attention is computed; zeroed but for `heads`, as usual. */
typedef struct gg_attention {
  size_t heads;   /**< a divisor of the last size of the query */
  int flags;      /**< 0, GG_NN_NO_BIAS, GG_NN_CAUSAL, or both */
  double dropout; /**< of the weights of attention, in training */
  /** Broadcasts to [images, heads, positions of the query, positions of the
   *  key], or NULL. Where a bool is true, the key is not looked at; a float is
   *  added to the product. A position that may look at nothing gives NaN. */
  gg_var *mask;
} gg_attention;

/** Attention with several heads: for query q [images, n, size], key k [images,
 *  m, ...] and value v [images, m, ...], each image and head on its own,
 *  softmax(q k^T / sqrt(size / heads)) v of their projections, projected once
 *  more: [images, n, size]. Attention to itself has q, k and v the same.
 *
 *  "in_proj_weight" [3 size, size] has the projections of q, k and v. If k or v
 *  has another last size than q, they are "q_proj_weight", "k_proj_weight" and
 *  "v_proj_weight" [size, ...]. "in_proj_bias" [3 size]; "out_proj.weight"
 *  [size, size], "out_proj.bias" [size]. Biases begin as zeros.
 *  torch.nn.MultiheadAttention with batch_first. */
GG_PUBLIC gg_var *gg_nn_attention(gg_params *p, const char *name, gg_var *q,
                                  gg_var *k, gg_var *v,
                                  const gg_attention *how);

/** layers(arg, x), whose gradient keeps x and computes all else again: less
 *  memory, and up to half more time. Products may round differently. `layers`
 *  is called once, to build them in a loop (scan.h). It may draw random
 *  numbers, but has no gg_nn_batch_norm for training, whose statistics leave
 *  the loop. torch.utils.checkpoint. */
GG_PUBLIC gg_var *gg_checkpoint(gg_var *(*layers)(void *arg, gg_var *x),
                                void *arg, gg_var *x);

#ifdef __cplusplus
}
#endif

#endif
