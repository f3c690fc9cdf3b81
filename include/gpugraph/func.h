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

/** Replace `var` by `by` everywhere in the graph. Types must agree. */
typedef struct gg_given {
  gg_var *var, *by;
} gg_given;

/** How a function is compiled. */
typedef enum gg_mode {
  GG_FAST_RUN = 0, /**< every rewrite, fusion, in-place */
  GG_FAST_COMPILE, /**< only rewrites that kernels need; no fusion */
  GG_NO_REWRITE,   /**< each node is a kernel of its own, for comparison in
                        tests */
  /** As GG_FAST_RUN, but each call for all outputs is checked. It first runs
   *  the graph as it was built and compares each node with plain C on the host.
   *  It then does so with the compiled kernels, and compares the results of
   *  both runs. A difference beyond rounding is GA_VALUE_ERROR: the message has
   *  the first node, its first index, both values and the site, and shared
   *  variables keep their values. Slow; blocks for every kernel. Ops without a
   *  host form (gg_op.reference) run but are not compared. */
  GG_DEBUG
} gg_mode;

/** The mode of a name: "FAST_RUN" or "Mode", "FAST_COMPILE", "NO_REWRITE" or
 *  "NONE", "DEBUG", "DEBUG_MODE" or "DebugMode", in upper or lower case.
 *  GA_VALUE_ERROR for others. */
GG_PUBLIC int gg_mode_from_name(const char *name, gg_mode *mode);

/** Lists end with NULL, so that they need no count:
 *  .inputs = GG_VARS(x, y), .updates = GG_UPDATES({w, w1}, {b, b1}).
 *  A NULL among the arguments of a macro is an error, and the message has its
 *  position. The macros work in C only and inside of functions only; C++ and
 *  static data need arrays that end with NULL. */
#define GG_VARS(...) GG_LIST(gg_var *, __VA_ARGS__)
#define GG_UPDATES(...) GG_LIST(gg_update, __VA_ARGS__)
#define GG_GIVENS(...) GG_LIST(gg_given, __VA_ARGS__)
#define GG_NAMES(...) GG_LIST(const char *, __VA_ARGS__)

/** What to compile. A NULL list is empty. */
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
   *  adds them in modes without rewrites. */
  const char *const *include, *const *exclude;
  unsigned int max_passes; /**< of each stage of rewriting; 0: 64 */
  FILE *trace; /**< gets a line for each rewrite that fires, and the lines of
                    GG_WARN_HOST and GG_WARN_UNUSED_INPUT; NULL: none */
  /** Inputs whose arrays calls may overwrite: intermediate values and results
   *  use their memory after the last read of the input. After a call their
   *  elements are undefined. The call works on a copy, and the array does not
   *  change, if the array overlaps another argument or a shared variable of the
   *  function, is a default, or is not writeable. The list ends with NULL. */
  gg_var *const *mutable_inputs;
  /** Outputs that may be views. An output of this list becomes a view where it
   *  is, or views, an input, a shared variable that this function does not
   *  update, a constant or an earlier output, and where it is computed in the
   *  memory of a mutable input. The call then replaces its array. The view
   *  keeps the memory alive; its elements stay until something writes to that
   *  memory. Views of constants are not writeable. In all other cases the
   *  output has memory of its own. The list ends with NULL. */
  gg_var *const *borrowed_outputs;
  /** Inputs whose arguments are never converted, and inputs whose arguments are
   *  converted from any real dtype. Both lists override GG_STRICT and
   *  GG_ALLOW_DOWNCAST. No input is in both. The lists end with NULL. */
  gg_var *const *strict_inputs, *const *downcast_inputs;
} gg_func_spec;

/** Set `mode`, `include` and `exclude` of a spec by a name in upper or lower
 *  case: one of gg_mode_from_name, or of Theano's optimizers and modes
 *
 *      merge                 NO_REWRITE; nodes are merged when they are built
 *      o1                    FAST_COMPILE
 *      o2                    the same with "fusion"
 *      o3                    FAST_RUN without "inplace"
 *      o4                    FAST_RUN
 *      unsafe                o3 with "remove assert"
 *      stabilize             rules for more exact results, and those they need
 *      fast_run_stable       the same with "fusion" and "inplace"
 *      NanGuardMode          FAST_RUN, with GG_NAN_GUARD, GG_INF_GUARD and
 *                            GG_BIG_GUARD added to `flags`
 *
 *  GA_VALUE_ERROR for other names, with the spec unchanged. The library owns
 *  the lists. */
GG_PUBLIC int gg_func_spec_mode(gg_func_spec *spec, const char *name);

#define GG_ALLOW_UNUSED_INPUT 1 /**< accept inputs that nothing uses */
/** Measure calls from the first one on, and the rewrite rules while compiling
 *  (report.h). */
#define GG_PROFILE 2
#define GG_NO_HOST 4 /**< ops that run on the host are errors */
/** A NaN in an argument, a shared variable or a result is GA_VALUE_ERROR. The
 *  message has the op (also one of a fused kernel), the first index and the
 *  site; inside of loops it has the iteration, from 0, and what the kernel
 *  stored. Constants are not checked. The host checks after every kernel and
 *  blocks for it: use this for debugging. */
#define GG_NAN_GUARD 8
#define GG_INF_GUARD 16 /**< the same for infinities */
/** The same for magnitudes beyond GG_BIG, infinities included: values that may
 *  overflow next. */
#define GG_BIG_GUARD 1024
#define GG_BIG 1e10
/** An index out of range of gg_take, gg_put, gg_crossentropy and of ops that
 *  are built from them is GA_VALUE_ERROR. The message has the op, the index,
 *  its position, the size it exceeds and the site. So are edges of
 *  gg_searchsorted, gg_histogram and their like that decrease. The host checks
 *  all indices and edges before kernels use them, and blocks for it:
 *  GG_INDEX_GUARD is faster. GG_DEBUG implies it. */
#define GG_BOUNDS_GUARD 128
/** Make no default updates of shared variables. */
#define GG_NO_DEFAULT_UPDATES 32
/** Return temporaries to the context's pool after each call, and allocate them
 *  again for the next (Theano's allow_gc). Functions that run in turn then
 *  share memory; each call takes more host time. */
#define GG_FREE_TEMPS 64
/** On CPU devices, kernels of functions flush subnormal numbers (of float32 and
 *  bfloat16, magnitudes below 1.2e-38) to zero where the driver can. Arithmetic
 *  with them is many times slower, and values that decay in long trainings
 *  become subnormal. This flag and GG_DEBUG keep them. Array calls, kernels of
 *  your own ops, folded constants and float16 always keep them. */
#define GG_KEEP_SUBNORMALS 8192
/** Write a line to `trace` for each op that the host computes, also in loops
 *  and choices: "sort is computed by the host (model.c:42)". */
#define GG_WARN_HOST 256
/** Write a line to `trace` for each input that nothing uses, instead of
 *  failing. */
#define GG_WARN_UNUSED_INPUT 512
/** Without this flag, an argument of another dtype than its input's is
 *  converted at each call only where the input's dtype holds all values of the
 *  argument's: float32 to float64 and int16 to float32, but neither int32 to
 *  float32 nor int64 to float64. Others are GA_VALUE_ERROR, whose message has
 *  both dtypes. With this flag any real dtype is converted to any other, as
 *  GpuArray_cast does. */
#define GG_ALLOW_DOWNCAST 2048
/** Refuse all arguments of another dtype; excludes GG_ALLOW_DOWNCAST. For
 *  single inputs: strict_inputs and downcast_inputs. */
#define GG_STRICT 4096
/** Guard indices, or with GG_NO_INDEX_GUARD do not, whatever the default of the
 *  function's context (gpuarray/index_guard.h). Guarded kernels report an index
 *  out of range of gg_take, gg_put, gg_crossentropy and of ops that are built
 *  from them, and edges of gg_searchsorted, gg_histogram and their like that
 *  decrease. The next function that reads a result or waits for the context
 *  returns GA_VALUE_ERROR, once; the message has the op, the index, its
 *  position, the size it exceeds and the site. It has no position where a map
 *  reads by index in its own kernel (gather.h), as GPUs often do. Calls do not
 *  block for it. GG_BOUNDS_GUARD, which blocks, replaces it. */
#define GG_INDEX_GUARD 16384
#define GG_NO_INDEX_GUARD 32768 /**< excludes GG_INDEX_GUARD */

/** Compile a function, which the caller frees. On failure *out is NULL, and the
 *  message is in the graph (gg_graph_error). The first call with new shapes
 *  compiles kernels, since shapes decide which are needed; gg_func_prepare does
 *  that before the call. */
GG_PUBLIC int gg_func_new(gg_func **out, gg_graph *g, const gg_func_spec *spec);
/** Accepts NULL. */
GG_PUBLIC void gg_func_free(gg_func *f);
/** Free the device memory that a function keeps between calls: temporaries,
 *  constants, plans with their tables, and copies for calls that want some of
 *  the outputs. The next call allocates what it needs, without compiling
 *  kernels.
 *  The memory goes to the context's pool; gpucontext_trim (gpuarray/profile.h)
 *  returns it to the driver. Does not block; accepts NULL. */
GG_PUBLIC void gg_func_trim(gg_func *f);

/** Run.
 *
 *  \param in one array per input, or NULL where it has a default (args.h), of
 *    the input's rank, in the input's context; with any strides; of the input's
 *    dtype, or one that may be converted (GG_ALLOW_DOWNCAST)
 *  \param out one array per output. A NULL output is not computed, and neither
 *    is what only it needs. A zeroed array is allocated here. An array that has
 *    the right dtype and shape, is C contiguous and shares no memory with an
 *    input or a shared variable is overwritten; any other is cleared and
 *    allocated again. The caller clears them.
 *
 *  Returns when the work is enqueued. It blocks for the sources of transfers
 *  between contexts, and where the host needs a value: for ops that it
 *  computes, for conditions, and for sizes that depend on elements of
 *  arguments.
 *
 *  On failure the outputs and shared variables keep their old values, and the
 *  message of gg_func_error has the input, the op, dtypes and shapes. There is
 *  one exception: if the driver refuses a launch after others were enqueued,
 *  each result is old or new as a whole, and the message says how many launches
 *  came before.
 *
 *  Threads may share a function. Calls of one function run one after the other,
 *  and so do calls of functions with a shared variable in common; all others
 *  run at the same time. The function retains the arrays of its last call with
 *  each combination of shapes until another call replaces them. */
GG_PUBLIC int gg_func_call(gg_func *f, GpuArray *const *in,
                           GpuArray *const *out);
/** The message of this thread's last failed call; "" if none. Valid until the
 *  thread's next failure. */
GG_PUBLIC const char *gg_func_error(const gg_func *f);

/** Prepare calls with arguments of these sizes: find the sizes of all values,
 *  allocate the memory that the function keeps, and compile the kernels. A call
 *  with such arguments in C order, for all outputs, then compiles nothing.
 *
 *  \param sizes one per input, in the order of a call's arguments, also for
 *               inputs with a default. NULL if there are no inputs.
 *
 *  Nothing is computed, and no values change. While it runs it needs as much
 *  device memory as a call. It makes one plan (GG_MAX_PLANS), unless the
 *  function has that plan already. Loops, choices and debug mode are included.
 *  Some drivers put compiling off to the first launch, as PoCL does.
 *
 *  Errors are those of calls, with the message in gg_func_error; also
 *  GA_UNSUPPORTED_ERROR where sizes depend on the elements of an argument, such
 *  as the iterations of a loop. */
GG_PUBLIC int gg_func_prepare(gg_func *f, const gg_dims *sizes);

/** How many plans a function keeps. There is one for each combination of shapes
 *  and strides. A call with a new combination makes a plan. If there are too
 *  many it is made from an older one, the least recently used of those that ran
 *  once only, else of all; that takes a few microseconds a step. Plans that a
 *  call has come back to within the last 256 calls stay, however many other
 *  shapes come and go. Kernels stay compiled. */
#define GG_MAX_PLANS 16

/** Figures of a compiled function. */
typedef struct gg_func_stats {
  size_t nodes;           /**< variables of its graph before rewriting */
  size_t nodes_rewritten; /**< nodes left after rewriting */
  size_t steps;           /**< kernels per call for the last plan. A step that
                               has a row in profiles may need several. */
  size_t host_steps;      /**< steps per call that the host computes; without
                               those that LAPACK computes in the queue of a CPU
                               device, which profiles name "lapacke" */
  size_t plans;           /**< plans made so far */
  double compile_seconds; /**< rewriting and fusion, without the driver */
  double build_seconds;   /**< in the driver's compiler, for all plans */
  uint64_t calls;
  size_t temp_bytes;       /**< temporaries of the last plan */
  size_t temp_bytes_alone; /**< the same if each value had a buffer of its
                                own */
  double rewrite_seconds;  /**< of compile_seconds */
  double fuse_seconds;     /**< of compile_seconds */
  double plan_seconds;     /**< making plans, without the driver's compiler */
  size_t transfers;        /**< between contexts, per call for the last plan */
  size_t plans_kept;       /**< at most GG_MAX_PLANS */
  size_t kernels_made; /**< kernels that plans set up anew, instead of taking
                                them over from a plan that they replaced */
} gg_func_stats;
/** Read the figures. The last plan is that of the last call for all outputs;
 *  before the first one it is the plan that was prepared last. */
GG_PUBLIC int gg_func_stat(const gg_func *f, gg_func_stats *out);

#ifdef __cplusplus
}
#endif

#endif
