/* SPDX-License-Identifier: BSD-2-Clause */
/** \file monitor.h
 *  A function of yours that sees each step of a compiled function's calls, with
 *  the values that go in and come out.
 */
#ifndef GPUGRAPH_MONITOR_H
#define GPUGRAPH_MONITOR_H

#include <gpugraph/func.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A value that a step reads or writes. */
typedef struct gg_step_value {
  const gg_var *var; /**< of the function's rewritten graph */
  /** What it is at that time, for GpuArray_read and other functions that do not
   *  write to it. It is zeroed (data NULL) where its memory does not hold the
   *  value: of outputs before the step, and of inputs after one that has
   *  written to the same memory. */
  GpuArray array;
} gg_step_value;

/** A step of a call: a kernel of several nodes, a product, a loop, ... What is
 *  computed without a kernel (views, sizes) is no step. All of it is borrowed
 *  for the length of the monitor's call. */
typedef struct gg_step {
  unsigned int number; /**< as gg_func_print counts, from 1 on */
  const char *label;   /**< as in profiles: "map{sub, log}" */
  const char *file;    /**< where the first of its nodes was built;
                                      NULL: not known */
  int line;
  const gg_apply *const *nodes;  /**< what it computes, inputs before users
                                      (op.h); none for a copy. A loop is one */
  const gg_step_value *in, *out; /**< each value once. Numbers that the host
                                      knows are not among them */
  size_t n_nodes, n_in, n_out;
} gg_step;

/** Returns 0, or a GA_* code that ends the function's call: outputs and shared
 *  variables then keep their old values. The message of a call that failed in
 *  it is part of the function's. It must not use the function that is
 *  being called, nor shared variables of it, but by what it is shown. */
typedef int (*gg_monitor_fn)(void *arg, const gg_step *step);

/** Show the steps of all calls from now on to `before` and `after`, right
 *  before each is enqueued and right after; NULL: to nobody, as at first. What
 *  they read they wait for. Calls read shared variables that they update in
 *  place to host memory first, and wait for nothing else. Plans are made anew;
 *  copies of the function (copy.h) have no monitor.
 *
 *  Many ops are one step where they are fused; `exclude` and modes
 *  (gg_func_spec) keep them apart: with GG_NO_REWRITE each op is a step. */
GG_PUBLIC int gg_func_set_monitor(gg_func *f, gg_monitor_fn before,
                                  gg_monitor_fn after, void *arg);

#ifdef __cplusplus
}
#endif

#endif
