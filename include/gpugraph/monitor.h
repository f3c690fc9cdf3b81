/* SPDX-License-Identifier: BSD-2-Clause */
/** \file monitor.h
 *  Let a function of yours see each step of a compiled function's calls, with
 *  the values that it reads and writes.
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
  /** Its value at that time, for GpuArray_read and other functions that do not
   *  write to it. The array is zeroed (data NULL) where memory does not hold
   *  the value: for outputs before the step, and for inputs after a step that
   *  wrote to the same memory. */
  GpuArray array;
} gg_step_value;

/** A step of a call: a kernel of several nodes, a product, a loop, ... Views
 *  and sizes, which need no kernel, are not shown. All pointers are borrowed
 *  and valid until the monitor returns. */
typedef struct gg_step {
  unsigned int number; /**< as in gg_func_print, from 1 */
  const char *label;   /**< as in profiles: "map{sub, log}" */
  const char *file;    /**< site of its first node; NULL: unknown */
  int line;
  const gg_apply *const *nodes;  /**< what it computes, inputs before users
                                      (op.h); none for a copy. A loop is one
                                      node */
  const gg_step_value *in, *out; /**< each value once, without scalars that the
                                      host knows */
  size_t n_nodes, n_in, n_out;
} gg_step;

/** Returns 0, or a GA_* code that ends the function's call: outputs and shared
 *  variables then keep their old values. If a call inside of it failed, that
 *  call's message becomes part of the function's. It must not use the function
 *  that is being called, nor that function's shared variables, except through
 *  the arrays it gets. */
typedef int (*gg_monitor_fn)(void *arg, const gg_step *step);

/** Set the monitors of all calls from now on: `before` runs right before each
 *  step is enqueued, `after` right after. NULL, the default, is no monitor. A
 *  monitor that reads a value blocks for it. Each call first reads the shared
 *  variables that it updates in place to host memory, and blocks for that;
 *  nothing else blocks. The function makes its plans again. Copies of the
 *  function (copy.h) have no monitor.
 *
 *  Fused ops are one step. `exclude` and modes (gg_func_spec) separate them:
 *  with GG_NO_REWRITE each op is a step. */
GG_PUBLIC int gg_func_set_monitor(gg_func *f, gg_monitor_fn before,
                                  gg_monitor_fn after, void *arg);

#ifdef __cplusplus
}
#endif

#endif
