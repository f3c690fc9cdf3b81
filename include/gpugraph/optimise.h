/* SPDX-License-Identifier: BSD-2-Clause */
/** \file optimise.h
 *  Optimisers as updates of a training function, with the names, defaults and
 *  formulas of torch.optim.
 *
 *      gg_optimiser how = gg_adam_w(1e-3);
 *      how.clip_norm = 1;
 *      gg_func_new(&train, g, &(gg_func_spec){.inputs = GG_VARS(x, y),
 *                                             .outputs = GG_VARS(loss),
 *                                             .updates = gg_optimise(p, loss,
 *                                                                    &how)});
 *
 *  The kernels that compute gradients also make the updates where they can.
 *  What an optimiser remembers is in shared variables that the group of
 *  parameters owns: values of float16 and bfloat16 parameters are kept and
 *  worked with as float32.
 */
#ifndef GPUGRAPH_OPTIMISE_H
#define GPUGRAPH_OPTIMISE_H

#include <gpugraph/func.h>
#include <gpugraph/params.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gg_optimiser_kind {
  GG_SGD = 0,
  GG_ADAM,
  GG_RMSPROP,
  GG_ADAGRAD,
  GG_ADADELTA,
  GG_LION
} gg_optimiser_kind;

/** An optimiser. The functions below make one with PyTorch's defaults; change
 *  members before you use it. */
typedef struct gg_optimiser {
  gg_optimiser_kind kind;
  double rate;
  gg_var *schedule; /**< a scalar in place of the rate (schedules.h), or NULL */
  double decay;     /**< weight decay: added to gradients as decay w */
  int decoupled;    /**< decay reduces parameters by rate decay w instead */
  double momentum;  /**< SGD, RMSProp; 0: none */
  double dampening; /**< SGD */
  int nesterov;     /**< SGD */
  double beta1, beta2; /**< Adam, Lion */
  double epsilon;      /**< Adam, RMSProp, Adagrad, Adadelta */
  int amsgrad;       /**< Adam: divide by the largest mean of squares so far */
  double alpha;      /**< RMSProp: of the mean of squares */
  int centered;      /**< RMSProp: divide by deviations */
  double rho;        /**< Adadelta: of the means of squares */
  double rate_decay; /**< Adagrad: the rate is divided by 1 + rate_decay t */
  double first_sum;  /**< Adagrad: the sums of squares begin with it */
  double clip_value; /**< clip elements of gradients to it; 0: do not */
  double clip_norm;  /**< after that, scale all gradients so that their norm as
                         one vector is at most this; 0: do not */
  /** Average the gradients of so many calls, then make one step: calls with
   *  batches of one size add up to one large batch. 0 or 1: each call is a
   *  step. States get their next values in each call. */
  unsigned int accumulate;
  /** Scale the cost for the gradients of narrow floats, which else vanish: the
   *  first scale, PyTorch's is 65536; 0: do not. A step whose gradients are not
   *  all finite is left out and halves the scale; `scale_every` steps in a row
   *  that are not double it. */
  double scale;
  unsigned int scale_every; /**< 0: PyTorch's 2000 */
  double average; /**< of weights: 0: none; below 1: exponential, the part of
                         the average that stays; 1: the mean of all steps */
} gg_optimiser;

/** \name Optimisers with PyTorch's defaults
 *  Its own rates are 1e-3 for Adam, AdamW and SGD, 1e-2 for RMSProp and
 *  Adagrad, 1 for Adadelta; that of the article on Lion is 1e-4. */
/**@{*/
GG_PUBLIC gg_optimiser gg_sgd(double rate);
GG_PUBLIC gg_optimiser gg_adam(double rate);
/** Adam with a decoupled decay of 0.01. */
GG_PUBLIC gg_optimiser gg_adam_w(double rate);
GG_PUBLIC gg_optimiser gg_rmsprop(double rate);
GG_PUBLIC gg_optimiser gg_adagrad(double rate);
GG_PUBLIC gg_optimiser gg_adadelta(double rate);
/** The sign of a mean of gradients (Chen and others, 2023). */
GG_PUBLIC gg_optimiser gg_lion(double rate);
/**@}*/

/** Make the updates of one step that reduces `cost`, a float scalar: those of
 *  all parameters of the group that are not frozen, of what the optimiser
 *  remembers, of the group's counter of steps and of its states
 *  (gg_params_update). Each parameter influences the cost.
 *
 *  Returns a list for gg_func_spec.updates, borrowed until the group is freed;
 *  NULL on error, with the reason in the graph: GA_VALUE_ERROR for numbers out
 *  of their ranges and for a group without parameters to train, and the errors
 *  of gg_grad. A second list for the same parameters shares what the first one
 *  remembers. */
GG_PUBLIC const gg_update *gg_optimise(gg_params *p, gg_var *cost,
                                       const gg_optimiser *how);
/** The group's counter: how many steps there were before this one, a scalar as
 *  it is worked with: float32 or float64. */
GG_PUBLIC gg_var *gg_params_step(gg_params *p);

/** The scale of the cost (gg_optimiser.scale), a shared scalar, after
 *  gg_optimise made it; NULL if there is none. */
GG_PUBLIC gg_var *gg_params_scale(const gg_params *p);

/** \name Parameters with their own numbers
 *  For the parameters that the group has now; a later call replaces it. */
/**@{*/
/** Multiply the rate by a factor of at least 0. */
GG_PUBLIC int gg_params_rate(gg_params *p, double factor);
/** Use this decay, at least 0, instead of the optimiser's. */
GG_PUBLIC int gg_params_decay(gg_params *p, double decay);
/**@}*/

/** Scale n gradients in place by max / (norm + 1e-6) if their norm, as one
 *  vector, is above `max`; NULL entries are left out. Returns the norm, or NULL
 *  on error. */
GG_PUBLIC gg_var *gg_clip_norm(gg_var **grad, unsigned int n, double max);

/** Copy a function (gg_func_copy) so that it uses the averages of the weights
 *  instead of the parameters of the group. GA_VALUE_ERROR if there are none. */
GG_PUBLIC int gg_params_averaged(gg_func **out, gg_params *p, const gg_func *f);

/** \name Interrupted training
 *  gg_params_save and gg_params_load with all that training needs to go on with
 *  the same bits: what optimisers remember, counters, and the states of
 *  gg_params_random; of all groups around and within `p`. Build the training
 *  function before you load. */
/**@{*/
GG_PUBLIC int gg_params_save_training(gg_params *p, const char *path);
GG_PUBLIC int gg_params_load_training(gg_params *p, const char *path);
/**@}*/

#ifdef __cplusplus
}
#endif

#endif
