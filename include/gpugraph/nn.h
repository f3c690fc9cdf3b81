/* SPDX-License-Identifier: BSD-2-Clause */
/** \file nn.h
 *  The training kit: parameters, layers, losses, optimisers, minibatches, a
 *  loop. All of it is written against the public headers, is optional, and can
 *  be mixed with the ops of gpugraph.h, which this header includes.
 *  docs/training.md is its guide.
 */
#ifndef GPUGRAPH_NN_H
#define GPUGRAPH_NN_H

#include <gpugraph/augment.h>
#include <gpugraph/batches.h>
#include <gpugraph/data.h>
#include <gpugraph/gpugraph.h>
#include <gpugraph/initial.h>
#include <gpugraph/layers.h>
#include <gpugraph/lbfgs.h>
#include <gpugraph/losses.h>
#include <gpugraph/metrics.h>
#include <gpugraph/optimise.h>
#include <gpugraph/params.h>
#include <gpugraph/recurrent.h>
#include <gpugraph/schedules.h>
#include <gpugraph/train.h>

#ifndef GG_NO_SITES
#define gg_param(...) GG_SITED_CALLER(gg_param, __VA_ARGS__)
#define gg_param_state(...) GG_SITED_CALLER(gg_param_state, __VA_ARGS__)
#define gg_nn_dense(...) GG_SITED_CALLER(gg_nn_dense, __VA_ARGS__)
#define gg_nn_embedding(...) GG_SITED_CALLER(gg_nn_embedding, __VA_ARGS__)
#define gg_nn_conv(...) GG_SITED_CALLER(gg_nn_conv, __VA_ARGS__)
#define gg_nn_layer_norm(...) GG_SITED_CALLER(gg_nn_layer_norm, __VA_ARGS__)
#define gg_nn_rms_norm(...) GG_SITED_CALLER(gg_nn_rms_norm, __VA_ARGS__)
#define gg_nn_group_norm(...) GG_SITED_CALLER(gg_nn_group_norm, __VA_ARGS__)
#define gg_nn_instance_norm(...)                                               \
  GG_SITED_CALLER(gg_nn_instance_norm, __VA_ARGS__)
#define gg_nn_batch_norm(...) GG_SITED_CALLER(gg_nn_batch_norm, __VA_ARGS__)
#define gg_nn_attention(...) GG_SITED_CALLER(gg_nn_attention, __VA_ARGS__)
#define gg_nn_lstm(...) GG_SITED_CALLER(gg_nn_lstm, __VA_ARGS__)
#define gg_nn_gru(...) GG_SITED_CALLER(gg_nn_gru, __VA_ARGS__)
#define gg_nn_lstm_cell(...) GG_SITED_CALLER(gg_nn_lstm_cell, __VA_ARGS__)
#define gg_nn_gru_cell(...) GG_SITED_CALLER(gg_nn_gru_cell, __VA_ARGS__)
#define gg_checkpoint(...) GG_SITED_CALLER(gg_checkpoint, __VA_ARGS__)
#define gg_nn_dropout(...) GG_SITED_CALLER(gg_nn_dropout, __VA_ARGS__)
#define gg_loss_cross_entropy(...)                                             \
  GG_SITED_CALLER(gg_loss_cross_entropy, __VA_ARGS__)
#define gg_loss_binary(...) GG_SITED_CALLER(gg_loss_binary, __VA_ARGS__)
#define gg_loss_squared(...) GG_SITED_CALLER(gg_loss_squared, __VA_ARGS__)
#define gg_loss_huber(...) GG_SITED_CALLER(gg_loss_huber, __VA_ARGS__)
#define gg_loss_hinge(...) GG_SITED_CALLER(gg_loss_hinge, __VA_ARGS__)
#define gg_loss_kl(...) GG_SITED_CALLER(gg_loss_kl, __VA_ARGS__)
#define gg_confusion(...) GG_SITED_CALLER(gg_confusion, __VA_ARGS__)
#define gg_nn_random_flip(...) GG_SITED_CALLER(gg_nn_random_flip, __VA_ARGS__)
#define gg_nn_random_crop(...) GG_SITED_CALLER(gg_nn_random_crop, __VA_ARGS__)
#define gg_loss_ctc(...) GG_SITED_CALLER(gg_loss_ctc, __VA_ARGS__)
#define gg_params_step(...) GG_SITED_CALLER(gg_params_step, __VA_ARGS__)
#define gg_clip_norm(...) GG_SITED_CALLER(gg_clip_norm, __VA_ARGS__)
#define gg_rate_constant(...) GG_SITED_CALLER(gg_rate_constant, __VA_ARGS__)
#define gg_rate_step(...) GG_SITED_CALLER(gg_rate_step, __VA_ARGS__)
#define gg_rate_exponential(...)                                               \
  GG_SITED_CALLER(gg_rate_exponential, __VA_ARGS__)
#define gg_rate_cosine(...) GG_SITED_CALLER(gg_rate_cosine, __VA_ARGS__)
#define gg_rate_one_cycle(...) GG_SITED_CALLER(gg_rate_one_cycle, __VA_ARGS__)
#define gg_rate_warm_up(...) GG_SITED_CALLER(gg_rate_warm_up, __VA_ARGS__)
#endif

#endif
