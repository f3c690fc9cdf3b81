/* SPDX-License-Identifier: BSD-2-Clause */
/** \file func.h
 *  Compile a graph to kernels and run it.
 */
#ifndef GPUGRAPH_FUNC_H
#define GPUGRAPH_FUNC_H

#include <gpugraph/graph.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gg_func gg_func;

/** A shared variable and the expression of its new value, of the same dtype
 *  (gg_cast converts). All expressions see the old values; all stores happen
 *  together at the end of a call. */
typedef struct gg_update {
  gg_var *shared, *value;
} gg_update;

/** Use `by` wherever `var` stands in the graph. Types must agree. */
typedef struct gg_given {
  gg_var *var, *by;
} gg_given;

/** How much is rewritten. */
typedef enum gg_mode {
  GG_FAST_RUN = 0, /**< every rewrite, fusion, in-place */
  GG_FAST_COMPILE, /**< no rewrites but those that kernels need; no fusion */
  GG_NO_REWRITE,   /**< every node its own kernel: for comparison in tests */
  /** As GG_FAST_RUN, but each call is checked: all nodes of the graph as it was
   *  built, one by one, then the kernels that were made of it, against the same
   *  in plain C on the host, and the results against each other. A difference
   *  beyond rounding is GA_VALUE_ERROR; the message has the first node, its
   *  first index, both values and where it was built, and shared variables keep
   *  their values. Slow; waits for every kernel. Ops without a host form
   *  (gg_op.reference) are run but not compared. */
  GG_DEBUG
} gg_mode;

/** The mode of a name: "FAST_RUN" or "Mode", "FAST_COMPILE", "NO_REWRITE" or
 *  "NONE", "DEBUG", "DEBUG_MODE" or "DebugMode", in upper or lower case.
 *  GA_VALUE_ERROR for others. */
GG_PUBLIC int gg_mode_from_name(const char *name, gg_mode *mode);

/** Lists end with NULL, so that they need no count:
 *  .inputs = GG_VARS(x, y), .updates = GG_UPDATES({w, w1}, {b, b1}).
 *  (C only; C++ passes arrays.) */
#define GG_VARS(...) ((gg_var *[]){__VA_ARGS__, NULL})
#define GG_UPDATES(...) ((gg_update[]){__VA_ARGS__, {NULL, NULL}})
#define GG_GIVENS(...) ((gg_given[]){__VA_ARGS__, {NULL, NULL}})
#define GG_NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

/** What to compile. A list that is NULL is empty. */
typedef struct gg_func_spec {
  const char *name;      /**< shown in profiles and messages */
  gg_var *const *inputs; /**< in the order of the call's arguments */
  gg_var *const *outputs;
  const gg_update *updates;
  const gg_given *givens;
  gg_mode mode;
  int flags;
  gg_var *const *no_default_updates; /**< shared variables whose own updates
                                          (gg_shared_set_update) are left out */
  /** Names of rewrites (docs/rewrites.md), of their families ("fold", "shape",
   *  "arith", "stable", "product", "sum", "reduce", "blas", ...), "fusion" and
   *  "inplace"; the lists end with NULL. `exclude` leaves them out; `include`
   *  adds them to modes that have none. */
  const char *const *include, *const *exclude;
  unsigned int max_passes; /**< of each stage of rewriting; 0: 64 */
  FILE *trace; /**< gets a line for each rewrite that fires, and what
                    GG_WARN_HOST and GG_WARN_UNUSED_INPUT say; NULL: none */
  /** Inputs whose arrays calls may overwrite: intermediate values and results
   *  take their memory when their own value has been read for the last time.
   *  After a call their elements are undefined. An array that overlaps another
   *  argument or a shared variable of the function, that is a default or not
   *  writeable is copied first, and left alone. The list ends with NULL. */
  gg_var *const *mutable_inputs;
  /** Outputs that need no memory of their own. One that is (a view of) an
   *  input, a shared variable that this function does not update, a constant or
   *  an output before it, or is computed in the memory of a mutable input,
   *  becomes a view of that memory, and its array is replaced. The view keeps
   *  the memory alive; its elements are those of the call until something
   *  writes to what it shows. Constants are not writeable. All other outputs
   *  are what they are without this. */
  gg_var *const *borrowed_outputs;
  /** Inputs whose arguments are never converted, and those whose arguments of
   *  any real dtype are, whatever GG_STRICT and GG_ALLOW_DOWNCAST say of the
   *  others. No input is in both. The lists end with NULL. */
  gg_var *const *strict_inputs, *const *downcast_inputs;
} gg_func_spec;

/** Set `mode`, `include` and `exclude` of a spec to what a name stands for, in
 *  upper or lower case: one of gg_mode_from_name, or of Theano's optimizers and
 *  modes
 *
 *      merge                 NO_REWRITE; nodes are merged when they are built
 *      o1                    FAST_COMPILE
 *      o2                    the same with "fusion"
 *      o3                    FAST_RUN without "inplace"
 *      o4                    FAST_RUN
 *      unsafe                o3 with "remove assert"
 *      stabilize             what makes results more exact, and what that needs
 *      fast_run_stable       the same with "fusion" and "inplace"
 *      NanGuardMode          FAST_RUN, with GG_NAN_GUARD, GG_INF_GUARD and
 *                            GG_BIG_GUARD added to `flags`
 *
 *  GA_VALUE_ERROR for others, with the spec as it was. The lists are the
 *  library's. */
GG_PUBLIC int gg_func_spec_mode(gg_func_spec *spec, const char *name);

#define GG_ALLOW_UNUSED_INPUT 1 /**< inputs that nothing uses are fine */
/** Measure from the first call on, and while compiling the rewrite rules
 *  (report.h). */
#define GG_PROFILE 2
#define GG_NO_HOST 4 /**< ops that run on the host are errors */
/** A NaN in an argument, a shared variable or a result is GA_VALUE_ERROR. The
 *  message has the op, also inside of a kernel of many, the first index and
 *  where it was built; inside of loops the iteration, from 0 on, and what the
 *  kernel stored. Constants are not looked at. Calls wait for every kernel. The
 *  host looks, so this is for finding, not for production. */
#define GG_NAN_GUARD 8
#define GG_INF_GUARD 16 /**< likewise for infinities */
/** Likewise for numbers beyond GG_BIG, infinities among them: what overflows
 *  next. */
#define GG_BIG_GUARD 1024
#define GG_BIG 1e10
/** An index out of range, of gg_take, gg_put, gg_crossentropy and what is made
 *  of them, is GA_VALUE_ERROR instead of what those do with it. The message has
 *  the op, the index, its position, the size it exceeds and where the op was
 *  built. The host looks at all indices before they are used. GG_DEBUG has it
 *  by itself. */
#define GG_BOUNDS_GUARD 128
/** No shared variable brings its own along. */
#define GG_NO_DEFAULT_UPDATES 32
/** Give intermediate buffers back to the context after each call, and take them
 *  anew for the next (Theano's allow_gc): functions that run in turn then share
 *  them, at some host time per call. */
#define GG_FREE_TEMPS 64
/** Each op that the host computes, loops and choices included, is a line in
 *  `trace`: "sort is computed by the host (model.c:42)". */
#define GG_WARN_HOST 256
/** Inputs that nothing uses are lines in `trace` instead of errors. */
#define GG_WARN_UNUSED_INPUT 512
/** An argument of another dtype than its input's is converted at each call
 *  where the input's dtype holds all values of the argument's: float32 for
 *  float64, int16 for float32, but neither int32 for float32 nor int64 for
 *  float64. All others are GA_VALUE_ERROR, whose message has both dtypes. With
 *  this flag any real dtype is converted to any, as GpuArray_cast does. */
#define GG_ALLOW_DOWNCAST 2048
/** Arguments of another dtype are all refused. Not with GG_ALLOW_DOWNCAST. For
 *  single inputs: strict_inputs and downcast_inputs. */
#define GG_STRICT 4096

/** Compile. On failure *out is NULL, the code is returned, and the message is
 *  in the graph (gg_graph_error). Kernels are compiled at the first call with
 *  new shapes, since shapes decide which are needed. */
GG_PUBLIC int gg_func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec);
/** Accepts NULL. */
GG_PUBLIC void gg_func_free(gg_func *f);
/** Give back the device's memory that a function keeps between calls:
 *  intermediate buffers, constants, plans with their tables, copies for calls
 *  that want some of the outputs. The next call makes what it needs again,
 *  without compiling kernels anew. The memory goes to the context's pool;
 *  gpucontext_trim (gpuarray/profile.h) hands that to the driver. Does not
 *  block; accepts NULL. */
GG_PUBLIC void gg_func_trim(gg_func *f);

/** Run.
 *
 *  \param in one array per input, or NULL where it has a default (args.h), of
 *    the input's rank, in the input's context; with any strides; of the input's
 *    dtype, or one that may be converted (GG_ALLOW_DOWNCAST)
 *  \param out one array per output. One that is NULL is not computed, nor what
 *    only it needs. One that is zeroed is allocated here; one that has the
 *    right dtype and shape, is C contiguous and shares no memory with an input
 *    or a shared variable is overwritten; any other is cleared and allocated
 *    anew. The caller clears them.
 *
 *  Asynchronous: returns when the work is enqueued; before that it waits for
 *  the sources of transfers between contexts.
 *
 *  On failure the outputs and shared variables keep their old values, and
 *  gg_func_error tells the input, the op, dtypes and shapes; but when the
 *  driver refuses a launch after others, each result is old or new as a whole,
 *  and the message says how many launches came before.
 *
 *  Calls of one function from several threads run one after the other, and so
 *  do those of functions with a shared variable in common; all others run at
 *  the same time. The function holds on to the arrays of its last call with
 *  each combination of shapes until another takes their place. */
GG_PUBLIC int gg_func_call(gg_func *f, GpuArray *const *in,
                           GpuArray *const *out);
/** The message of this thread's last failed call; "" if none. Valid until the
 *  thread's next failure. */
GG_PUBLIC const char *gg_func_error(const gg_func *f);

/** How many plans a function keeps, one for each combination of shapes and
 *  strides. A call with another makes a new one in the place of the one that
 *  was used longest ago; kernels stay compiled. */
#define GG_MAX_PLANS 16

/** What was compiled, and what it took. */
typedef struct gg_func_stats {
  size_t nodes;           /**< variables asked for, after cloning */
  size_t nodes_rewritten; /**< apply nodes left after rewriting */
  size_t steps;           /**< kernels per call for the last plan */
  size_t host_steps;      /**< steps per call that the host computes */
  size_t plans;           /**< made so far */
  double compile_seconds; /**< rewriting and fusion, without the driver */
  double build_seconds;   /**< in the driver's compiler, for all plans */
  uint64_t calls;
  size_t temp_bytes;       /**< intermediate buffers of the last plan */
  size_t temp_bytes_alone; /**< the same if each value had a buffer of its
                                own */
  double rewrite_seconds;  /**< of compile_seconds */
  double fuse_seconds;     /**< of compile_seconds */
  double plan_seconds;     /**< making plans, without the driver's compiler */
  size_t transfers;        /**< between contexts, per call for the last plan */
  size_t plans_kept;       /**< at most GG_MAX_PLANS */
} gg_func_stats;
GG_PUBLIC int gg_func_stat(const gg_func *f, gg_func_stats *out);

#ifdef __cplusplus
}
#endif

#endif
