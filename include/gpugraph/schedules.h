/* SPDX-License-Identifier: BSD-2-Clause */
/** \file schedules.h
 *  Rates of training as functions of a counter of steps on the device, with the
 *  formulas of torch.optim.lr_scheduler.
 *
 *      gg_var *t = gg_params_step(p);                     // optimise.h
 *      gg_optimiser how = gg_adam(0);
 *      how.schedule = gg_rate_warm_up(gg_rate_cosine(t, 1e-3, 9000, 0), t, 500,
 *                                     0.01);
 *
 *  t is a scalar, 0 in the first step. Rates have its dtype, or float32 if that
 *  is no float; a rate is an expression like any other. The host is not asked.
 *  Every function returns NULL on error and leaves the reason in the graph:
 *  GA_VALUE_ERROR for numbers that are not finite or out of their range.
 */
#ifndef GPUGRAPH_SCHEDULES_H
#define GPUGRAPH_SCHEDULES_H

#include <gpugraph/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

GG_PUBLIC gg_var *gg_rate_constant(gg_var *t, double rate);
/** rate factor^n after n times `every` steps. StepLR. */
GG_PUBLIC gg_var *gg_rate_step(gg_var *t, double rate, double every,
                               double factor);
/** rate factor^t; the factor is above 0. ExponentialLR. */
GG_PUBLIC gg_var *gg_rate_exponential(gg_var *t, double rate, double factor);
/** From `rate` to `last` along half a wave of the cosine within `steps` steps;
 *  `last` from then on. CosineAnnealingLR. */
GG_PUBLIC gg_var *gg_rate_cosine(gg_var *t, double rate, double steps,
                                 double last);
/** From most / 25 up to `most` in the first `part` of the steps, PyTorch's 0.3,
 *  and down to most / 250000, in half waves of the cosine. There are at least
 *  two steps, and more than one in the first part. OneCycleLR. */
GG_PUBLIC gg_var *gg_rate_one_cycle(gg_var *t, double most, double steps,
                                    double part);
/** A rate times a factor that grows evenly from `first` to 1 within `steps`
 *  steps. LinearLR. */
GG_PUBLIC gg_var *gg_rate_warm_up(gg_var *rate, gg_var *t, double steps,
                                  double first);

#ifdef __cplusplus
}
#endif

#endif
