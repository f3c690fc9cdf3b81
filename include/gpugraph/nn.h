/* SPDX-License-Identifier: BSD-2-Clause */
/** \file nn.h
 *  The training kit: parameters and layers. Everything in it is
 *  written against the public headers, is optional, and can be mixed with the
 *  ops of gpugraph.h, which this header includes. docs/training.md is its
 *  guide.
 */
#ifndef GPUGRAPH_NN_H
#define GPUGRAPH_NN_H

#include <gpugraph/gpugraph.h>
#include <gpugraph/initial.h>
#include <gpugraph/layers.h>
#include <gpugraph/params.h>

#ifndef GG_NO_SITES
#define gg_param(...) GG_SITED_CALLER(gg_param, __VA_ARGS__)
#define gg_param_state(...) GG_SITED_CALLER(gg_param_state, __VA_ARGS__)
#define gg_nn_dense(...) GG_SITED_CALLER(gg_nn_dense, __VA_ARGS__)
#define gg_nn_embedding(...) GG_SITED_CALLER(gg_nn_embedding, __VA_ARGS__)
#define gg_nn_conv(...) GG_SITED_CALLER(gg_nn_conv, __VA_ARGS__)
#define gg_nn_layer_norm(...) GG_SITED_CALLER(gg_nn_layer_norm, __VA_ARGS__)
#define gg_nn_batch_norm(...) GG_SITED_CALLER(gg_nn_batch_norm, __VA_ARGS__)
#define gg_nn_dropout(...) GG_SITED_CALLER(gg_nn_dropout, __VA_ARGS__)
#endif

#endif
