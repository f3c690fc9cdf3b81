/* SPDX-License-Identifier: BSD-2-Clause */
/** \file lbfgs.h
 *  L-BFGS: a loop that minimises a cost over all data at once, with few
 *  evaluations and without a rate to choose.
 *
 *      gg_lbfgs_done done;
 *      gg_lbfgs(p, cost, &(gg_lbfgs_spec){.inputs = GG_VARS(x, y),
 *                                         .arrays = (GpuArray *[]){&a, &b}},
 *               &done);
 *
 *  The device computes the cost and its gradient. The host keeps the history in
 *  float64, so an evaluation moves all parameters to the device and all
 *  gradients back.
 */
#ifndef GPUGRAPH_LBFGS_H
#define GPUGRAPH_LBFGS_H

#include <gpugraph/func.h>
#include <gpugraph/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Why it ended. */
typedef enum gg_lbfgs_end {
  GG_LBFGS_STEPS = 0, /**< all steps were made */
  GG_LBFGS_GRADIENT,  /**< no element of the gradient is beyond `tolerance` */
  GG_LBFGS_CHANGE,    /**< the last step changed the cost by `change` at most */
  GG_LBFGS_STUCK /**< no step down was found: rounding errors are as large as
                      what is left, or the gradient is wrong */
} gg_lbfgs_end;

/** Where it is, or how it ended. */
typedef struct gg_lbfgs_done {
  double cost;               /**< at the parameters as they are */
  double gradient;           /**< the largest magnitude of its elements there */
  size_t steps, evaluations; /**< so far, of this call */
  gg_lbfgs_end end;
} gg_lbfgs_done;

/** How to minimise. Members that are 0 have the defaults. */
typedef struct gg_lbfgs_spec {
  gg_var *const *inputs;   /**< of the cost; NULL: none */
  GpuArray *const *arrays; /**< one for each */
  size_t steps;            /**< at most; 0: 100 */
  size_t history;          /**< pairs to remember; 0: 10 */
  double tolerance;        /**< 0: 1e-7 */
  double change; /**< relative to the cost, or to 1 if that is less; 0: 1e-9 */
  /** Called after each step, with `arg`. A code ends it, and is returned. The
   *  parameters are those of the step. */
  int (*each)(void *arg, const gg_lbfgs_done *now);
  void *arg;
} gg_lbfgs_spec;

/** Minimise `cost`, a float scalar, over the parameters of the group that are
 *  not frozen. Each step goes along the direction of the two-loop recursion to
 *  a point with the strong Wolfe conditions (Nocedal and Wright, 2006, chapters
 *  3 and 7), and never up. The cost has to be the same in each evaluation:
 *  random numbers stay as they are, and so do states.
 *
 *  Blocks. `how` and `out` may be NULL. Errors: GA_INVALID_ERROR without a
 *  group, a cost or an array for each input, GA_VALUE_ERROR for numbers out of
 *  their ranges, for a group without parameters to train, and if the cost or
 *  its gradient is not finite where it begins; those of gg_grad, gg_func_new
 *  and gg_func_call. The parameters then are those of the last step. */
GG_PUBLIC int gg_lbfgs(gg_params *p, gg_var *cost, const gg_lbfgs_spec *how,
                       gg_lbfgs_done *out);

#ifdef __cplusplus
}
#endif

#endif
